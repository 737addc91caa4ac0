"""The gateway: SQL in, an exact answer or a denial out, and every word of it in the ledger before it leaves.

    SQL text -> statement (blocks) -> query sets -> rules -> ledger -> answer

Decisions on restricted tables are made one at a time, so that two questions that are safe apart and unsafe together
cannot both pass. Everything else runs at once, on as many threads as ask.
"""

import secrets
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlglot import exp

from sdcdb.errors import Denied, LedgerError, SdcdbError, Unsupported
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.background_learning import Learner
from sdcdb.gateway.decide import Decided, decide
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.lobby.lobby import Lobby, Rows
from sdcdb.gateway.lobby.release import released
from sdcdb.gateway.reading.duckdb_parser import NativeParser
from sdcdb.gateway.reading.statement import Params, Statement, literal, privacy_question, statement
from sdcdb.gateway.relations import Relations, Restricted, relations
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.gateway.tables.asked import Asked
from sdcdb.gateway.tables.table_history import PoolHistory
from sdcdb.gateway.tables.tables import Tables
from sdcdb.gateway.tables.vault import Vault
from sdcdb.policy.governed import Governed
from sdcdb.views.secret import read_secret

MOST_VALUES = 10_000  # that a subquery over public tables may put into a condition
ANALYST = "analyst"


