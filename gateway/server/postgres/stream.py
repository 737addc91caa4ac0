"""The bytes of one connection: messages in, read ahead a little; messages out, with a limit on how long a client
may take to read them.
"""

import asyncio
import struct
from collections.abc import Callable
from contextlib import suppress

from sdcdb.gateway.server.postgres.messages import ProtocolError

_AHEAD = 8  # messages that are read while a statement runs
_BUFFER = 65_536


class Stream:
    """Messages of a connection. `gone` is called when the client has left while it was being answered."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        longest: int,
        patience: float,
    ) -> None:
        self.reader = reader
        self.writer = writer
        self._longest = longest
        self._patience = patience
        self._out = bytearray()
        self._messages: asyncio.Queue[tuple[bytes, bytes] | BaseException | None] = asyncio.Queue(_AHEAD)
        self._pump: asyncio.Task[None] | None = None

    async def read(self, longest: int) -> tuple[bytes, bytes]:
        """Read one message: its kind and its body."""
        head = await self.reader.readexactly(5)
        (size,) = struct.unpack("!i", head[1:])
        if not 4 <= size <= longest:
            raise ProtocolError("a message has an impossible length")
        return head[:1], await self.reader.readexactly(size - 4)

    def start(self, gone: Callable[[], None]) -> None:
        """Read ahead from now on."""
        self._pump = asyncio.get_running_loop().create_task(self._read_ahead(gone))

    async def next(self, seconds: float | None = None) -> tuple[bytes, bytes] | None:
        """Return the next message; None at the end. TimeoutError if none comes for so long."""
        if self._messages.empty():
            async with asyncio.timeout(seconds):
                found = await self._messages.get()
        else:
            found = self._messages.get_nowait()  # most come in company: no timer for those
        if isinstance(found, BaseException):
            raise found
        return found

    async def _read_ahead(self, gone: Callable[[], None]) -> None:
        try:
            while True:
                await self._messages.put(await self.read(self._longest))
        except (asyncio.IncompleteReadError, ConnectionError, OSError, EOFError):
            gone()
            await self._messages.put(None)
        except ProtocolError as problem:
            await self._messages.put(problem)

    def pause(self) -> None:
        """Leave what arrives where it is, until TLS begins."""
        transport = self.writer.transport
        if isinstance(transport, asyncio.ReadTransport):
            transport.pause_reading()

    def send(self, data: bytes) -> None:
        """Put bytes into the buffer."""
        self._out += data

    async def drain(self) -> None:
        """Send what is in the buffer, if that is much."""
        if len(self._out) >= _BUFFER:
            await self.flush()

    async def flush(self) -> None:
        """Send what is in the buffer; a client that does not read for too long is gone."""
        if self._out:
            self.writer.write(bytes(self._out))
            self._out.clear()
        transport = self.writer.transport
        if not transport.is_closing() and transport.get_write_buffer_size() == 0:
            return  # all of it has left
        try:
            async with asyncio.timeout(self._patience):
                await self.writer.drain()
        except TimeoutError:
            raise ConnectionAbortedError("the client does not read") from None

    async def close(self) -> None:
        """End the connection."""
        if self._pump is not None:
            self._pump.cancel()
            with suppress(asyncio.CancelledError):
                await self._pump
        with suppress(ConnectionError, OSError, asyncio.TimeoutError):
            if self._out:
                await asyncio.wait_for(self.flush(), 1.0)
        transport = self.writer.transport
        self.writer.close()
        try:
            await asyncio.wait_for(self.writer.wait_closed(), 1.0)
        except (TimeoutError, OSError, ConnectionError):
            transport.abort()
