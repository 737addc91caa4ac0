"""The gateway: SQL in, an exact answer or a denial out, and every word of it in the ledger before it leaves.

    SQL text -> statement (blocks) -> query sets -> rules -> ledger -> answer

Decisions on one restricted table are made one at a time, so that two questions that are safe apart and unsafe together
cannot both pass. Everything else runs at once, on as many threads as ask: statements are read, query sets found and
answers computed outside of the lock.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

import duckdb
from sqlglot import exp

from sdcdb.connection.connect import is_read_only
from sdcdb.errors import DatabaseError, Denied, LedgerError
from sdcdb.gateway.answer import Answer, answer_of, marked_answer
from sdcdb.gateway.asking import ANALYST, Asking, asking
from sdcdb.gateway.assessor import Assessor
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.decide import Decided
from sdcdb.gateway.disclosed import disclosed_counts, disclosed_facts, learn_answers
from sdcdb.gateway.estimates.estimating import Estimator
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.knowledge_left import Known, knowledge_left
from sdcdb.gateway.ledger.entry import ActEntry, AnsweredFact, CountedSet, LoginEntry, fields_of
from sdcdb.gateway.ledger.mark import keep_outside, mark_of, open_ledger, read_mark, write_mark
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.lobby.desk import Desk
from sdcdb.gateway.lobby.lobby import Lobby
from sdcdb.gateway.lobby.release import compute_release
from sdcdb.gateway.noted import Seldom, explain_entry, question_entry
from sdcdb.gateway.reading.further import with_marks
from sdcdb.gateway.reading.statement import Params, privacy_question
from sdcdb.gateway.references import with_references
from sdcdb.gateway.relations import Relations, relations
from sdcdb.gateway.repeated import Kept, Repeated, repeat_key
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Change, Verdict
from sdcdb.gateway.table_locks import OWNER
from sdcdb.gateway.tables.halt import Halt
from sdcdb.gateway.tables.tables import Tables
from sdcdb.gateway.tables.vault import Vault, digest_key
from sdcdb.gateway.turns import Turns
from sdcdb.gateway.unexpected import deny_unexpected
from sdcdb.gateway.worded import estimated_verdict, refused, verdict_of
from sdcdb.gateway.workers.limits import WorkLimits
from sdcdb.policy.governed import Governed


class Gateway:
    """Answers analysts' statements about one database. Safe to use from many threads."""

    def __init__(
        self,
        database: Governed,
        *,
        seconds: float | None = None,
        memory: str | None = None,
        wait: float = 5.0,
        adopt_ledger: str = "",
    ) -> None:
        """Open the ledger and build the cells. `seconds` and `memory` limit one statement; else the policy does.

        `adopt_ledger` is the owner's reason to go on with another ledger than the one the database was last used with.
        """
        self._policy = database.required_policy()
        self._con = database.con.cursor()  # the owner may use their own connection meanwhile
        self.relations: Relations = with_references(relations(self._con, self._policy), self._policy)
        self._scratch = None if database.path else tempfile.TemporaryDirectory(prefix="sdcdb-")
        path = database.path or Path(self._scratch.name if self._scratch else ".") / "memory.duckdb"
        self._marked = database.path is not None and not is_read_only(self._con)
        self._ledger = open_ledger(ledger_path(path), read_mark(self._con), wait, adopt_ledger)
        try:
            self._vault = Vault(database.con, digest_key(database.path))
            limits = WorkLimits.of(self._policy.resources, seconds, memory)
            self._lobby = Lobby(self.relations, self._vault, database.path, limits)
            self._tables = Tables(database, self.relations, self._vault, self._ledger)
            self._assessor = Assessor(self.relations, self._vault, self._lobby, self._tables)
            self._estimator = Estimator(self._con, self.relations, self._policy, self._vault, self._lobby)
            self._repeated = Repeated()
            self._seldom = Seldom()
            self._turns = Turns(limits.per_user, limits.queue)
            self._running: set[Cancellation] = set()
            self.refresh_due()
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
        estimate: bool | None = None,
        cancellation: Cancellation | None = None,
    ) -> Answer:
        """Answer a statement, or raise `Denied` or its subclass `Unsupported`: nothing else comes out.

        `estimate` says whether what is denied is estimated from a protected view; left out, the policy does.
        `cancellation` lets another thread stop this one statement.
        """
        question = privacy_question(sql)
        if question is not None:
            verdict = self.explain(question, params, user, cancellation=cancellation)
            return Answer(("property", "value"), ("VARCHAR", "VARCHAR"), tuple(verdict.rows()), verdict)
        who = self._who(user, sql)
        try:
            with self._at_work(who, cancellation) as handle:
                return self._answered(sql, params, who, handle)
        except Denied as refusal:
            self._note(sql, who.user, refusal)
            answer = self._estimated(sql, params, who, refusal, estimate, cancellation)
            if answer is None:
                raise
            return answer
        except LedgerError:
            raise denied("ledger") from None
        except Exception as problem:  # noqa: BLE001 - one place for all that nobody expected
            unexpected = deny_unexpected(problem)
            self._note(sql, who.user, unexpected)
            raise unexpected from None

    def explain(
        self,
        sql: str,
        params: Params = None,
        user: Asking | str = ANALYST,
        *,
        cancellation: Cancellation | None = None,
    ) -> Verdict:
        """Return the verdict on a statement without running it. It is asked, and in the ledger, but nothing is told."""
        who = self._who(user, sql)
        try:
            with self._at_work(who, cancellation) as handle:
                read, verdict = self._assessor.read(sql, params, handle), Verdict("allow")
                if read.blocks:
                    with self._assessor.decided(read, who, handle) as decided:
                        verdict = verdict_of(decided)
        except Denied as refusal:
            verdict = refused(refusal)
        except LedgerError:
            return refused(denied("ledger"))
        except Exception as problem:  # noqa: BLE001 - as in `ask`
            verdict = refused(deny_unexpected(problem))
        try:
            self._ledger.append(fields_of(explain_entry(who.user, sql, verdict)))
        except LedgerError:
            return refused(denied("ledger"))
        return verdict

    def refuse(self, sql: str, user: str, refusal: Denied) -> None:
        """Write into the ledger that a door refused a statement before it became a question."""
        self._note(sql, user, refusal)

    def status(self) -> dict[str, dict[str, dict[str, Score]]]:
        """Return, per table, pool of users and confidential column, how much all answers together tell."""
        return {table.name: self._table_status(table.name) for table in self.relations.restricted()}

    def known(self, user: Asking | str | None = None) -> list[Known]:
        """Return what is known of every confidential column, and how much room is left: to one user, or to anybody."""
        own = None if user is None else (user if isinstance(user, Asking) else self.asking(user)).pools
        tables = {table.name: table for table in self.relations.restricted()}
        return [
            knowledge_left(tables[name], pool, column, score)
            for name, pools in self.status().items()
            for pool, columns in pools.items()
            if own is None or pool == own[name]
            for column, score in columns.items()
        ]

    @property
    def healthy(self) -> bool:
        """Whether the ledger can be written; without it nothing is answered."""
        return self._ledger.healthy

    def halted(self) -> list[Halt]:
        """Return the restricted tables about which nothing is answered until their owner acts, and why."""
        with self._assessor.looking:
            return self._tables.halted()

    def changed(self) -> list[str]:
        """Return the restricted tables that have changed since earlier answers, and wait for `refresh`."""
        return [halt.table for halt in self.halted() if halt.rule == "version"]

    def refresh(self, table: str | None = None, *, as_new: str = "") -> list[str]:
        """Declare that a table has changed, and answer about it as it is now; return the tables that had changed.

        `as_new` is the owner's reason to take the records of the changed tables as other people than those before.
        """
        with self._assessor.all_tables() as names, self._assessor.looking:
            self._assessor.learner.finish(names)
            return self._tables.refresh(table, as_new)

    def refresh_due(self) -> list[str]:
        """Take the tables with `refresh: auto` as they are now, if enough people have changed; return those tables.

        One that cannot be followed record by record waits for its owner.
        """
        refreshed: list[str] = []
        with self._assessor.all_tables() as names, self._assessor.looking:
            self._assessor.learner.finish(names)
            for table in self._tables.due():
                with suppress(DatabaseError):
                    refreshed += self._tables.refresh(table)
        return refreshed

    def accept_looser(self, reason: str) -> list[str]:
        """Accept looser limits, as an act of the owner that the ledger keeps; return what became looser."""
        with self._assessor.all_tables(), self._assessor.looking:
            return self._tables.accept_looser(reason)

    def note(self, entry: LoginEntry | ActEntry) -> None:
        """Write an attempt to log in, or an act of an owner, into the ledger."""
        self._ledger.append(fields_of(entry))

    @property
    def workers(self) -> list[int]:
        """The process numbers of the workers in which analysts' statements run."""
        return self._lobby.workers.pids

    def interrupt(self) -> None:
        """Cancel the statements that are running: each ends with a denial. Safe from any thread."""
        for handle in tuple(self._running):
            handle.cancel()

    def rest(self) -> None:
        """Let other processes ask until `wake`; nothing is answered here meanwhile."""
        self._mark()
        self._ledger.rest()

    def wake(self, wait: float = 5.0) -> bool:
        """Go on after `rest`. False: others were answered meanwhile, so this gateway does not know all that is known.

        It answers nothing more then: close it and open another.
        """
        return self._ledger.wake(wait)

    def close(self) -> None:
        """Close the ledger and the lobby. Closing twice is harmless."""
        self._assessor.learner.close()
        self._mark()
        self._ledger.close()
        self._lobby.close()
        self._vault.close()
        self._con.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _mark(self) -> None:
        """Leave in the database which ledger it is used with, and how far that has come."""
        if self._marked and self._ledger.healthy:
            write_mark(self._con, mark_of(self._ledger))
        if self._scratch is None and self._ledger.healthy:
            keep_outside(self._ledger)

    def _who(self, user: Asking | str, sql: str) -> Asking:
        if isinstance(user, Asking):
            return user
        try:
            return self.asking(user)
        except Denied as refusal:
            self._note(sql, user, refusal)
            raise

    @contextmanager
    def _at_work(self, who: Asking, cancellation: Cancellation | None) -> Iterator[Cancellation]:
        """Wait for the user's turn; `interrupt` reaches the statement from here on."""
        handle = cancellation or Cancellation()
        self._running.add(handle)
        try:
            with self._turns.turn(who.user, handle):
                yield handle
        finally:
            self._running.discard(handle)

    def _table_status(self, name: str) -> dict[str, dict[str, Score]]:
        with self._assessor.locks.holding(self._assessor.together([name]), OWNER):
            self._assessor.learner.finish(self._assessor.together([name]))
            return self._tables.status(name)

    def _answered(self, sql: str, params: Params, who: Asking, handle: Cancellation) -> Answer:
        key = repeat_key(sql, params, who)
        kept = self._repeated.find(key)
        again = None if kept is None else self._again(kept, sql, who, handle)
        if again is not None:
            return again
        looked: list[exp.Expr] = []
        read = self._assessor.read(sql, params, handle, looked)
        if not read.blocks:
            rows = self._lobby.run(read, {}, handle)
            self._write(sql, who, Verdict("allow"), ())
            return answer_of(rows, Verdict("allow"))
        with self._assessor.decided(read, who, handle) as decided:
            verdict = verdict_of(decided)
            handle.check()
            facts = self._commit(sql, who, decided, verdict)
        results = {each.block.released: compute_release(each, decided, self._vault) for each in decided.evaluated}
        marked = with_marks(read.tree) if decided.merged and read.tree is not None else None
        if marked is None:
            answer = answer_of(self._lobby.run(read, results, handle), verdict)
        else:
            answer = marked_answer(self._lobby.run(replace(read, tree=marked), results, handle), verdict)
        if Desk.takes(read, results) and not looked and not any(block.joins for block in read.blocks):
            self._repeated.keep(key, answer, facts, {name: each.table for name, each in decided.audits.items()})
        return answer

    def _estimated(
        self,
        sql: str,
        params: Params,
        who: Asking,
        refusal: Denied,
        wanted: bool | None,  # noqa: FBT001 - as `ask` was given
        cancellation: Cancellation | None,
    ) -> Answer | None:
        """Answer from protected views what was denied, if that is wanted and possible. Nothing new is told by it."""
        if not self._estimator.follows(refusal.rule, wanted):
            return None
        try:
            with self._at_work(who, cancellation) as handle:
                read = self._assessor.read(sql, params, handle)
                found = self._estimator.estimate(read, handle) if self._estimator.wanted(read, wanted) else None
            if found is None:
                return None
            verdict = estimated_verdict(refusal)
            self._write(sql, who, verdict, ())
            return replace(answer_of(found.rows, verdict), errors=found.errors)
        except (Denied, LedgerError, duckdb.Error):
            return None

    def _again(self, kept: Kept, sql: str, who: Asking, handle: Cancellation) -> Answer | None:
        """Answer once more what was answered; None if a table is no longer what it was."""
        names = list(kept.histories)
        with self._assessor.locks.holding(self._assessor.together(names), who.user, handle):
            audits = self._assessor.audits(names, who)
            if any(audits[name].table is not history for name, history in kept.histories.items()):
                return None
            self._assessor.learner.finish(self._assessor.together(names))
            now = {fact.column: audits[fact.table].score(fact.column) for fact in kept.facts}
            verdict = replace(kept.answer.verdict, changes={name: Change(score, score) for name, score in now.items()})
            self._write(sql, who, verdict, kept.facts)
        return replace(kept.answer, verdict=verdict)

    def _commit(self, sql: str, who: Asking, decided: Decided, verdict: Verdict) -> tuple[AnsweredFact, ...]:
        """Write the answers into the ledger, whatever they are, then learn them."""
        facts = disclosed_facts(decided)
        self._write(sql, who, verdict, facts, disclosed_counts(decided))

        def failed() -> None:  # what is known is no longer what is in the ledger: answer nothing more about it
            for table in decided.audits:
                self._tables.forget(table)

        self._assessor.learner.begin(self._assessor.together(decided.audits), lambda: learn_answers(decided), failed)
        return facts

    def _note(self, sql: str, user: str, refusal: Denied) -> None:
        """Write a refusal into the ledger. One that is there already, or cannot be written, is raised all the same."""
        if not self._ledger.healthy or refusal.rule == "ledger" or self._seldom.repeats(user, refusal):
            return
        try:
            self._ledger.append(fields_of(question_entry(user, sql, refused(refusal), ())))
        except LedgerError:
            raise denied("ledger") from None

    def _write(
        self,
        sql: str,
        who: Asking,
        verdict: Verdict,
        facts: tuple[AnsweredFact, ...],
        counted: tuple[CountedSet, ...] = (),
    ) -> None:
        self._ledger.append(fields_of(question_entry(who.user, sql, verdict, facts, counted)))
