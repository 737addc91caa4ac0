"""Coming in: every attempt, at whatever door, ends here and is in the ledger before its outcome is told."""

import logging
import threading
import time
from collections.abc import Callable

from sdcdb.gateway.auth.access import Identity
from sdcdb.gateway.auth.tokens import number_of
from sdcdb.gateway.auth.users import LoginRefused, UserStore
from sdcdb.gateway.auth.users_file import PendingAct
from sdcdb.gateway.auth.verifier import Verifier
from sdcdb.gateway.ledger.entry import ActEntry, LoginEntry
from sdcdb.gateway.server.metrics import Metrics

LOG = logging.getLogger("sdcdb.server")
TOKEN_NOTED_EVERY = 3600.0  # seconds: a program sends its token with each request
_LONGEST_NAME = 100
_MOST_REMEMBERED = 10_000


class Logins:
    """Attempts to log in. `note` writes into the ledger; `before` is called ahead of each attempt."""

    def __init__(
        self,
        users: UserStore,
        metrics: Metrics,
        note: Callable[[LoginEntry | ActEntry], None],
        before: Callable[[], None],
    ) -> None:
        self._users = users
        self._metrics = metrics
        self._note = note
        self._before = before
        self._lock = threading.Lock()
        self._tokens: dict[tuple[str, str], float] = {}  # when a token's use from an address was last noted

    def password(self, name: str, password: str, *, door: str, address: str) -> Identity:
        """Return who it is, or raise `LoginRefused`."""
        return self._attempt(door, address, lambda: self._users.verify_password(name, password))

    def token(self, text: str, *, door: str, address: str) -> Identity:
        """Return whose token it is, or raise `LoginRefused`. Of a token's many uses, one an hour is noted."""
        key = (number_of(text) or "", address)
        with self._lock:
            fresh = self._tokens.get(key, -TOKEN_NOTED_EVERY) + TOKEN_NOTED_EVERY > time.monotonic()
        if fresh:
            try:
                return self._users.verify_token(text)
            except LoginRefused:
                pass  # noted below
        who = self._attempt(door, address, lambda: self._users.verify_token(text))
        with self._lock:
            self._tokens[key] = time.monotonic()
            if len(self._tokens) > _MOST_REMEMBERED:
                del self._tokens[next(iter(self._tokens))]
        return who

    def begin_scram(self, name: str, *, door: str, address: str) -> Verifier:
        """Return what to check a proof with; for a name that nobody has, one that no proof fits."""

        def verifier() -> Verifier:
            self._users.must_not_wait(name)
            return self._users.verifier(name)

        self._before()
        try:
            return verifier()
        except LoginRefused as refused:
            self._refused(refused, door, address)
            raise

    def finish_scram(self, name: str, *, proved: bool, door: str, address: str) -> Identity:
        """Return who it is once the exchange has ended, or raise `LoginRefused`."""

        def outcome() -> Identity:
            if not proved:
                raise self._users.failed(name)
            return self._users.admitted(name)

        return self._attempt(door, address, outcome)

    def note_pending(self) -> None:
        """Write what was done on the command line into the ledger."""

        def write(act: PendingAct) -> None:
            self._note(ActEntry(user=act.by, act=act.act, about=act.about, done=act.time.isoformat()))

        self._users.take_pending(write)

    def _attempt(self, door: str, address: str, outcome: Callable[[], Identity]) -> Identity:
        self._before()
        try:
            who = outcome()
        except LoginRefused as refused:
            self._refused(refused, door, address)
            raise
        self._note(LoginEntry(user=who.name, door=door, address=address, admitted=True))
        self._metrics.count("sdcdb_logins_total", door=door, outcome="admitted")
        LOG.info("login", extra={"user": who.name, "door": door, "address": address, "admitted": True})
        return who

    def _refused(self, refused: LoginRefused, door: str, address: str) -> None:
        name = _written(refused.name)
        self._note(LoginEntry(user=name, door=door, address=address, admitted=False, reason=refused.why))
        self._metrics.count("sdcdb_logins_total", door=door, outcome="refused")
        LOG.warning("login", extra={"user": name, "door": door, "address": address, "admitted": False})
        self.note_pending()


def _written(name: str) -> str:
    """Return a name that may be anything as something that a ledger and a log can hold."""
    return "".join(c if c.isprintable() else "?" for c in name[:_LONGEST_NAME])
