"""The vault: the raw database. It runs only SQL that the gateway built itself, from validated parts."""

import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.errors import Unsupported
from sdcdb.gateway.deadline import deadline
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.reading.block import Block
from sdcdb.gateway.reading.reserved import CELL, CELLS, RECORDS, released_aggregate, released_group
from sdcdb.gateway.relations import Relation, Restricted
from sdcdb.gateway.tables.cells import Cells, Indices, build

SECONDS = 30.0
MOST_GROUPS = 20_000


@dataclass(frozen=True)
class Group:
    """One group of a block: the cells of its query set, and of those narrowed by each condition."""

    row: int
    cells: Indices
    narrowed: Mapping[str, Indices]

    def of(self, measure: Measure) -> Indices:
        """Return the cells of the query set that a measure is about."""
        return self.cells if measure.condition is None else self.narrowed[quoted(measure.condition)]


@dataclass(frozen=True)
class Evaluated:
    """A block's groups, and a table with a row for each: its keys and its measures of quasi-identifiers."""

    block: Block
    groups: tuple[Group, ...]
    rows: pa.Table


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

    def read(self, relation: Relation) -> pa.RecordBatchReader:
        """Read a public table or protected view, to be copied into the lobby."""
        cursor = self._con.cursor()
        columns = ", ".join(quoted(identifier(column)) for column in relation.columns)
        return cursor.sql(f"SELECT {columns} FROM {quoted(table_reference(relation.name))}").to_arrow_reader()

    def evaluate(self, block: Block, cells: Cells) -> Evaluated:
        """Find the query set of every group of a block. No confidential value is looked at."""
        cursor = self._con.cursor()
        groups: list[Group] = []
        tables: list[pa.Table] = []
        try:
            with deadline(cursor, SECONDS):
                for chosen in block.grouping.sets:
                    found, rows = _grouped(cursor, block, cells, chosen, sum(len(t) for t in tables))
                    groups += found
                    tables.append(rows)
        except duckdb.Error:
            # What exactly went wrong could tell something about the quasi-identifiers.
            raise Unsupported("the conditions cannot be evaluated on this table", "plainer conditions") from None
        finally:
            cursor.close()
        if len(groups) > MOST_GROUPS:
            raise Unsupported(f"there are more than {MOST_GROUPS:,} groups", "group more coarsely")
        return Evaluated(block, tuple(groups), pa.concat_tables(tables, promote_options="permissive"))

    def close(self) -> None:
        """Give the cells back."""
        with self._lock:
            self._con.close()


def _grouped(
    cursor: duckdb.DuckDBPyConnection, block: Block, cells: Cells, chosen: tuple[int, ...], first: int
) -> tuple[list[Group], pa.Table]:
    conditions = _conditions(block)
    source = _source(block, cells)
    by = ", ".join(quoted(block.grouping.expressions[n]) for n in chosen)
    gid = [f"dense_rank() OVER (ORDER BY {by}) - 1 AS gid"] if by else []
    flags = [f"{text} AS f{n}" for n, text in enumerate(conditions)]
    found = cursor.execute(f"SELECT {', '.join([f'{_own(CELL)} AS cell', *gid, *flags])} {source}").fetchnumpy()
    members: Indices = np.asarray(found["cell"], dtype=np.intp)
    number: NDArray[np.int64] = np.asarray(found["gid"], dtype=np.int64) if by else np.zeros(len(members), np.int64)
    _no_fan_out(members, number, cells.size)
    rows = _rows(cursor, block, chosen, [_own(RECORDS), *(gid or ["0 AS gid"]), *flags], source)
    order = np.argsort(number, kind="stable")
    ends = np.searchsorted(number[order], np.arange(len(rows) + 1))
    flags_true = [_true(found[f"f{c}"]) for c in range(len(conditions))]
    groups = []
    for n in range(len(rows)):
        place = order[ends[n] : ends[n + 1]]
        narrowed = {text: members[place[flags_true[c][place]]] for c, text in enumerate(conditions)}
        groups.append(Group(first + n, members[place], narrowed))
    return groups, rows


def _rows(
    cursor: duckdb.DuckDBPyConnection, block: Block, chosen: tuple[int, ...], parts: list[str], source: str
) -> pa.Table:
    """Compute a row per group: its keys and its measures of quasi-identifiers, from the cells with these parts."""
    measured = [(n, m) for n, m in enumerate(block.measures) if m.expression is not None]
    keys = [
        own if n in chosen else exp.Case().when(exp.false(), own) for n, own in enumerate(block.grouping.expressions)
    ]
    if not measured and not keys:
        return pa.table({"gid": [0]})
    parts = [*parts, *(f"{quoted(key)} AS g{n}" for n, key in enumerate(keys))]
    parts += [f"{quoted(m.expression)} AS q{n}" for n, m in measured if m.expression is not None]
    conditions = list(_conditions(block))
    shown = [f"any_value(g{n}) AS {_name(released_group(n))}" for n in range(len(keys))]
    shown += [f"{_quasi_sql(m, n, conditions)} AS {_name(released_aggregate(n))}" for n, m in measured]
    by = "GROUP BY gid ORDER BY gid" if chosen else ""
    gid = "gid" if by else "coalesce(min(gid), 0) AS gid"  # without groups there is one row, whatever it is about
    inner = f"SELECT {', '.join(parts)} {source}"
    return cursor.sql(f"SELECT {', '.join([gid, *shown])} FROM ({inner}) {by}").to_arrow_table()


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


def _quasi_sql(measure: Measure, number: int, conditions: list[str]) -> str:
    """Compute a measure of quasi-identifiers from cells: each stands for as many records as it has."""
    value, records = f"q{number}", f'"{RECORDS}"'
    found = {
        "count": f"coalesce(sum({records}) FILTER (WHERE {value} IS NOT NULL), 0)::BIGINT",
        "sum": f"sum({value} * {records})",
        "min": f"min({value})",
        "max": f"max({value})",
        "distinct": f"count(DISTINCT {value})",
    }[measure.kind]
    if measure.condition is None:
        return found
    flag = f"f{conditions.index(quoted(measure.condition))}"
    if measure.kind == "count":
        return found.replace("IS NOT NULL)", f"IS NOT NULL AND {flag})")
    return f"{found} FILTER (WHERE {flag})"


def _conditions(block: Block) -> dict[str, exp.Expr]:
    return {quoted(m.condition): m.condition for m in block.measures if m.condition is not None}


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
