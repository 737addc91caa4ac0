"""The service: what every door calls. It knows who may do what, runs statements, and keeps the ledger complete.

    identity = service.logins.password("ann", "...", door="http", address="10.0.0.7")
    answer = service.ask(identity, "SELECT AVG(salary) FROM staff")

Every method is safe to call from many threads. Statements run on a bounded pool of threads, users taking turns.
"""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from sdcdb.errors import Denied, Problem, SdcdbError
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.auth.access import Act, Identity, NotAllowed, may, must
from sdcdb.gateway.auth.users import UserStore
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.ledger.entry import ActEntry, LoginEntry
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.ledger.rows import Row
from sdcdb.gateway.ledger.tally import tally
from sdcdb.gateway.ledger.verify import Verification, verify
from sdcdb.gateway.reading.statement import Params, privacy_question
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.gateway.server.gate import Gate
from sdcdb.gateway.server.logins import Logins
from sdcdb.gateway.server.metrics import Metrics
from sdcdb.gateway.server.opened import Opened, open_database, open_gateway, read_policy
from sdcdb.gateway.server.refresher import Refresher
from sdcdb.gateway.server.shown import LedgerFilter, Status, TableShown, show_ledger, show_tables
from sdcdb.gateway.server.turns import Turns
from sdcdb.gateway.tables.checking import check_as_gateway
from sdcdb.policy.governed import Governed, policy_path
from sdcdb.policy.load import load_document
from sdcdb.policy.models import Policy
from sdcdb.views.protect import Protected, protect

LOG = logging.getLogger("sdcdb.server")
T = TypeVar("T")


@dataclass(frozen=True)
class Capacity:
    """How much runs at once, and what one statement may use."""

    threads: int = 8
    per_user: int = 4
    most_waiting: int = 512
    seconds: float = 60.0
    memory: str = "2GB"
    refresh_seconds: float = 300.0
    """How often tables with `refresh: auto` are looked at."""


