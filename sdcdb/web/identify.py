"""Who sends a request: a session's cookie for the console, a token or a name and password for programs."""

import base64
import binascii
from ipaddress import ip_address

from starlette.requests import Request

from sdcdb.gateway.auth.access import Identity
from sdcdb.gateway.auth.users import LoginRefused
from sdcdb.web.context import Context
from sdcdb.web.sessions import Session


class PlainPassword(LoginRefused):
    """A password came over an open network without TLS: it is not even looked at."""

    def __init__(self) -> None:
        super().__init__("", "a password without TLS")


def address_of(request: Request) -> str:
    """Return where a request comes from. Headers of proxies are not believed: anybody can send them."""
    return request.client.host if request.client is not None else "unknown"


def session_of(request: Request, context: Context) -> Session | None:
    """Return the session of a request, if whoever began it still has the same access."""
    cookie = request.cookies.get(context.cookie)
    found = context.sessions.find(cookie)
    if found is not None and not context.service.users.holds(found.identity):
        context.sessions.end(cookie)
        return None
    return found


def program_of(request: Request, context: Context) -> Identity:
    """Return who a program acts for, by its Authorization header; raise `LoginRefused`."""
    kind, _, rest = request.headers.get("authorization", "").partition(" ")
    address = address_of(request)
    if kind.lower() == "bearer" and rest:
        return context.service.logins.token(rest.strip(), door="http", address=address)
    if kind.lower() == "basic" and rest:
        if not (context.tls or _loopback(address)):
            raise PlainPassword
        name, password = _basic(rest)
        return context.service.logins.password(name, password, door="http", address=address)
    raise LoginRefused("", "no Authorization header")


def from_own_page(request: Request) -> bool:
    """Tell whether a browser says that a request comes from a page of this server.

    Old browsers and programs say nothing; forms are protected by their own secret as well.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host", "")


def _basic(text: str) -> tuple[str, str]:
    try:
        name, sign, password = base64.b64decode(text, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise LoginRefused("", "an Authorization header that cannot be read") from None
    if not sign:
        raise LoginRefused("", "an Authorization header that cannot be read")
    return name, password


def _loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
