"""CAE of a confidential number before and after perturbation: how uncertain an intruder who knows some columns is.

The setting of the CAE paper (2014), appendix: the intruder's knowledge of a person selects the matching records; what
was published about them becomes probabilities over the domain, and these become H(0) and the area. Noise is undone by
Bayes with a uniform prior (`after_noise`); a person is in a sample with the sampling fraction, and otherwise any value
of the domain is equally likely (`after_sampling`, with the expected share of matching records). H(0) counts
cells of the domain, at most a hundred, both before and after: so it is less than the entropy of exact values.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdcdb.measures.cae_curve import CAE, cae
from sdcdb.measures.channel import Cells, Grid
from sdcdb.measures.distribution import Floats
from sdcdb.measures.equivocation import after_noise

CLASSES = 300  # classes of matching records, drawn by record, over which is averaged


@dataclass(frozen=True)
class Uncertainty:
    """Means over records, and the lowest value met, for an intruder who knows the columns `known`."""

    known: tuple[str, ...]
    before: CAE
    after: CAE
    least_before: float
    """H(0) of the most exposed record."""
    least_after: float


@dataclass(frozen=True)
class Published:
    """A confidential column, record by record: its cell before and after, and how the one becomes the other."""

    grid: Grid
    before: Cells
    after: Cells
    likelihood: Floats
    fraction: float = 1.0
    """Of the records that are published."""

    def belief_after(self, matching: NDArray[np.bool_]) -> Floats:
        """Return what is believed about a person with these matching records."""
        seen = after_noise(self.after[matching], self.likelihood)
        return self.fraction * seen + (1 - self.fraction) / self.grid.size

    def belief_before(self, matching: NDArray[np.bool_]) -> Floats:
        """Return what would be believed if the table itself were published."""
        counts = np.bincount(self.before[matching], minlength=self.grid.size)
        return np.asarray(counts / counts.sum())


def uncertainty(column: Published, known: Sequence[tuple[str, Cells]], seed: int = 0) -> tuple[Uncertainty, ...]:
    """Measure a confidential column for an intruder who knows nothing, and for one who knows all of `known` (codes)."""
    everybody = np.zeros(len(column.before), np.int64)
    found = [_measured(column, (), everybody, seed)]
    if known:
        _, classes = np.unique(np.column_stack([codes for _, codes in known]), axis=0, return_inverse=True)
        found.append(_measured(column, tuple(name for name, _ in known), classes.reshape(-1), seed))
    return tuple(found)


def _measured(column: Published, known: tuple[str, ...], classes: Cells, seed: int) -> Uncertainty:
    people = np.random.default_rng(seed).permutation(len(classes))[:CLASSES]  # each class as often as it has records
    measured: dict[int, tuple[CAE, CAE]] = {}
    for one in np.unique(classes[people]):
        matching = classes == one
        beliefs = column.belief_before(matching), column.belief_after(matching)
        measured[int(one)] = (_cae(column.grid, beliefs[0]), _cae(column.grid, beliefs[1]))
    rows = [measured[int(one)] for one in classes[people]]
    before, after = ([pair[half] for pair in rows] for half in (0, 1))
    return Uncertainty(
        known, _mean(before), _mean(after), min(each.h0 for each in before), min(each.h0 for each in after)
    )


def _cae(grid: Grid, belief: Floats) -> CAE:
    return cae(grid.middles, belief / belief.sum())


def _mean(measured: list[CAE]) -> CAE:
    h0, area, eps_max = np.mean([(each.h0, each.area, each.eps_max) for each in measured], axis=0).tolist()
    return CAE(h0, area, eps_max)
