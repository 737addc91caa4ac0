"""The vault: the raw database. It runs only SQL that the gateway built itself, from validated parts."""

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import FLOATS, INTEGERS
from sdcdb.errors import Unsupported
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.deadline import deadline
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.reading.block import Block
from sdcdb.gateway.reading.reserved import CELL, CELLS, RECORDS, public_alias, released_aggregate, released_group
from sdcdb.gateway.relations import Relation, Restricted
from sdcdb.gateway.tables.arrow_columns import whole_numbers
from sdcdb.gateway.tables.by_value import places
from sdcdb.gateway.tables.carried import read_arrow, to_carry
from sdcdb.gateway.tables.cells import Cells, Indices, build
from sdcdb.gateway.tables.groups import NO_VALUE, Group
from sdcdb.gateway.tables.joined import must_not_multiply
from sdcdb.views.secret import read_secret

SECONDS = 30.0
MOST_GROUPS = 20_000


@dataclass(frozen=True)
class Evaluated:
    """A block's groups, and a table with a row for each: its keys and its measures of quasi-identifiers.

    `types` are DuckDB's: Arrow has no ENUM with its order, no HUGEINT and no BIT.
    """

    block: Block
    cells: Cells
    """The cells in which the groups were found."""
    groups: tuple[Group, ...]
    rows: pa.Table
    types: Mapping[str, str]