class Service:
    """One database, its users and its gateway, behind every door."""

    def __init__(self, database: Path, policy: Path | None, users: UserStore, capacity: Capacity | None = None) -> None:
        """Open the database and the ledger. `policy` is a file; by default, the one beside the database."""
        self.path = Path(database)
        self.users = users
        self.metrics = Metrics()
        self._policy_file = policy
        self._capacity = capacity or Capacity()
        self._gate = Gate()
        self._policy = read_policy(self.path, policy, users.teams())
        governed = open_database(self.path, self._policy)
        try:
            self._opened: Opened = open_gateway(governed, self._policy, self._options())
        except BaseException:
            governed.close()
            raise
        self._turns = Turns(self._capacity.threads, self._capacity.per_user, self._capacity.most_waiting)
        self.logins = Logins(users, self.metrics, self._note, self._follow_users)
        self.metrics.gauge("sdcdb_statements_running", "Statements that run now.", lambda: self._turns.running)
        self.metrics.gauge("sdcdb_statements_waiting", "Statements that wait now.", lambda: self._turns.waiting)
        self._follow_users()
        self._refresher = Refresher(self._refresh_due, self._capacity.refresh_seconds)

    # questions

    def ask(
        self, identity: Identity, sql: str, params: Params = None, cancellation: Cancellation | None = None
    ) -> Answer:
        """Answer a statement; raise `Denied`, `Unsupported`, `NotAllowed` or `Busy`."""
        return self.submit(identity, sql, params, cancellation).result()

    def submit(
        self, identity: Identity, sql: str, params: Params = None, cancellation: Cancellation | None = None
    ) -> Future[Answer]:
        """As `ask`, without waiting."""

        def answer() -> Answer:
            return self._opened.gateway.ask(sql, params, identity.name, cancellation=cancellation)

        return self._run(identity, answer, lambda found: found.verdict, cancellation)

    def explain(
        self, identity: Identity, sql: str, params: Params = None, cancellation: Cancellation | None = None
    ) -> Verdict:
        """Return the verdict on a statement without running it."""
        return self.submit_explain(identity, sql, params, cancellation).result()

    def submit_explain(
        self, identity: Identity, sql: str, params: Params = None, cancellation: Cancellation | None = None
    ) -> Future[Verdict]:
        """As `explain`, without waiting."""
        asked = privacy_question(sql) or sql

        def verdict() -> Verdict:
            return self._opened.gateway.explain(asked, params, identity.name, cancellation=cancellation)

        return self._run(identity, verdict, None, cancellation)

    def refuse(self, identity: Identity, sql: str, refusal: Denied) -> None:
        """Take in that a door refuses a statement by itself: it was asked, and is in the ledger."""
        self._must(identity, Act.ASK)
        with self._gate.shared():
            self._opened.gateway.refuse(sql, identity.name, refusal)
        self._count(refusal, identity, time.perf_counter())

    # what there is to see

    @property
    def database(self) -> Governed:
        """The open database and its policy, for what only doors above the gateway do. Use a cursor of its own."""
        return self._opened.database

    @property
    def relations(self) -> Relations:
        """What analysts may name now: the same object until the policy or the views change."""
        return self._opened.gateway.relations

    @property
    def policy_file(self) -> Path:
        """The file of the policy."""
        return self._policy_file or policy_path(self.path)

    @property
    def ready(self) -> bool:
        """Whether questions can be answered: the ledger can be written."""
        return self._opened.gateway.healthy

    def tables(self, identity: Identity) -> list[TableShown]:
        """Return the tables that may be named, with the use of each column."""
        self._must(identity, Act.BROWSE)
        return show_tables(self._opened.gateway.relations)

    def status(self, identity: Identity) -> Status:
        """Return what is known: to everybody for auditors and owners, to themselves for analysts."""
        own = None if may(identity, Act.STATUS) else identity.name
        self._must(identity, Act.STATUS if own is None else Act.OWN_STATUS)
        with self._gate.shared():
            gateway = self._opened.gateway
            known = gateway.known(own)
            halted = gateway.halted()
        return Status(tuple(known), tuple(tally(ledger_path(self.path), own)), tuple(halted))

    def ledger(self, identity: Identity, wanted: LedgerFilter | None = None) -> list[Row]:
        """Return records of the ledger; to analysts, their own questions only."""
        wanted = wanted or LedgerFilter()
        if not may(identity, Act.LEDGER):
            self._must(identity, Act.OWN_HISTORY)
            own = show_ledger(ledger_path(self.path), replace(wanted, user=identity.name, kind="question"))
            return [replace(found, facts=None) for found in own]  # without what the audit keeps beside it
        self._must(identity, Act.LEDGER)
        return show_ledger(ledger_path(self.path), wanted)

    def verify_ledger(self, identity: Identity) -> Verification:
        """Check every byte of the ledger."""
        self._must(identity, Act.LEDGER)
        return verify(ledger_path(self.path))

    def findings(self, identity: Identity) -> list[Problem]:
        """Return where the policy does not match the database."""
        self._must(identity, Act.FINDINGS)
        with self.database.con.cursor() as cursor:
            return check_as_gateway(cursor, load_document(self.policy_file))

    # what an owner does

    def refresh(self, identity: Identity, table: str | None = None) -> list[str]:
        """Declare that a table has changed; return the tables that had."""
        self._act(identity, Act.REFRESH, "refresh", table or "all tables")
        with self._gate.shared():
            return self._opened.gateway.refresh(table)

    def _refresh_due(self) -> list[str]:
        with self._gate.shared():
            return self._opened.gateway.refresh_due()

    def accept_looser(self, identity: Identity, reason: str) -> list[str]:
        """Accept looser limits; return what became looser."""
        if not reason.strip():
            raise SdcdbError("say why the limits are looser now: the ledger keeps the reason")
        self._act(identity, Act.ACCEPT, "accept looser limits", reason)
        with self._gate.shared():
            return self._opened.gateway.accept_looser(reason)

    def protect(self, identity: Identity, *views: str) -> list[Protected]:
        """Fit and create protected views of the policy, all or those named, and let analysts read them."""
        self._act(identity, Act.VIEWS, "protect", ", ".join(views) or "all views")
        with self._gate.alone():
            made = protect(self.database, list(views) or None)
            self._reopen(self._policy)
        return made

    def reload(self, identity: Identity | None = None) -> list[str]:
        """Read policy and users again; return what changed. If anything is wrong, all stays as it was.

        Without an identity, it is the account that runs the server who wants it, by a signal.
        """
        if identity is not None:
            self._act(identity, Act.RELOAD, "reload", "policy and users")
        else:
            self._note(ActEntry(user="the server", act="reload", about="policy and users"))
        self.users.reload()
        policy = read_policy(self.path, self._policy_file, self.users.teams())
        self.logins.note_pending()
        if policy == self._policy:
            return ["users"]
        with self._gate.alone():
            self._reopen(policy)
        return ["users", "policy"]

    def manage_users(self, identity: Identity, change: Callable[[UserStore], T]) -> T:
        """Let an owner change users or tokens: `change` gets the store. What it does is in the ledger afterwards."""
        self._must(identity, Act.USERS)
        try:
            return change(self.users)
        finally:
            self.logins.note_pending()
            self._follow_users()

    def close(self, seconds: float = 8.0) -> None:
        """Take no more statements, wait for those that run, stop what is still running after `seconds`, and close."""
        until = time.monotonic() + seconds
        self._refresher.close()
        while self._turns.running and time.monotonic() < until:
            time.sleep(0.02)
        self._opened.gateway.interrupt()
        self._turns.close()
        self._opened.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # how

    def _must(self, identity: Identity, act: Act) -> None:
        must(identity, act)
        if not self.users.holds(identity):
            raise NotAllowed(f"the access of {identity.name} has changed: log in again")

    def _act(self, identity: Identity, act: Act, what: str, about: str) -> None:
        """Check that an owner may do something, and write it into the ledger before it is done."""
        self._must(identity, act)
        self.metrics.count("sdcdb_acts_total")
        self._note(ActEntry(user=identity.name, act=what, about=about))
        LOG.info("act", extra={"user": identity.name, "act": what})

    def _note(self, entry: LoginEntry | ActEntry) -> None:
        with self._gate.shared():
            self._opened.gateway.note(entry)

    def _run(
        self,
        identity: Identity,
        work: Callable[[], T],
        verdict: Callable[[T], Verdict] | None,
        cancellation: Cancellation | None,
    ) -> Future[T]:
        """Run a statement when it is the user's turn."""
        self._must(identity, Act.ASK)

        def turn() -> T:
            began = time.perf_counter()
            try:
                if cancellation is not None:
                    cancellation.check()
                with self._gate.shared():
                    found = work()
            except BaseException as problem:
                self._count(problem, identity, began)
                raise
            if verdict is not None:
                self._count(verdict(found), identity, began)
            return found

        future = self._turns.submit(identity.name, turn)
        if cancellation is not None:
            cancellation.on_cancel(lambda: self._turns.withdraw(future, denied("cancelled")))
        return future

    def _count(self, found: Verdict | BaseException, identity: Identity, began: float) -> None:
        seconds = time.perf_counter() - began
        if isinstance(found, Verdict | Denied):
            kind = found.kind if isinstance(found, Verdict) else "deny"
            self.metrics.count("sdcdb_questions_total", verdict=kind, rule=found.rule or "")
            self.metrics.took(seconds)
            milliseconds = round(seconds * 1000, 1)
            LOG.info(
                "question",
                extra={"user": identity.name, "verdict": kind, "rule": found.rule, "milliseconds": milliseconds},
            )
        else:
            self.metrics.count("sdcdb_errors_total", door="service")
            LOG.error("unexpected %s while a statement ran", type(found).__name__)

    def _follow_users(self) -> None:
        """Take in what was changed on the command line: acts for the ledger, and users of other teams."""
        self.logins.note_pending()
        if self.users.teams() != self._teams:
            teams = read_policy(self.path, self._policy_file, self.users.teams()).teams
            with self._gate.alone():
                self._reopen(self._policy.model_copy(update={"teams": teams}))

    def _reopen(self, policy: Policy) -> None:
        """Open the gateway under another policy, or the old one again. The gate is held."""
        database, before = self._opened.database, self._policy
        self._opened.close()
        try:
            self._opened = open_gateway(database, policy, self._options())
            self._policy = policy
        except BaseException:
            self._opened = open_gateway(database, before, self._options())
            raise

    def _options(self) -> dict[str, Any]:
        self._teams = self.users.teams()
        return {"seconds": self._capacity.seconds, "memory": self._capacity.memory}
