"""From SQL text to a decision, without an answer: what asking and explaining have in common."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlglot import exp

from sdcdb.errors import Unsupported
from sdcdb.gateway.asking import Asking
from sdcdb.gateway.background_learning import Learner
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.decide import Decided, decide
from sdcdb.gateway.lobby.lobby import Lobby
from sdcdb.gateway.reading.duckdb_parser import native_parser
from sdcdb.gateway.reading.further import computes_further
from sdcdb.gateway.reading.literals import put_in_values
from sdcdb.gateway.reading.statement import Params, Statement, statement
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.table_locks import OWNER, TableLocks
from sdcdb.gateway.tables.pool_history import PoolHistory
from sdcdb.gateway.tables.tables import Tables
from sdcdb.gateway.tables.vault import Evaluated, Vault

MOST_VALUES = 10_000  # that a subquery over public tables may put into a condition


class Assessor:
    """Reads statements, finds their query sets and decides about them. Safe to use from many threads."""

    def __init__(self, relations: Relations, vault: Vault, lobby: Lobby, tables: Tables) -> None:
        self._relations, self._vault, self._lobby, self._tables = relations, vault, lobby, tables
        self._parser = native_parser()
        self.locks = TableLocks()
        self.looking = threading.Lock()
        """While somebody looks whether tables have changed."""
        self.learner = Learner()

    def read(self, sql: str, params: Params, handle: Cancellation, looked: list[exp.Expr] | None = None) -> Statement:
        """Read a statement; `looked` gets the queries over public tables that had to run for it."""

        def read(query: exp.Expr) -> list[Any]:
            if looked is not None:
                looked.append(query)
            return self._public(query, handle)

        def values(condition: exp.Expr) -> exp.Expr:
            return put_in_values(condition, read)

        return statement(sql, params, self._relations, self._parser, values)

    def together(self, names: Iterable[str]) -> frozenset[str]:
        """Return the tables whose histories are one with these tables': their columns are linked."""
        return self._relations.audited_together(names)

    @contextmanager
    def all_tables(self) -> Iterator[list[str]]:
        """Hold all restricted tables, for an act of the owner."""
        names = [table.name for table in self._relations.restricted()]
        with self.locks.holding(names, OWNER):
            yield names

    def audits(self, names: Sequence[str], who: Asking) -> dict[str, PoolHistory]:
        """Return the audits of tables as one user's pools see them; deny if a table has changed."""
        with self.looking:
            for name in names:
                self._tables.must_be_current(name)
        return {name: self._tables.pool(name, who.pools[name], who.user) for name in names}

    @contextmanager
    def decided(self, read: Statement, who: Asking, handle: Cancellation) -> Iterator[Decided]:
        """Decide a statement; its tables stay locked for as long as the caller has to do with the decision."""
        evaluated = self._evaluated(read, who, handle)
        with self.locks.holding(self.together(_tables_of(read)), who.user, handle):
            yield self._decided(read, evaluated, who, handle)

    def _evaluated(self, read: Statement, who: Asking, handle: Cancellation) -> list[Evaluated]:
        """Find the query sets of every block, in the cells as they are now."""
        audits = self.audits(_tables_of(read), who)
        return [self._vault.evaluate(each, audits[each.table.name].cells, handle) for each in read.blocks]

    def _decided(self, read: Statement, evaluated: Sequence[Evaluated], who: Asking, handle: Cancellation) -> Decided:
        audits = self.audits(_tables_of(read), who)
        if any(each.cells is not audits[each.block.table.name].cells for each in evaluated):  # refreshed meanwhile
            evaluated = self._evaluated(read, who, handle)
        self.learner.finish(self.together(audits))
        decided = decide(evaluated, audits)
        if decided.suppressed and read.tree is not None and computes_further(read.tree):
            raise denied("hidden")
        return decided

    def _public(self, query: exp.Expr, handle: Cancellation) -> list[Any]:
        """Run a subquery over public tables in the lobby; return its values."""
        tables = [self._relations.find(table.db, table.name) for table in query.find_all(exp.Table)]
        if not isinstance(query, exp.Query) or any(each is None or each.kind == "restricted" for each in tables):
            raise Unsupported("a condition may look into public tables only", "put its value in yourself")
        reads = tuple(relation.name for relation in tables if relation is not None)
        rows = self._lobby.run(Statement(reads, tree=query), {}, handle)
        if len(rows.columns) != 1 or len(rows.rows) > MOST_VALUES:
            raise Unsupported("a subquery in a condition gives one column of not too many values", "a shorter list")
        return [row[0] for row in rows.rows]


def _tables_of(read: Statement) -> list[str]:
    return list(dict.fromkeys(each.table.name for each in read.blocks))