class Gateway:
    """Answers analysts' statements about one database. Safe to use from many threads."""

    def __init__(self, database: Governed, *, seconds: float = 60.0, memory: str = "2GB", wait: float = 5.0) -> None:
        """Open the ledger and build the cells. `seconds` and `memory` limit what one statement may use in the lobby."""
        self._policy = database.required_policy()
        self._lock = threading.RLock()
        self.relations: Relations = relations(database.con, self._policy)
        self._scratch = None if database.path else tempfile.TemporaryDirectory(prefix="sdcdb-")
        path = database.path or Path(self._scratch.name if self._scratch else ".") / "memory.duckdb"
        self._ledger = Ledger.open(ledger_path(path), wait=wait)
        try:
            self._parser = NativeParser()
            self._vault = Vault(database.con, _digest_key(database.path))
            self._lobby = Lobby(self.relations, self._vault, memory=memory, seconds=seconds)
            self._tables = Tables(database, self.relations, self._vault, self._ledger)
            self._learner = Learner()
        except BaseException:
            self._ledger.close()
            if self._scratch is not None:
                self._scratch.cleanup()
            raise

    def ask(self, sql: str, params: Params = None, user: str = ANALYST) -> Answer:
        """Answer a statement, or raise `Denied` or its subclass `Unsupported`."""
        if not isinstance(user, str):
            raise SdcdbError("a user is a name: user='analyst1'")
        question = privacy_question(sql)
        if question is not None:
            verdict = self.explain(question, params, user)
            return Answer(("property", "value"), ("VARCHAR", "VARCHAR"), tuple(verdict.rows()), verdict)
        try:
            return self._answered(sql, params, user)
        except _Noted as refusal:  # to the analyst, it is a denial like any other
            raise Denied(refusal.rule, refusal.reason, refusal.hint) from None
        except Denied as refusal:
            self._note(sql, user, refusal)
            raise
        except LedgerError:
            raise denied("ledger") from None

    def explain(self, sql: str, params: Params = None, user: str = ANALYST) -> Verdict:
        """Tell what would become of a statement, without asking it: nothing is answered and nothing is counted."""
        try:
            read = self._read(sql, params)
            with self._lock:
                return _verdict(self._decided(read, user)) if read.blocks else Verdict("allow")
        except Unsupported as refusal:
            return Verdict("unsupported", refusal.rule, refusal.reason, refusal.hint)
        except Denied as refusal:
            return Verdict("deny", refusal.rule, refusal.reason, refusal.hint)

    def status(self) -> dict[str, dict[str, dict[str, Score]]]:
        """Return, per table, pool of users and confidential column, how much all answers together tell."""
        with self._lock:
            self._learner.finish()
            return {
                table.name: {
                    pool: self._tables.pool(table.name, pool).status() for pool in self._tables.pools(table.name)
                }
                for table in self.relations.restricted()
            }

    def refresh(self, table: str | None = None) -> list[str]:
        """Declare that a table has changed, and answer about it as it is now; return the tables that had changed."""
        with self._lock:
            self._learner.finish()
            return self._tables.refresh(table)

    def interrupt(self) -> None:
        """Stop the statements that are running in the lobby: each ends with a denial. Safe from any thread."""
        self._lobby.interrupt()

    def close(self) -> None:
        """Close the ledger and the lobby. Closing twice is harmless."""
        self._learner.close()
        self._ledger.close()
        self._lobby.close()
        self._vault.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _answered(self, sql: str, params: Params, user: str) -> Answer:
        read = self._read(sql, params)
        if not read.blocks:
            rows = self._lobby.run(read, {})
            self._ledger.append(_entry(sql, user, Verdict("allow"), ()))
            return _answer(rows, Verdict("allow"))
        with self._lock:
            decided = self._decided(read, user)
            verdict = _verdict(decided)
            self._commit(sql, user, decided, verdict)
            results = {
                each.block.released: released(each, self._pool(each.block.table, user).cells, decided.suppressed)
                for each in decided.evaluated
            }
        return _answer(self._lobby.run(read, results), verdict)

    def _read(self, sql: str, params: Params) -> Statement:
        return statement(sql, params, self.relations, self._parser, self._literals)

    def _decided(self, read: Statement, user: str) -> Decided:
        pools = {each.table.name: self._pool(each.table, user) for each in read.blocks}
        for name in pools:
            self._tables.must_be_current(name)
        evaluated = [self._vault.evaluate(each, pools[each.table.name].cells) for each in read.blocks]
        self._learner.finish()
        return decide(evaluated, pools)

    def _commit(self, sql: str, user: str, decided: Decided, verdict: Verdict) -> None:
        """Write the answers into the ledger, then learn them. An answer out of all expectation is denied."""
        tails = self._tails(decided, user)
        kept = [
            (asked, finding, tail)
            for asked, finding, tail in zip(decided.asked, decided.findings, tails, strict=True)
            if tail or not any(tails)
        ]
        facts = tuple(self._pool_of(a, user).table.fact(a, self._pool_of(a, user).pool, f, tail=t) for a, f, t in kept)
        refusal = denied("interval")
        shown = verdict if not any(tails) else Verdict("deny", refusal.rule, refusal.reason, refusal.hint)
        self._ledger.append(_entry(sql, user, shown, facts))
        pools = {asked.table: self._pool_of(asked, user) for asked, _, _ in kept}

        def failed() -> None:  # what is known is no longer what is in the ledger: answer nothing more about it
            for table in pools:
                self._tables.forget(table)

        self._learner.begin(lambda: _learn([(asked, tail) for asked, _, tail in kept], pools), failed)
        if any(tails):
            raise _Noted(refusal)

    def _tails(self, decided: Decided, user: str) -> list[bool]:
        found: dict[int, bool] = {}
        for (table, column), mine in _by_column(decided.asked):
            pool = self._tables.pool(table, self._pool_name(table, user))
            knowledge = pool.table.knowledge(column, pool.pool)
            flags = knowledge.tails([a.question for a in mine], [pool.answers(a) for a in mine])
            found |= {id(asked): flag for asked, flag in zip(mine, flags, strict=True)}
        return [found[id(asked)] for asked in decided.asked]

    def _pool(self, table: Restricted, user: str) -> PoolHistory:
        return self._tables.pool(table.name, self._pool_name(table.name, user))

    def _pool_of(self, asked: Asked, user: str) -> PoolHistory:
        return self._tables.pool(asked.table, self._pool_name(asked.table, user))

    def _pool_name(self, table: str, user: str) -> str:
        pooled = next(each.limits.pool for each in self.relations.restricted() if each.name == table)
        if pooled == "all":
            return "all"
        group = self._policy.group_of(user) if pooled == "group" else None
        return f"group {group}" if group is not None else f"user {user}"

    def _literals(self, condition: exp.Expr) -> exp.Expr:
        """Put the values of subqueries over public tables in their place: they are asked in the lobby."""
        root = exp.Paren(this=condition)
        for node in list(root.find_all(exp.In)):
            query = node.args.get("query")
            if query is not None:
                values = [row[0] for row in self._public(query.this if isinstance(query, exp.Subquery) else query)]
                node.replace(
                    exp.In(this=node.this, expressions=[literal(v) for v in values]) if values else exp.false()
                )
        for scalar in list(root.find_all(exp.Subquery)):
            values = [row[0] for row in self._public(scalar.this)]
            if len(values) > 1:
                raise Unsupported("a subquery in a condition gives more than one value", "IN (SELECT ...)")
            scalar.replace(literal(values[0]) if values else exp.null())
        found: exp.Expr = root.this
        return found

    def _public(self, query: exp.Expr) -> tuple[tuple[Any, ...], ...]:
        tables = [self.relations.find(table.db, table.name) for table in query.find_all(exp.Table)]
        if any(relation is None or relation.kind == "restricted" for relation in tables):
            raise Unsupported("a condition may look into public tables only", "put its value in yourself")
        reads = tuple(relation.name for relation in tables if relation is not None)
        rows = self._lobby.run(Statement(query.sql("duckdb", identify=True, comments=False), reads), {})
        if len(rows.columns) != 1 or len(rows.rows) > MOST_VALUES:
            raise Unsupported("a subquery in a condition gives one column of not too many values", "a shorter list")
        return rows.rows

    def _note(self, sql: str, user: str, refusal: Denied) -> None:
        """Write a refusal into the ledger. One that is there already, or cannot be written, is raised all the same."""
        if not self._ledger.healthy or refusal.rule == "ledger":
            return
        kind = "unsupported" if isinstance(refusal, Unsupported) else "deny"
        verdict = Verdict(kind, refusal.rule, refusal.reason, refusal.hint)  # type: ignore[arg-type]  # one of the two
        try:
            self._ledger.append(_entry(str(sql), user, verdict, ()))
        except LedgerError:
            raise denied("ledger") from None


