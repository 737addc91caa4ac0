"""The application: the API, the console, and what operators look at, behind one guard."""

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from sdcdb.gateway.auth.access import Act
from sdcdb.gateway.server.service import Service
from sdcdb.pages.theme import STYLE
from sdcdb.web import api, desk, entrance, steward, watch
from sdcdb.web.context import Context, context_of
from sdcdb.web.entrance import blocking
from sdcdb.web.guard import LOG, Guard
from sdcdb.web.problem import problem

_STATIC = Path(__file__).parent / "static"
_TYPES = {"console.js": "text/javascript", "console.css": "text/css", "icon.svg": "image/svg+xml"}


def create_application(service: Service, *, tls: bool = False) -> Starlette:
    """Return the ASGI application in front of a service."""
    made = Starlette(
        routes=[
            *api.ROUTES,
            *entrance.ROUTES,
            *desk.ROUTES,
            *watch.ROUTES,
            *steward.ROUTES,
            Route("/healthz", _healthy, methods=["GET"]),
            Route("/readyz", _ready, methods=["GET"]),
            Route("/metrics", _metrics, methods=["GET"]),
            Route("/static/{name}", _static, methods=["GET"]),
            Route("/favicon.ico", lambda _: RedirectResponse("/static/icon.svg"), methods=["GET"]),
        ],
        exception_handlers={HTTPException: _http_error},
    )
    made.add_middleware(Guard, uploads=watch.UPLOAD, tls=tls, failed=lambda error: _note(service, error))
    made.state.context = Context(service, tls)
    return made


async def _healthy(_: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _ready(request: Request) -> Response:
    ready = await blocking(lambda: context_of(request).service.ready)
    return PlainTextResponse("ready\n") if ready else PlainTextResponse("not ready\n", 503)


@api.for_programs(Act.METRICS)
async def _metrics(request: Request, _: object) -> Response:
    return PlainTextResponse(context_of(request).service.metrics.text(), media_type="text/plain; version=0.0.4")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _TYPES:
        return problem(404, "not found")
    text = (_STATIC / name).read_text("utf-8")
    whole = STYLE + text if name == "console.css" else text
    return Response(whole, media_type=_TYPES[name], headers={"cache-control": "max-age=300"})


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
    words = {404: "not found", 405: "method not allowed", 400: "bad request"}
    return problem(status, words.get(status, "error"), headers=headers)


def _note(service: Service, error: Exception) -> None:
    """Note that something unexpected happened. An error's text can hold data: it is not written anywhere."""
    LOG.error("unexpected %s", type(error).__name__)
    service.metrics.count("sdcdb_errors_total", door="http")
