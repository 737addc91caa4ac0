"""The owner's pages: the policy with its findings, protected views, changed tables, users and tokens."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sdcdb.assess.compare import compare
from sdcdb.errors import SdcdbError
from sdcdb.gateway.auth.access import Access, Act
from sdcdb.gateway.auth.users import UserStore
from sdcdb.pages.comparison_report import page as comparison_page
from sdcdb.policy.governed import Governed
from sdcdb.terminal.status import WHY
from sdcdb.views import catalogue
from sdcdb.web.entrance import Visit, blocking, for_people
from sdcdb.web.render import page
from sdcdb.web.report import report


@for_people(Act.FINDINGS)
async def policy(request: Request, visit: Visit) -> Response:
    """Show the policy with the findings of the check at their lines."""
    findings = await blocking(visit.service.findings, visit.identity)
    text = await blocking(visit.service.policy_file.read_text, "utf-8")
    at: dict[int, list[object]] = {}
    for each in findings:
        at.setdefault(each.line or 0, []).append(each)
    halted = (await blocking(visit.service.status, visit.identity)).halted
    return page(
        request, "policy.html", visit.session,
        file=visit.service.policy_file.name, lines=text.splitlines(), at=at, findings=findings, halted=halted, why=WHY,
    )  # fmt: skip


@for_people(Act.RELOAD)
async def act(request: Request, visit: Visit) -> Response:  # noqa: ARG001 - as every handler
    """Refresh a changed table, accept looser limits, or read policy and users again."""
    wanted = str(visit.form.get("act", ""))
    if wanted == "refresh":
        await blocking(visit.service.refresh, visit.identity, str(visit.form.get("table", "")) or None)
    elif wanted == "accept":
        await blocking(visit.service.accept_looser, visit.identity, str(visit.form.get("reason", "")))
    elif wanted == "reload":
        await blocking(visit.service.reload, visit.identity)
    else:
        raise SdcdbError("there is no such act")
    return RedirectResponse("/policy", 303)


@for_people(Act.VIEWS)
async def views(request: Request, visit: Visit) -> Response:
    """Show the protected views of the policy, and which of them exist."""
    rows = await blocking(_views, visit)
    return page(request, "views.html", visit.session, rows=rows)


@for_people(Act.VIEWS)
async def protect(request: Request, visit: Visit) -> Response:  # noqa: ARG001 - as every handler
    """Create the protected views of the policy, or one of them."""
    name = str(visit.form.get("view", ""))
    await blocking(lambda: visit.service.protect(visit.identity, *([name] if name else [])))
    return RedirectResponse("/views", 303)


@for_people(Act.VIEWS)
async def compared(request: Request, visit: Visit) -> Response:
    """Return the comparison of a protected view with its table."""
    name = request.path_params["name"]
    return await blocking(lambda: report(_comparison(visit, name)))


@for_people(Act.USERS)
async def users(request: Request, visit: Visit) -> Response:
    """Show users and tokens."""
    return await users_page(request, visit)


@for_people(Act.USERS)
async def change_users(request: Request, visit: Visit) -> Response:
    """Add, lock, unlock or remove a user, set a password, create or revoke a token."""
    token = await blocking(lambda: visit.service.manage_users(visit.identity, lambda store: _changed(store, visit)))
    name = str(visit.form.get("name", ""))
    if visit.form.get("act") in ("password", "lock", "remove"):
        visit.context.sessions.end_of(name)
    return await users_page(request, visit, token) if token else RedirectResponse("/users", 303)


ROUTES = [
    Route("/policy", policy, methods=["GET"]),
    Route("/policy", act, methods=["POST"]),
    Route("/views", views, methods=["GET"]),
    Route("/views", protect, methods=["POST"]),
    Route("/views/{name}", compared, methods=["GET"]),
    Route("/users", users, methods=["GET"]),
    Route("/users", change_users, methods=["POST"]),
]


async def users_page(request: Request, visit: Visit, token: str = "") -> Response:
    """Render users and tokens; a new token is shown this once."""
    store = visit.service.users
    return page(
        request, "users.html", visit.session,
        users=store.users(), tokens=store.tokens(), accesses=list(Access), token=token, me=visit.identity.name,
    )  # fmt: skip


def _changed(store: UserStore, visit: Visit) -> str:
    form, by = visit.form, visit.identity.name
    act, name = str(form.get("act", "")), str(form.get("name", "")).strip()
    if act in ("lock", "remove") and name == by:
        raise SdcdbError("you cannot lock or remove yourself: another owner can")
    if act == "add":
        team = str(form.get("team", "")).strip() or None
        store.add(name, str(form.get("password", "")), Access(str(form.get("access", ""))), team, by=by)
    elif act == "password":
        store.set_password(name, str(form.get("password", "")), by=by)
    elif act in ("lock", "unlock"):
        store.set_locked(name, locked=act == "lock", by=by)
    elif act == "remove":
        store.remove(name, by=by)
    elif act == "token":
        days = str(form.get("days", "30"))
        return store.create_token(name, int(days) if days.isdigit() else 0, by=by).text
    elif act == "revoke":
        store.revoke_token(name, by=by)
    else:
        raise SdcdbError("there is no such act")
    return ""


def _views(visit: Visit) -> list[tuple[str, str, bool, dict[str, str]]]:
    database = visit.service.database
    tables = database.required_policy().tables
    with database.con.cursor() as cursor:
        made = catalogue.kinds(cursor)
        return [
            (view, name, view in made, _words(catalogue.entry(cursor, view).plan.words()) if view in made else {})
            for name, table in tables.items()
            for view in table.protect
        ]


def _words(words: dict[str, str]) -> dict[str, str]:
    return {name or "(records)": text for name, text in words.items()}


def _comparison(visit: Visit, name: str) -> str:
    if not visit.context.heavy.acquire(timeout=1.0):
        raise SdcdbError("another report is being made: try again in a moment")
    try:
        database = visit.service.database
        with database.con.cursor() as cursor:
            return comparison_page(compare(Governed(database.path, cursor, database.policy), name, None, 0))
    finally:
        visit.context.heavy.release()
