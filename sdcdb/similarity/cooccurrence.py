"""How often two values occur in one record: the graph from which VICUS computes similarity, counted in one pass.

VICUS (2012), section 2.2, makes every value of every column a vertex and joins two of them for each record that
contains both. Those counts, for all pairs of columns at once, are all that fitting needs to know about a table.
Categories are found by the engine, one `GROUP BY` per column. Then each record arrives as a row of small integers, in
record batches, and is counted by a compiled loop: the memory of the process does not grow with the table.

A column becomes numbers in one of two ways. Integers, booleans, dates and enums of a narrow range are fetched as their
distance from the smallest one. Everything else goes through a cast of its text to an enum made for the purpose,
which is nearly free where the storage is dictionary-compressed. Columns of few categories are counted in groups: the
joint counts of two groups contain the counts of all pairs of their columns, at the price of one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise
from math import prod
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import FLOATS, INTEGERS, column_types
from sdcdb.errors import DatabaseError, DataError, choices

Ints = NDArray[np.int64]
Codes = NDArray[np.uint16]

MAX_VALUES = 10_000  # over all columns: the matrix then takes 800 MB
_MISSING, _UNSEEN = 65_535, 65_534  # codes of NULL, and of a value that did not exist when categories were read
_BATCH = 50_000  # records: 20 columns of codes stay in the processor's cache
_JOINT = 256  # cells of a group of columns: the joint counts of two groups stay in the cache too


@dataclass(frozen=True, eq=False)
class Cooccurrence:
    """The values of some columns and how often two of them occur in one record.

    `counts` has a row and a column for each value, those of the first column first, in the order of `categories`. Two
    values of one column never share a record; the diagonal is the number of records of each value.
    """

    rows: int
    columns: tuple[str, ...]
    categories: tuple[tuple[Any, ...], ...]
    counts: Ints

    @property
    def blocks(self) -> tuple[slice, ...]:
        """Where in `counts` the values of each column are."""
        ends = np.cumsum([0, *map(len, self.categories)]).tolist()
        return tuple(slice(start, end) for start, end in pairwise(ends))

    def marginal(self, column: str) -> dict[Any, int]:
        """Return the number of records of each value of a column."""
        at = self._position(column)
        return dict(zip(self.categories[at], np.diag(self.counts)[self.blocks[at]].tolist(), strict=True))

    def pair(self, column: str, other: str) -> Ints:
        """Return the contingency table of two columns."""
        return self.counts[self.blocks[self._position(column)], self.blocks[self._position(other)]]

    def only(self, columns: Sequence[str]) -> "Cooccurrence":
        """Return the counts of some of the columns: what counting these alone would have given."""
        places = [self._position(column) for column in columns]
        blocks = self.blocks
        own = np.concatenate([np.arange(blocks[at].start, blocks[at].stop) for at in places])
        categories = tuple(self.categories[at] for at in places)
        return Cooccurrence(self.rows, tuple(columns), categories, self.counts[np.ix_(own, own)])

    def _position(self, column: str) -> int:
        if column not in self.columns:
            raise DataError(f"column {column!r} was not counted; {choices(column, self.columns)}")
        return self.columns.index(column)


def cooccurrence(con: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str]) -> Cooccurrence:
    """Count the values and the pairs of values of `columns` over the whole of `table`.

    NULL is not a category: a record with NULL in one of two columns does not count for that pair. Values are Python's,
    in the engine's order (enums in that of their declaration). The queries run on `con` itself, to see what the caller
    sees; like any `con.execute`, they discard a result that the caller has not finished reading.

    >>> import duckdb
    >>> from sdcdb.datasets import create
    >>> con = duckdb.connect()
    >>> dataset = create(con, "bank")
    >>> found = cooccurrence(con, "bank", ["branch", "advisor"])
    >>> found.marginal("branch")
    {'Hong Kong': 2, 'Newcastle': 2, 'Sydney': 3}
    >>> found.categories[1]
    ('Mr D. Smith', 'Mr M. James', 'Mr R. Jones', 'Ms W. Wong')
    >>> found.pair("branch", "advisor").tolist()
    [[2, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 2]]
    """
    drafts = _drafts(column_types(con, table), table, columns)
    source = quoted(table_reference(table))
    found: list[_Column] = []
    for draft in drafts:
        found.append(draft.read(con, source, MAX_VALUES - sum(len(column.values) for column in found)))
    rows, counts = _counted(con, source, found)
    return Cooccurrence(rows, tuple(columns), tuple(column.values for column in found), counts)


@dataclass(frozen=True)
class _Column:
    """A column with its categories, the SQL of its code, and the position of the category of each code."""

    name: str
    values: tuple[Any, ...]
    code: str
    positions: Codes

    def fetched(self) -> str:
        name = quoted(identifier(self.name))
        return f"coalesce({self.code}, CASE WHEN {name} IS NULL THEN {_MISSING} ELSE {_UNSEEN} END)::USMALLINT"

    def placed(self, codes: Codes) -> Codes:
        """Return the position of each record's category; NULL comes after the last category."""
        places = self.positions[codes]
        if places.max(initial=0) == _UNSEEN:
            raise DatabaseError(
                f"column {self.name!r} has a value that is not among its categories: the table changed while it was "
                "read, or equal values are written differently; run again, or cast the column to VARCHAR"
            )
        return places


