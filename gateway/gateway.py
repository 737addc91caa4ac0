"""The gateway: SQL in, an exact answer or a denial out, and every word of it in the ledger before it leaves.

    SQL text -> statement (blocks) -> query sets -> rules -> ledger -> answer

Decisions on restricted tables are made one at a time, so that two questions that are safe apart and unsafe together
cannot both pass. Everything else runs at once, on as many threads as ask.
"""

import secrets
import tempfile
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlglot import exp

from sdcdb.connection.connect import is_read_only
from sdcdb.errors import Denied, LedgerError, Unsupported
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.asking import ANALYST, Asking, asking
from sdcdb.gateway.background_learning import Learner
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.decide import Decided, decide, joint_audits
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.knowledge_left import Known, knowledge_left
from sdcdb.gateway.ledger.entry import ActEntry, AnsweredFact, LoginEntry, QuestionEntry, fields_of
from sdcdb.gateway.ledger.mark import mark_of, open_ledger, read_mark, write_mark
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.lobby.lobby import Lobby, Rows
from sdcdb.gateway.lobby.release import compute_release
from sdcdb.gateway.reading.duckdb_parser import NativeParser
from sdcdb.gateway.reading.further import computes_further, with_marks
from sdcdb.gateway.reading.literals import put_in_values
from sdcdb.gateway.reading.statement import Params, Statement, privacy_question, statement
from sdcdb.gateway.relations import Relations, relations
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Kind, Verdict
from sdcdb.gateway.tables.asked import Asked
from sdcdb.gateway.tables.halt import Halt
from sdcdb.gateway.tables.pool_history import PoolHistory
from sdcdb.gateway.tables.tables import Tables
from sdcdb.gateway.tables.vault import Vault
from sdcdb.gateway.unexpected import deny_unexpected
from sdcdb.policy.governed import Governed
from sdcdb.views.secret import read_secret

MOST_VALUES = 10_000  # that a subquery over public tables may put into a condition


