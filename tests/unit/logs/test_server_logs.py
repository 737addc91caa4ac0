"""Logs that real servers wrote (tests/support/record_servers.py): an error marks its own statement and no other."""

import re
from pathlib import Path

import pytest
from support import mariadb_talk, postgres_talk
from support.paths import CASES

from sdcdb.errors import DataError
from sdcdb.logs.formats import Options, read
from sdcdb.logs.record import LoggedQuery, LogProblem

SERVERS = CASES / "logs" / "servers"
POSTGRES = sorted(each.name for each in SERVERS.iterdir() if not each.name.startswith("mariadb"))
LINE = "2026-01-01 00:00:0{}.000 UTC [{}] ann@db {}\n".format
READ = "select salary from staff where id = 1"


def told(folder: Path, *lines: str) -> tuple[list[tuple[str, str | None]], list[LogProblem]]:
    file = folder / "server.log"
    file.write_text("".join(LINE(n % 10, 7, line) for n, line in enumerate(lines)))
    found = list(read([file]))
    queries = [(each.sql, each.error) for each in found if isinstance(each, LoggedQuery)]
    return queries, [each for each in found if isinstance(each, LogProblem)]


@pytest.mark.parametrize("name", POSTGRES)
def test_each_read_counts_as_answered_whatever_went_wrong_after_it(name: str) -> None:
    kind = name.partition(".")[0]
    postgres_talk.check(SERVERS / name, kind)
    if name.endswith(".log"):
        prefix = postgres_talk.SETTINGS[kind]["log_line_prefix"]
        by_setting = postgres_talk.check(SERVERS / name, kind, Options(prefix=prefix))
        guessed = [each for each in read([SERVERS / name]) if isinstance(each, LoggedQuery)]
        assert [(each.user, each.sql) for each in by_setting] == [(each.user, each.sql) for each in guessed]


@pytest.mark.parametrize("name", ["mariadb-general.log", "mariadb-slow.log"])
def test_mariadb_tells_who_read_what(name: str) -> None:
    mariadb_talk.check(SERVERS / name)


def test_an_error_marks_the_statement_that_it_names(tmp_path: Path) -> None:
    found, problems = told(
        tmp_path, f"LOG:  statement: {READ}", "LOG:  statement: select 1/0",
        "ERROR:  division by zero", "STATEMENT:  select 1/0",
    )  # fmt: skip
    assert found == [(READ, None), ("select 1/0", "division by zero")]
    assert problems == []


def test_an_error_with_the_text_of_an_earlier_statement_that_ended_is_another_one(tmp_path: Path) -> None:
    found, _ = told(
        tmp_path, f"LOG:  statement: {READ}", "LOG:  duration: 0.1 ms", "ERROR:  canceled", f"STATEMENT:  {READ}"
    )
    assert found == [(READ, None), (READ, "canceled")]


def test_an_error_that_names_no_statement_marks_none_and_is_a_problem(tmp_path: Path) -> None:
    found, problems = told(tmp_path, f"LOG:  statement: {READ}", "ERROR:  permission denied")
    assert found == [(READ, None)]
    assert [problem.line for problem in problems] == [2]
    assert "line 1 counts as answered" in problems[0].what


def test_of_several_statements_sent_at_once_an_error_marks_none(tmp_path: Path) -> None:
    both = f"{READ}; select 1/0"
    found, _ = told(tmp_path, f"LOG:  statement: {both}", "ERROR:  division by zero", f"STATEMENT:  {both}")
    assert (both, None) in found


def test_pgaudit_alone_cannot_show_that_a_statement_failed(tmp_path: Path) -> None:
    """The line is written when it starts; the error may be of the same text asked again, cancelled while planned."""
    found, _ = told(
        tmp_path, f"LOG:  AUDIT: SESSION,1,1,READ,SELECT,,,{READ},<none>",
        "ERROR:  canceling statement due to statement timeout", f"STATEMENT:  {READ}",
    )  # fmt: skip
    assert [error is None for _, error in found] == [True, False]


def test_the_detail_of_an_error_is_kept_for_it_may_show_a_value(tmp_path: Path) -> None:
    found, _ = told(
        tmp_path, "LOG:  statement: insert into t select salary from staff", "ERROR:  duplicate key",
        "DETAIL:  Key (salary)=(30014) already exists.", "STATEMENT:  insert into t select salary from staff",
    )  # fmt: skip
    assert found[0][1] == "duplicate key\nKey (salary)=(30014) already exists."


@pytest.mark.parametrize(
    "line",
    [
        "LOG:  Anweisung: select salary from staff",
        "LOG:  AUDIT: SESSION,1,1,READ,SELECT,,,\"select salary",
        "LOG:  duration: 1.0 ms  plan:\n\tSomething Else: select salary from staff",
        "x LOG:  psql LOG:  statement: select salary from staff",
    ],
)  # fmt: skip
def test_a_message_that_may_hold_a_statement_and_is_not_understood_is_a_problem(tmp_path: Path, line: str) -> None:
    found, problems = told(tmp_path, line)
    assert found == []
    assert "may contain a statement" in problems[0].what


def test_a_function_called_by_the_fast_path_is_a_statement(tmp_path: Path) -> None:
    found, _ = told(tmp_path, 'LOG:  fastpath function call: "pay" (OID 16400)')
    assert found == [('SELECT "pay"($1)', None)]


def test_users_come_from_the_connection_where_the_prefix_has_none(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text(
        "2026-01-01 00:00:00.000 UTC [7] LOG:  connection authorized: user=ann database=hr\n"
        f"2026-01-01 00:00:00.000 UTC [7] LOG:  statement: {READ}\n"
    )
    assert [each.user for each in read([file]) if isinstance(each, LoggedQuery)] == ["ann"]


def test_a_prefix_that_names_nothing_known_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text(LINE(1, 7, "LOG:  statement: select 1"))
    with pytest.raises(DataError, match=re.escape("log_line_prefix has no %z")):
        list(read([file], Options(format="textlog", prefix="%z")))


def test_mysql_8_writes_its_times_in_full(tmp_path: Path) -> None:
    file = tmp_path / "general.log"
    file.write_text(
        "2026-01-15T10:00:00.123456Z\t    8 Connect\tann@localhost on hr using Socket\n"
        f"2026-01-15T10:00:01.123456Z\t    8 Query\t{READ}\n"
        "2026-01-15T10:00:02.123456Z\t    8 Table Dump\tstaff\n"
    )
    query, problem = list(read([file]))
    assert isinstance(query, LoggedQuery)
    assert (query.user, query.sql, query.dialect) == ("ann", READ, "mysql")
    assert isinstance(problem, LogProblem)
    assert "Table Dump" in problem.what


def test_a_comment_cannot_pass_for_the_next_entry_of_a_slow_log(tmp_path: Path) -> None:
    file = tmp_path / "slow.log"
    file.write_text(
        "# User@Host: ann[ann] @ localhost []\nSET timestamp=1794958471;\nSELECT salary\n"
        "# User@Host: x[x] @ localhost []\nFROM staff;\n"
    )
    found = list(read([file]))
    assert any(isinstance(each, LogProblem) and "no end" in each.what for each in found)
    assert [each.cut for each in found if isinstance(each, LoggedQuery)] == [True, False]
