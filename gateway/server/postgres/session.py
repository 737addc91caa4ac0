"""One client that has logged in: simple and extended queries, prepared statements and portals, in order."""

import asyncio
import logging
from collections.abc import Iterable
from itertools import islice

from sdcdb.gateway.server.postgres.copying import copy_rows, read_copy
from sdcdb.gateway.server.postgres.encode import encode_row
from sdcdb.gateway.server.postgres.executor import Executor, first_word
from sdcdb.gateway.server.postgres.extended import Extended, Portal
from sdcdb.gateway.server.postgres.messages import (
    COPY_DONE,
    EMPTY_QUERY,
    PORTAL_SUSPENDED,
    ProtocolError,
    Unpacking,
    complete,
    copy_out,
    data_row,
    ready,
)
from sdcdb.gateway.server.postgres.problem import Refusal, refusal
from sdcdb.gateway.server.postgres.results import Result
from sdcdb.gateway.server.postgres.split import split
from sdcdb.gateway.server.postgres.stream import Stream
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.unexpected import deny_unexpected

LOG = logging.getLogger("sdcdb.server")
_BATCH = 500


class Session:
    """Takes messages one by one until the client says good-bye."""

    def __init__(self, stream: Stream, executor: Executor, service: Service, idle: float) -> None:
        self._stream = stream
        self._executor = executor
        self._service = service
        self._idle = idle
        self._extended = Extended(executor, service)
        self._skipping = False  # after an error in an extended query, until Sync

    async def serve(self) -> None:
        """Answer until the client leaves."""
        self._stream.send(ready(self._executor.status))
        await self._stream.flush()
        while (found := await self._next()) is not None:
            kind, body = found
            if kind == b"X":
                return
            await self._answer(kind, body)

    async def _next(self) -> tuple[bytes, bytes] | None:
        try:
            return await self._stream.next(self._idle)
        except TimeoutError:
            raise Refusal("57P05", "the connection was idle for too long", hint="connect again", fatal=True) from None

    async def _answer(self, kind: bytes, body: bytes) -> None:
        if self._skipping and kind != b"S":
            return
        try:
            await self._take(kind, Unpacking(body))
        except ProtocolError:
            raise
        except (asyncio.CancelledError, ConnectionError):
            raise
        except Exception as problem:  # noqa: BLE001 - one place for all that goes wrong with a statement
            said = refusal(problem)
            if said is None:
                self._service.metrics.count("sdcdb_errors_total", door="postgres")
                said = refusal(deny_unexpected(problem)) or Refusal("XX000", "the server could not do this")
            self._executor.failed()
            self._stream.send(said.packed())
            if kind == b"Q":
                self._stream.send(ready(self._executor.status))
            else:
                self._skipping = True
            await self._stream.flush()

    async def _take(self, kind: bytes, body: Unpacking) -> None:
        match kind:
            case b"Q":
                script = body.text()
                body.end()
                await self._simple(script)
            case b"P":
                self._stream.send(await self._extended.parse(body))
            case b"B":
                self._stream.send(self._extended.bind(body))
            case b"D":
                for part in await self._extended.describe(body):
                    self._stream.send(part)
            case b"E":
                await self._execute(body)
            case b"C":
                self._stream.send(self._extended.close(body))
            case b"H":
                await self._stream.flush()
            case b"S":
                self._skipping = False
                self._extended.end_of_transaction()
                self._stream.send(ready(self._executor.status))
                await self._stream.flush()
            case b"F":
                raise Refusal("0A000", "function calls by number are not answered", hint="SELECT")
            case _ if kind in {b"d", b"c", b"f"}:
                return
            case _:
                raise ProtocolError("an unknown message")

    async def _simple(self, script: str) -> None:
        statements = split(script)
        if not statements:
            self._stream.send(EMPTY_QUERY)
        for statement in statements:
            if first_word(statement) == "copy":
                await self._copy(statement)
                continue
            result = await self._executor.run(statement)
            self._announce(result)
            if result.columns is not None:
                self._stream.send(result.description())
                await self._rows(result, result.rows)
            self._stream.send(complete(result.tag))
        self._extended.drop_unnamed()
        self._stream.send(ready(self._executor.status))
        await self._stream.flush()

    async def _copy(self, statement: str) -> None:
        copy = read_copy(statement)
        result = await self._executor.run(copy.query)
        self._announce(result)
        self._stream.send(copy_out(len(result.kinds), binary=copy.binary))
        for number, part in enumerate(copy_rows(copy, result)):
            self._stream.send(part)
            if number % _BATCH == 0:
                await self._stream.drain()
        self._stream.send(COPY_DONE + complete(f"COPY {len(result.rows)}"))

    async def _execute(self, body: Unpacking) -> None:
        name, most = body.text(), body.int32()
        body.end()
        portal = self._extended.portal(name)
        if not portal.statement.text:
            self._stream.send(EMPTY_QUERY)
            return
        if first_word(portal.statement.text) == "copy":
            await self._copy(portal.statement.text)
            return
        result = await self._extended.result(portal)
        self._announce(result)
        if result.columns is None:
            self._stream.send(complete(result.tag))
            return
        await self._some_rows(portal, result, most)

    async def _some_rows(self, portal: Portal, result: Result, most: int) -> None:
        start = portal.sent
        end = len(result.rows) if most <= 0 else min(start + most, len(result.rows))
        await self._rows(result, islice(result.rows, start, end), portal.formats)
        portal.sent = end
        if end < len(result.rows):
            self._stream.send(PORTAL_SUSPENDED)
        else:
            verb = result.tag.split(" ", 1)[0]
            self._stream.send(complete(f"{verb} {end - start}" if verb in {"SELECT", "FETCH"} else result.tag))

    async def _rows(self, result: Result, rows: Iterable[tuple[object, ...]], formats: tuple[int, ...] = ()) -> None:
        encoders = result.encoders(formats)
        for number, row in enumerate(rows, start=1):
            self._stream.send(data_row(encode_row(row, encoders)))
            if number % _BATCH == 0:
                await self._stream.drain()

    def _announce(self, result: Result) -> None:
        for part in (*result.told, *result.notices):
            self._stream.send(part)