class Vault:
    """Cells and raw data behind the gateway."""

    def __init__(self, con: duckdb.DuckDBPyConnection, secret: str = "") -> None:
        self.secret = secret
        self._con = con.cursor()
        self._schema = f"sdc vault {secrets.token_hex(4)}"
        self._con.execute(f"ATTACH ':memory:' AS {quoted(identifier(self._schema))} (READ_WRITE)")
        self._lock = threading.Lock()
        self._made = 0

    def cells(self, table: Restricted) -> Cells:
        """Build the cells of a table as it is now."""
        with self._lock:
            self._made += 1
            name = exp.Table(
                this=identifier(f"cells {self._made}"), db=identifier("main"), catalog=identifier(self._schema)
            )
            return build(self._con, table, quoted(name), self.secret)

    @contextmanager
    def holding(self, select: str) -> Iterator[str]:
        """Keep the result of a query that the gateway wrote for a while; yield the name of the table."""
        with self._lock:
            self._made += 1
            name = exp.Table(
                this=identifier(f"held {self._made}"), db=identifier("main"), catalog=identifier(self._schema)
            )
            self._con.execute(f"CREATE TABLE {quoted(name)} AS {select}")
        try:
            yield quoted(name)
        finally:
            with self._lock:
                self._con.execute(f"DROP TABLE {quoted(name)}")

    def read(self, relation: Relation) -> pa.RecordBatchReader:
        """Read a public table or protected view, to be copied into the lobby: in the order of its values.

        The order of the raw table would tell which records are whose.
        """
        columns = ", ".join(quoted(identifier(column)) for column in relation.columns)
        sql = to_carry(f"SELECT {columns} FROM {quoted(table_reference(relation.name))}", relation.columns)
        return self._con.cursor().sql(f"{sql} ORDER BY ALL").to_arrow_reader()

    def digest(self, relation: Relation) -> tuple[Any, ...] | None:
        """Return what changes when a public table does."""
        name, row = quoted(table_reference(relation.name)), _name(public_alias(0))
        return self._con.cursor().execute(f"SELECT count(*), sum(hash({row})::HUGEINT) FROM {name} AS {row}").fetchone()

    def evaluate(self, block: Block, cells: Cells, cancellation: Cancellation | None = None) -> Evaluated:
        """Find the query set of every group of a block. No confidential value is looked at."""
        groups: list[Group] = []
        tables: list[pa.Table] = []
        types: dict[str, str] = {}
        here = _counted_by(block, cells)
        with self._evaluating(cancellation) as cursor:
            must_not_multiply(cursor, block, here)
            for number in range(len(block.grouping.sets)):
                found, rows, kinds = _grouped(cursor, block, here, number, len(groups))
                groups += found
                tables.append(rows)
                types |= kinds
        if len(groups) > MOST_GROUPS:
            raise Unsupported(f"there are more than {MOST_GROUPS:,} groups", "group more coarsely")
        return Evaluated(block, cells, tuple(groups), pa.concat_tables(tables, promote_options="permissive"), types)

    def together(self, evaluated: Evaluated, cells: Cells, groups: Sequence[Group]) -> pa.Table:
        """Compute the row that stands for several groups of one grouping set: their measures, and no keys."""
        block, number = evaluated.block, groups[0].chosen
        first = min(group.row for group in evaluated.groups if group.chosen == number)
        with self._evaluating() as cursor:
            return _together(cursor, block, _counted_by(block, cells), number, [group.row - first for group in groups])

    @contextmanager
    def _evaluating(self, cancellation: Cancellation | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        cursor = self._con.cursor()
        try:
            with deadline(cursor, SECONDS, cancellation):
                yield cursor
        except duckdb.Error:
            # What exactly went wrong could tell something about the quasi-identifiers.
            raise Unsupported("the conditions cannot be evaluated on this table", "plainer conditions") from None
        finally:
            cursor.close()

    def close(self) -> None:
        """Give the cells back."""
        with self._lock:
            self._con.close()


def digest_key(database: Path | None) -> str:
    """Return the key of the ledger's digests, from the key file beside the database."""
    if database is None:
        return secrets.token_hex(16)
    return read_secret("keyfile", database).subkey("the digests of the ledger")


def _grouped(
    cursor: duckdb.DuckDBPyConnection, block: Block, cells: Cells, chosen: int, first: int
) -> tuple[list[Group], pa.Table, dict[str, str]]:
    conditions, expressions = _conditions(block), _expressions(block)
    source = _source(block, cells)
    gid = _gid(block, chosen)
    flags = [f"{text} AS f{n}" for n, text in enumerate(conditions)]
    ranks = [
        f"CASE WHEN ({text}) IS NULL THEN {NO_VALUE} ELSE dense_rank() OVER (ORDER BY {text}) END AS v{n}"
        for n, text in enumerate(expressions)
    ]
    numbers = [f"coalesce(TRY_CAST({text} AS DOUBLE), 'nan') AS x{n}" for n, text in enumerate(_added(block))]
    in_groups = [gid] if block.grouping.sets[chosen] else []  # else all cells are in one group
    listed = ", ".join([f"{_own(CELL)} AS cell", *in_groups, *flags, *ranks, *numbers])
    found = cursor.execute(f"SELECT {listed} {source}").fetchnumpy()
    members: Indices = np.asarray(found["cell"], dtype=np.intp)
    number = np.asarray(found["gid"], dtype=np.int64) if in_groups else np.zeros(len(members), dtype=np.int64)
    if block.joins:  # without a join, a cell is in one group of a grouping set
        _no_fan_out(members, number, cells.size)
    rows, types = _rows(cursor, block, chosen, [_own(RECORDS), gid, *flags], source)
    order, ends = _in_groups(members, number, len(rows))
    held_flags = {text: _true(found[f"f{n}"]) for n, text in enumerate(conditions)}
    held_ranks = {text: np.asarray(found[f"v{n}"], dtype=np.int64) for n, text in enumerate(expressions)}
    held_numbers = {text: np.asarray(found[f"x{n}"], dtype=np.float64) for n, text in enumerate(_added(block))}
    groups = []
    for n in range(len(rows)):
        place = slice(None) if order is None else order[ends[n] : ends[n + 1]]
        held = ({text: each[place] for text, each in kept.items()} for kept in (held_flags, held_ranks, held_numbers))
        groups.append(Group(first + n, chosen, members[place], *held))  # type: ignore[arg-type]  # three in that order
    return groups, rows, types


def _in_groups(members: Indices, number: NDArray[np.int64], groups: int) -> tuple[Indices | None, Indices]:
    """Return the order in which cells are by group and in each by number, and where groups end; None as they are."""
    sorted_ = bool((members[1:] >= members[:-1]).all())
    if groups == 1 and sorted_:
        return None, np.array([0, len(members)])
    order = np.argsort(number, kind="stable") if sorted_ else np.lexsort((members, number))
    return order, np.searchsorted(number[order], np.arange(groups + 1))


def _gid(block: Block, chosen: int) -> str:
    """Number the groups of a grouping set."""
    keys = [quoted(block.grouping.expressions[n]) for n in block.grouping.sets[chosen]]
    if block.grouping.by_letter and _collated(block):
        keys += [f"CASE WHEN typeof({key}) = 'VARCHAR' THEN encode(CAST({key} AS VARCHAR)) END" for key in keys]
    by = ", ".join(keys)
    return f"dense_rank() OVER (ORDER BY {by}) - 1 AS gid" if by else "0 AS gid"


def _rows(
    cursor: duckdb.DuckDBPyConnection, block: Block, chosen: int, parts: list[str], source: str
) -> tuple[pa.Table, dict[str, str]]:
    """Compute a row per group: its keys and its measures of quasi-identifiers, from the cells with these parts."""
    grouped = block.grouping.sets[chosen]
    keys = [
        own if n in grouped else exp.Case().when(exp.false(), own) for n, own in enumerate(block.grouping.expressions)
    ]
    measured = _measured(block)
    if not measured and not keys:
        return pa.table({"gid": whole_numbers([0])}), {}
    parts = [*parts, *(f"{quoted(key)} AS g{n}" for n, key in enumerate(keys))]
    parts += [f"{text} AS q{n}" for n, text in enumerate(_expressions(block))]
    shown = [f"any_value(g{n}) AS {_name(released_group(n))}" for n in range(len(keys))]
    inner = f"SELECT {', '.join(parts)} {source}"
    shown += _quasi_columns(cursor, block, inner)
    by = "GROUP BY gid" if grouped else ""
    gid = "gid" if by else "coalesce(min(gid), 0) AS gid"  # without groups there is one row, whatever it is about
    return read_arrow(
        cursor, f"SELECT {', '.join([gid, *shown])} FROM ({inner}) {by}", "ORDER BY gid", collated=_collated(block)
    )


def _collated(block: Block) -> bool:
    return any(source.collated for source in block.names.sources.values())


def _together(
    cursor: duckdb.DuckDBPyConnection, block: Block, cells: Cells, chosen: int, numbers: list[int]
) -> pa.Table:
    if not _measured(block):
        return pa.table({"gid": whole_numbers([0])})
    flags = [f"{text} AS f{n}" for n, text in enumerate(_conditions(block))]
    values = [f"{text} AS q{n}" for n, text in enumerate(_expressions(block))]
    inner = f"SELECT {', '.join([_own(RECORDS), _gid(block, chosen), *flags, *values])} {_source(block, cells)}"
    listed = ", ".join(_quasi_columns(cursor, block, inner))
    wanted = ", ".join(str(number) for number in numbers)
    return read_arrow(cursor, f"SELECT {listed} FROM ({inner}) WHERE gid IN ({wanted})")[0]


def _measured(block: Block) -> list[tuple[int, Measure]]:
    return [(n, measure) for n, measure in enumerate(block.measures) if measure.expression is not None]


def _quasi_columns(cursor: duckdb.DuckDBPyConnection, block: Block, inner: str) -> list[str]:
    measured = _measured(block)
    if not measured:
        return []
    bound = cursor.sql(inner)
    types = {name: str(kind) for name, kind in zip(bound.columns, bound.types, strict=True)}
    conditions, expressions = list(_conditions(block)), list(_expressions(block))
    found = []
    for n, measure in measured:
        value = f"q{expressions.index(quoted(measure.expression))}" if measure.expression is not None else ""
        flag = "" if measure.condition is None else f" FILTER (WHERE f{conditions.index(quoted(measure.condition))})"
        found.append(f"{_quasi_sql(measure, value, types[value], flag)} AS {_name(released_aggregate(n))}")
    return found


def _counted_by(block: Block, cells: Cells) -> Cells:
    """Return what the conditions of a block are about: cells, or places where it counts by a category."""
    return cells if block.category is None else places(cells, block.table.categories[block.category])


def _own(name: str) -> str:
    return f"{_name(CELLS)}.{_name(name)}"


def _name(name: str) -> str:
    return quoted(identifier(name))


def _source(block: Block, cells: Cells) -> str:
    """Write the FROM and WHERE that choose the cells of a block."""
    sql = f"FROM {cells.source} AS {quoted(identifier(CELLS))}"
    for join in block.joins:
        kind = "LEFT JOIN" if join.left else "JOIN"
        source = quoted(table_reference(join.relation.name))
        sql += f" {kind} {source} AS {quoted(identifier(join.alias))} ON {quoted(join.on)}"
    return sql + (f" WHERE {quoted(block.where)}" if block.where is not None else "")


def _quasi_sql(measure: Measure, value: str, kind: str, flag: str) -> str:
    """Compute a measure of quasi-identifiers from cells: each stands for as many records as it has."""
    if measure.kind == "sum":
        whole = kind in INTEGERS - {"UHUGEINT", "BIGNUM"} or kind == "BOOLEAN"
        if not whole and kind not in FLOATS | {"UHUGEINT"} and not kind.startswith("DECIMAL("):
            raise Unsupported("only numbers are added up", "COUNT, MIN or MAX of it, or cast it to a number")
        decimals = kind.rpartition(",")[2].rstrip(")")
        wide = "HUGEINT" if whole else f"DECIMAL(38,{decimals})" if kind.startswith("DECIMAL(") else "DOUBLE"
        return f'CAST(sum(CAST({value} AS {wide}) * "{RECORDS}"){flag} AS {wide})'
    return {
        "min": f"min({value})",
        "max": f"max({value})",
        "distinct": f"count(DISTINCT {value})",
        "sum_distinct": f"sum(DISTINCT {value})",
    }[measure.kind] + flag


def _conditions(block: Block) -> dict[str, exp.Expr]:
    both = [condition for m in block.measures for condition in (m.condition, m.chosen)]
    return {quoted(condition): condition for condition in both if condition is not None}


def _expressions(block: Block) -> dict[str, exp.Expr]:
    return {quoted(m.expression): m.expression for m in block.measures if m.expression is not None}


def _added(block: Block) -> list[str]:
    """Return the expressions whose numbers matter: plain columns that are added up, and whatever is computed."""
    texts = [
        quoted(m.expression)
        for m in block.measures
        if m.expression is not None and (m.kind == "sum" or (not m.plain and m.kind in {"min", "max"}))
    ]
    return list(dict.fromkeys(texts))


def _true(flags: Any) -> NDArray[np.bool_]:
    """Read a column of flags; NULL is not true."""
    if isinstance(flags, np.ma.MaskedArray):
        return np.asarray(flags.filled(False), dtype=bool)  # noqa: FBT003 - the library's signature
    return np.asarray(flags, dtype=bool)


def _no_fan_out(members: Indices, number: NDArray[np.int64], size: int) -> None:
    """Refuse a join that counts a record twice in one group: its aggregates would not be the records'."""
    if len(np.unique(number * max(size, 1) + members)) < len(members):
        raise Unsupported(
            "a join finds several rows of a public table for one record", "join on a column that is unique there"
        )
