"""How long a client may take to send a request: one that dribbles holds a connection that others need."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 15.0
BODY_SECONDS = 120.0


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 that ends a connection on which no whole request arrives in time."""

    _late: asyncio.TimerHandle | None = None
    _in_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait(HEAD_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Take in what arrives. A request that has begun may take longer; one that is whole stops the clock."""
        before: RequestResponseCycle | None = self.cycle  # none before the first request, whatever uvicorn's types say
        if self._late is None and (before is None or before.response_complete):
            self._wait(HEAD_SECONDS)
        super().data_received(data)
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            return  # a request still has to begin: the clock runs
        if not cycle.more_body:
            self._stop_waiting()
        elif not self._in_body:
            self._wait(BODY_SECONDS)
            self._in_body = True

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._late = self.loop.call_later(seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        self._in_body = False
        if self._late is not None:
            self._late.cancel()
            self._late = None
