"""Who may do what through HTTP: every route by everybody, sessions that others know of, and requests of other sites."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient
from support import serving
from support.serving import PASSWORD

from sdcdb.gateway.server.service import Service
from sdcdb.gateway.server.shown import LedgerFilter
from sdcdb.web.application import create_application

EVERYBODY, ASKING, WATCHING, OWNING = "ann eve olga", "ann olga", "eve olga", "olga"
OPEN = {("GET", path) for path in ("/healthz", "/readyz", "/static/{name}", "/favicon.ico", "/api/v1/openapi.json")}
OPEN |= {("GET", "/login"), ("POST", "/login"), ("POST", "/logout")}
ALLOWED = {
    ("POST", "/api/v1/ask"): ASKING,
    ("POST", "/api/v1/explain"): ASKING,
    ("GET", "/api/v1/tables"): EVERYBODY,
    ("GET", "/api/v1/status"): EVERYBODY,
    ("GET", "/api/v1/ledger"): EVERYBODY,  # of analysts, their own questions
    ("GET", "/api/v1/findings"): OWNING,
    ("GET", "/metrics"): WATCHING,
    ("GET", "/"): ASKING,
    ("POST", "/"): ASKING,
    ("GET", "/tables"): EVERYBODY,
    ("GET", "/history"): ASKING,
    ("GET", "/status"): EVERYBODY,
    ("GET", "/ledger"): WATCHING,
    ("GET", "/audit"): WATCHING,
    ("POST", "/audit"): WATCHING,
    ("GET", "/policy"): OWNING,
    ("POST", "/policy"): OWNING,
    ("GET", "/views"): OWNING,
    ("POST", "/views"): OWNING,
    ("GET", "/views/{name}"): OWNING,
    ("GET", "/users"): OWNING,
    ("POST", "/users"): OWNING,
}
FORMS = {
    "/": {"sql": "SELECT COUNT(*) FROM dept_dim"},
    "/audit": {"what": "nothing"},
    "/policy": {"act": "nothing"},
    "/views": {"view": "nothing"},
    "/users": {"act": "nothing"},
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving.service(serving.create(tmp_path_factory.mktemp("roles"), rows=60)) as service:
        yield service


@pytest.fixture(scope="module")
def clients(opened: Service) -> Iterator[dict[str, TestClient]]:
    application = create_application(opened)
    found = {}
    for name in ("ann", "eve", "olga"):
        made = TestClient(application, client=("127.0.0.1", 5000), follow_redirects=False)
        assert made.post("/login", data={"name": name, "password": PASSWORD}).status_code == 303
        found[name] = made
    yield found
    for each in found.values():
        each.close()


def secret(client: TestClient) -> str:
    """Return what forms of this session carry."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/tables").text)
    assert found is not None
    return found[1]


def request(client: TestClient, name: str, method: str, path: str) -> Any:
    """Send a request as this user would: a program's, or a page's with the secret of its session."""
    where = path.replace("{name}", "nothing")
    if path.startswith("/api") or path == "/metrics":
        body = {"json": {"sql": "SELECT COUNT(*) FROM dept_dim"}} if method == "POST" else {}
        return client.request(method, where, auth=(name, PASSWORD), **body)  # type: ignore[arg-type]
    form = {"csrf": secret(client), **FORMS.get(path, {})} if method == "POST" else None
    return client.request(method, where, data=form)


def test_every_route_is_open_or_has_its_people(clients: dict[str, TestClient]) -> None:
    routes = [route for route in clients["ann"].app.routes if isinstance(route, Route)]  # type: ignore[attr-defined]
    assert {(way, route.path) for route in routes for way in (route.methods or ()) if way != "HEAD"} == {
        *OPEN,
        *ALLOWED,
    }


@pytest.mark.parametrize(("method", "path"), ALLOWED)
def test_everybody_else_is_refused(clients: dict[str, TestClient], method: str, path: str) -> None:
    codes = {name: request(client, name, method, path).status_code for name, client in clients.items()}
    assert {name for name, code in codes.items() if code != 403} == set(ALLOWED[method, path].split()), codes
    with TestClient(clients["ann"].app, client=("127.0.0.1", 5000), follow_redirects=False) as nobody:
        assert nobody.request(method, path.replace("{name}", "nothing")).status_code in (303, 401)


