"""A PostgreSQL door over a service, on an event loop of its own, for tests that are clients of it."""

import asyncio
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psycopg

from sdcdb.gateway.server.postgres.door import Limits, PostgresDoor
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.tls import Tls, read_tls
from support.serving import PASSWORD

_TYPES = ", ".join(f"pg_type t{n}" for n in range(12))
SLOW_IN_CATALOGUE = f"SELECT COUNT(*) FROM {_TYPES} WHERE (t0.oid + t11.oid) % 7 = 3"
"""A statement that the catalogue would take ages for."""


class Door:
    """An open door: where it is, and how to connect."""

    def __init__(self, door: PostgresDoor, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self.door = door
        self.service = service
        self.loop = loop
        self.host, self.port = door.address

    def dsn(self, user: str = "ann", **more: str) -> str:
        """Return a connection string."""
        fields = {"host": self.host, "port": str(self.port), "dbname": "staff", "user": user, "password": PASSWORD}
        fields |= {"sslmode": "disable"} | more
        return " ".join(f"{name}='{value}'" for name, value in fields.items())

    def connect(self, user: str = "ann", **more: Any) -> psycopg.Connection[Any]:
        """Connect with psycopg."""
        return psycopg.connect(self.dsn(user, **more), autocommit=True)

    def raw(self) -> "Raw":
        """Connect with nothing but a socket."""
        return Raw(self.host, self.port)


class Raw:
    """A client that sends whatever bytes it is told to."""

    def __init__(self, host: str, port: int) -> None:
        self.socket = socket.create_connection((host, port), timeout=15)

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def startup(self, **fields: str) -> None:
        """Send a startup message."""
        body = b"".join(f"{name}\0{value}\0".encode() for name, value in fields.items()) + b"\0"
        self.send(struct.pack("!ii", len(body) + 8, 196608) + body)

    def rest(self) -> bytes:
        """Return everything until the server closes; empty if it was reset."""
        found = b""
        try:
            while data := self.socket.recv(65_536):
                found += data
        except ConnectionError:
            pass
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()


@contextmanager
def opened(service: Service, tls: Tls | None = None, limits: Limits | None = None) -> Iterator[Door]:
    """Open a door on a free port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    door = PostgresDoor(service, tls, limits)
    try:
        asyncio.run_coroutine_threadsafe(door.start("127.0.0.1", 0), loop).result(60)
        yield Door(door, service, loop)
    finally:
        asyncio.run_coroutine_threadsafe(door.stop(1.0), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def certificate(folder: Path, name: str = "server") -> tuple[Path, Path]:
    """Create a certificate for this machine and its key."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    return cert, key


def tls(folder: Path) -> tuple[Tls, Path]:
    """Return TLS with a new certificate, and the certificate's file for clients to trust."""
    cert, key = certificate(folder)
    return read_tls(cert, key), cert
