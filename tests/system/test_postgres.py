"""The PostgreSQL door, through psycopg: answers, denials, and everything that clients do around them."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import errors, generators, pq
from support import postgres_door, serving, victims
from support.postgres_door import SLOW_IN_CATALOGUE, Door
from support.serving import PASSWORD

from sdcdb.gateway.auth.access import Access, Identity
from sdcdb.gateway.server.postgres import door as postgres
from sdcdb.gateway.server.postgres.stream import Stream
from sdcdb.gateway.server.service import Service

SUM = "SELECT SUM(salary) FROM staff WHERE sex = 'F'"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving.service(serving.create(tmp_path_factory.mktemp("postgres"))) as found:
        yield found


@pytest.fixture(scope="module")
def door(service: Service) -> Iterator[Door]:
    with postgres_door.opened(service) as found:
        yield found


@pytest.fixture(scope="module")
def con(door: Door) -> Iterator[psycopg.Connection[Any]]:
    with door.connect() as found:
        yield found


def test_a_question_is_answered_exactly(con: psycopg.Connection[Any]) -> None:
    people = victims.people(240)
    assert con.execute(SUM).fetchone() == (sum(row[6] for row in people if row[2] == "F"),)
    found = dict(con.execute("SELECT sex, COUNT(*) FROM staff GROUP BY sex").fetchall())
    assert found == {sex: sum(row[2] == sex for row in people) for sex in "FM"}


def test_a_denial_says_rule_reason_and_hint(con: psycopg.Connection[Any]) -> None:
    with pytest.raises(errors.InsufficientPrivilege) as refused:
        con.execute("SELECT SUM(salary) FROM staff WHERE dept = 'Works'")
    said = refused.value.diag
    assert said.sqlstate == "42501"
    assert said.message_primary == "a group, or everybody outside it, is too small"
    assert said.message_detail == "rule: size"
    assert said.message_hint == "widen a range, merge groups, or use the protected view"


@pytest.mark.parametrize("sql", ["SELECT name FROM staff", "SELECT salary FROM staff", "SELEC 1 FROM staff"])
def test_what_is_not_understood_is_0a000(con: psycopg.Connection[Any], sql: str) -> None:
    with pytest.raises(errors.FeatureNotSupported):
        con.execute(sql)


@pytest.mark.parametrize("sql", ["EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT * FROM dept_dim", "explain " + SUM])
def test_a_plan_is_refused_and_a_verdict_told(con: psycopg.Connection[Any], sql: str) -> None:
    with pytest.raises(errors.FeatureNotSupported, match="plans are not shown here") as refused:
        con.execute(sql.encode())
    assert "EXPLAIN PRIVACY" in str(refused.value.diag.message_hint)
    assert ("verdict", "allow") in con.execute(f"EXPLAIN PRIVACY {SUM}".encode()).fetchall()


@pytest.mark.parametrize("sql", ["SELECT 1", "select 'x' AS ping", "SELECT NULL", "SELECT true"])
def test_a_constant_that_is_kept_stays_the_same(con: psycopg.Connection[Any], sql: str) -> None:
    found = [con.execute(sql.encode(), prepare=prepare) for prepare in (False, True, False, True)]
    shown = {(str(each.fetchall()), str(each.description)) for each in found}
    assert len(shown) == 1


WRITING = ["INSERT INTO staff VALUES (1)", "DROP TABLE staff", "CREATE TABLE x (a int)"]


@pytest.mark.parametrize("sql", WRITING)
def test_writing_is_refused(con: psycopg.Connection[Any], sql: str) -> None:
    with pytest.raises(errors.ReadOnlySqlTransaction):
        con.execute(sql)


def describe(con: psycopg.Connection[Any], sql: str) -> str:
    """Prepare and describe a statement, and no more; return the state and the words of the error."""
    con.pgconn.send_prepare(b"", sql.encode())
    con.wait(generators.execute(con.pgconn))
    con.pgconn.send_describe_prepared(b"")
    (found,) = con.wait(generators.execute(con.pgconn))
    return f"{(found.error_field(pq.DiagnosticField.SQLSTATE) or b'').decode()} {found.error_message.decode()}"


def test_whoever_only_describes_is_told_why_it_will_be_refused(con: psycopg.Connection[Any]) -> None:
    said = describe(con, "SELECT name FROM staff WHERE sex = $1")
    assert said.startswith("0A000")
    assert "name" in said
    assert describe(con, WRITING[2]).startswith("25006")
    assert describe(con, "EXPLAIN SELECT 1").startswith("0A000 ERROR:  plans are not shown here")
    assert describe(con, "SELECT sex, AVG(salary) FROM staff GROUP BY sex") == " "
    assert con.execute("SELECT COUNT(*) FROM dept_dim").fetchone() == (6,), "the connection goes on"


def test_what_the_door_refuses_is_in_the_ledger(con: psycopg.Connection[Any], service: Service) -> None:
    refused = [*WRITING, "EXPLAIN SELECT 1", "SELECT nothing FROM staff"]
    for sql in refused:
        describe(con, sql)
    with pytest.raises(errors.FeatureNotSupported):
        con.execute("ALTER USER ann PASSWORD 'a secret'")
    found = service.ledger(Identity("eve", Access.AUDITOR))
    kept = [(row.kind, row.sql) for row in found if row.refused][-5:]
    assert kept == [*(("question", sql) for sql in refused[:-1]), ("explain", refused[-1])]
    assert "a secret" not in str(found)


def test_groups_that_are_not_shown_are_counted_in_a_notice(con: psycopg.Connection[Any]) -> None:
    said: list[str] = []
    con.add_notice_handler(lambda notice: said.append(f"{notice.message_primary} ({notice.message_detail})"))
    rows = con.execute("SELECT dept, SUM(salary) FROM staff GROUP BY dept").fetchall()
    assert (None, None) in rows
    assert said == ["1 group is not shown, or part of a merged row (rule: size)"]


def test_parameters_in_text_and_binary(con: psycopg.Connection[Any]) -> None:
    people = [row for row in victims.people(240) if row[3] >= 30 and row[2] == "F"]
    for binary in (False, True):
        sql = (
            "SELECT COUNT(*) FROM staff WHERE age >= %b AND sex = %b"
            if binary
            else ("SELECT COUNT(*) FROM staff WHERE age >= %s AND sex = %s")
        )
        with con.cursor(binary=binary) as cursor:
            assert cursor.execute(sql, (30, "F")).fetchone() == (len(people),)
    with pytest.raises(errors.InvalidTextRepresentation):
        con.execute("SELECT COUNT(*) FROM staff WHERE age >= %t", ("many",))


def test_prepared_statements_are_described_and_run_again(con: psycopg.Connection[Any]) -> None:
    for low in (30, 31, 32):
        found = con.execute("SELECT COUNT(*) FROM staff WHERE age >= %s", (low,), prepare=True).fetchone()
        assert found == (sum(row[3] >= low for row in victims.people(240)),)
    con.pgconn.send_prepare(b"named", b"SELECT sex, AVG(salary) FROM staff WHERE age > $1 GROUP BY sex")
    assert con.wait(generators.execute(con.pgconn))[0].error_message == b""
    con.pgconn.send_describe_prepared(b"named")
    (shape,) = con.wait(generators.execute(con.pgconn))
    assert (shape.nparams, shape.param_type(0)) == (1, 23)
    assert [shape.fname(n) for n in range(shape.nfields)] == [b"sex", b"avg(salary)"]
    assert [shape.ftype(n) for n in range(shape.nfields)] == [25, 701]


def test_rows_come_in_portions(con: psycopg.Connection[Any]) -> None:
    with con.transaction(), con.cursor() as cursor:
        rows = list(cursor.stream("SELECT * FROM range(5000) AS t(n)"))
    assert [row[0] for row in rows] == list(range(5000))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", b"F\t120\nM\t120\n"),
        ("(FORMAT csv, HEADER)", b"sex,people\nF,120\nM,120\n"),
        ("(FORMAT csv, DELIMITER ';')", b"F;120\nM;120\n"),
    ],
)
def test_copy_out(con: psycopg.Connection[Any], options: str, said: bytes) -> None:
    found = dict(con.execute("SELECT sex, COUNT(*) FROM staff GROUP BY sex").fetchall())
    expected = said.replace(b"F\t120", f"F\t{found['F']}".encode()).replace(b"M\t120", f"M\t{found['M']}".encode())
    for sign in (b",", b";"):
        for sex in "FM":
            expected = expected.replace(sex.encode() + sign + b"120", f"{sex}{sign.decode()}{found[sex]}".encode())
    sql = f"COPY (SELECT sex, COUNT(*) AS people FROM staff GROUP BY sex ORDER BY sex) TO STDOUT {options}"
    with con.cursor() as cursor, cursor.copy(sql) as copy:
        assert b"".join(copy) == expected


def test_copy_out_in_binary(con: psycopg.Connection[Any]) -> None:
    sql = "COPY (SELECT * FROM (VALUES (1, 'a', 1.5), (2, NULL, NULL)) t) TO STDOUT (FORMAT binary)"
    with con.cursor() as cursor, cursor.copy(sql) as copy:
        copy.set_types(["int4", "text", "numeric"])
        assert list(copy.rows()) == [(1, "a", Decimal("1.5")), (2, None, None)]


def test_a_denied_copy_is_an_error(con: psycopg.Connection[Any]) -> None:
    with (
        con.cursor() as cursor,
        pytest.raises(errors.FeatureNotSupported),
        cursor.copy("COPY (SELECT name FROM staff) TO STDOUT"),
    ):
        pass
    assert con.execute("SELECT 1").fetchone() == (1,)


def test_pipelining(con: psycopg.Connection[Any]) -> None:
    with con.pipeline() as pipeline:
        cursors = [con.execute("SELECT COUNT(*) FROM staff WHERE age >= %s", (low,)) for low in range(30, 55, 5)]
        bad = con.execute("SELECT salary FROM staff")
        with pytest.raises(errors.FeatureNotSupported):
            pipeline.sync()
        assert [cursor.fetchone() for cursor in cursors] == [
            (sum(row[3] >= low for row in victims.people(240)),) for low in range(30, 55, 5)
        ]
        assert bad.statusmessage is None


def test_a_transaction_fails_and_is_rolled_back(door: Door) -> None:
    with psycopg.connect(door.dsn()) as con:
        con.execute(SUM)
        assert con.info.transaction_status.name == "INTRANS"
        with pytest.raises(errors.FeatureNotSupported):
            con.execute("SELECT name FROM staff")
        with pytest.raises(errors.InFailedSqlTransaction):
            con.execute(SUM)
        con.rollback()
        assert con.execute(SUM).fetchone() is not None


def test_several_statements_in_one_query(con: psycopg.Connection[Any]) -> None:
    cursor = con.execute("SET application_name = 'mine'; SHOW application_name; SELECT 1 AS one;")
    assert cursor.nextset()
    assert cursor.fetchone() == ("mine",)
    assert cursor.nextset()
    assert cursor.fetchone() == (1,)


def cancel_until(con: psycopg.Connection[Any], done: threading.Event) -> None:
    """Cancel again and again: a busy server may not have begun yet when it is first told."""
    while not done.wait(0.3):
        con.cancel_safe()


@pytest.mark.parametrize("sql", ["SELECT COUNT(*) FROM range(100000000000) a", SLOW_IN_CATALOGUE])
def test_cancelling_stops_a_statement(door: Door, sql: str) -> None:
    with door.connect() as con:
        done = threading.Event()
        cancelling = threading.Thread(target=cancel_until, args=(con, done))
        cancelling.start()
        try:
            with pytest.raises(errors.QueryCanceled, match="was cancelled"):
                con.execute(sql)
        finally:
            done.set()
            cancelling.join()
        assert con.execute("SELECT 1").fetchone() == (1,)


def test_a_wrong_password_and_an_unknown_name_look_the_same(door: Door) -> None:
    said = set()
    for user, password in (("ann", "wrong password"), ("nobody", PASSWORD)):
        with pytest.raises(psycopg.OperationalError) as refused:
            psycopg.connect(door.dsn(user, password=password))
        said.add(str(refused.value).replace(user, ""))
    assert len(said) == 1
    assert "the name or password is wrong" in said.pop()


def test_another_database_is_not_here(door: Door) -> None:
    with pytest.raises(psycopg.OperationalError, match="connect to staff"):
        psycopg.connect(door.dsn(dbname="payroll"))


def test_an_auditor_browses_and_does_not_ask(door: Door) -> None:
    with door.connect("eve") as con:
        assert con.execute("SELECT relname FROM pg_class WHERE relname = 'staff'").fetchone() == ("staff",)
        with pytest.raises(errors.InsufficientPrivilege, match="may not ask questions"):
            con.execute(SUM)


def test_the_catalogue_shows_roles_and_no_data(con: psycopg.Connection[Any]) -> None:
    rows = con.execute(
        "SELECT a.attname, col_description(a.attrelid, a.attnum), format_type(a.atttypid, a.atttypmod) "
        "FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'staff'::regclass AND a.attnum > 0 ORDER BY a.attnum"
    ).fetchall()
    assert [row[0] for row in rows] == ["sex", "age", "dept", "education", "salary"]
    assert rows[4][1] == "confidential: only inside COUNT, SUM, AVG; values lie between 100,000 and 250,000"
    assert rows[1] == ("age", "quasi: in conditions and groups", "integer")
    secrets = victims.Secrets(victims.people(240))
    for table in ("pg_class", "pg_attribute", "pg_stats", "pg_description", "pg_settings", "pg_stat_user_tables"):
        assert secrets.in_value(con.execute(f"SELECT * FROM pg_catalog.{table}").fetchall()) == []
    for table in ("columns", "tables", "schemata", "views"):
        assert secrets.in_value(con.execute(f"SELECT * FROM information_schema.{table}").fetchall()) == []


WRAPPED = """\
SELECT * FROM (SELECT dept, AVG(salary) AS "Mean pay" FROM staff WHERE dept <> 'Works' GROUP BY dept) t LIMIT 1001;
SELECT "staff"."dept" AS "dept", AVG("staff"."salary") AS "avg" FROM "main"."staff"
  WHERE "staff"."dept" <> 'Works' GROUP BY "staff"."dept" ORDER BY "staff"."dept" ASC LIMIT 2000;
