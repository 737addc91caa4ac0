"""The desk of an analyst: the editor, answers, verdicts, denials with suggestions, and their own history."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sdcdb.errors import Denied, SdcdbError, Unsupported
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.auth.access import Act
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.shown import LedgerFilter
from sdcdb.pages.answer_chart import draw_answer
from sdcdb.terminal.suppressed import hidden
from sdcdb.terminal.values import shown
from sdcdb.web.context import context_of
from sdcdb.web.encodings import CSV, encoded
from sdcdb.web.entrance import Visit, blocking, for_people
from sdcdb.web.presence import while_there
from sdcdb.web.render import page
from sdcdb.web.room import Room, rooms
from sdcdb.web.suggestions import Suggestion, suggest

MOST_ROWS = 1000  # that a page shows; the file has all
MOST_HISTORY = 200


@dataclass(frozen=True)
class Cell:
    """A value of an answer as a page shows it."""

    text: str
    numeric: bool
    hidden: bool
    full: str = ""
    """The value in full precision, where `text` is rounded."""


@dataclass(frozen=True)
class Outcome:
    """What came of a statement, ready for the page."""

    sql: str
    answer: Answer | None = None
    verdict: Verdict | None = None
    rows: Sequence[Sequence[Cell]] = ()
    chart: str | None = None
    rooms: Sequence[Room] = ()
    suggestions: Sequence[Suggestion] = ()
    error: str = ""


@for_people(Act.ASK)
async def desk(request: Request, visit: Visit) -> Response:
    """Show the editor."""
    return await _desk(request, visit)


@for_people(Act.ASK)
async def submit(request: Request, visit: Visit) -> Response:
    """Ask or explain the statement of the form; answer with the whole page, or with the result alone."""
    sql, action = str(visit.form.get("sql", "")), str(visit.form.get("action", "ask"))
    if action == "edit":
        return await _desk(request, visit, sql)
    outcome = await _outcome(request, visit, sql, explain=action == "explain")
    if action == "csv" and outcome.answer is not None:
        response = encoded(outcome.answer, sql, CSV)
        response.headers["content-disposition"] = 'attachment; filename="answer.csv"'
        return response
    if request.headers.get("x-fragment"):
        return page(request, "_outcome.html", visit.session, outcome=outcome)
    return await _desk(request, visit, sql, outcome)


@for_people(Act.BROWSE)
async def tables(request: Request, visit: Visit) -> Response:
    """Show what may be named and how."""
    return page(request, "tables.html", visit.session, tables=await blocking(_tables, visit))


@for_people(Act.ASK)
async def history(request: Request, visit: Visit) -> Response:
    """Show somebody's own questions, the latest first."""
    wanted = LedgerFilter(user=visit.identity.name, kind="question", last=MOST_HISTORY)
    found = await blocking(lambda: visit.service.ledger(visit.identity, wanted))
    return page(request, "history.html", visit.session, rows=found[::-1], most=MOST_HISTORY)


ROUTES = [
    Route("/", desk, methods=["GET"]),
    Route("/", submit, methods=["POST"]),
    Route("/tables", tables, methods=["GET"]),
    Route("/history", history, methods=["GET"]),
]


async def _desk(request: Request, visit: Visit, sql: str = "", outcome: Outcome | None = None) -> Response:
    """Return the page with a statement in its editor."""
    return page(request, "ask.html", visit.session, sql=sql, outcome=outcome, tables=await blocking(_tables, visit))


def _tables(visit: Visit) -> Any:
    return visit.service.tables(visit.identity)


async def _outcome(request: Request, visit: Visit, sql: str, *, explain: bool) -> Outcome:
    service = context_of(request).service
    if not sql.strip():
        return Outcome(sql, error="Write a statement first, for example SELECT COUNT(*) FROM a table.")
    try:
        if explain:
            verdict = await while_there(request, partial(service.submit_explain, visit.identity, sql, None))
            return _explained(sql, verdict, service)
        answer = await while_there(request, partial(service.submit, visit.identity, sql, None))
    except Denied as refusal:
        kind = "unsupported" if isinstance(refusal, Unsupported) else "deny"
        return _explained(sql, Verdict(kind, refusal.rule, refusal.reason, refusal.hint), service)  # type: ignore[arg-type]
    except SdcdbError as error:
        return Outcome(sql, error=str(error))
    return await blocking(_answered, sql, answer)


def _explained(sql: str, verdict: Verdict, service: Service) -> Outcome:
    suggestions = () if verdict.kind == "allow" else suggest(sql, service.relations, _views(service))
    return Outcome(sql, verdict=verdict, rooms=rooms(verdict, service.relations), suggestions=suggestions)


def _answered(sql: str, answer: Answer) -> Outcome:
    unseen = hidden(answer, sql)
    columns = [[row[at] for row in answer.rows[:MOST_ROWS]] for at in range(len(answer.columns))]
    numeric, places = [_numeric(each) for each in columns], [_places(each) for each in columns]
    rows = [
        [_cell(value, numeric[at], places[at], hidden=(n, at) in unseen) for at, value in enumerate(row)]
        for n, row in enumerate(answer.rows[:MOST_ROWS])
    ]
    return Outcome(sql, answer, answer.verdict, rows, draw_answer(answer.columns, answer.rows, answer.merged))


def _cell(value: Any, numeric: bool, places: int | None, *, hidden: bool) -> Cell:  # noqa: FBT001 - of its column
    full = shown(value)
    if places is None or not isinstance(value, float | Decimal):
        return Cell(full, numeric, hidden)
    text = f"{value:,.{places}f}"
    return Cell(text, numeric, hidden, "" if float(text.replace(",", "")) == value else full)


def _places(column: Sequence[Any]) -> int | None:
    """Return how many decimals show a column of fractions well; None where its values are shown as they are."""
    known = [float(value) for value in column if isinstance(value, float | Decimal)]
    if not known or not all(abs(value) < 1e15 for value in known):  # nor where one is not a number
        return None
    largest = max(map(abs, known))
    if all(value == int(value) for value in known):
        return 0
    return None if largest < 1e-3 else 2 if largest >= 100 else 4


def _views(service: Service) -> dict[str, tuple[str, ...]]:
    policy = service.database.policy
    return {name: tuple(table.protect) for name, table in policy.tables.items()} if policy is not None else {}


def _numeric(column: Sequence[Any]) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and all(isinstance(v, int | float | Decimal) and not isinstance(v, bool) for v in known)
