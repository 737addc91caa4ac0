"""Who is logged in at the console: random session ids, kept hashed and in memory, ended by logout, idleness or age."""

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256

from sdcdb.gateway.auth.access import Identity

IDLE = 30 * 60.0  # seconds without a request
LONGEST = 12 * 3600.0  # seconds in all
_MOST = 10_000  # sessions at a time


@dataclass(frozen=True)
class Session:
    """Somebody who is logged in, and the text that every form of theirs must carry."""

    identity: Identity
    csrf: str
    began: float
    seen: float

    def carries(self, csrf: str) -> bool:
        """Tell whether a form came from a page of this session."""
        return hmac.compare_digest(self.csrf.encode(), csrf.encode())


class Sessions:
    """All sessions. Safe to use from many threads. A restart of the server ends them."""

    def __init__(
        self, *, idle: float = IDLE, longest: float = LONGEST, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._idle, self._longest, self._clock = idle, longest, clock
        self._sessions: dict[bytes, Session] = {}
        self._lock = threading.Lock()

    def begin(self, identity: Identity) -> str:
        """Begin a session; return the id for the cookie. Every login gets a new one."""
        cookie, now = secrets.token_urlsafe(32), self._clock()
        with self._lock:
            self._sweep(now)
            self._sessions[_key(cookie)] = Session(identity, secrets.token_urlsafe(32), now, now)
            if len(self._sessions) > _MOST:
                del self._sessions[next(iter(self._sessions))]
        return cookie

    def find(self, cookie: str | None) -> Session | None:
        """Return the session of a cookie, if it has neither ended nor timed out; note that it was used."""
        if not cookie:
            return None
        key, now = _key(cookie), self._clock()
        with self._lock:
            found = self._sessions.get(key)
            if found is None or self._over(found, now):
                self._sessions.pop(key, None)
                return None
            self._sessions[key] = replace(found, seen=now)
            return found

    def end(self, cookie: str | None) -> None:
        """End the session of a cookie."""
        if cookie:
            with self._lock:
                self._sessions.pop(_key(cookie), None)

    def end_of(self, name: str) -> None:
        """End all sessions of a user, as after a new password."""
        with self._lock:
            gone = [key for key, session in self._sessions.items() if session.identity.name == name]
            for key in gone:
                del self._sessions[key]

    def __len__(self) -> int:
        with self._lock:
            self._sweep(self._clock())
            return len(self._sessions)

    def _over(self, session: Session, now: float) -> bool:
        return now - session.seen > self._idle or now - session.began > self._longest

    def _sweep(self, now: float) -> None:
        for key in [key for key, session in self._sessions.items() if self._over(session, now)]:
            del self._sessions[key]


def _key(cookie: str) -> bytes:
    return sha256(cookie.encode("utf-8", "surrogatepass")).digest()
