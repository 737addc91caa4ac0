"""What people ask a PostgreSQL server in the tests: attacks beside every kind of error that must not hide them."""

import time
from collections.abc import Sequence
from pathlib import Path

from sdcdb.logs.formats import Options, read
from sdcdb.logs.record import LoggedQuery, LogProblem
from sdcdb.logs.tally import Tally
from support.postgres_server import PostgresServer

_PGAUDIT = {"shared_preload_libraries": "pgaudit", "pgaudit.log": "read,write,function"}
_EXPLAIN = {
    "shared_preload_libraries": "auto_explain", "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
}  # fmt: skip
SETTINGS = {
    "all": {**_PGAUDIT, "log_statement": "all", "log_duration": "on", "log_line_prefix": "%m [%p] %u@%d "},
    "statement": {
        "log_statement": "all", "log_line_prefix": "%t [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
    },
    "duration": {"log_min_duration_statement": "0", "log_line_prefix": "%t:%r:%u@%d:[%p]:"},
    "pgaudit": {**_PGAUDIT, "pgaudit.log_parameter": "on", "log_line_prefix": "%m [%p] %q%u@%d "},
    "explain": {**_EXPLAIN, "log_line_prefix": "%m [%p] %q%u@%d/%a "},
    "both": {**_EXPLAIN, "auto_explain.log_format": "json", "log_statement": "all", "log_line_prefix": "%m %c %u "},
}  # fmt: skip
"""Ways in which servers are set up to log; the text log's prefix differs in each."""
READ = {"alice": "1", "bob": "2", "carol": "3", "dave": "4", "erin": "5", "frank": "6"}
"""Whose salary each of them read, successfully."""
WRONG = {"SELEC nonsense", "SELECT nothing FROM staff", "SELECT * FROM secret", "SELEC", "SELECT count(*) FROM staff"}
"""Statements that failed before they ran. The count came in a transaction that was already aborted."""

TABLE = """
SET log_statement = 'none'; SET log_min_duration_statement = -1; SET log_duration = off;
CREATE TABLE staff (id int primary key, name text, sex text, age int, dept text, salary int);
INSERT INTO staff
  SELECT n, 'p' || n, CASE WHEN n % 2 = 0 THEN 'F' ELSE 'M' END, 20 + n % 40, 'd' || n % 5, 2000 + 13 * n
  FROM generate_series(1, 200) n;
CREATE TABLE secret (id int);
CREATE FUNCTION pay(int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT salary FROM staff WHERE id = $1); END';
CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN; CREATE ROLE carol LOGIN; CREATE ROLE dave LOGIN; CREATE ROLE erin LOGIN;
CREATE ROLE frank LOGIN; CREATE ROLE grace LOGIN;
GRANT SELECT ON staff TO alice, bob, carol, dave, erin, frank, grace;
"""


def talk(server: PostgresServer) -> None:
    """Each person reads a salary successfully, and then something else goes wrong in the same session."""
    server.psql(TABLE)
    server.psql("SELECT salary FROM staff WHERE id = 1;\nSELEC nonsense;\n", "alice")
    server.psql("SELECT salary FROM staff WHERE id = 2;\nSELECT nothing FROM staff;\n", "bob")
    server.psql("SELECT salary FROM staff WHERE id = 3;\nSELECT * FROM secret;\n", "carol")
    idle = server.psql(
        "SET idle_session_timeout = '200ms';\nSELECT salary FROM staff WHERE id = 4;\n\\! sleep 0.6\n", "dave"
    )
    idle.wait(30)
    gone = server.psql("SELECT salary FROM staff WHERE id = 5;\n\\! sleep 1.2\nSELECT 1;\n", "erin", wait=False)
    time.sleep(0.5)
    server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'erin';")
    gone.wait(30)
    # The same text again, in the same session, fails while its parameter is bound, before it is executed.
    again = "SELECT salary FROM staff WHERE id = :number;\n"
    server.pgbench(f"\\set number 6\n{again}\\set number 99999999999\n{again}", "frank")
    server.psql("SELECT pay(7);\nSELECT 1 / (salary - 2104) FROM staff WHERE id = 8;\n", "grace")
    server.psql("BEGIN;\nSELECT sum(salary) FROM staff;\nSELEC;\nSELECT count(*) FROM staff;\nROLLBACK;\n", "grace")
    server.psql("SET statement_timeout = '100ms';\nSELECT pg_sleep(1), max(salary) FROM staff;\n", "grace")


def check(file: Path, kind: str, options: Options | None = None) -> Sequence[LoggedQuery]:
    """Assert that a log tells every read as answered and every failure as failed, and accounts for every line."""
    tallies: dict[str, Tally] = {}
    found = list(read([file], options, tallies=tallies))
    assert [each for each in found if isinstance(each, LogProblem)] == []
    (tally,) = tallies.values()
    assert tally.lines == len(file.read_text(encoding="utf-8").splitlines()) == sum(tally.fates.values())
    queries = [each for each in found if isinstance(each, LoggedQuery)]
    for user, number in READ.items():
        mine = [each for each in queries if each.user == user and each.sql.startswith("SELECT salary FROM staff")]
        answered = [each for each in mine if each.error is None]
        assert len(answered) == 1, (user, mine)
        unbound = kind == "explain" and user == "frank"  # PostgreSQL 15's auto_explain leaves parameters out
        asked = "$1" if unbound else f"'{number}'" if user == "frank" else number
        assert answered[0].sql.rstrip(";").endswith(f"id = {asked}"), answered[0]
        assert answered[0].unbound == unbound
    failed = {each.sql.rstrip(";"): each for each in queries if each.error is not None}
    assert failed.keys() >= WRONG
    assert not any(failed[sql].ran for sql in WRONG)
    assert not [each for each in queries if each.error is None and each.sql.rstrip(";") in WRONG]
    assert failed["SELECT salary FROM staff WHERE id = $1"].user == "frank"
    assert failed["SELECT 1 / (salary - 2104) FROM staff WHERE id = 8"].ran
    assert failed["SELECT pg_sleep(1), max(salary) FROM staff"].ran
    assert any(each.sql.rstrip(";") == "SELECT sum(salary) FROM staff" and each.error is None for each in queries)
    if kind in ("pgaudit", "explain", "both", "all"):
        assert any(each.sql.startswith("(SELECT salary FROM staff WHERE id = ") for each in queries)  # in a function
    return queries
