"""The door itself: it listens, limits, hands each connection its session, cancels, and closes without cutting off."""

import asyncio
import ipaddress
import logging
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass

from sdcdb.errors import SdcdbError
from sdcdb.gateway.auth.users import LoginRefused
from sdcdb.gateway.server.postgres.catalogue import Catalogue
from sdcdb.gateway.server.postgres.entrance import CancelRequest, log_in, must_be_here, read_startup
from sdcdb.gateway.server.postgres.executor import Executor
from sdcdb.gateway.server.postgres.messages import ProtocolError, key_data, parameter_status
from sdcdb.gateway.server.postgres.problem import Refusal, refusal
from sdcdb.gateway.server.postgres.session import Session
from sdcdb.gateway.server.postgres.stream import Stream
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.tls import Tls
from sdcdb.gateway.unexpected import deny_unexpected

LOG = logging.getLogger("sdcdb.server")


@dataclass(frozen=True)
class Limits:
    """What one client, or all together, may take."""

    connections: int = 300
    login_seconds: float = 10.0
    message_bytes: int = 4_000_000
    read_seconds: float = 60.0  # that a client may leave its answer unread
    idle_seconds: float = 3600.0


class PostgresDoor:
    """A server of the PostgreSQL protocol in front of a service. Start and stop it on one event loop."""

    def __init__(self, service: Service, tls: Tls | None = None, limits: Limits | None = None) -> None:
        self.tls = tls
        self._service = service
        self._limits = limits or Limits()
        self._catalogue = Catalogue(service)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()
        self._sessions: dict[tuple[int, int], Executor] = {}
        self._numbers = 0
        self.address = ("", 0)
        service.metrics.gauge("sdcdb_postgres_connections", "Open connections.", lambda: len(self._open))

    async def start(self, host: str, port: int) -> None:
        """Listen. Port 0 takes one that is free; `address` has it afterwards."""
        await asyncio.to_thread(self._catalogue.prepare)
        try:
            self._server = await asyncio.start_server(self._accept, host, port, backlog=512, limit=65_536)
        except OSError as problem:
            said = problem.strerror or str(problem)
            raise SdcdbError(f"cannot listen on {host}:{port}: {said}; choose another with --pg") from None
        found = self._server.sockets[0].getsockname()
        self.address = (found[0], found[1])

    async def stop(self, seconds: float = 5.0) -> None:
        """Take no more connections, let statements that run end, then close all."""
        if self._server is None:
            return
        self._server.close()
        until = asyncio.get_running_loop().time() + seconds
        while any(each.busy for each in self._sessions.values()) and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.02)
        for task in list(self._open):
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=2.0)
        self._catalogue.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._open.add(task)
        stream = Stream(reader, writer, longest=self._limits.message_bytes, patience=self._limits.read_seconds)
        try:
            self._service.metrics.count("sdcdb_connections_total", door="postgres")
            _keep_alive(writer)
            await self._serve(stream)
        except ProtocolError as problem:
            self._refused("protocol")
            stream.send(Refusal("08P01", str(problem), fatal=True).packed())
        except (Refusal, LoginRefused) as problem:
            self._refused("refused")
            said = refusal(problem)
            stream.send(said.packed() if said is not None else b"")
        except TimeoutError:
            self._refused("time")
        except (ConnectionError, EOFError, OSError):
            pass  # the client has left
        except asyncio.CancelledError:
            stream.send(Refusal("57P01", "the server is shutting down", fatal=True).packed())
        except Exception as problem:  # noqa: BLE001 - one connection ends, the server goes on
            self._service.metrics.count("sdcdb_errors_total", door="postgres")
            deny_unexpected(problem)
        finally:
            self._open.discard(task)
            with suppress(Exception, asyncio.CancelledError):
                await stream.close()

    async def _serve(self, stream: Stream) -> None:
        peer = stream.writer.get_extra_info("peername")
        address = str(peer[0]) if peer else "local"
        if len(self._open) > self._limits.connections:
            raise Refusal("53300", "too many connections", hint="try again in a moment", fatal=True)
        async with asyncio.timeout(self._limits.login_seconds):
            startup, secure = await read_startup(stream, self.tls)
            if isinstance(startup, CancelRequest):
                self._cancel(startup)
                return
            if self.tls is not None and not secure and not is_loopback(address):
                raise Refusal("28000", "this server is reached over TLS only", hint="sslmode=verify-full", fatal=True)
            binding = self.tls.binding if secure and self.tls is not None else None
            identity = await log_in(stream, self._service, startup, address, binding)
        must_be_here(startup, self._service.path.stem)
        executor = Executor(self._service, self._catalogue, identity)
        key = self._key()
        for name, value in startup.settings.items():
            if name != "options":
                executor.settings.put(name, value)
        for name, value in executor.settings.reported():
            stream.send(parameter_status(name, value))
        stream.send(key_data(*key))
        self._sessions[key] = executor
        try:
            stream.start(executor.cancel)
            await Session(stream, executor, self._service, self._limits.idle_seconds).serve()
        finally:
            executor.cancel()
            del self._sessions[key]

    def _key(self) -> tuple[int, int]:
        self._numbers = self._numbers % 0x7FFFFFFF + 1
        return self._numbers, secrets.randbits(32)

    def _cancel(self, request: CancelRequest) -> None:
        executor = self._sessions.get((request.process, request.secret))
        if executor is not None:
            executor.cancel()

    def _refused(self, reason: str) -> None:
        self._service.metrics.count("sdcdb_connections_refused_total", door="postgres", reason=reason)


def is_loopback(address: str) -> bool:
    """Tell whether a client is on this machine: then nobody else is on the line."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "local"


def _keep_alive(writer: asyncio.StreamWriter) -> None:
    """Let the system notice a client that vanished without a word."""
    found = writer.get_extra_info("socket")
    if found is None:
        return
    with suppress(OSError):
        found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15)
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4)
