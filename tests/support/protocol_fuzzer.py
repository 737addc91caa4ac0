"""Messages that no client would send: random bytes, real messages cut, stretched, reordered and with bits flipped.

A fuzzer plays through one connection after another. Whatever it sends, the server may only do one of two things: go on
answering in whole messages, or end this connection.
"""

import contextlib
import random
import struct
from collections.abc import Iterator
from hashlib import sha256

from scramp import ScramClient

from support.postgres_door import Door, Raw
from support.serving import PASSWORD


def message(kind: bytes, body: bytes) -> bytes:
    """Return a message with its right length."""
    return kind + struct.pack("!i", len(body) + 4) + body


def read_message(raw: Raw) -> tuple[bytes, bytes]:
    """Read one message of the server."""
    head = _exactly(raw, 5)
    (size,) = struct.unpack("!i", head[1:])
    assert 4 <= size < 1 << 24, "the server sent no message"
    return head[:1], _exactly(raw, size - 4)


def _exactly(raw: Raw, size: int) -> bytes:
    found = b""
    while len(found) < size:
        data = raw.socket.recv(size - len(found))
        if not data:
            raise ConnectionResetError("closed")
        found += data
    return found


def log_in(raw: Raw, user: str = "ann") -> None:
    """Log in with nothing but bytes."""
    raw.startup(user=user, database="staff")
    read_message(raw)
    client = ScramClient(["SCRAM-SHA-256"], user, PASSWORD)
    first = client.get_client_first().encode()
    raw.send(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", len(first)) + first))
    client.set_server_first(read_message(raw)[1][4:].decode())
    raw.send(message(b"p", client.get_client_final().encode()))
    while read_message(raw)[0] != b"Z":
        pass


STATEMENTS = (
    b"SELECT 1",
    b"SELECT $1",
    b"SELECT $1::int[], $2",
    b"SHOW ALL",
    b"BEGIN",
    b"COMMIT",
    b"",
    b";;",
    b"SELECT relname FROM pg_class",
    b"SELECT 'staff'::regclass, format('%I.%s', $1, $2)",
    b"DECLARE c CURSOR FOR SELECT 1",
    b"FETCH BACKWARD 3 FROM c",
    b"CLOSE ALL",
    b"COPY x",
    b"COPY (SELECT 1) TO STDOUT (FORMAT binary)",
    b"SET application_name = 'x'",
    b"DEALLOCATE ALL",
    b"SELECT /* /* */",
    b"SELECT '",
)
OIDS = (0, 16, 17, 20, 23, 25, 701, 1000, 1007, 1009, 1082, 1114, 1184, 1186, 1266, 1700, 2950, 3802, 4711)


def real_messages(rng: random.Random) -> list[bytes]:
    """Return messages that a client would send."""
    sql = rng.choice(STATEMENTS)
    name = rng.choice([b"", b"s1", b"s2"])
    value = rng.randbytes(rng.randrange(30_000) if rng.random() < 0.01 else rng.randrange(40))
    if rng.random() < 0.3:  # a list in binary, as far as its head goes
        value = struct.pack("!iiIii", rng.randrange(4), 0, rng.choice(OIDS), rng.randrange(5), 1) + value
    counts = struct.pack("!hhhi", 1, rng.randrange(2), 1, len(value))
    return [
        message(b"Q", sql + b"\0"),
        message(b"P", name + b"\0" + sql + b"\0" + struct.pack("!hi", 1, rng.choice(OIDS))),
        message(b"B", b"\0" + name + b"\0" + counts + value + b"\0\0"),
        message(b"D", rng.choice([b"S", b"P"]) + name + b"\0"),
        message(b"E", b"\0" + struct.pack("!i", rng.randrange(3))),
        message(b"C", b"S" + name + b"\0"),
        message(b"H", b""),
        message(b"S", b""),
        message(b"F", rng.randbytes(8)),
        message(b"d", rng.randbytes(8)),
    ]


def first_messages(rng: random.Random) -> Iterator[bytes]:
    """Yield what a client would send before it has logged in, as far as it gets."""
    user = rng.choice([b"bob", b"nobody", rng.randbytes(4).hex().encode()])  # not ann: failures lock a name
    startup = b"user\0" + user + b"\0database\0staff\0\0"
    match rng.randrange(5):
        case 0:
            yield struct.pack("!ii", 16, 80877102) + rng.randbytes(8)  # a cancel request
            return
        case 1:
            yield struct.pack("!ii", 8, rng.choice([80877103, 80877104]))  # TLS, or GSS, and then neither
        case 2:
            yield b"\x16\x03\x01" + rng.randbytes(60)  # TLS without a word before it
            return
    yield struct.pack("!ii", len(startup) + 8, 196608) + startup
    nonce = rng.choice([b"r=" + rng.randbytes(6).hex().encode(), b"r=", b"", b"r=a,r=b"])
    first = rng.choice([b"n,,", b"y,,", b"p=tls-server-end-point,,", b"p=x,,", b""]) + b"n=," + nonce
    mechanism = rng.choice([b"SCRAM-SHA-256", b"SCRAM-SHA-256-PLUS", b"PLAIN", b""])
    yield message(b"p", mechanism + b"\0" + struct.pack("!i", len(first)) + first)
    yield message(b"p", b"c=biws," + nonce + b",p=" + rng.randbytes(24).hex().encode())


def broken(data: bytes, rng: random.Random) -> bytes:
    """Return a message with something wrong about it."""
    match rng.randrange(7):
        case 0:
            return data[: rng.randrange(len(data) + 1)]
        case 1:
            return data + rng.randbytes(rng.randrange(1, 20))
        case 2:
            at = rng.randrange(len(data))
            return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        case 3:
            return data[:1] + struct.pack("!i", rng.choice([0, 3, -1, 5, 1 << 20, 2**31 - 1])) + data[5:]
        case 4:
            return rng.randbytes(rng.randrange(1, 60))
        case 5:
            return rng.randbytes(1) + data[1:]
    return data


def attack(door: Door, rng: random.Random, messages: int) -> Iterator[int]:
    """Send so many messages, over as many connections as it takes; yield how many each connection took."""
    sent = 0
    while sent < messages:
        took = 0
        with door.raw() as raw, contextlib.suppress(OSError):
            raw.socket.settimeout(20)
            if rng.random() < 0.3:  # before the login
                for each in first_messages(rng):
                    raw.send(broken(each, rng))
                    took += 1
            else:
                log_in(raw)
                for _ in range(rng.randrange(1, 60)):
                    each = rng.choice(real_messages(rng))
                    raw.send(broken(each, rng) if rng.random() < 0.2 else each)
                    took += 1
            raw.socket.shutdown(1)
            raw.rest()
        sent += took
        yield took


def seeded(name: str) -> random.Random:
    """Return a generator that a failure can be repeated with."""
    return random.Random(sha256(name.encode()).digest())  # noqa: S311 - no secret
