"""A block's estimates: what takes its place in the lobby, and the same moved by one standard error of each measure."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sdcdb.errors import Unsupported
from sdcdb.gateway.estimates.view_cells import Published, ViewCells
from sdcdb.gateway.lobby.released import Released
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.reading.reserved import CHOSEN, is_released_group, released_aggregate
from sdcdb.gateway.tables.groups import Group
from sdcdb.gateway.tables.vault import Evaluated

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Estimated:
    """The values and standard errors of a block's measures, a row for each group."""

    evaluated: Evaluated
    values: Floats
    errors: Floats

    def released(self, moved: int | None = None) -> Released:
        """Return the block's results; those of one measure moved by their standard error, if that is wanted."""
        columns, types = {}, {}
        for name in self.evaluated.rows.column_names:
            if is_released_group(name):
                columns[name], types[name] = self.evaluated.rows.column(name), self.evaluated.types[name]
        for n in range(self.values.shape[1]):
            values = self.values[:, n] + (self.errors[:, n] if n == moved else 0.0)
            exact = not self.errors[:, n].any()
            texts = [None if np.isnan(v) else str(round(v) if exact and v == round(v) else float(v)) for v in values]
            name = released_aggregate(n)
            columns[name], types[name] = pa.array(texts, type=pa.string()), "DOUBLE"
        if self.evaluated.block.grouping.grouped:
            columns[CHOSEN] = pa.array([group.chosen for group in self.evaluated.groups])
            types[CHOSEN] = "BIGINT"
        return Released(pa.table(columns), types)


def estimate_block(view: ViewCells, evaluated: Evaluated) -> Estimated:
    """Estimate every measure of every group of a block that was evaluated on a view's cells."""
    shape = (len(evaluated.groups), len(evaluated.block.measures))
    values, errors = np.zeros(shape), np.zeros(shape)
    for n, measure in enumerate(evaluated.block.measures):
        published = _published(view, evaluated, measure)
        for row, group in enumerate(evaluated.groups):
            values[row, n], errors[row, n] = _estimate(view, evaluated, measure, group, published)
    return Estimated(evaluated, values, errors)


def _published(view: ViewCells, evaluated: Evaluated, measure: Measure) -> Published | None:
    block = evaluated.block
    if block.category is not None:
        found = view.category(block.table.categories[block.category])
    elif measure.confidential is not None:
        found = view.number(block.table.confidential[measure.confidential])
    else:
        return None
    if found is None:
        raise _none(f"{block.category or measure.confidential!r} is published in a way that has no unbiased estimate")
    return found


def _estimate(
    view: ViewCells, evaluated: Evaluated, measure: Measure, group: Group, published: Published | None
) -> tuple[float, float]:
    chosen = group.of(measure)
    if published is None:
        if measure.kind != "rows":
            raise _none(f"{measure.kind.upper()} has no estimate")
        return float(view.cells.records[chosen].sum()), 0.0
    if evaluated.block.category is None:
        return _of_number(measure, published.counts[chosen].sum(axis=0), published)
    number = len(published.originals)
    added = np.zeros((view.cells.size, number))
    numbers = group.ranked(measure)[1] if measure.expression is not None else None
    added.ravel()[chosen] = 1.0 if numbers is None else numbers
    value = variance = 0.0
    touched = np.unique(chosen // number)
    for wanted in np.unique(added[touched], axis=0):
        here = touched[(added[touched] == wanted).all(axis=1)]
        part, error = _sum(published, published.counts[here].sum(axis=0), wanted)
        value, variance = value + part, variance + error**2
    return value, float(np.sqrt(variance))


def _of_number(measure: Measure, counts: Floats, published: Published) -> tuple[float, float]:
    if measure.kind == "count":
        return float(counts.sum()), 0.0
    if measure.kind != "sum":
        raise _none(f"{measure.kind.upper()} of a confidential column has no estimate")
    return _sum(published, counts, published.originals)


def _sum(published: Published, counts: Floats, wanted: Floats) -> tuple[float, float]:
    if np.ptp(wanted) == 0:
        return float(counts.sum() * wanted[0]), 0.0
    weights = published.weights(wanted)
    if weights is None:
        raise _none("the noise of the protected view does not allow an unbiased estimate")
    return weights.of(counts)


def _none(why: str) -> Unsupported:
    return Unsupported(why, "the protected view itself")
