"""Released results: a block's answers, computed from cells, as the relation that takes its place in the lobby."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sdcdb.gateway.decide import Decided
from sdcdb.gateway.lobby.released import Released
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.reading.reserved import CHOSEN, MERGED, is_released_aggregate, is_released_group, released_aggregate
from sdcdb.gateway.tables.arrow_columns import texts, truths, whole_numbers
from sdcdb.gateway.tables.by_value import rectangle
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.groups import Group
from sdcdb.gateway.tables.vault import Evaluated, Vault


def compute_release(evaluated: Evaluated, decided: Decided, vault: Vault) -> Released:
    """Compute a block. A marked row keeps its keys and a merged row has none; without numbers, measures are NULL."""
    number = evaluated.block.number
    cells = decided.audits[evaluated.block.table.name].cells
    merged = [each for each in decided.merged if each.row[0] == number]
    gone = {group.row for each in merged for group in each.groups}
    kept = [group for group in evaluated.groups if group.row not in gone]
    rows = evaluated.rows.take(whole_numbers([group.row for group in kept])) if gone else evaluated.rows
    own = [None if (number, group.row) in decided.bare else group for group in kept]
    own += [None if each.row in decided.bare else each.union for each in merged]
    together = [None if each.row in decided.bare else vault.together(evaluated, cells, each.groups) for each in merged]
    columns: dict[str, Any] = {}
    places = whole_numbers([None if group is None else n for n, group in enumerate(own)])
    for name in rows.column_names:
        kind = rows.schema.field(name).type
        if is_released_group(name):
            columns[name] = pa.concat_arrays([*rows.column(name).chunks, pa.nulls(len(merged), kind)])
        elif is_released_aggregate(name):
            last = [pa.nulls(1, kind) if row is None else row.column(name).combine_chunks() for row in together]
            columns[name] = pa.concat_arrays([*rows.column(name).chunks, *last]).take(places)
    types = {name: evaluated.types[name] for name in columns}
    for position, measure in enumerate(evaluated.block.measures):
        if evaluated.block.category is not None:
            name = released_aggregate(position)
            columns[name] = pa.array([_counted(measure, evaluated, cells, group) for group in own], type=pa.string())
            types[name] = _type(measure, cells) if measure.expression is None else "HUGEINT"
        elif measure.expression is None:
            name = released_aggregate(position)
            columns[name] = texts([_text(measure, cells, group) for group in own])
            types[name] = _type(measure, cells)
    if evaluated.block.grouping.grouped:
        columns[CHOSEN] = whole_numbers([group.chosen for group in [*kept, *(each.groups[0] for each in merged)]])
        types[CHOSEN] = "BIGINT"
    if merged:
        columns[MERGED] = truths([False] * len(kept) + [True] * len(merged))
        types[MERGED] = "BOOLEAN"
    table = pa.table(columns)
    if evaluated.block.category is not None and evaluated.block.grouping.grouped:
        table = table.filter(
            pa.array([group is None or _by_value(evaluated, cells)[group.cells].any() for group in own])
        )
    return Released(table, types)


def _by_value(evaluated: Evaluated, cells: Cells) -> NDArray[np.int64]:
    """Return the records of every place, a cell and a value."""
    return cells.frequencies[str(evaluated.block.category)].by_value.ravel()


def _counted(measure: Measure, evaluated: Evaluated, cells: Cells, group: Group | None) -> str | None:
    """Compute a measure of a block that counts by a category: a count, or a sum of weights of those counted."""
    if group is None:
        return None
    if measure.kind == "people" and cells.owners is not None:
        column = str(evaluated.block.category)
        chosen = rectangle(group.of(measure), cells.frequencies[column].category.size)
        return None if chosen is None else str(cells.owners.with_category(column, chosen.cells, chosen.values))
    records = _by_value(evaluated, cells)[group.of(measure)]
    if measure.expression is None:
        return str(int(records.sum()))
    numbers = group.ranked(measure)[1]
    if numbers is None or not records.any():
        return None
    return str(sum(int(weight) * int(n) for weight, n in zip(numbers, records, strict=True) if n))


def _text(measure: Measure, cells: Cells, group: Group | None) -> str | None:
    if group is None:
        return None
    chosen = group.of(measure)
    if measure.confidential is None:
        return str(cells.people(chosen) if measure.kind == "people" else int(cells.records[chosen].sum()))
    totals = cells.totals[measure.confidential]
    found = totals.count(chosen) if measure.kind == "count" else totals.total(measure.kind, chosen)
    return None if found is None else str(found)


def _type(measure: Measure, cells: Cells) -> str:
    if measure.confidential is None or measure.kind == "count":
        return "BIGINT"
    return cells.totals[measure.confidential].type(measure.kind)
