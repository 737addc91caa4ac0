"""The data that a log is audited against: every restricted table as cells, single records where the size allows.

The gateway's cells are combinations of quasi-identifiers, because its predicates may use nothing else. A log from
elsewhere names people by key and by name; so here identifiers select records too, and each record is its own cell,
unless the table is too large.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from sdcdb.auditor.evidence import Domain, exactly
from sdcdb.auditor.reading.confidential import Columns
from sdcdb.auditor.reading.surroundings import surroundings
from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import column_types
from sdcdb.connection.record_key import ROWID, key_columns, key_expression, key_sql
from sdcdb.errors import DataError, Unsupported
from sdcdb.gateway.reading.block import Block
from sdcdb.gateway.reading.duckdb_parser import native_parser
from sdcdb.gateway.reading.literals import literal, put_in_values
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.reading.statement import Statement, statement
from sdcdb.gateway.relations import Confidential, Relation, Relations, Restricted, relations
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.vault import Evaluated, Vault
from sdcdb.policy.models import Policy, Restrict, Role

RECORDS = 100_000
"""Tables up to this size are audited record by record."""
MOST_KEYS = 20_000
_UNSTABLE = frozenset({"random", "rand", "uuid", "nextval", "now", "setseed"})
EVERYTHING = ("count", "sum", "avg", "min", "max")


@dataclass(frozen=True, eq=False)
class AuditedTable:
    """A restricted table: its cells, a name for each, and the columns by which people are known."""

    table: Restricted
    cells: Cells
    by_record: bool
    names: tuple[str, ...]
    known: Mapping[str, tuple[Any, ...]]
    """The quasi-identifiers of each cell."""

    def domain(self, column: str) -> Domain:
        """Return the public range of a confidential column."""
        spec = self.table.confidential[column]
        scale = self.cells.totals[column].scale
        return Domain.of(spec.low, spec.high, spec.step, None if scale is None else Fraction(1, 10**scale))

    def truth(self, column: str) -> NDArray[np.float64]:
        """Return the total of each cell."""
        totals = self.cells.totals[column]
        return np.asarray(np.asarray(totals.sums, dtype=np.float64) / 10 ** (totals.scale or 0), dtype=np.float64)

    def counts(self, column: str) -> NDArray[np.int64]:
        """Return the number of values in each cell."""
        return self.cells.totals[column].counts

    def answer(self, column: str, kind: str, cells: Indices) -> Any:
        """Compute an answer from the data; None if there are no values."""
        found = self.cells.totals[column].total(kind, cells)
        return None if found is None else exactly(found)


class Snapshot:
    """A database as the auditor reads it: what statements may name, and what they select."""

    def __init__(self, con: duckdb.DuckDBPyConnection, policy: Policy) -> None:
        self._con = con.cursor()
        self._parser = native_parser()
        self._vault = Vault(con)
        self.policy = policy
        self.tables: dict[str, AuditedTable] = {}
        self._published = relations(con, _everything_allowed(policy))
        found = Relations(tuple(_without_categories(each) for each in self._published.all))
        self._quasi = {table.name: table.quasi for table in self._published.restricted()}
        self._gateway_cells: dict[str, NDArray[np.intp]] = {}
        self.relations = Relations(tuple(self._finer(each, policy) for each in found.all))
        for table in self.relations.restricted():
            self.tables[table.name] = self._audited(table)
        self.identifiers = {
            name: {column for column, spec in table.columns.items() if spec.role is Role.IDENTIFIER}
            for name, table in policy.tables.items()
        }
        self.surroundings = surroundings(self._con, self.relations)
        self.columns = self._columns()
        self._collapsing: dict[str, bool] = {}
        self._categories: dict[tuple[str, str], tuple[str | None, ...]] = {}
        if not self.tables:
            raise DataError("nothing to audit: the policy has no confidential column")

    def close(self) -> None:
        """Release the cells."""
        self._vault.close()
        self._con.close()

    def read(self, sql: str) -> Statement:
        """Read a statement's facts, as the gateway does.

        A category of which all counts are public chooses sets of people there, but not beside names and keys.
        """
        if any(table.published for table in self._published.restricted()):
            with suppress(Unsupported):
                return statement(sql, None, self._published, self._parser, self._literals)
        return statement(sql, None, self.relations, self._parser, self._literals)

    def evaluate(self, block: Block) -> Evaluated:
        """Find the query sets of a block."""
        return self._vault.evaluate(block, self.tables[block.table.name].cells)

    def rows_of(self, table: AuditedTable, columns: str) -> list[tuple[Any, ...]]:
        """Return columns, written as in SQL, of every cell in order."""
        return self._con.execute(f'SELECT {columns} FROM {table.cells.source} ORDER BY "{CELL}"').fetchall()

    def gateway_cells(self, table: str) -> NDArray[np.intp]:
        """Return, for each cell here, the number of the gateway's cell that contains it."""
        if table not in self._gateway_cells:
            by = ", ".join(quoted(identifier(name)) for name in self._quasi[table])
            number = f"dense_rank() OVER (ORDER BY {by}) - 1" if by else "0"
            rows = self._con.execute(
                f'SELECT {number} FROM {self.tables[table].cells.source} ORDER BY "{CELL}"'
            ).fetchall()
            self._gateway_cells[table] = np.array([row[0] for row in rows], dtype=np.intp)
        return self._gateway_cells[table]

    def keys_of(self, table: str) -> list[str]:
        """Return the key of each record, in the order of the cells, where every record is a cell."""
        audited = self.tables[table]
        return [str(row[0]) for row in self.rows_of(audited, f"CAST({key_sql(audited.table.key)} AS VARCHAR)")]

    def people_of(self, table: str) -> list[str]:
        """Return the name of each person with records in a table, in the order in which its cells have them."""
        person = key_sql(self.tables[table].table.person or self.tables[table].table.key)
        source = quoted(table_reference(table))
        rows = self._con.execute(
            f"SELECT CAST({person} AS VARCHAR) FROM {source} GROUP BY {person} ORDER BY {person}"
        ).fetchall()
        return [str(row[0]) for row in rows]

    def chosen(self, table: Restricted, source: exp.Table, condition: exp.Expr) -> exp.Expr | None:
        """Return a condition on the key for the records that another condition selects, looked up in the data.

        None where the table is not audited by record, the condition reads a confidential column or another table, or
        its function does not always return the same.
        """
        names = {node.name.casefold() for node in condition.find_all(exp.Anonymous, exp.Column)}
        confidential = {name.casefold() for name in self.confidential(table.name)}
        if not _by_record(table) or names & (confidential | _UNSTABLE):
            return None
        if any(condition.find_all(exp.Query, exp.Rand, exp.CurrentTimestamp, exp.CurrentDate, exp.Uuid)):
            return None
        key = key_expression(table.key)
        query = exp.Select().select(key).from_(source.copy()).where(condition.copy())
        try:
            rows = self._con.execute(query.sql("duckdb", comments=False)).fetchall()
        except duckdb.Error:
            return None
        if len(rows) > MOST_KEYS:
            return None
        return key.isin(*(literal(row[0]) for row in rows)) if rows else exp.false()

    def _finer(self, relation: Relation, policy: Policy) -> Relation:
        """Let identifiers select records where every record can be a cell."""
        if not isinstance(relation, Restricted):
            return relation
        counted = self._con.execute(f"SELECT count(*) FROM {quoted(table_reference(relation.name))}").fetchone()
        if counted is None or counted[0] > RECORDS:
            return relation
        types = column_types(self._con, relation.name)
        named = {name.casefold() for name in policy.tables[relation.name].columns} | {
            part.casefold() for part in key_columns(relation.key)
        }
        hidden = self.confidential(relation.name)
        others = [name for name in types if name not in hidden and name not in relation.quasi]
        chosen = [name for name in others if name.casefold() in named]
        if relation.key == ROWID:
            chosen.append(ROWID)
        columns = {**{name: types.get(name, "BIGINT") for name in chosen}, **relation.columns}
        return replace(relation, quasi=(*chosen, *relation.quasi), columns=columns)

    def _audited(self, table: Restricted) -> AuditedTable:
        published = self._published_of(table.name)
        columns = {**table.columns, **published}
        cells = self._vault.cells(replace(table, quasi=(*table.quasi, *published), columns=columns))
        by_record = _by_record(table)
        quasi = [name for name in table.quasi if self._role(table.name, name) in (Role.QUASI, Role.PUBLIC, Role.CLASS)]
        shown = [key_sql(table.key)] if by_record else [quoted(identifier(name)) for name in quasi]
        listed = ", ".join([*shown, *(quoted(identifier(name)) for name in quasi)]) or "1"
        rows = self._con.execute(f'SELECT {listed} FROM {cells.source} ORDER BY "{CELL}"').fetchall()
        names = tuple(", ".join(str(value) for value in row[: len(shown)]) for row in rows)
        known = {name: tuple(row[len(shown) + n] for row in rows) for n, name in enumerate(quasi)}
        return AuditedTable(table, cells, by_record, names, known)

    def _published_of(self, table: str) -> dict[str, str]:
        """Return the types of the categories of which all counts are public."""
        mine = next(each for each in self._published.restricted() if each.name == table)
        return {name: mine.columns[name] for name in mine.published}

    def _role(self, table: str, column: str) -> Role | None:
        columns = self.policy.tables[table].columns
        return next((spec.role for name, spec in columns.items() if name.casefold() == column.casefold()), None)

    def _columns(self) -> Columns:
        """Return the columns of every relation that can be named, and which are confidential."""
        every = {relation.path[1]: dict(relation.columns) for relation in self.relations.all}
        hidden: dict[str, frozenset[str]] = {}
        for table in self.relations.restricted():
            every[table.path[1]] = column_types(self._con, table.name)
            hidden[table.name] = self.confidential(table.name)
        return Columns(every, hidden)

    @cached_property
    def secret_names(self) -> frozenset[str]:
        """The names, folded, of restricted tables and of their confidential columns."""
        tables = self.relations.restricted()
        return frozenset(table.path[1] for table in tables) | self.columns.hidden(tables)

    def confidential(self, table: str) -> frozenset[str]:
        """Return the confidential columns of a table, with or without a numeric domain, as they are spelt."""
        own = {fold(name): name for name in column_types(self._con, table)}
        wanted = (fold(name) for name in self.policy.tables[table].named(Role.CONFIDENTIAL))
        return frozenset(own[name] for name in wanted if name in own)

    def categories(self, table: str, column: str) -> tuple[str | None, ...]:
        """Return the value of each cell in a column without a numeric domain, as text; cells are single records."""
        if (table, column) not in self._categories:
            audited = self.tables[table]
            key, name = audited.table.key, quoted(identifier(column))
            joined = f"{key_sql(key, 'c')} = {key_sql(key, 't')}"
            rows = self._con.execute(
                f"SELECT CAST(t.{name} AS VARCHAR) FROM {audited.cells.source} c JOIN "
                f'{quoted(table_reference(table))} t ON {joined} ORDER BY c."{CELL}"'
            ).fetchall()
            if len(rows) != audited.cells.size:
                raise DataError(f"the key {key!r} of {table!r} is not unique")
            self._categories[table, column] = tuple(row[0] for row in rows)
        return self._categories[table, column]

    def all_categories(self, table: str, column: str) -> frozenset[str | None]:
        """Return all values of a column without a numeric domain."""
        return frozenset(self.categories(table, column))

    def cells_where(self, table: Restricted, source: exp.Table, conditions: list[exp.Expr]) -> list[int] | None:
        """Return the cells that conditions without confidential columns choose; None where that is not certain."""
        found = self._keyed(table, source, conditions, [])
        return None if found is None else sorted(found)

    def groups_of(
        self, table: Restricted, source: exp.Table, keys: list[exp.Expr], cells: list[int]
    ) -> list[list[int]] | None:
        """Return some cells by groups; None where the keys cannot be evaluated."""
        found = self._keyed(table, source, [], keys)
        if found is None:
            return None
        groups: dict[object, list[int]] = {}
        for cell in cells:
            groups.setdefault(found[cell], []).append(cell)
        return list(groups.values())

    def categories_where(
        self, table: Restricted, source: exp.Table, column: str, conditions: list[exp.Expr]
    ) -> frozenset[str | None] | None:
        """Return the values of a column that conditions on it alone choose."""
        if not conditions:
            return self.all_categories(table.name, column) if _by_record(table) else None
        value = exp.cast(exp.column(identifier(column)), "VARCHAR")
        query = exp.Select().select(value).distinct().from_(source.copy()).where(*(each.copy() for each in conditions))
        rows = self._rows(query)
        return None if rows is None else frozenset(row[0] for row in rows)

    def _keyed(
        self, table: Restricted, source: exp.Table, conditions: list[exp.Expr], keys: list[exp.Expr]
    ) -> dict[int, tuple[Any, ...]] | None:
        """Return the cells that conditions choose, each with the values of some expressions."""
        if not _by_record(table):
            return None
        shown = [exp.cast(key_expression(table.key), "VARCHAR"), *(key.copy() for key in keys)]
        query = exp.Select().select(*shown).from_(source.copy())
        rows = self._rows(query.where(*(each.copy() for each in conditions)) if conditions else query)
        if rows is None:
            return None
        place = {name: cell for cell, name in enumerate(self.tables[table.name].names)}
        return {place[row[0]]: tuple(map(str, row[1:])) for row in rows}

    def _rows(self, query: exp.Select) -> list[tuple[Any, ...]] | None:
        unstable = {node.name.casefold() for node in query.find_all(exp.Anonymous)} & _UNSTABLE
        changing = query.find(exp.Rand, exp.CurrentTimestamp, exp.CurrentDate, exp.Uuid)
        if unstable or changing is not None or len(list(query.find_all(exp.Query))) > 1:
            return None
        try:
            return self._con.execute(query.sql("duckdb", comments=False)).fetchall()
        except duckdb.Error:
            return None

    def collapses(self, column: str) -> bool:
        """Tell whether a text column has values that a case-insensitive collation takes for one, or may."""
        if column not in self._collapsing:
            self._collapsing[column] = any(
                self._collapses(table, own)
                for table in self.relations.restricted()
                for own, kind in self.columns.all[table.path[1]].items()
                if fold(own) == column and kind.startswith("VARCHAR")
            )
        return self._collapsing[column]

    def _collapses(self, table: Restricted, column: str) -> bool:
        name = quoted(identifier(column))
        merged = f"count(DISTINCT {name}) > count(DISTINCT lower({name}))"
        odd = f"coalesce(bool_or(strip_accents(rtrim({name})) <> {name}), false)"
        found = self._con.execute(f"SELECT {merged} OR {odd} FROM {quoted(table_reference(table.name))}").fetchone()
        return bool(found and found[0])

    def _literals(self, condition: exp.Expr) -> exp.Expr:
        """Replace subqueries over public tables by their values."""
        return put_in_values(condition, self._public)

    def _public(self, query: exp.Expr) -> list[Any]:
        tables = [self.relations.find(table.db, table.name) for table in query.find_all(exp.Table)]
        if any(relation is None or relation.kind != "public" for relation in tables):
            raise Unsupported("a condition reads a table that is not public")
        try:
            return [row[0] for row in self._con.execute(query.sql("duckdb", identify=True, comments=False)).fetchall()]
        except duckdb.Error:
            raise Unsupported("a subquery in a condition cannot be evaluated") from None


def _everything_allowed(policy: Policy) -> Policy:
    """Return the policy with every aggregate allowed, and every table with confidential columns restricted."""
    tables = {
        name: table
        if table.public or not table.named(Role.CONFIDENTIAL)
        else table.model_copy(
            update={"restrict": (table.restrict or Restrict()).model_copy(update={"aggregates": EVERYTHING})}
        )
        for name, table in policy.tables.items()
    }
    return policy.model_copy(update={"tables": tables})


__all__ = ["AuditedTable", "Confidential", "Snapshot"]


def _without_categories(relation: Relation) -> Relation:
    """Leave counts by categories to `category_facts`: the gateway reads them as harmless, having judged them itself."""
    return relation.without_categories() if isinstance(relation, Restricted) else relation


def _by_record(table: Restricted) -> bool:
    """Tell whether every record of a table is a cell of its own."""
    return set(key_columns(table.key)) <= set(table.quasi)