@dataclass(frozen=True)
class _Draft:
    name: str
    type: str

    def whole(self) -> str | None:
        """Return SQL of an integer for each value, or None where there is none."""
        name = quoted(identifier(self.name))
        if self.type in INTEGERS - {"BIGNUM"}:
            return name
        if self.type == "BOOLEAN":
            return f"{name}::TINYINT"
        if self.type == "DATE":
            return f"date_diff('day', DATE '1970-01-01', {name})"
        return f"enum_code({name})::BIGINT" if self.type.startswith("ENUM(") else None

    def text(self) -> str:
        """Return SQL of a text for each value. Adding 0 makes -0.0 and 0.0, which are equal, one text."""
        name = quoted(identifier(self.name))
        return f"({name}::DOUBLE + 0e0)::VARCHAR" if self.type in FLOATS else f"{name}::VARCHAR"

    def read(self, con: duckdb.DuckDBPyConnection, source: str, limit: int) -> _Column:
        name, whole, text = quoted(identifier(self.name)), self.whole(), self.text()
        rows = con.execute(
            f"SELECT {name}, {whole or 'NULL'}, {text} FROM (SELECT DISTINCT {name} FROM {source}) "
            f"WHERE {name} IS NOT NULL ORDER BY {name} LIMIT {limit + 1}"
        ).fetchall()
        if len(rows) > limit:
            raise DataError(
                f"column {self.name!r} has too many different values: VICUS supports {MAX_VALUES:,} over all columns; "
                "use a method for numbers, or group its values first"
            )
        values, numbers, texts = tuple(zip(*rows, strict=True)) if rows else ((), (), ())
        positions = np.full(_MISSING + 1, _UNSEEN, np.uint16)
        positions[_MISSING] = len(values)
        if whole and rows and max(numbers) - min(numbers) < _UNSEEN:
            positions[np.array(numbers) - min(numbers)] = np.arange(len(values))
            return _Column(self.name, values, f"TRY_CAST({whole} - {min(numbers)} AS USMALLINT)", positions)
        positions[: len(values)] = np.arange(len(values))
        members = ", ".join(exp.Literal.string(text).sql("duckdb") for text in texts)
        code = f"enum_code(TRY_CAST({text} AS ENUM({members})))" if rows else "NULL"
        return _Column(self.name, values, code, positions)