def test_a_session_that_somebody_else_chose_is_not_taken_over(clients: dict[str, TestClient]) -> None:
    with TestClient(clients["ann"].app, client=("127.0.0.1", 5000), follow_redirects=False) as victim:
        victim.cookies.set("sdcdb", "chosen-by-somebody-else")
        victim.cookies.clear()
        response = victim.post(
            "/login", data={"name": "bob", "password": PASSWORD}, headers={"Cookie": "sdcdb=chosen-by-somebody-else"}
        )
        assert response.status_code == 303
        first = victim.cookies["sdcdb"]
        assert first != "chosen-by-somebody-else"
        victim.post("/login", data={"name": "bob", "password": PASSWORD})
        assert victim.cookies["sdcdb"] != first, "every login begins a session of its own"
        victim.cookies.clear()
        for old in ("chosen-by-somebody-else", first):
            assert victim.get("/", headers={"Cookie": f"sdcdb={old}"}).status_code == 303


def test_a_form_of_another_session_is_refused(clients: dict[str, TestClient]) -> None:
    form = {"csrf": secret(clients["ann"]), "act": "reload"}
    assert clients["olga"].post("/policy", data=form).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "a/json"]
)
def test_a_body_that_a_foreign_form_can_send_is_no_question(clients: dict[str, TestClient], kind: str) -> None:
    sent = clients["ann"].post(
        "/api/v1/ask",
        content=json.dumps({"sql": "SELECT COUNT(*) FROM staff"}),
        headers={"Content-Type": kind} if kind else {},
        auth=("ann", PASSWORD),
    )
    assert (sent.status_code, sent.headers["content-type"]) == (415, "application/problem+json")


@pytest.mark.parametrize(
    "header", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_a_password_that_a_browser_kept_is_no_use_to_other_sites(
    clients: dict[str, TestClient], opened: Service, header: dict[str, str]
) -> None:
    sql = f"SELECT COUNT(*) FROM staff WHERE dept <> '{'-'.join(header)}'"
    for way in ("ask", "explain"):
        sent = clients["ann"].post(f"/api/v1/{way}", json={"sql": sql}, headers=header, auth=("ann", PASSWORD))
        assert sent.status_code == 403
    olga = opened.users.identity("olga")
    assert olga is not None
    assert opened.ledger(olga, LedgerFilter(text=sql)) == []


@pytest.mark.parametrize(
    "path",
    ["/static/..%2fguard.py", "/static/%2e%2e/guard.py", "/static/....//guard.py", "/static//etc/passwd", "/static/"],
)
def test_nothing_but_our_own_files_is_served(clients: dict[str, TestClient], path: str) -> None:
    assert clients["ann"].get(path).status_code == 404


@pytest.mark.parametrize("name", ["..%2f..%2fstaff.users.yaml", "staff", "%00", "nothing'; DROP TABLE staff --"])
def test_a_report_of_something_that_is_no_view_is_none(clients: dict[str, TestClient], name: str) -> None:
    assert clients["olga"].get(f"/views/{name}").status_code in (400, 404)


def test_a_name_cannot_write_headers_or_lines_of_the_log(
    clients: dict[str, TestClient], caplog: pytest.LogCaptureFixture
) -> None:
    name = 'x\r\nSet-Cookie: sdcdb=evil\r\n\r\n{"level": "error"}<b>'
    with caplog.at_level("INFO"):
        response = clients["ann"].post("/login", data={"name": name, "password": "wrong one"})
    assert response.status_code == 401
    assert "set-cookie" not in response.headers
    assert "<b>" not in response.text
    assert all("\n" not in str(getattr(record, "user", "")) for record in caplog.records)


def test_a_token_is_no_password_and_a_password_no_token(clients: dict[str, TestClient], opened: Service) -> None:
    token = opened.users.create_token("bob", 3)
    client = clients["ann"]
    client_of_nobody = TestClient(client.app, client=("127.0.0.1", 5000), follow_redirects=False)
    assert client_of_nobody.get("/api/v1/tables", auth=("bob", token.text)).status_code == 401
    for text in (PASSWORD, token.text[:-1], token.text + "x", token.number, token.text.upper(), "Bearer " + token.text):
        assert client_of_nobody.get("/api/v1/tables", headers={"Authorization": f"Bearer {text}"}).status_code == 401
    headers = {"Authorization": f"Bearer {token.text}"}
    assert client_of_nobody.get("/", headers=headers).status_code == 303, "a token opens no page"
    assert client_of_nobody.get("/api/v1/findings", headers=headers).status_code == 403
    opened.users.set_locked("bob", locked=True)
    assert client_of_nobody.get("/api/v1/tables", headers=headers).status_code == 401
