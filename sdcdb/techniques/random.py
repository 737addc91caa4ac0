"""Random, the baseline for VICUS (2012)."""

from typing import Literal

from sdcdb.techniques.families.categories import fitted_rows
from sdcdb.techniques.technique import ColumnSpec, Engine, Kind, Source, Technique, one_draw
from sdcdb.techniques.vicus import FittedPartitioned, Partitioned, fit_partitioned


class Random(Partitioned):
    """Keep a value as often as VICUS does, otherwise change it to any other, all equally likely.

    The baseline of the VICUS paper (section 3.1.1, eq. 12): the same Ps from the same partition, but a changed value
    may become any other value of its column.
    """

    method: Literal["random"]


class FittedRandom(FittedPartitioned):
    """A column perturbed by Random."""

    technique: Literal["random"] = "random"

    def how(self) -> str:
        """Say what a value that is not kept becomes."""
        return "otherwise it becomes any other, all equally likely"


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Random) -> tuple[FittedRandom, ...]:
    """Partition as VICUS does, for the same probabilities of keeping a value."""
    from sdcdb.techniques.families.transition import random

    return tuple(
        FittedRandom(
            columns=(column.name,),
            shape=shape,
            matrix=fitted_rows(random(shape.values, subsets, params.k1, params.k2)) if shape.values else (),
            subsets=subsets,
        )
        for column, shape, subsets in fit_partitioned(engine, table, columns, params)
    )


TECHNIQUE = Technique("random", Kind.CATEGORY, Random, FittedRandom, fit, joint=True, draws=one_draw)
