"""What anybody can learn from a protected view about who has which values: the forecast of the audit.

Only the published rows are read, never the raw table: the counts of published values by published quasi-identifiers. A
tree tells groups apart whose published values differ. Where the technique adds noise by a law that is published with
the view, each group's histogram is deconvolved with it (`unblurred`); otherwise it is taken as published. So "no job,
no income" is public before anybody asks, though every published income is noisy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.assess.channels import likelihoods
from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import FLOATS, INTEGERS
from sdcdb.fields.histogram import Bin
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.prior import PARTS, Prior
from sdcdb.gateway.inference.published_tree import Published, grow, leaves_of, place
from sdcdb.gateway.inference.unblurred import part_of, unblurred
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.relations import Confidential, Relation, Restricted
from sdcdb.gateway.tables.cells import Cells
from sdcdb.measures.channel import Grid
from sdcdb.techniques.kanonymity import FittedKanonymity
from sdcdb.views import catalogue

GRID = 200  # cells of the published values
COARSE = 12  # bins by which the tree tells groups apart
RANGES = 10  # bins of a column of which no shares are declared
MOST_CODES = 2_000  # different values of a quasi-identifier that the tree looks at
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class _View:
    relation: Relation
    quasi: tuple[str, ...]
    numeric: tuple[bool, ...]


def view_forecast(
    con: duckdb.DuckDBPyConnection, table: Restricted, column: str, cells: Cells, views: Sequence[Relation]
) -> Forecast | None:
    """Return the forecast for the cells from the first protected view that tells something of a column, or None."""
    for relation in views:
        found = _useful(con, table, column, relation)
        if found is not None and (forecast := _learn(con, table.confidential[column], cells, found)) is not None:
            return forecast
    return None


def _useful(con: duckdb.DuckDBPyConnection, table: Restricted, column: str, relation: Relation) -> _View | None:
    coarse = _recoded(con, relation)  # 30-39 is no age that a cell has
    shared = [name for name in table.quasi if relation.column(name) is not None and relation.column(name) not in coarse]
    if relation.column(column) is None or not _numeric(relation.columns[str(relation.column(column))]):
        return None
    numeric = tuple(_numeric(table.columns[q]) and _numeric(relation.columns[str(relation.column(q))]) for q in shared)
    return _View(relation, tuple(shared), numeric)


def _recoded(con: duckdb.DuckDBPyConnection, relation: Relation) -> set[str]:
    """Return the columns that a view publishes in coarser terms than its table."""
    fitted = catalogue.entry(con, relation.name).plan.fitted
    return {name for each in fitted if isinstance(each, FittedKanonymity) for name in each.recoded()}


def _numeric(kind: str) -> bool:
    return kind in INTEGERS | FLOATS or kind.startswith("DECIMAL(")


def _learn(con: duckdb.DuckDBPyConnection, spec: Confidential, cells: Cells, view: _View) -> Forecast | None:
    values, codes, number, cell_codes, sizes = _read(con, spec, cells, view)
    if number.sum() < 1:
        return None
    grid = Grid(spec.low, spec.high, GRID)
    bins = _bins(spec, values, number)
    fine = grid.cells(values)
    cuts = np.unique(_quantiles(values, number, np.arange(1, COARSE) / COARSE))
    coarse = np.searchsorted(cuts, values, side="right")
    likelihood = _likelihood(con, spec, view, bins, grid)
    root = grow(Published(codes, coarse, number, view.numeric, sizes))
    start = np.array([each.share for each in bins])

    def shares(rows: Ints) -> Floats:
        if likelihood is not None:
            counts = np.bincount(fine[rows], weights=number[rows], minlength=GRID)
            return unblurred(np.asarray(counts, dtype=np.float64), likelihood, start)
        return _as_published(values[rows], number[rows], bins)

    whole = shares(np.arange(len(number)))
    whole = part_of(whole, float(number.sum()), start)
    parts = [part_of(shares(leaf.rows), float(number[leaf.rows].sum()), whole) for leaf in leaves_of(root)]
    priors = tuple(
        Prior.of((each.low, each.high, float(share)) for each, share in zip(bins, found, strict=True))
        for found in (whole, *parts)
    )
    return Forecast(priors, 1 + place(root, cell_codes))


def _read(
    con: duckdb.DuckDBPyConnection, spec: Confidential, cells: Cells, view: _View
) -> tuple[Floats, Ints, Floats, Ints, tuple[int, ...]]:
    """Read published values, codes of quasi-identifiers and counts; and the cells' quasi-identifiers in those codes."""
    own = quoted(identifier(str(view.relation.column(spec.name))))
    published = [quoted(identifier(str(view.relation.column(name)))) for name in view.quasi]
    listed = "".join(f", {_plain(name, number)}" for name, number in zip(published, view.numeric, strict=True))
    rows = con.execute(
        f"SELECT {own}::DOUBLE, count(*){listed} FROM {quoted(table_reference(view.relation.name))} "
        f"WHERE {own} IS NOT NULL AND isfinite({own}::DOUBLE) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    mine = ", ".join(_plain(quoted(identifier(n)), number) for n, number in zip(view.quasi, view.numeric, strict=True))
    held = con.execute(f'SELECT "{CELL}", {mine or "0"} FROM {cells.source} ORDER BY "{CELL}"').fetchall()
    codes, cell_codes = np.zeros((len(rows), len(view.quasi)), int), np.zeros((len(held), len(view.quasi)), int)
    sizes = []
    for column in range(len(view.quasi)):
        there, here = [row[2 + column] for row in rows], [row[1 + column] for row in held]
        known = sorted({each for each in (*there, *here) if each is not None})
        code = {each: number + 1 for number, each in enumerate(known)} | {None: 0}
        many = len(code) > MOST_CODES and not view.numeric[column]
        codes[:, column] = 0 if many else [code[each] for each in there]
        cell_codes[:, column] = 0 if many else [code[each] for each in here]
        sizes.append(len(code))
    values = np.clip(np.array([row[0] for row in rows], dtype=np.float64), spec.low, spec.high)
    return values, codes, np.array([row[1] for row in rows], dtype=np.float64), cell_codes, tuple(sizes)


def _plain(column: str, numeric: bool) -> str:  # noqa: FBT001 - the kind of the column
    if not numeric:
        return f"CAST({column} AS VARCHAR)"
    return f"CASE WHEN isfinite({column}::DOUBLE) THEN {column}::DOUBLE END"


def _quantiles(values: Floats, number: Floats, shares: Floats) -> Floats:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(number[order]) / number.sum()
    return values[order][np.minimum(np.searchsorted(reached, shares), len(values) - 1)]


def _bins(spec: Confidential, values: Floats, number: Floats) -> tuple[Bin, ...]:
    """Return the declared bins; else ranges of as many published values each, and both ends of the domain as points."""
    if spec.known is not None:
        return spec.known.bins
    inner = np.unique(_quantiles(values, number, np.arange(1, RANGES) / RANGES))
    edges = np.unique([spec.low, *inner, spec.high])
    ranges = [Bin(float(a), float(b), 1.0 / (len(edges) + 1)) for a, b in pairwise(edges)]
    ends = [Bin(end, end, 1.0 / (len(edges) + 1)) for end in (float(spec.low), float(spec.high))]
    return (*ends, *ranges)


def _likelihood(
    con: duckdb.DuckDBPyConnection, spec: Confidential, view: _View, bins: tuple[Bin, ...], grid: Grid
) -> Floats | None:
    """Return the chance of each published cell by bin, where the noise has a law; None where it has not."""
    fitted = [each for each in catalogue.entry(con, view.relation.name).plan.fitted if spec.name in each.columns]
    if len(fitted) != 1:
        return None
    rows = []
    for each in bins:
        parts = np.array([each.low]) if each.point else each.low + (each.high - each.low) * _MIDDLES
        found = likelihoods(fitted[0], spec.name, parts, grid)
        if found is None:
            return None
        rows.append(found.mean(axis=0))
    return np.array(rows)


_MIDDLES = (np.arange(PARTS) + 0.5) / PARTS


def _as_published(values: Floats, number: Floats, bins: tuple[Bin, ...]) -> Floats:
    counts = np.zeros(len(bins))
    left = np.ones(len(values), dtype=np.bool_)
    for n, each in sorted(enumerate(bins), key=lambda item: not item[1].point):  # points first
        inside = left & (values >= each.low) & (values <= each.high)
        counts[n] = number[inside].sum()
        left &= ~inside
    return counts / max(float(counts.sum()), 1e-300) if counts.any() else np.full(len(bins), 1 / len(bins))