class Gateway:
    """Answers analysts' statements about one database. Safe to use from many threads."""

    def __init__(
        self,
        database: Governed,
        *,
        seconds: float = 60.0,
        memory: str = "2GB",
        wait: float = 5.0,
        adopt_ledger: str = "",
    ) -> None:
        """Open the ledger and build the cells. `seconds` and `memory` limit what one statement may use in the lobby.

        `adopt_ledger` is the owner's reason to go on with another ledger than the one the database was last used with.
        """
        self._policy = database.required_policy()
        self._lock = threading.RLock()
        self._con = database.con.cursor()  # the owner may use their own connection meanwhile
        self.relations: Relations = relations(self._con, self._policy)
        self._scratch = None if database.path else tempfile.TemporaryDirectory(prefix="sdcdb-")
        path = database.path or Path(self._scratch.name if self._scratch else ".") / "memory.duckdb"
        self._marked = database.path is not None and not is_read_only(self._con)
        self._ledger = open_ledger(ledger_path(path), read_mark(self._con), wait, adopt_ledger)
        try:
            self._parser = NativeParser()
            self._vault = Vault(database.con, _digest_key(database.path))
            self._lobby = Lobby(self.relations, self._vault, database.path, memory=memory, seconds=seconds)
            self._tables = Tables(database, self.relations, self._vault, self._ledger)
            self._learner = Learner()
            self._running: set[Cancellation] = set()
            self._mark()
        except BaseException:
            self._ledger.close()
            if self._scratch is not None:
                self._scratch.cleanup()
            raise

    def asking(self, user: str = ANALYST) -> Asking:
        """Say who asks: what `ask`, `explain` and `known` take. A name will do in its place."""
        return asking(user, self.relations, self._policy)

    def ask(
        self,
        sql: str,
        params: Params = None,
        user: Asking | str = ANALYST,
        *,
        cancellation: Cancellation | None = None,
    ) -> Answer:
        """Answer a statement, or raise `Denied` or its subclass `Unsupported`: nothing else comes out.

        `cancellation` lets another thread stop this one statement.
        """
        who = self._who(user)
        handle = cancellation or Cancellation()
        self._running.add(handle)
        try:
            question = privacy_question(sql)
            if question is not None:
                verdict = self.explain(question, params, who)
                return Answer(("property", "value"), ("VARCHAR", "VARCHAR"), tuple(verdict.rows()), verdict)
            return self._answered(sql, params, who, handle)
        except Denied as refusal:
            self._note(sql, who, refusal)
            raise
        except LedgerError:
            raise denied("ledger") from None
        except Exception as problem:  # noqa: BLE001 - one place for all that nobody expected
            unexpected = deny_unexpected(problem)
            self._note(sql, who, unexpected)
            raise unexpected from None
        finally:
            self._running.discard(handle)

    def explain(self, sql: str, params: Params = None, user: Asking | str = ANALYST) -> Verdict:
        """Return the verdict on a statement without running it: nothing is answered and nothing is counted."""
        who = self._who(user)
        handle = Cancellation()
        try:
            read = self._read(sql, params, handle)
            with self._lock:
                return _verdict(self._decided(read, who, handle)) if read.blocks else Verdict("allow")
        except Denied as refusal:
            return _refused(refusal)
        except LedgerError:
            return _refused(denied("ledger"))
        except Exception as problem:  # noqa: BLE001 - as in `ask`
            return _refused(deny_unexpected(problem))

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

    def known(self, user: Asking | str | None = None) -> list[Known]:
        """Return what is known of every confidential column, and how much room is left: to one user, or to anybody."""
        own = None if user is None else self._who(user).pools
        tables = {table.name: table for table in self.relations.restricted()}
        return [
            knowledge_left(tables[name], pool, column, score)
            for name, pools in self.status().items()
            for pool, columns in pools.items()
            if own is None or pool == own[name]
            for column, score in columns.items()
        ]

    def halted(self) -> list[Halt]:
        """Return the restricted tables about which nothing is answered until their owner acts, and why."""
        with self._lock:
            return self._tables.halted()

    def changed(self) -> list[str]:
        """Return the restricted tables that have changed since earlier answers, and wait for `refresh`."""
        return [halt.table for halt in self.halted() if halt.rule == "version"]

    def refresh(self, table: str | None = None, *, as_new: str = "") -> list[str]:
        """Declare that a table has changed, and answer about it as it is now; return the tables that had changed.

        `as_new` is the owner's reason to take the records of the changed tables as other people than those before.
        """
        with self._lock:
            self._learner.finish()
            return self._tables.refresh(table, as_new)

    def accept_looser(self, reason: str) -> list[str]:
        """Accept looser limits, as an act of the owner that the ledger keeps; return what became looser."""
        with self._lock:
            return self._tables.accept_looser(reason)

    def note(self, entry: LoginEntry | ActEntry) -> None:
        """Write an attempt to log in, or an act of an owner, into the ledger."""
        self._ledger.append(fields_of(entry))

    def interrupt(self) -> None:
        """Cancel the statements that are running: each ends with a denial. Safe from any thread."""
        for handle in tuple(self._running):
            handle.cancel()

    def close(self) -> None:
        """Close the ledger and the lobby. Closing twice is harmless."""
        self._learner.close()
        self._mark()
        self._ledger.close()
        self._lobby.close()
        self._vault.close()
        self._con.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _mark(self) -> None:
        """Leave in the database which ledger it is used with, and how far that has come."""
        if self._marked and self._ledger.healthy:
            write_mark(self._con, mark_of(self._ledger))

    def _who(self, user: Asking | str) -> Asking:
        return user if isinstance(user, Asking) else self.asking(user)

    def _answered(self, sql: str, params: Params, who: Asking, handle: Cancellation) -> Answer:
        read = self._read(sql, params, handle)
        if not read.blocks:
            rows = self._lobby.run(read, {}, handle)
            self._write(sql, who, Verdict("allow"), ())
            return _answer(rows, Verdict("allow"))
        with self._lock:
            decided = self._decided(read, who, handle)
            verdict = _verdict(decided)
            handle.check()
            self._commit(sql, who, decided, verdict)
            results = {each.block.released: compute_release(each, decided, self._vault) for each in decided.evaluated}
        marked = with_marks(read.tree) if decided.merged and read.tree is not None else None
        if marked is None:
            return _answer(self._lobby.run(read, results, handle), verdict)
        return _marked_answer(self._lobby.run(replace(read, tree=marked), results, handle), verdict)

    def _read(self, sql: str, params: Params, handle: Cancellation) -> Statement:
        def values(condition: exp.Expr) -> exp.Expr:
            return put_in_values(condition, lambda query: self._public(query, handle))

        return statement(sql, params, self.relations, self._parser, values)

    def _decided(self, read: Statement, who: Asking, handle: Cancellation) -> Decided:
        names = dict.fromkeys(each.table.name for each in read.blocks)
        for name in names:
            self._tables.must_be_current(name)
        audits = {name: self._tables.pool(name, who.pools[name]) for name in names}
        evaluated = [self._vault.evaluate(each, audits[each.table.name].cells, handle) for each in read.blocks]
        self._learner.finish()
        decided = decide(evaluated, audits)
        if decided.suppressed and read.tree is not None and computes_further(read.tree):
            raise denied("hidden")
        return decided

    def _commit(self, sql: str, who: Asking, decided: Decided, verdict: Verdict) -> None:
        """Write the answers into the ledger, whatever they are, then learn them."""
        facts = tuple(
            decided.audits[asked.table].fact(asked, finding, surprise=surprise)
            for asked, finding, surprise in zip(decided.asked, decided.findings, _surprises(decided), strict=True)
        )
        self._write(sql, who, verdict, facts)

        def failed() -> None:  # what is known is no longer what is in the ledger: answer nothing more about it
            for table in decided.audits:
                self._tables.forget(table)

        self._learner.begin(lambda: _learn(decided.asked, decided.audits), failed)

    def _public(self, query: exp.Expr, handle: Cancellation) -> list[Any]:
        """Run a subquery over public tables in the lobby; return its values."""
        tables = [self.relations.find(table.db, table.name) for table in query.find_all(exp.Table)]
        if not isinstance(query, exp.Query) or any(each is None or each.kind == "restricted" for each in tables):
            raise Unsupported("a condition may look into public tables only", "put its value in yourself")
        reads = tuple(relation.name for relation in tables if relation is not None)
        rows = self._lobby.run(Statement(reads, tree=query), {}, handle)
        if len(rows.columns) != 1 or len(rows.rows) > MOST_VALUES:
            raise Unsupported("a subquery in a condition gives one column of not too many values", "a shorter list")
        return [row[0] for row in rows.rows]

    def _note(self, sql: str, who: Asking, refusal: Denied) -> None:
        """Write a refusal into the ledger. One that is there already, or cannot be written, is raised all the same."""
        if not self._ledger.healthy or refusal.rule == "ledger":
            return
        try:
            self._write(sql, who, _refused(refusal), ())
        except LedgerError:
            raise denied("ledger") from None

    def _write(self, sql: str, who: Asking, verdict: Verdict, facts: tuple[AnsweredFact, ...]) -> None:
        entry = QuestionEntry(
            user=_writable(who.user),
            sql=_writable(sql),
            verdict=verdict.kind,
            rule=verdict.rule,
            reason=verdict.reason,
            facts=facts,
        )
        self._ledger.append(fields_of(entry))


