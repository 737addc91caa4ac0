"""Serving the application on an address, on a thread of its own."""

import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from sdcdb.errors import SdcdbError
from sdcdb.gateway.server.service import Service
from sdcdb.web.application import create_application
from sdcdb.web.patience import ImpatientProtocol

MOST_CONNECTIONS = 512
KEEP_ALIVE = 15  # seconds
_START = 10.0
_STOP = 8.0


@dataclass(frozen=True)
class HttpDoor:
    """The open door."""

    host: str
    port: int
    tls: tuple[Path, Path] | None
    _server: uvicorn.Server
    _thread: threading.Thread

    @property
    def url(self) -> str:
        """Where people go."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}/"

    def reload_tls(self) -> None:
        """Read certificate and key again; connections that are open keep the old ones."""
        context = self._server.config.ssl
        if self.tls is not None and context is not None:
            context.load_cert_chain(*self.tls)

    def stop(self) -> None:
        """Take no more requests, and wait for those that run."""
        self._server.should_exit = True
        self._thread.join(_STOP)
        if self._thread.is_alive():
            self._server.force_exit = True
            self._thread.join(1.0)


def start_http(service: Service, host: str, port: int, tls: tuple[Path, Path] | None = None) -> HttpDoor:
    """Open the HTTP door: the API and the console. Port 0 takes one that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as problem:
        listening.close()
        raise SdcdbError(f"cannot listen on {host}:{port}: {problem.strerror}; choose another with --http") from None
    config = uvicorn.Config(
        create_application(service, tls=tls is not None),
        http=ImpatientProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(_STOP) - 2,
        limit_concurrency=MOST_CONNECTIONS,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],), name="sdcdb http", daemon=True)
    thread.start()
    until = time.monotonic() + _START
    while not server.started:
        if not thread.is_alive() or time.monotonic() > until:
            raise SdcdbError(f"the HTTP door on {host}:{port} did not open: check the certificate and its key")
        time.sleep(0.01)
    return HttpDoor(host, listening.getsockname()[1], tls, server, thread)
