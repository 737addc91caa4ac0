"""What graphical tools ask of the catalogue is answered, or refused in words; nothing ends a connection."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from ruamel.yaml import YAML
from support import postgres_door, serving, victims
from support.paths import CASES

CASES_OF: dict[str, list[dict[str, str]]] = YAML(typ="safe").load(CASES / "server" / "tool_statements.yaml")
STATEMENTS = [
    pytest.param(case, id=f"{tool} {number}")
    for tool, cases in CASES_OF.items()
    for number, case in enumerate(cases, start=1)
]


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[psycopg.Connection[Any]]:
    path = serving.create(tmp_path_factory.mktemp("tools"), rows=60)
    with serving.service(path) as service, postgres_door.opened(service) as door, door.connect() as found:
        yield found


@pytest.mark.parametrize("case", STATEMENTS)
def test_a_tool_s_statement(con: psycopg.Connection[Any], case: dict[str, Any]) -> None:
    if case.get("fails"):
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="not understood"):
            con.execute(case["sql"])
        return
    for binary in (False, True):
        rows = con.cursor(binary=binary).execute(case["sql"]).fetchall()
        assert case.get("shows", "") in str(rows)
        assert victims.Secrets(victims.people(60)).in_value(rows) == []


def test_lists_are_told_from_their_elements_by_how_they_are_received(con: psycopg.Connection[Any]) -> None:
    sql = next(case["sql"] for case in CASES_OF["types"] if "array_recv" in case["sql"])
    kinds = {name: (kind, element) for name, kind, element in con.execute(sql).fetchall()}
    assert kinds["_int4"] == ("a", 23)
    assert kinds["int4"] == ("b", None)


def test_cursors_on_the_server(con: psycopg.Connection[Any]) -> None:
    with con.transaction(), con.cursor("mine", scrollable=True) as cursor:
        cursor.execute("SELECT n, %s::text FROM range(10) t(n)", ("x",))
        assert [row[0] for row in cursor.fetchmany(4)] == [0, 1, 2, 3]
        cursor.scroll(2)
        assert cursor.fetchone() == (6, "x")
        cursor.scroll(0, mode="absolute")
        assert len(cursor.fetchall()) == 10
    with pytest.raises(psycopg.errors.NoActiveSqlTransaction):
        con.execute("DECLARE c CURSOR FOR SELECT 1")
    with con.cursor("held", withhold=True) as cursor:
        assert cursor.execute("SELECT 1 UNION ALL SELECT 2 ORDER BY 1").fetchall() == [(1,), (2,)]


def test_a_cursor_over_a_question_that_is_denied(con: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported), con.transaction():
        con.execute("DECLARE c CURSOR FOR SELECT name FROM staff")
    with pytest.raises(psycopg.errors.InvalidCursorName):
        con.execute("FETCH ALL FROM c")


def test_fetching_either_way(con: psycopg.Connection[Any]) -> None:
    with con.transaction():
        con.execute("DECLARE c CURSOR FOR SELECT n FROM range(5) t(n)")

        def fetch(what: str) -> list[int]:
            return [row[0] for row in con.execute(f"FETCH {what} FROM c".encode()).fetchall()]

        assert fetch("NEXT") == [0]
        assert fetch("FORWARD 2") == [1, 2]
        assert fetch("PRIOR") == [1]
        assert fetch("LAST") == [4]
        assert fetch("RELATIVE -1") == [3]
        assert fetch("BACKWARD ALL") == [2, 1, 0]
        assert fetch("BACKWARD 1") == []
        assert fetch("ABSOLUTE -2") == [3]
        assert fetch("ALL") == [4]
        assert fetch("NEXT") == []
        assert con.execute("MOVE FIRST FROM c").statusmessage == "MOVE 1"
        assert fetch("2") == [1, 2]
        con.execute("CLOSE c")
        with pytest.raises(psycopg.errors.InvalidCursorName), con.transaction():
            con.execute("CLOSE c")


def test_users_are_not_managed_through_sql(con: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported, match="users are not managed here") as refused:
        con.execute("ALTER USER ann PASSWORD 'SCRAM-SHA-256$x'")
    assert "sdcdb user password" in str(refused.value.diag.message_hint)


def test_a_function_that_is_not_there_is_named_so(con: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.UndefinedFunction):
        con.execute("SELECT 'nothing'::pg_catalog.regproc::pg_catalog.oid")
