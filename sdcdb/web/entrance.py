"""How people come in: the login page, sessions and their cookies, and the guard before every page of the console."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sdcdb.errors import SdcdbError
from sdcdb.gateway.auth.access import Act, Identity, NotAllowed, must
from sdcdb.gateway.auth.users import LoginRefused
from sdcdb.gateway.server.service import Service
from sdcdb.web.context import Context, context_of
from sdcdb.web.identify import address_of, from_own_page, session_of
from sdcdb.web.render import home, page
from sdcdb.web.sessions import Session

T = TypeVar("T")
MOST_FIELDS = 20


@dataclass(frozen=True)
class Visit:
    """Somebody at a page of the console: who, and the form they sent."""

    context: Context
    session: Session
    form: Mapping[str, Any] = field(default_factory=dict)

    @property
    def identity(self) -> Identity:
        """Who it is."""
        return self.session.identity

    @property
    def service(self) -> Service:
        """The service behind this door."""
        return self.context.service


PageHandler = Callable[[Request, Visit], Awaitable[Response]]


def for_people(act: Act) -> Callable[[PageHandler], Callable[[Request], Awaitable[Response]]]:
    """Put a handler behind the login: for whoever may do `act`, and whose forms come from a page of their session."""

    def decorate(handler: PageHandler) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            context = context_of(request)
            session = await blocking(session_of, request, context)
            if session is None:
                return RedirectResponse("/login", 303)
            try:
                must(session.identity, act)
                if request.method != "POST":
                    return await handler(request, Visit(context, session))
                async with request.form(max_files=1, max_fields=MOST_FIELDS) as form:
                    _must_be_own(request, session, form)
                    return await handler(request, Visit(context, session, form))
            except NotAllowed as refused:
                return page(request, "message.html", session, 403, title="Not for you", words=str(refused))
            except SdcdbError as error:
                return page(request, "message.html", session, 400, title="That did not work", words=str(error))

        return handle

    return decorate


async def blocking(work: Callable[..., T], *given: Any) -> T:
    """Run what may wait on a thread of its own."""
    return await run_in_threadpool(work, *given)


async def login_page(request: Request) -> Response:
    """Show the login."""
    session = await blocking(session_of, request, context_of(request))
    if session is not None:
        return RedirectResponse(home(session.identity), 303)
    return page(request, "login.html", None, failed="", name="")


async def login(request: Request) -> Response:
    """Let somebody in by name and password."""
    context = context_of(request)
    if not from_own_page(request):
        return page(request, "login.html", None, 403, failed="This form came from another site.", name="")
    form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    name, password = str(form.get("name", "")), str(form.get("password", ""))
    try:
        identity = await blocking(
            lambda: context.service.logins.password(name, password, door="console", address=address_of(request))
        )
    except LoginRefused:
        words = "The name or the password is wrong, or the user is locked."
        return page(request, "login.html", None, 401, failed=words, name=name)
    except SdcdbError as error:
        return page(request, "login.html", None, 503, failed=str(error), name=name)
    context.sessions.end(request.cookies.get(context.cookie))
    response = RedirectResponse(home(identity), 303)
    response.set_cookie(
        context.cookie, context.sessions.begin(identity), httponly=True, samesite="strict", secure=context.tls, path="/"
    )
    return response


async def logout(request: Request) -> Response:
    """End the session."""
    context = context_of(request)
    session = await blocking(session_of, request, context)
    if session is not None:
        try:
            _must_be_own(request, session, await request.form(max_files=0, max_fields=MOST_FIELDS))
        except NotAllowed as refused:
            return page(request, "message.html", session, 403, title="Not for you", words=str(refused))
        context.sessions.end(request.cookies.get(context.cookie))
    response = RedirectResponse("/login", 303)
    response.delete_cookie(context.cookie, path="/", secure=context.tls, httponly=True, samesite="strict")
    return response


ROUTES = [
    Route("/login", login_page, methods=["GET"]),
    Route("/login", login, methods=["POST"]),
    Route("/logout", logout, methods=["POST"]),
]


def _must_be_own(request: Request, session: Session, form: FormData) -> None:
    """Refuse a form that did not come from a page of this session."""
    if not from_own_page(request) or not session.carries(str(form.get("csrf", ""))):
        raise NotAllowed("this form did not come from a page of this session: open the page again")
