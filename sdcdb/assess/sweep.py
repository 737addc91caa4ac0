"""Risk against utility, over a range of the parameter that sets how strongly a column is perturbed.

Risk is how often an intruder who sees the published value, and knows the method and how frequent values are, guesses
the original: exactly for categories, to within 5% of the domain for numbers. Utility is what is left for an analyst:
for categories the share of chi-square with the other categories, for numbers the squared correlation with the
original. Both follow from the channel; nothing is drawn.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcdb.assess.channels import channel, grid_of
from sdcdb.measures.channel import guessed, kept_association, kept_variance
from sdcdb.measures.distribution import Floats
from sdcdb.techniques.binomial import FittedBinomial
from sdcdb.techniques.correlated import FittedCorrelated
from sdcdb.techniques.families import transition
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.multiplicative import FittedMultiplicative
from sdcdb.techniques.normal import FittedNormal
from sdcdb.techniques.technique import Fitted, Params
from sdcdb.techniques.uniform import FittedUniform
from sdcdb.techniques.vicus import FittedPartitioned, Partitioned

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
KEPT = (0.1, 0.3, 0.5, 0.7, 0.9)  # for randomised response
REACH = 0.05  # of the domain


@dataclass(frozen=True)
class Point:
    """A method at one strength. `chosen` is what the view has."""

    method: str
    parameter: str
    risk: float
    utility: float
    chosen: bool


def category_sweep(
    fitted: FittedTransition, params: Params, counts: Floats, tables: Sequence[Floats]
) -> tuple[Point, ...]:
    """Sweep a column that changes by a matrix.

    `counts` are those of `fitted.shape.values`; `tables` hold, for each other column, how often they occur together.
    """

    def point(method: str, parameter: str, matrix: Floats, *, chosen: bool) -> Point | None:
        kept = [share for table in tables if (share := kept_association(matrix, table)) is not None]
        if not kept:
            return None
        return Point(method, parameter, guessed(matrix, counts), float(np.mean(kept)), chosen)

    own = point(params.method, _words(params), fitted.transition().matrix, chosen=True)
    found = [point(*each, chosen=False) for each in _matrices(fitted, params)]
    return tuple(each for each in [*found, own] if each is not None)


def _matrices(fitted: FittedTransition, params: Params) -> Iterator[tuple[str, str, Floats]]:
    values = fitted.shape.values
    if isinstance(fitted, FittedPartitioned) and isinstance(params, Partitioned):
        for make in (transition.vicus, transition.random):  # the comparison that the VICUS paper makes
            for factor in FACTORS:
                k1 = params.k1 * factor
                yield make.__name__, f"k1 = {k1:g}", make(values, fitted.subsets, k1, params.k2).matrix
    else:
        for kept in KEPT:
            yield "warner", f"p = {kept:g}", transition.warner(values, kept).matrix


def _words(params: Params) -> str:
    given = params.model_dump(mode="json", exclude={"method"})
    shown = {name: value for name, value in given.items() if name in {"k1", "p", "sd", "width", "noise", "share"}}
    return (
        ", ".join(
            f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}" for name, value in shown.items()
        )
        or "as it is"
    )


def number_sweep(
    fitted: Fitted, column: str, params: Params, values: Floats, shape: tuple[tuple[float, float], float | None]
) -> tuple[Point, ...]:
    """Sweep noise on a number with a domain; empty for a technique of another kind."""
    grid = grid_of(*shape)
    prior = np.bincount(grid.cells(values), minlength=grid.size)
    found = []
    for factor in FACTORS:
        scaled = _scaled(fitted, factor)
        likelihood = None if scaled is None else channel(scaled[1], column, grid)
        if scaled is None or likelihood is None:
            return ()
        risk = guessed(likelihood, prior, round(REACH * grid.size))
        utility = kept_variance(likelihood, prior, grid.middles)
        found.append(Point(params.method, scaled[0], risk, utility, factor == 1))
    return tuple(found)


def _scaled(fitted: Fitted, factor: float) -> tuple[str, Fitted] | None:
    """Return the technique with its noise multiplied, and its parameter in words."""
    changed: Mapping[str, Any]
    if isinstance(fitted, FittedNormal | FittedMultiplicative):
        changed = {"sd": fitted.sd * factor}
    elif isinstance(fitted, FittedUniform):
        changed = {"width": fitted.width * factor}
    elif isinstance(fitted, FittedBinomial):
        changed = {"trials": max(2, 2 * round(fitted.trials * factor / 2))}
    elif isinstance(fitted, FittedCorrelated):
        rows = tuple(tuple(part * math.sqrt(factor) for part in row) for row in fitted.factor)
        again = fitted.model_copy(update={"share": fitted.share * factor, "factor": rows})
        return f"share = {again.share:.3g}", again
    else:
        return None
    (name, value), *_ = changed.items()
    return f"{name} = {float(f'{value:.4g}'):,.10g}", fitted.model_copy(update=dict(changed))
