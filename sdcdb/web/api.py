"""The API for programs: `/api/v1`, JSON in, JSON, CSV or Arrow out, errors as problem+json."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import date, datetime
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sdcdb.errors import Denied, SdcdbError
from sdcdb.gateway.auth.access import Act, Identity, NotAllowed, must
from sdcdb.gateway.auth.users import LoginRefused
from sdcdb.gateway.server.shown import LedgerFilter
from sdcdb.gateway.server.turns import Busy
from sdcdb.terminal.values import plain
from sdcdb.web.context import context_of
from sdcdb.web.encodings import OFFERED, chosen, encoded, verdict_data
from sdcdb.web.identify import PlainPassword, from_own_page, program_of
from sdcdb.web.openapi import document
from sdcdb.web.presence import while_there
from sdcdb.web.problem import denial, problem

ROOT = "/api/v1"
MOST_RECORDS = 10_000
_WHO = {"WWW-Authenticate": 'Bearer realm="sdcdb", Basic realm="sdcdb", charset="UTF-8"'}
Handler = Callable[[Request, Identity], Awaitable[Response]]


class BadRequest(SdcdbError):  # noqa: N818 - reads as what it says
    """A request that does not say what it should."""


class NoJson(SdcdbError):  # noqa: N818 - reads as what it says
    """A body that is not said to be JSON: forms of other sites can send such without being asked."""


def for_programs(act: Act) -> Callable[[Handler], Callable[[Request], Awaitable[Response]]]:
    """Let in who may do something, and turn every error into a problem."""

    def decorate(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            try:
                identity = await run_in_threadpool(program_of, request, context_of(request))
                must(identity, act)
                if not from_own_page(request):  # a browser adds a password that it has kept to what other sites send
                    raise NotAllowed("this request came from another site")
                return await handler(request, identity)
            except PlainPassword:
                return problem(403, "not over a plain line", "send a token, or a password over TLS")
            except LoginRefused as refused:
                return problem(401, "not logged in", str(refused), _WHO)
            except NotAllowed as refused:
                return problem(403, "not allowed", str(refused))
            except Denied as refused:
                return denial(refused)
            except Busy as busy:
                return problem(503, "busy", str(busy), {"Retry-After": "1"})
            except ClientDisconnect:
                return problem(499, "cancelled")
            except SdcdbError as error:
                return problem(415 if isinstance(error, NoJson) else 400, "bad request", str(error))

        return handle

    return decorate


@for_programs(Act.ASK)
async def ask(request: Request, identity: Identity) -> Response:
    """Answer a statement."""
    kind = chosen(request.headers.get("accept", ""))
    if kind is None:
        return problem(406, "not acceptable", f"offered are {', '.join(OFFERED)}")
    sql, params = await _statement(request)
    service = context_of(request).service
    answer = await while_there(request, partial(service.submit, identity, sql, params))
    return await run_in_threadpool(encoded, answer, sql, kind)


@for_programs(Act.ASK)
async def explain(request: Request, identity: Identity) -> Response:
    """Return the verdict on a statement without running it."""
    sql, params = await _statement(request)
    service = context_of(request).service
    return JSONResponse(
        verdict_data(await while_there(request, partial(service.submit_explain, identity, sql, params)))
    )


@for_programs(Act.BROWSE)
async def tables(request: Request, identity: Identity) -> Response:
    """Return what may be named, and how each column may be used."""
    found = await run_in_threadpool(context_of(request).service.tables, identity)
    return JSONResponse({"tables": [asdict(each) for each in found]})


@for_programs(Act.OWN_STATUS)
async def status(request: Request, identity: Identity) -> Response:
    """Return what is known: to oneself, or, for auditors and owners, to everybody."""
    found = await run_in_threadpool(context_of(request).service.status, identity)
    return JSONResponse(_plain(asdict(found)))


@for_programs(Act.OWN_HISTORY)
async def ledger(request: Request, identity: Identity) -> Response:
    """Return records of the ledger: one's own, or, for auditors and owners, all."""
    wanted = _filter(request)
    found = await run_in_threadpool(context_of(request).service.ledger, identity, wanted)
    return JSONResponse({"records": _plain([asdict(each) for each in found])})


@for_programs(Act.FINDINGS)
async def findings(request: Request, identity: Identity) -> Response:
    """Return what `sdcdb check` finds in the policy."""
    found = await run_in_threadpool(context_of(request).service.findings, identity)
    return JSONResponse({"findings": _plain([asdict(each) for each in found])})


async def openapi(request: Request) -> Response:
    """Return the description of this API."""
    return JSONResponse(document(str(request.base_url).rstrip("/")))


ROUTES = [
    Route(f"{ROOT}/ask", ask, methods=["POST"]),
    Route(f"{ROOT}/explain", explain, methods=["POST"]),
    Route(f"{ROOT}/tables", tables, methods=["GET"]),
    Route(f"{ROOT}/status", status, methods=["GET"]),
    Route(f"{ROOT}/ledger", ledger, methods=["GET"]),
    Route(f"{ROOT}/findings", findings, methods=["GET"]),
    Route(f"{ROOT}/openapi.json", openapi, methods=["GET"]),
]


async def _statement(request: Request) -> tuple[str, Any]:
    """Read the statement and its parameters from a JSON body."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise NoJson("send JSON, with Content-Type: application/json")
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise BadRequest('the body must be JSON: {"sql": "SELECT ..."}') from None
    if not isinstance(body, dict) or not isinstance(body.get("sql"), str):
        raise BadRequest('the body must have a text "sql"')
    more = set(body) - {"sql", "params"}
    if more:
        raise BadRequest(f"the body has fields that nothing reads: {', '.join(sorted(map(str, more)))}")
    params = body.get("params")
    if params is not None and not isinstance(params, list | dict):
        raise BadRequest('"params" is a list, or an object by name')
    return body["sql"], params


def _filter(request: Request) -> LedgerFilter:
    given = dict(request.query_params)
    unknown = set(given) - {"user", "kind", "denied", "text", "since", "until", "last"}
    if unknown:
        raise BadRequest(f"unknown parameters: {', '.join(sorted(unknown))}")
    if given.get("denied", "false") not in ("true", "false"):
        raise BadRequest("denied is true or false")
    last = given.get("last", "100")
    if not (last.isascii() and last.isdigit() and 1 <= int(last) <= MOST_RECORDS):
        raise BadRequest(f"last is a number from 1 to {MOST_RECORDS:,}")
    return LedgerFilter(
        user=given.get("user"),
        kind=given.get("kind"),
        denied=given.get("denied") == "true",
        text=given.get("text"),
        since=_time(given.get("since")),
        until=_time(given.get("until")),
        last=int(last),
    )


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"{text!r} is no time: write 2026-01-31T12:00:00+00:00") from None
    if found.tzinfo is None:
        raise BadRequest(f"{text!r} has no time zone: add Z or +00:00")
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return plain(value)