SELECT CAST(AVG(salary) AS NUMERIC) FROM staff WHERE sex = 'F';
SELECT date_trunc('month', DATE '2024-02-29') AS month, COUNT(*) AS n FROM staff;
SELECT COUNT(*) FROM staff WHERE DATE '2024-03-01' >= TO_DATE('2024-02-01', 'YYYY-MM-DD')
  AND TIMESTAMP '2024-03-01' < to_timestamp('2024-04-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US');
SELECT sex AS "Sex", SUM(salary) AS "SUM(salary)" FROM staff GROUP BY sex ORDER BY "SUM(salary)" DESC LIMIT 50000"""


@pytest.mark.parametrize("sql", WRAPPED.split(";"))
def test_what_bi_tools_wrap_around_a_question_is_answered(con: psycopg.Connection[Any], sql: str) -> None:
    assert con.execute(sql).fetchall()


def test_a_client_that_begins_tls_at_once_is_not_lost(
    tmp_path: Path, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = Stream.flush

    async def late(stream: Stream) -> None:
        await at_once(stream)
        await asyncio.sleep(0.05)  # the client's first words of TLS are here before the server listens for them

    monkeypatch.setattr(Stream, "flush", late)
    tls, trusted = postgres_door.tls(tmp_path)
    with (
        postgres_door.opened(door.service, tls) as secure,
        secure.connect(sslmode="verify-full", sslrootcert=str(trusted)) as con,
    ):
        assert con.execute("SELECT 1").fetchone() == (1,)


def test_tls_with_channel_binding(tmp_path: Path, door: Door) -> None:
    tls, trusted = postgres_door.tls(tmp_path)
    with postgres_door.opened(door.service, tls) as secure:
        more = {"sslmode": "verify-full", "sslrootcert": str(trusted)}
        for binding in ("require", "disable"):  # in a process of its own: libpq holds Python's lock in the handshake
            script = (
                f"import psycopg; con = psycopg.connect({secure.dsn(channel_binding=binding, **more)!r}); "
                f"print(con.pgconn.ssl_in_use, con.execute({SUM!r}).fetchone()[0] > 0)"
            )
            done = subprocess.run(
                [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
            )
            assert done.stdout == "True True\n", done.stderr
    with pytest.raises(psycopg.OperationalError, match="SSL"):
        psycopg.connect(door.dsn(sslmode="require"))


def test_from_elsewhere_a_server_with_tls_is_reached_over_tls_only(
    tmp_path: Path, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    tls, trusted = postgres_door.tls(tmp_path)
    with postgres_door.opened(door.service, tls) as secure:
        with secure.connect(sslmode="disable") as con:
            assert con.execute("SELECT 1").fetchone() == (1,), "on this machine nobody is on the line"
        monkeypatch.setattr(postgres, "is_loopback", lambda _: False)
        with pytest.raises(psycopg.OperationalError, match="over TLS only"):
            secure.connect(sslmode="disable")
        with secure.connect(sslmode="verify-full", sslrootcert=str(trusted)) as con:
            assert con.execute("SELECT 1").fetchone() == (1,)


def test_logins_are_in_the_ledger(door: Door) -> None:
    from sdcdb.gateway.server.shown import LedgerFilter

    olga = door.service.logins.password("olga", PASSWORD, door="test", address="-")
    rows = door.service.ledger(olga, LedgerFilter(kind="login", user="ann", last=1))
    assert rows
    assert rows[0].user == "ann"
