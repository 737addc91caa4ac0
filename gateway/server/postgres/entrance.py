"""From the first byte to a proven identity: startup, TLS, SCRAM."""

import asyncio
import struct
from dataclasses import dataclass

from sdcdb.gateway.auth.access import Identity
from sdcdb.gateway.auth.exchange import PLUS, Exchange, ExchangeFailed
from sdcdb.gateway.auth.verifier import MECHANISM
from sdcdb.gateway.server.postgres.messages import (
    AUTHENTICATION_OK,
    AUTHENTICATION_SASL,
    AUTHENTICATION_SASL_CONTINUE,
    AUTHENTICATION_SASL_FINAL,
    CANCEL_REQUEST,
    GSS_REQUEST,
    LONGEST_BEFORE_LOGIN,
    LONGEST_STARTUP,
    PROTOCOL,
    SSL_REQUEST,
    ProtocolError,
    Unpacking,
    authentication,
    message,
    text,
)
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.stream import Stream
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.tls import Tls

DOOR = "postgres"
_ASIDE = ("postgres", "")  # names of databases that tools connect to before they know a better one


@dataclass(frozen=True)
class CancelRequest:
    """Somebody wants to cancel what another connection is doing."""

    process: int
    secret: int


@dataclass(frozen=True)
class Startup:
    """What a client says first."""

    user: str
    database: str
    settings: dict[str, str]


async def read_startup(stream: Stream, tls: Tls | None) -> tuple[Startup | CancelRequest, bool]:
    """Read the startup message, after upgrading to TLS if the client asks; tell also whether it did."""
    secure = False
    for _ in range(3):  # GSS, SSL, and the startup itself
        head = await stream.reader.readexactly(8)
        size, code = struct.unpack("!ii", head)
        if not 8 <= size <= LONGEST_STARTUP:
            raise ProtocolError("a startup message has an impossible length")
        body = await stream.reader.readexactly(size - 8)
        if code == GSS_REQUEST:
            stream.send(b"N")
            await stream.flush()
        elif code == SSL_REQUEST:
            if secure:
                raise ProtocolError("TLS within TLS")
            secure = await _upgrade(stream, tls)
        elif code == CANCEL_REQUEST:
            if len(body) != 8:
                raise ProtocolError("a cancel request has another length")
            return CancelRequest(*struct.unpack("!II", body)), secure
        else:
            return _startup(stream, code, Unpacking(body)), secure
    raise ProtocolError("no startup message")


async def _upgrade(stream: Stream, tls: Tls | None) -> bool:
    if tls is None:
        stream.send(b"N")
        await stream.flush()
        return False
    # From the S on, what arrives belongs to the handshake: nothing may be read before TLS reads it.
    stream.pause()
    # What was sent ahead in the clear must not count as sent inside (CVE-2021-23214).
    if getattr(stream.reader, "_buffer", b""):
        raise ProtocolError("bytes before TLS began")
    stream.send(b"S")
    await stream.flush()
    await stream.writer.start_tls(tls.context, ssl_handshake_timeout=5.0)
    return True


def _startup(stream: Stream, code: int, body: Unpacking) -> Startup:
    if code >> 16 != PROTOCOL >> 16:
        raise Refusal("0A000", "only version 3 of the protocol is spoken", fatal=True)
    found: dict[str, str] = {}
    while name := body.text():
        if name in found or len(found) > 50:
            raise ProtocolError("a startup message repeats itself")
        found[name] = body.text()
    body.end()
    unknown = [name for name in found if name.startswith("_pq_.")]
    if code != PROTOCOL or unknown:
        names = b"".join(text(name) for name in unknown)
        stream.send(message(b"v", struct.pack("!ii", 0, len(unknown)) + names))
    user = found.pop("user", "")
    if not user:
        raise Refusal("28000", "no user name was given", fatal=True)
    if found.pop("replication", "off").lower() not in {"off", "false", "no", "0"}:
        raise Refusal("0A000", "there is no replication here", fatal=True)
    return Startup(user, found.pop("database", user), found)


def must_be_here(startup: Startup, database: str) -> None:
    """Refuse another database than the one behind the server."""
    if startup.database not in {database, startup.user, *_ASIDE}:
        raise Refusal("3D000", "there is no such database here", hint=f"connect to {database}", fatal=True)


async def log_in(stream: Stream, service: Service, startup: Startup, address: str, binding: bytes | None) -> Identity:
    """Let the client prove who it is. Whatever it gets wrong looks the same to it."""

    name = startup.user
    verifier = await asyncio.to_thread(service.logins.begin_scram, name, door=DOOR, address=address)
    offered = [PLUS, MECHANISM] if binding is not None else [MECHANISM]
    stream.send(authentication(AUTHENTICATION_SASL, b"".join(map(text, offered)) + b"\0"))
    await stream.flush()
    proved = True
    try:
        body = await _sasl(stream)
        mechanism, first = body.text(), body.value() or b""
        body.end()
        exchange = Exchange(mechanism, verifier, binding)
        stream.send(authentication(AUTHENTICATION_SASL_CONTINUE, exchange.begin(first)))
        await stream.flush()
        final = exchange.finish((await _sasl(stream)).rest())
    except ExchangeFailed:
        proved, final = False, b""
    identity = await asyncio.to_thread(
        lambda: service.logins.finish_scram(name, proved=proved, door=DOOR, address=address)
    )
    stream.send(authentication(AUTHENTICATION_SASL_FINAL, final))
    stream.send(authentication(AUTHENTICATION_OK))
    return identity


async def _sasl(stream: Stream) -> Unpacking:
    kind, body = await stream.read(LONGEST_BEFORE_LOGIN)
    if kind != b"p":
        raise ProtocolError("a message came before the login")
    return Unpacking(body)