class _Noted(Denied):
    """A denial that stands in the ledger already."""

    def __init__(self, refusal: Denied) -> None:
        super().__init__(refusal.rule, refusal.reason, refusal.hint)


def _digest_key(database: Path | None) -> str:
    """Return the key of the ledger's digests, from the key file beside the database."""
    if database is None:
        return secrets.token_hex(16)
    return read_secret("keyfile", database).subkey("the digests of the ledger")


def _learn(kept: Sequence[tuple[Asked, bool]], pools: Mapping[str, PoolHistory]) -> None:
    hidden = {id(asked): tail for asked, tail in kept}
    for (table, column), mine in _by_column(asked for asked, _ in kept):
        pool = pools[table]
        knowledge = pool.table.knowledge(column, pool.pool)
        answers, denied_too = [pool.answers(a) for a in mine], [hidden[id(a)] for a in mine]
        knowledge.learn([a.question for a in mine], answers, denied_too)


def _by_column(asked: Any) -> Iterator[tuple[tuple[str, str], list[Asked]]]:
    found: dict[tuple[str, str], list[Asked]] = {}
    for each in asked:
        found.setdefault((each.table, each.column), []).append(each)
    yield from found.items()


def _verdict(decided: Decided) -> Verdict:
    if not decided.suppressed:
        return Verdict("allow", changes=decided.changes())
    refusal = denied(next(iter(decided.suppressed.values())))
    return Verdict("suppress", refusal.rule, refusal.reason, refusal.hint, decided.changes(), len(decided.suppressed))


def _entry(sql: str, user: str, verdict: Verdict, facts: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    return {
        "kind": "question",
        "user": user,
        "sql": sql,
        "verdict": verdict.kind,
        "rule": verdict.rule,
        "reason": verdict.reason,
        "facts": list(facts),
    }


def _answer(rows: Rows, verdict: Verdict) -> Answer:
    return Answer(rows.columns, rows.types, rows.rows, verdict)