def _digest_key(database: Path | None) -> str:
    """Return the key of the ledger's digests, from the key file beside the database."""
    if database is None:
        return secrets.token_hex(16)
    return read_secret("keyfile", database).subkey("the digests of the ledger")


def _surprises(decided: Decided) -> list[bool]:
    """Tell which answers leave somebody less room than the limits say: for the owner, in the ledger."""
    found: dict[int, bool] = {}
    for (table, column), mine in _by_column(decided.asked):
        flags = decided.audits[table].surprises(column, mine)
        found |= {id(asked): flag for asked, flag in zip(mine, flags, strict=True)}
    return [found[id(asked)] for asked in decided.asked]


def _learn(asked: Sequence[Asked], audits: Mapping[str, PoolHistory]) -> None:
    for (table, column), mine in _by_column(asked):
        audits[table].learn(column, mine)
    for joint in joint_audits(audits):
        joint.learn([each for each in asked if joint.holds(each)])


def _by_column(asked: Iterable[Asked]) -> Iterator[tuple[tuple[str, str], list[Asked]]]:
    found: dict[tuple[str, str], list[Asked]] = {}
    for each in asked:
        found.setdefault((each.table, each.audited), []).append(each)
    yield from found.items()


def _verdict(decided: Decided) -> Verdict:
    if not decided.suppressed:
        return Verdict("allow", changes=decided.changes())
    refusal = denied(next(iter(decided.suppressed.values())))
    return Verdict("suppress", refusal.rule, refusal.reason, refusal.hint, decided.changes(), decided.unseen)


def _refused(refusal: Denied) -> Verdict:
    kind: Kind = "unsupported" if isinstance(refusal, Unsupported) else "deny"
    return Verdict(kind, refusal.rule, refusal.reason, refusal.hint)


def _writable(text: object) -> str:
    """Return what was sent as a text that the ledger can hold: one without halves of characters."""
    if not isinstance(text, str):
        return f"({type(text).__name__})"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _answer(rows: Rows, verdict: Verdict) -> Answer:
    return Answer(rows.columns, rows.types, rows.rows, verdict)


def _marked_answer(rows: Rows, verdict: Verdict) -> Answer:
    """Take the marks of merged rows, which are the last column, out of the rows."""
    merged = tuple(number for number, row in enumerate(rows.rows) if row[-1])
    return Answer(rows.columns[:-1], rows.types[:-1], tuple(row[:-1] for row in rows.rows), verdict, merged)
