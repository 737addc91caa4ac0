"""Malformed, slow, huge and many: the connection ends, the server goes on, and nothing leaks into its log."""

import contextlib
import logging
import os
import select
import socket
import struct
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from support import postgres_door, serving, soak_record, victims
from support.postgres_door import SLOW_IN_CATALOGUE, Door
from support.protocol_fuzzer import attack, log_in, message, read_message, seeded

from sdcdb.gateway.server.postgres.door import Limits

LIMITS = Limits(connections=12, login_seconds=1.0, message_bytes=200_000, read_seconds=1.0, idle_seconds=30.0)


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    path = serving.create(tmp_path_factory.mktemp("hardening"), rows=60)
    with serving.service(path) as service, postgres_door.opened(service, limits=LIMITS) as found:
        yield found


def eventually(holds: Callable[[], bool]) -> bool:
    """Tell whether something comes to hold within a minute."""
    for _ in range(600):
        if holds():
            return True
        time.sleep(0.1)
    return False


def busy(door: Door) -> int:
    """Count the connections with a statement at work."""
    return sum(each.busy for each in door.door._sessions.values())


def answers(door: Door) -> bool:
    """Tell whether the server answers; give it a moment to close what others left."""
    for _ in range(300):
        with contextlib.suppress(psycopg.OperationalError), door.connect() as con:
            return con.execute("SELECT COUNT(*) FROM staff").fetchone() == (60,)
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 8,
        struct.pack("!ii", 8, 196608),
        struct.pack("!ii", 2**31 - 1, 196608),
        struct.pack("!ii", -5, 196608),
        struct.pack("!ii", 100_000, 196608) + b"x" * 100,
        struct.pack("!ii", 9, 196608) + b"\0",
        struct.pack("!ii", 20, 196608) + b"user\0ann\0\0\0\0",
        struct.pack("!ii", 20, 196608) + b"user\0\xff\xff\xff\0\0\0",
        struct.pack("!ii", 8, 131072),
        struct.pack("!ii", 16, 80877102) + b"\0" * 8,
        struct.pack("!ii", 8, 80877103) + struct.pack("!ii", 8, 80877103) * 3,
        struct.pack("!ii", 17, 196608) + b"user\0ann\0" + message(b"Q", b"SELECT 1\0"),
        struct.pack("!ii", 18, 196608) + b"user\0ann\0\0" + message(b"Q", b"SELECT 1\0"),
        struct.pack("!ii", 18, 196608) + b"user\0ann\0\0" + message(b"p", b"SCRAM-SHA-1\0\0\0\0\0"),
        struct.pack("!ii", 18, 196608) + b"user\0ann\0\0" + message(b"p", b"x" * 60_000),
        struct.pack("!ii", 18, 196608) + b"user\0ann\0\0" + b"p" + struct.pack("!i", 70_000),
    ],
)
def test_bytes_that_are_no_login_end_the_connection(door: Door, data: bytes) -> None:
    with door.raw() as raw:
        raw.send(data)
        raw.socket.shutdown(socket.SHUT_WR)
        assert b"\x00\x00\x00\x00\x00" not in raw.rest()[:5], "an authentication that is OK"
    assert answers(door)


@pytest.mark.parametrize(
    "data",
    [
        b"Q" + struct.pack("!i", 3),
        b"Q" + struct.pack("!i", 2**31 - 1),
        b"Q" + struct.pack("!i", 200_001),
        message(b"Q", b"no end"),
        message(b"Q", b"SELECT '\xff\xfe'\0"),
        message(b"P", b"a\0SELECT 1\0" + struct.pack("!h", 30_000)),
        message(b"B", b"\0\0" + struct.pack("!hhi", 0, 1, 2**31 - 1)),
        message(b"D", b""),
        message(b"z", b""),
        message(b"\x00", b"\x00"),
    ],
)
def test_messages_with_wrong_lengths_end_the_connection(door: Door, data: bytes) -> None:
    with door.raw() as raw:
        log_in(raw)
        raw.send(data)
        if data[:1] == b"B":  # there is no statement: an ordinary error
            raw.send(message(b"S", b"") + message(b"X", b""))
        found = raw.rest()
        assert b"C08P01" in found or b"C26000" in found
    assert answers(door)


