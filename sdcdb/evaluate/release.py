"""One run of one setting: release the table, and measure how uncertain every intruder remains."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from sdcdb.errors import DataError
from sdcdb.evaluate.averages import Average, averages
from sdcdb.evaluate.beliefs import Beliefs, after_publication, after_restriction, after_sampling
from sdcdb.evaluate.likelihood import likelihood, observed
from sdcdb.evaluate.population import Floats, Population
from sdcdb.evaluate.publish import Publisher
from sdcdb.evaluate.settings import NOISE, PRINTED_NOISE, RESTRICTION, SAMPLING, Setting
from sdcdb.measures.equivocation import binomial_noise, bounded_noise

Prior = Literal["uniform", "empirical"]


@dataclass(frozen=True)
class Unit:
    """One run of one setting. These three numbers determine its draws."""

    setting: Setting
    run: int
    seed: int

    @property
    def seeds(self) -> list[int]:
        """The seed of the run."""
        return [self.seed, self.setting.number, self.run]


@dataclass(frozen=True)
class Outcome:
    """The result of one run."""

    technique: str
    amount: str
    run: int
    seeds: list[int]
    utility: float | None
    averages: list[Average]

    def plain(self) -> dict[str, Any]:
        """Return plain values, for a file."""
        return asdict(self)

    @classmethod
    def read(cls, plain: dict[str, Any]) -> "Outcome":
        """Read plain values back."""
        return cls(**{**plain, "averages": [Average(**each) for each in plain["averages"]]})


class Laboratory:
    """A population, and the database for the techniques of sdcdb, created when first needed."""

    def __init__(self, population: Population, prior: Prior = "uniform") -> None:
        self.population = population
        self.prior: Prior = prior
        self._publisher: Publisher | None = None

    def close(self) -> None:
        """Close the database."""
        if self._publisher is not None:
            self._publisher.close()
            self._publisher = None

    def run(self, unit: Unit) -> Outcome:
        """Release the table once and measure all intruders."""
        beliefs, utility = self.release(unit)
        setting = unit.setting
        found = averages(self.population, beliefs)
        return Outcome(setting.technique, setting.amount, unit.run, unit.seeds, utility, found)

    def release(self, unit: Unit) -> tuple[Beliefs, float | None]:
        """Release the table once; return what it reveals about each record, and its utility.

        The paper (section 6) has utility proportional to the sample's size, inversely to the query set size, and
        inversely to the amount of noise. Here that is the share published, 1 / Q, and 1 over M as a share of |D| - 1.
        For the techniques of sdcdb it is 1 over the mean distance between published and true value, as a share of the
        domain's width; None when nothing changed. Compare utilities within one technique only.
        """
        rng = np.random.default_rng(unit.seeds)
        positions, size = self.population.positions, self.population.grid.size
        setting = unit.setting
        if setting.technique == SAMPLING:
            records = round(setting.share * len(positions))
            return after_sampling(positions, size, records, rng), setting.share
        if setting.technique == RESTRICTION:
            query_size = int(setting.amount)
            return after_restriction(positions, size, query_size, rng), 1 / query_size
        if setting.technique in {NOISE, PRINTED_NOISE}:
            return self._noise(setting, rng)
        return self._published(setting, rng)

    def _noise(self, setting: Setting, rng: np.random.Generator) -> tuple[Beliefs, float]:
        """Add the paper's binomial noise; values may leave the domain (see `binomial_noise`)."""
        positions, size = self.population.positions, self.population.grid.size
        largest = largest_noise(setting, size)
        moved = positions + rng.binomial(largest, 0.5, len(positions))
        if setting.technique == PRINTED_NOISE:
            beliefs = after_publication(moved, bounded_noise(size, largest), np.full(size, 1 / size))
        else:
            beliefs = after_publication(moved, binomial_noise(size, largest), self._weights())
        return beliefs, (size - 1) / largest

    def _published(self, setting: Setting, rng: np.random.Generator) -> tuple[Beliefs, float | None]:
        population = self.population
        size = population.grid.size
        if self._publisher is None:
            self._publisher = Publisher(population)
        made = self._publisher.publish(setting, rng.bytes(32))
        law = likelihood(made.fitted, population.grid)
        matrix = observed(population.positions, made.published, size) if law is None else law
        shown = made.published < size
        # What is not published is as far off as a uniform guess on average.
        apart = np.where(shown, np.abs(made.published - population.positions) / max(size - 1, 1), 1 / 3)
        distance = float(apart.mean())
        utility = 1 / distance if distance > 0 else None
        return after_publication(made.published, matrix, self._weights()), utility

    def _weights(self) -> Floats:
        size = self.population.grid.size
        if self.prior == "uniform":
            return np.full(size, 1 / size)
        return np.bincount(self.population.positions, minlength=size) / len(self.population.positions)


def largest_noise(setting: Setting, size: int) -> int:
    """Return M: "k% of |D| - 1, rounded to the nearest 2" (CAE paper, appendix)."""
    largest = 2 * math.floor(setting.share * (size - 1) / 2 + 0.5)
    if largest == 0:
        raise DataError(
            f"{setting.amount} noise on a domain of {size} values rounds to no noise: "
            f"use at least {100 / max(size - 1, 1):.3g}%, or a smaller step"
        )
    return largest
