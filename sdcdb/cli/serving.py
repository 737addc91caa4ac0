"""Running the doors: opening them, signals, and closing without cutting anybody off."""

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from sdcdb.cli.hangups import Hangups
from sdcdb.errors import SdcdbError
from sdcdb.gateway.server.postgres.door import PostgresDoor
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.tls import read_tls

LOG = logging.getLogger("sdcdb.server")
Address = tuple[str, int]


class HttpDoor(Protocol):
    """What `sdcdb.web` gives back."""

    @property
    def url(self) -> str:
        """Where people go."""

    def reload_tls(self) -> None:
        """Read the certificate again."""

    def stop(self) -> None:
        """Close."""


@dataclass(frozen=True)
class Doors:
    """Where to listen, and with which certificate and key."""

    pg: Address | None
    http: Address | None
    tls: tuple[Path, Path] | None


@dataclass
class Listening:
    """The doors that are open."""

    postgres: PostgresDoor | None = None
    http: HttpDoor | None = None


def start_http(service: Service, address: Address, tls: tuple[Path, Path] | None) -> HttpDoor | None:
    """Open the HTTP door, if its package is there."""
    if find_spec("sdcdb.web") is None:
        return None
    from importlib import import_module

    start: Callable[..., Any] = import_module("sdcdb.web.serving").start_http
    door: HttpDoor = start(service, address[0], address[1], tls)
    return door


async def serve(service: Service, doors: Doors, opened: Callable[[Listening], None], hangups: Hangups) -> None:
    """Serve until SIGTERM or SIGINT; SIGHUP reloads, also one that came before all was open."""
    loop, ending = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.set)
    listening = Listening()
    try:
        if doors.pg is not None:
            listening.postgres = PostgresDoor(service, read_tls(*doors.tls) if doors.tls else None)
            await listening.postgres.start(*doors.pg)
        if doors.http is not None:
            listening.http = start_http(service, doors.http, doors.tls)
        reloading: set[asyncio.Task[None]] = set()

        def reload() -> None:
            task = loop.create_task(_reload(service, doors, listening))
            reloading.add(task)
            task.add_done_callback(reloading.discard)

        opened(listening)

        def hung_up() -> None:
            loop.call_soon_threadsafe(reload)

        hangups.let(hung_up)
        await ending.wait()
        LOG.info("stopping")
    finally:
        hangups.ignore()
        await _close(listening)


async def _reload(service: Service, doors: Doors, listening: Listening) -> None:
    """Read certificates, users and policy again; whatever is wrong, all stays as it was."""
    try:
        tls = read_tls(*doors.tls) if doors.tls else None
        changed = await asyncio.to_thread(service.reload)
        if listening.postgres is not None:
            listening.postgres.tls = tls
        if listening.http is not None:
            listening.http.reload_tls()
    except SdcdbError as problem:
        LOG.error("nothing was reloaded: %s", problem)  # noqa: TRY400 - the words are for the owner, not a traceback
    else:
        LOG.info("reloaded", extra={"what": ", ".join(changed)})


async def _close(listening: Listening) -> None:
    stopping = [listening.postgres.stop()] if listening.postgres is not None else []
    if listening.http is not None:
        stopping.append(asyncio.to_thread(listening.http.stop))
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*stopping, return_exceptions=True), 8.0)
