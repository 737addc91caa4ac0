"""What every handler needs: the service, the sessions, and whether the line is encrypted."""

import threading
from dataclasses import dataclass, field

from starlette.requests import Request

from sdcdb.gateway.server.service import Service
from sdcdb.web.sessions import Sessions


@dataclass(frozen=True)
class Context:
    """One for each application. `heavy` lets one audit or comparison run at a time."""

    service: Service
    tls: bool = False
    sessions: Sessions = field(default_factory=Sessions)
    heavy: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cookie(self) -> str:
        """The name of the session's cookie: over TLS one that a browser binds to this host."""
        return "__Host-sdcdb" if self.tls else "sdcdb"


def context_of(request: Request) -> Context:
    """Return the context of a request."""
    found: Context = request.app.state.context
    return found
