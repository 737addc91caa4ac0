"""A whole experiment: the population, the settings, and where the results go."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdcdb.evaluate.population import Population
from sdcdb.evaluate.release import Laboratory, Prior
from sdcdb.evaluate.results import Results
from sdcdb.evaluate.run import Progress, run, units
from sdcdb.evaluate.settings import Setting
from sdcdb.evaluate.summary import Line, Weight, summarise


@dataclass(frozen=True)
class Experiment:
    """What is evaluated. Equal experiments give equal results, whatever the number of processes."""

    table: str
    confidential: str
    population: Population
    settings: tuple[Setting, ...]
    runs: int = 30
    seed: int = 0
    prior: Prior = "uniform"

    def describe(self) -> dict[str, Any]:
        """Return what identifies this experiment. More settings or more runs do not make it a different one."""
        grid = self.population.grid
        digest = hashlib.sha256(self.population.positions.tobytes() + self.population.codes.tobytes())
        return {
            "table": self.table,
            "confidential": self.confidential,
            "known": list(self.population.names),
            "records": len(self.population.positions),
            "domain": [grid.low, grid.high],
            "step": grid.step,
            "values": grid.size,
            "prior": self.prior,
            "seed": self.seed,
            "data": digest.hexdigest()[:16],
        }


def evaluate(
    experiment: Experiment,
    file: Path | None = None,
    jobs: int = 1,
    weight: Weight = "values",
    progress: Progress | None = None,
) -> list[Line]:
    """Run the experiment, or the part that is not yet in `file`, and return its means."""
    laboratory = Laboratory(experiment.population, experiment.prior)
    todo = units(experiment.settings, experiment.runs, experiment.seed)
    try:
        with Results(file, experiment.describe()) as results:
            run(laboratory, todo, results, jobs, progress)
            return summarise(results.outcomes, experiment.settings, experiment.runs, weight)
    finally:
        laboratory.close()


def settings_of(texts: Sequence[str]) -> tuple[Setting, ...]:
    """Read settings as the command line writes them, each once."""
    from sdcdb.evaluate.settings import parse

    return tuple(dict.fromkeys(setting for text in texts for setting in parse(text)))
