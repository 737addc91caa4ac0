"""Requests that no browser sends, on the bare socket: each ends its own connection, and the door stays open."""

import base64
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from support import serving

from sdcdb.gateway.server.service import Service
from sdcdb.web import patience
from sdcdb.web.serving import HttpDoor, start_http


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving.service(serving.create(tmp_path_factory.mktemp("http"), rows=60)) as opened:
        yield opened


@pytest.fixture(scope="module")
def door(service: Service) -> Iterator[HttpDoor]:
    opened = start_http(service, "127.0.0.1", 0)
    yield opened
    opened.stop()


def eventually(holds: Callable[[], bool]) -> bool:
    """Tell whether something comes to hold within a minute."""
    for _ in range(600):
        if holds():
            return True
        time.sleep(0.1)
    return False


def sent(door: HttpDoor, data: bytes) -> bytes:
    """Send bytes; return everything until the server closes."""
    with socket.create_connection((door.host, door.port), timeout=60) as client:
        client.sendall(data)
        found = b""
        while part := client.recv(65_536):
            found += part
    return found


def answers(door: HttpDoor) -> bool:
    return sent(door, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-a: ",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nname=",
    ],
)
def test_whoever_dribbles_is_sent_away(door: HttpDoor, monkeypatch: pytest.MonkeyPatch, head: bytes) -> None:
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(patience, "BODY_SECONDS", 0.6)
    began = time.monotonic()
    assert b"200 OK" not in sent(door, head)
    assert time.monotonic() - began < 10
    assert answers(door)


def test_a_second_request_is_waited_for_no_longer_than_the_first(
    door: HttpDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(door._server.config, "timeout_keep_alive", 0.5)
    found = sent(door, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: ")
    assert found.count(b"HTTP/1.1 200") == 1


def test_a_client_that_leaves_stops_its_statements_and_those_that_wait(door: HttpDoor, service: Service) -> None:
    body = json.dumps({"sql": "SELECT COUNT(*) FROM range(100000000000) a"}).encode()
    name = base64.b64encode(f"ann:{serving.PASSWORD}".encode())
    head = b"POST /api/v1/ask HTTP/1.1\r\nHost: x\r\nAuthorization: Basic %b\r\nContent-Type: application/json\r\n"
    with ExitStack() as clients:
        for _ in range(6):
            client = clients.enter_context(socket.create_connection((door.host, door.port), timeout=60))
            client.sendall(head % name + b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        assert eventually(lambda: (service._turns.running, service._turns.waiting) == (4, 2))
    assert eventually(lambda: service._turns.running + service._turns.waiting == 0), "long before their limit of time"
    assert answers(door)


def test_a_request_with_two_lengths_is_refused_and_nothing_behind_it_is_read(door: HttpDoor) -> None:
    smuggled = b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    head = b"POST /api/v1/ask HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
    found = sent(door, head + smuggled)
    assert found.startswith(b"HTTP/1.1 400")
    assert found.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    "data",
    [
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
        b"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X-a: b\r\n" * 20_000 + b"\r\n",
        b"\x16\x03\x01\x02\x00" + b"\x01" * 100,
    ],
)
def test_what_is_no_request_ends_its_connection(door: HttpDoor, data: bytes) -> None:
    try:
        found = sent(door, data)
    except ConnectionError:
        found = b""
    assert b"200 OK" not in found
    assert answers(door)
