"""Released results: a block's answers, computed from cells, as the relation that takes its place in the lobby."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from sdcdb.gateway.lobby.released import Released
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.reading.reserved import is_released_aggregate, is_released_group, released_aggregate
from sdcdb.gateway.tables.asked import Row
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.vault import Evaluated


def compute_release(evaluated: Evaluated, cells: Cells, suppressed: Mapping[Row, str]) -> Released:
    """Compute a block. A suppressed row keeps its keys; its measures are NULL."""
    number = evaluated.block.number
    hidden = [(number, group.row) in suppressed for group in evaluated.groups]
    columns: dict[str, Any] = {}
    types: dict[str, str] = {}
    for name in evaluated.rows.column_names:
        if is_released_group(name):
            columns[name] = evaluated.rows.column(name)
        elif is_released_aggregate(name):
            values = evaluated.rows.column(name).to_pylist()
            kept = [None if gone else value for gone, value in zip(hidden, values, strict=True)]
            columns[name] = pa.array(kept, type=evaluated.rows.schema.field(name).type)
    for position, measure in enumerate(evaluated.block.measures):
        if measure.expression is None:
            name = released_aggregate(position)
            values = [
                None if gone else _value(measure, cells, group.of(measure))
                for group, gone in zip(evaluated.groups, hidden, strict=True)
            ]
            columns[name] = pa.array([None if v is None else str(v) for v in values], type=pa.string())
            types[name] = _type(measure, cells)
    return Released(pa.table(columns), types)


def _value(measure: Measure, cells: Cells, chosen: Any) -> Any:
    if measure.confidential is None:
        return int(cells.records[chosen].sum())
    totals = cells.totals[measure.confidential]
    return totals.count(chosen) if measure.kind == "count" else totals.total(measure.kind, chosen)


def _type(measure: Measure, cells: Cells) -> str:
    if measure.confidential is None or measure.kind == "count":
        return "BIGINT"
    return cells.totals[measure.confidential].type(measure.kind)
