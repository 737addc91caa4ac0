"""The HTTP door, through a real client: who gets in, what each access may see, and what a browser is told."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from support import serving
from support.serving import PASSWORD

from sdcdb.gateway.server.service import Service
from sdcdb.web.application import create_application

MEANS = "SELECT dept, AVG(salary) AS mean FROM staff GROUP BY dept"
SMALL = "SELECT AVG(salary) FROM staff WHERE age = 30 AND dept = 'Legal' AND sex = 'F'"
JSON = {"Content-Type": "application/json"}
PAGES = ("/", "/tables", "/history", "/status", "/ledger", "/audit", "/policy", "/views", "/users")
ALLOWED = {
    "ann": {"/", "/tables", "/history", "/status"},
    "eve": {"/tables", "/status", "/ledger", "/audit"},
    "olga": set(PAGES),
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving.service(serving.create(tmp_path_factory.mktemp("web"))) as service:
        yield service


@pytest.fixture
def client(opened: Service) -> Iterator[TestClient]:
    with TestClient(create_application(opened), client=("127.0.0.1", 5000), follow_redirects=False) as made:
        yield made


def logged_in(client: TestClient, name: str) -> str:
    """Log in; return the secret that forms carry."""
    response = client.post("/login", data={"name": name, "password": PASSWORD})
    assert response.status_code == 303
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/tables").text)
    assert found is not None
    return found[1]


def ask(client: TestClient, sql: str, name: str = "ann", **more: Any) -> Any:
    return client.post("/api/v1/ask", json={"sql": sql}, auth=(name, PASSWORD), **more)


# programs


def test_a_program_gets_an_answer_as_json_csv_and_arrow(client: TestClient) -> None:
    body = ask(client, MEANS).json()
    assert [column["name"] for column in body["columns"]] == ["dept", "mean"]
    assert {"Finance", "Legal", "Sales", "Support"} <= {row[0] for row in body["rows"]}
    assert ask(client, MEANS, headers={"Accept": "text/csv"}).text.startswith("dept,mean\n")
    arrow = ask(client, MEANS, headers={"Accept": "application/vnd.apache.arrow.stream"})
    assert arrow.content[:4] == b"\xff\xff\xff\xff"
    assert ask(client, MEANS, headers={"Accept": "image/png"}).status_code == 406


def test_a_denial_is_a_problem_with_rule_reason_and_hint(client: TestClient) -> None:
    response = ask(client, SMALL)
    assert response.status_code == 403
    assert response.headers["content-type"] == "application/problem+json"
    assert (response.json()["rule"], bool(response.json()["hint"])) == ("size", True)
    assert ask(client, "SELECT name FROM staff").status_code == 422
    explained = client.post("/api/v1/explain", json={"sql": SMALL}, auth=("ann", PASSWORD))
    assert explained.json()["kind"] == "deny"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"sql": 3}', b'{"sql": "x", "more": 1}', b'{"sql": "x", "params": 3}', b"[" * 100_000]
)
def test_a_body_that_says_nothing_is_a_bad_request(client: TestClient, body: bytes) -> None:
    response = client.post("/api/v1/ask", content=body, auth=("ann", PASSWORD), headers=JSON)
    assert response.status_code == 400
    assert response.json()["detail"]


def test_parameters_are_put_in(client: TestClient) -> None:
    sql = "SELECT COUNT(*) FROM staff WHERE dept = ?"
    response = client.post("/api/v1/ask", json={"sql": sql, "params": ["Legal"]}, auth=("ann", PASSWORD))
    assert response.status_code == 200
    assert response.json()["rows"][0][0] > 0


def test_nobody_gets_in_without_showing_who_they_are(client: TestClient) -> None:
    for headers in ({}, {"Authorization": "Bearer no"}, {"Authorization": "Basic ///"}, {"Authorization": "Digest x"}):
        response = client.get("/api/v1/tables", headers=headers)
        assert response.status_code == 401
        assert "WWW-Authenticate" in response.headers


def test_a_token_works_until_it_is_revoked(client: TestClient, opened: Service) -> None:
    token = opened.users.create_token("ann", 1)
    headers = {"Authorization": f"Bearer {token.text}"}
    assert client.get("/api/v1/tables", headers=headers).status_code == 200
    opened.users.revoke_token(token.number)
    assert client.get("/api/v1/tables", headers=headers).status_code == 401


def test_a_password_over_an_open_line_is_not_looked_at(opened: Service) -> None:
    with TestClient(create_application(opened), client=("192.0.2.7", 5000)) as client:
        response = client.get("/api/v1/tables", auth=("ann", PASSWORD))
        assert (response.status_code, response.json()["title"]) == (403, "not over a plain line")


def test_access_decides_what_a_program_sees(client: TestClient) -> None:
    for name, codes in {"ann": (200, 200, 403), "eve": (200, 200, 403), "olga": (200, 200, 200)}.items():
        paths = ("/api/v1/status", "/api/v1/ledger", "/api/v1/findings")
        assert tuple(client.get(path, auth=(name, PASSWORD)).status_code for path in paths) == codes
    assert ask(client, MEANS, "eve").status_code == 403
    users = {row["user"] for row in client.get("/api/v1/ledger", auth=("ann", PASSWORD)).json()["records"]}
    assert users == {"ann"}
    assert client.get("/api/v1/ledger?last=0", auth=("olga", PASSWORD)).status_code == 400
    assert client.get("/api/v1/ledger?since=now", auth=("olga", PASSWORD)).status_code == 400


def test_the_description_of_the_api_names_every_route(client: TestClient) -> None:
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    assert set(paths) == {f"/api/v1/{name}" for name in ("ask", "explain", "tables", "status", "ledger", "findings")}


def test_operators_see_health_and_those_who_may_the_counters(client: TestClient) -> None:
    assert client.get("/healthz").text == "ok\n"
    assert client.get("/readyz").text == "ready\n"
    assert client.get("/metrics").status_code == 401
    assert client.get("/metrics", auth=("ann", PASSWORD)).status_code == 403
    assert "sdcdb_questions_total" in client.get("/metrics", auth=("eve", PASSWORD)).text


def test_what_is_too_large_is_not_read(client: TestClient) -> None:
    given: dict[str, Any] = {"auth": ("ann", PASSWORD), "headers": JSON}
    assert client.post("/api/v1/ask", content=b"x" * 1_000_001, **given).status_code == 413

    def parts() -> Iterator[bytes]:
        yield from (b"x" * 100_000 for _ in range(20))

    assert client.post("/api/v1/ask", content=parts(), **given).status_code == 413


# people


@pytest.mark.parametrize("name", list(ALLOWED))
def test_each_access_sees_its_pages_and_no_others(client: TestClient, name: str) -> None:
    logged_in(client, name)
    codes = {path: client.get(path).status_code for path in PAGES}
    assert codes == {path: 200 if path in ALLOWED[name] else 403 for path in PAGES}
    shown = set(re.findall(r'<a href="(/[a-z]*)"', client.get("/tables").text))
    assert shown - {"#main"} >= ALLOWED[name] - {"/"}
    assert not shown & (set(PAGES) - ALLOWED[name])


def test_without_a_session_every_page_leads_to_the_login(client: TestClient) -> None:
    for path in PAGES:
        response = client.get(path)
        assert (response.status_code, response.headers["location"]) == (303, "/login")


def test_the_cookie_is_strict_and_the_page_loads_nothing_from_elsewhere(client: TestClient) -> None:
    response = client.post("/login", data={"name": "ann", "password": PASSWORD})
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    page = client.get("/")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert not re.search(r'(src|href)="(https?:)?//', page.text)
    assert not re.search(r"<script>|\son[a-z]+=|style=", page.text)


def test_a_wrong_password_tells_nothing_about_the_name(client: TestClient) -> None:
    answers = [client.post("/login", data={"name": name, "password": "x"}) for name in ("bob", "nobody-at-all")]
    assert {answer.status_code for answer in answers} == {401}
    assert answers[0].text.replace("bob", "?") == answers[1].text.replace("nobody-at-all", "?")


def test_asking_explaining_and_a_denial_with_suggestions(client: TestClient) -> None:
    csrf = logged_in(client, "ann")
    answered = client.post("/", data={"csrf": csrf, "sql": MEANS, "action": "ask"})
    assert "<svg" in answered.text
    assert "Legal" in answered.text
    explained = client.post("/", data={"csrf": csrf, "sql": MEANS, "action": "explain"}, headers={"X-Fragment": "1"})
    assert "Would be answered" in explained.text
    assert "<html" not in explained.text
    denied = client.post("/", data={"csrf": csrf, "sql": SMALL, "action": "ask"})
    assert "Denied" in denied.text
    assert "A wider range of age" in denied.text
    csv = client.post("/", data={"csrf": csrf, "sql": MEANS, "action": "csv"})
    assert csv.headers["content-disposition"] == 'attachment; filename="answer.csv"'
    assert "AVG(salary)" in client.get("/history").text


def test_a_statement_cannot_write_into_the_page(client: TestClient) -> None:
    csrf = logged_in(client, "ann")
    evil = "SELECT '</textarea><script>alert(1)</script>' AS \"<b>x</b>\""
    page = client.post("/", data={"csrf": csrf, "sql": evil, "action": "ask"}).text
    assert "<script>alert" not in page
    assert "<b>x</b>" not in page


def test_a_form_from_elsewhere_is_refused(client: TestClient) -> None:
    csrf = logged_in(client, "olga")
    form = {"csrf": csrf, "act": "reload"}
    assert client.post("/policy", data={**form, "csrf": "guessed"}).status_code == 403
    assert client.post("/policy", data=form, headers={"Origin": "https://evil.example"}).status_code == 403
    assert client.post("/policy", data=form, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert client.post("/policy", data=form).status_code == 303


def test_logout_and_a_lock_end_a_session(client: TestClient, opened: Service) -> None:
    csrf = logged_in(client, "bob")
    opened.users.set_locked("bob", locked=True)
    assert client.get("/").status_code == 303
    opened.users.set_locked("bob", locked=False)
    csrf = logged_in(client, "bob")
    assert client.post("/logout", data={"csrf": "guessed"}).status_code == 403
    assert client.get("/").status_code == 200
    client.post("/logout", data={"csrf": csrf})
    assert client.get("/").status_code == 303


def test_an_owner_manages_users_and_every_act_is_in_the_ledger(client: TestClient, opened: Service) -> None:
    csrf = logged_in(client, "olga")
    add = {"csrf": csrf, "act": "add", "name": "zoe", "password": "long enough word", "access": "analyst", "team": ""}
    assert client.post("/users", data=add).status_code == 303
    page = client.post("/users", data={"csrf": csrf, "act": "token", "name": "zoe", "days": "3"}).text
    token = re.search(r'class="token">([^<]+)<', page)
    assert token is not None
    assert client.get("/api/v1/tables", headers={"Authorization": f"Bearer {token[1]}"}).status_code == 200
    assert client.post("/users", data={"csrf": csrf, "act": "remove", "name": "olga"}).status_code == 400
    assert client.post("/users", data={"csrf": csrf, "act": "remove", "name": "zoe"}).status_code == 303
    records = client.get("/api/v1/ledger?kind=act&last=50", auth=("olga", PASSWORD)).json()["records"]
    assert {"olga"} <= {row["user"] for row in records}
    assert any("zoe" in json.dumps(row) for row in records)
    assert opened.users.identity("zoe") is None


def test_an_auditor_audits_the_ledger_and_a_log(client: TestClient, tmp_path: Path) -> None:
    csrf = logged_in(client, "eve")
    own = client.post("/audit", data={"csrf": csrf, "what": "ledger"})
    assert own.status_code == 200
    assert "sandbox" in own.headers["content-security-policy"]
    log = tmp_path / "log.sql"
    log.write_text("SELECT name, salary FROM staff;\n", encoding="utf-8")
    with log.open("rb") as file:
        found = client.post("/audit", data={"csrf": csrf, "what": "log", "format": "sql"}, files={"log": file})
    assert found.status_code == 200
    assert "exceeds" in found.text
    assert client.post("/audit", data={"csrf": csrf, "what": "log"}).status_code == 400