def test_whoever_connects_and_says_nothing_is_sent_away(door: Door) -> None:
    began = time.monotonic()
    with door.raw() as raw:
        assert raw.rest() == b""
    assert time.monotonic() - began < 10


def test_whoever_is_idle_for_too_long_is_told_so(door: Door) -> None:
    brief = Limits(idle_seconds=0.3)
    with postgres_door.opened(door.service, limits=brief) as other, other.connect() as con:
        assert select.select([con.fileno()], [], [], 60)[0]  # by then it has been told
        with pytest.raises(psycopg.errors.IdleSessionTimeout):
            con.execute("SELECT 1")


def test_a_flood_of_startups_is_refused_and_passes(door: Door) -> None:
    flood = [door.raw() for _ in range(40)]
    refused = 0
    for raw in flood:
        with raw, contextlib.suppress(ConnectionError):
            raw.startup(user="ann", database="staff")
            refused += b"C53300" in raw.rest()
    assert refused > 0
    assert answers(door)


def test_a_client_that_does_not_read_is_left(door: Door) -> None:
    with door.raw() as raw:
        raw.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        log_in(raw)
        raw.send(message(b"Q", b"SELECT repeat('x', 500) FROM range(40000)\0"))
        assert eventually(lambda: not door.door._open), "it was cut off"
    assert answers(door)


def test_a_client_that_leaves_in_the_middle_stops_its_statement(door: Door) -> None:
    with door.raw() as raw:
        log_in(raw)
        raw.send(message(b"Q", b"SELECT COUNT(*) FROM range(100000000000) a\0"))
        assert eventually(lambda: busy(door) == 1)
    assert eventually(lambda: busy(door) == 0)


def test_slow_statements_about_the_catalogue_hold_up_nobody_else(door: Door) -> None:
    with contextlib.ExitStack() as hostile:
        for _ in range(8):
            raw = hostile.enter_context(door.raw())
            log_in(raw)
            raw.send(message(b"Q", SLOW_IN_CATALOGUE.encode() + b"\0"))
        assert eventually(lambda: busy(door) == 8)
        with door.connect("eve") as con:
            assert con.execute("SELECT relname FROM pg_class WHERE relname = 'staff'").fetchone() == ("staff",)
            assert busy(door) == 8, "none of the others is done"
    assert answers(door)


def test_a_giant_parameter_is_an_error_and_no_more(door: Door) -> None:
    with door.connect() as con:
        with pytest.raises(psycopg.Error):
            con.execute("SELECT COUNT(*) FROM staff WHERE dept = %s", ("x" * 150_000,))
        assert con.closed or con.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(psycopg.OperationalError), door.connect() as con:
        con.execute("SELECT COUNT(*) FROM staff WHERE dept = %s", ("x" * 300_000,))
    assert answers(door)


def test_a_fuzzer_s_messages(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    assert sum(attack(door, seeded("protocol"), 3_000)) >= 3_000
    assert answers(door)
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    assert victims.Secrets(victims.people(60)).in_text(caplog.text) == []
    assert "SELECT" not in caplog.text


@pytest.mark.soak
def test_a_million_messages_of_a_fuzzer(door: Door, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    wanted = int(os.environ.get("SDCDB_SOAK_MESSAGES", "1000000"))
    rng, sent, connections, began = seeded("soak"), 0, 0, time.monotonic()
    for took in attack(door, rng, wanted):
        sent, connections = sent + took, connections + 1
    alive, errors = answers(door), [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    soak_record.record(
        "server_fuzz",
        messages=sent,
        connections=connections,
        seconds=round(time.monotonic() - began),
        answers_afterwards=alive,
        errors_logged=len(errors),
    )
    assert sent >= wanted
    assert alive
    assert errors == []
    assert "SELECT" not in caplog.text


def test_the_server_answers_in_whole_messages(door: Door) -> None:
    with door.raw() as raw:
        log_in(raw)
        raw.send(message(b"Q", b"SELECT 1; SELECT 2\0"))
        kinds = [read_message(raw)[0] for _ in range(7)]
    assert kinds == [b"T", b"D", b"C", b"T", b"D", b"C", b"Z"]