def _drafts(types: dict[str, str], table: str, columns: Sequence[str]) -> list[_Draft]:
    if isinstance(columns, str) or not columns:
        raise DataError("pass a list of at least one column")
    folded = {name.casefold(): _Draft(name, kind) for name, kind in types.items()}
    for n, column in enumerate(columns):
        if column.casefold() not in folded:
            raise DataError(f"table {table!r} has no column {column!r}; {choices(column, types)}")
        if column.casefold() in [earlier.casefold() for earlier in columns[:n]]:
            raise DataError(f"column {column!r} is named twice: name each column once")
    return [folded[column.casefold()] for column in columns]


def _counted(con: duckdb.DuckDBPyConnection, source: str, columns: list[_Column]) -> tuple[int, Ints]:
    """Return the number of records and the matrix of counts."""
    slots = [len(column.values) + 1 for column in columns]  # one more for NULL
    groups = list(_groups(slots))
    sizes = np.array([prod(slots[at] for at in group) for group in groups])
    pairs = np.array(list(combinations(range(len(groups)), 2)))
    offsets = np.cumsum([0, *(sizes[a] * sizes[b] for a, b in pairs)])
    cells = np.zeros(offsets[-1], np.int64)
    rows, count = 0, _compiled()
    expressions = ", ".join(f"{column.fetched()} AS c{at}" for at, column in enumerate(columns))
    with con.sql(f"SELECT {expressions} FROM {source}").to_arrow_reader(_BATCH) as reader:
        for batch in reader:
            codes = np.zeros((len(groups), batch.num_rows), np.uint16)
            for n, group in enumerate(groups):
                for at in group:
                    codes[n] *= np.uint16(slots[at])
                    codes[n] += columns[at].placed(batch.column(at).to_numpy())
            count(codes, pairs, sizes, offsets, cells)
            rows += batch.num_rows
    return rows, _matrix(slots, groups, pairs, offsets, cells)


def _groups(slots: list[int]) -> Iterator[tuple[int, ...]]:
    """Group neighbouring columns while their joint categories are few."""
    group: tuple[int, ...] = ()
    for at, size in enumerate(slots):
        if group and size * prod(slots[other] for other in group) > _JOINT:
            yield group
            group = ()
        group = (*group, at)
    yield group
    if len(group) == len(slots):
        yield ()  # of one cell, so that a single group has another to be counted with


def _count(codes: Codes, pairs: Ints, sizes: Ints, offsets: Ints, cells: Ints) -> None:
    for n in range(len(pairs)):
        first, second = codes[pairs[n, 0]], codes[pairs[n, 1]]
        size, offset = sizes[pairs[n, 1]], offsets[n]
        for row in range(codes.shape[1]):
            cells[offset + first[row] * size + second[row]] += 1


@cache
def _compiled() -> Callable[..., None]:
    from numba import njit

    compiled: Callable[..., None] = njit(cache=True, nogil=True)(_count)
    return compiled


def _matrix(slots: list[int], groups: list[tuple[int, ...]], pairs: Ints, offsets: Ints, cells: Ints) -> Ints:
    """Sum the joint counts of groups to the counts of pairs of values."""
    starts = np.cumsum([0, *(size - 1 for size in slots)])
    counts = np.zeros((starts[-1], starts[-1]), np.int64)
    for n, (first, second) in enumerate(pairs):
        members = [*groups[first], *groups[second]]
        joint = cells[offsets[n] : offsets[n + 1]].reshape([slots[at] for at in members])
        for a, b in combinations(range(len(members)), 2):
            summed = joint.sum(axis=tuple(axis for axis in range(len(members)) if axis not in {a, b}))[:-1, :-1]
            here, there = (slice(starts[members[at]], starts[members[at] + 1]) for at in (a, b))
            counts[here, there], counts[there, here] = summed, summed.T
        for a, member in enumerate(members):
            own = np.arange(starts[member], starts[member + 1])
            counts[own, own] = joint.sum(axis=tuple(axis for axis in range(len(members)) if axis != a))[:-1]
    return counts
