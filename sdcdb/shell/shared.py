"""A gateway that other processes can ask beside: it holds the ledger only while it answers.

Decisions stay one behind the other between processes: whoever decides holds the ledger's lock, and knows every record
in it. Where others wrote meanwhile, the gateway is opened anew, from the ledger as it is now.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sdcdb.gateway.answer import Answer
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.knowledge_left import Known
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.gateway.tables.halt import Halt
from sdcdb.policy.governed import Governed


@dataclass(frozen=True)
class Opened:
    """A database that was opened, and its gateway."""

    database: Governed
    gateway: Gateway

    def close(self) -> None:
        """Close both."""
        self.gateway.close()
        self.database.close()


class SharedGateway:
    """The gateway of a session. Safe to use from many threads: a cancelled question may end beside the next one."""

    def __init__(self, opening: Callable[[], Opened]) -> None:
        """`opening` opens database, policy and gateway; it is called again when others were answered."""
        self._opening = opening
        self._lock = threading.Lock()
        self._busy = 0
        self._opened: Opened | None = opening()
        self.relations: Relations = self._opened.gateway.relations
        self._opened.gateway.rest()

    def ask(self, sql: str, user: str) -> Answer:
        """Answer a statement, or raise `Denied`."""
        with self._awake() as gateway:
            return gateway.ask(sql, user=user)

    def explain(self, sql: str, user: str) -> Verdict:
        """Return the verdict on a statement without running it."""
        with self._awake() as gateway:
            return gateway.explain(sql, user=user)

    def known(self, user: str) -> list[Known]:
        """Return what a user knows, and how much room is left."""
        with self._awake() as gateway:
            return gateway.known(user)

    def halted(self) -> list[Halt]:
        """Return the tables about which nothing is answered until their owner acts."""
        with self._awake() as gateway:
            return gateway.halted()

    def interrupt(self) -> None:
        """Cancel what is running."""
        opened = self._opened
        if opened is not None:
            opened.gateway.interrupt()

    def close(self) -> None:
        """Close the gateway and the database."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    @contextmanager
    def _awake(self) -> Iterator[Gateway]:
        with self._lock:
            gateway = self._woken() if self._busy == 0 else self._current()
            self._busy += 1
        try:
            yield gateway
        finally:
            with self._lock:
                self._busy -= 1
                if self._busy == 0:
                    gateway.rest()

    def _woken(self) -> Gateway:
        if self._opened is not None and not self._opened.gateway.wake():
            self._opened.close()
            self._opened = None
        if self._opened is None:
            self._opened = self._opening()
            self.relations = self._opened.gateway.relations
        return self._opened.gateway

    def _current(self) -> Gateway:
        if self._opened is None:
            raise denied("ledger")
        return self._opened.gateway
