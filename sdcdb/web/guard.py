"""What stands before every request: headers that keep a browser strict, limits on sizes, and one line in the log."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sdcdb.web.problem import problem

MOST_BODY = 1_000_000  # bytes of a statement with its parameters
MOST_UPLOAD = 100_000_000  # bytes of a log to audit
LOG = logging.getLogger("sdcdb.web")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with no-referrer a browser would call our own forms foreign
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Guard:
    """An ASGI middleware. A response may set a header of its own, such as the policy of a report."""

    def __init__(self, app: ASGIApp, *, uploads: str, tls: bool, failed: Callable[[Exception], None]) -> None:
        self._app, self._uploads, self._failed = app, uploads, failed
        self._headers = HEADERS | ({"strict-transport-security": "max-age=31536000"} if tls else {})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or end it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, seen = time.perf_counter(), dict[str, Any](status=500)
        most = MOST_UPLOAD if scope["path"] == self._uploads else MOST_BODY
        guarded = _guarded(send, self._headers, seen)
        length = _length(scope)
        if _is_ambiguous(scope):
            refused = problem(400, "ambiguous", "a request says its length once")
            refused.headers["connection"] = "close"
            await refused(scope, receive, guarded)
        elif length is not None and length > most:
            await problem(413, "too large", f"at most {most:,} bytes are taken")(scope, receive, guarded)
        else:
            try:
                await self._app(scope, _limited(receive, most), guarded)
            except _TooLarge:
                await problem(413, "too large", f"at most {most:,} bytes are taken")(scope, receive, guarded)
            except ClientDisconnect:  # nobody is there to be told
                seen["status"] = 499
            except Exception as error:  # noqa: BLE001 - one place for all that nobody expected
                self._failed(error)
                if "begun" not in seen:
                    await problem(500, "internal error")(scope, receive, guarded)
        LOG.info(
            "request",
            extra={
                "method": scope["method"],
                "status": seen["status"],
                "ms": round(1e3 * (time.perf_counter() - began)),
            },
        )


class _TooLarge(Exception):  # noqa: N818 - it never leaves this module
    pass


def _is_ambiguous(scope: Scope) -> bool:
    """Tell whether a request says its length in two ways: a proxy in front may have read the other (RFC 9112, 6.1)."""
    return {b"transfer-encoding", b"content-length"} <= {name for name, _ in scope["headers"]}


def _length(scope: Scope) -> int | None:
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else None
    return None


def _limited(receive: Receive, most: int) -> Receive:
    """Count what comes: a client need not say how much it will send."""
    taken = 0

    async def counted() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise _TooLarge
        return message

    return counted


def _guarded(send: Send, headers: Mapping[str, str], seen: dict[str, Any]) -> Callable[[Message], Awaitable[None]]:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            seen.update(status=message["status"], begun=True)
            own = {name.lower() for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in headers.items() if name.encode() not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return guarded
