"""Query logs are read whatever their format; what is broken is reported with its line, and the rest is still read."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.paths import CASES

from sdcdb.errors import DataError, SdcdbError
from sdcdb.logs.binding import bound, executed
from sdcdb.logs.formats import Options, detect, read
from sdcdb.logs.record import LoggedQuery, LogProblem, Place
from sdcdb.logs.source import REPORTED, Source
from sdcdb.logs.splitter import statements

LOGS = CASES / "logs"
SUM = "SELECT sum(salary) FROM staff WHERE sex = 'F'"


def queries(*paths: Path, options: Options | None = None) -> list[LoggedQuery]:
    return [each for each in read(paths, options) if isinstance(each, LoggedQuery)]


def problems(*paths: Path, options: Options | None = None) -> list[LogProblem]:
    return [each for each in read(paths, options) if isinstance(each, LogProblem)]


def written(folder: Path, text: str | bytes, name: str = "log") -> Path:
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


POSTGRES = [
    ("alice", SUM),
    ("alice", "SELECT avg(salary),\n  count(*) FROM staff -- a \"comment\"\n  WHERE dept = 'IT'"),
    ("bob", "select max(salary) from staff where sex = 'it''s' and age > '30'"),
    ("bob", "select salary from staff where id = 7;"),
    ("bob", "select nonsense from staff;"),
    ("bob", "begin;"),
    ("bob", "select count(*) from staff;"),
    ("bob", "commit;"),
    ("bob", "select 'a,b', $$dollar 'quote'$$ from staff limit 1;"),
    ("alice", "select sum(salary) from staff where age >= '40' and dept = 'IT';"),
    ("alice", "select sum(salary) from staff where age >= '40' and dept = 'IT';"),
    ("alice", "select sum(salary) from staff where age >= '34' and dept = 'IT';"),
    ("alice", "SELECT min(salary) FROM staff WHERE sex = 'M'"),
    ("bob", "select sum(salary) from staff where age >= '38' and dept = 'IT';"),
]
"""What a PostgreSQL 15 server with pgAudit logged: plain, prepared and extended queries, a failure, durations."""


@pytest.mark.parametrize(("name", "form"), [("csv", "csvlog"), ("json", "jsonlog"), ("log", "textlog")])
def test_a_real_server_log_tells_every_statement_once(name: str, form: str) -> None:
    file = LOGS / f"postgresql.{name}"
    assert detect(Source(file)) == form
    found = queries(file)
    assert [(query.user, query.sql) for query in found] == POSTGRES
    assert [query.sql for query in found if query.error] == ["select nonsense from staff;"]
    assert not any(query.unbound for query in found)
    assert found[0].time == datetime(2026, 11, 16, 22, 11, 31, 207_000, tzinfo=UTC)
    assert found[0].dialect == "postgres"
    assert problems(file) == []


def test_pgaudit_lines_alone_are_enough(tmp_path: Path) -> None:
    lines = (LOGS / "postgresql.log").read_text().splitlines(keepends=True)
    only = [line for line in lines if "AUDIT: " in line or line.startswith("\t") or "ERROR" in line]
    found = queries(written(tmp_path, "".join(only)))
    expected = [each for each in POSTGRES if each[1] not in ("begin;", "commit;", "select nonsense from staff;")]
    trimmed = [(user, sql.rstrip(";")) for user, sql in expected]
    assert [(query.user, query.sql.rstrip(";")) for query in found] == trimmed


def test_a_parameter_that_the_server_cut_short_stays_open(tmp_path: Path) -> None:
    line = """2026-01-01 00:00:00.000 UTC [7] ann@db LOG:  execute a: select sum(x) from t where k = $1
2026-01-01 00:00:00.000 UTC [7] ann@db DETAIL:  parameters: $1 = 'abc...'...
"""
    (query,) = queries(written(tmp_path, line))
    assert query.unbound
    assert query.user == "ann"


def test_a_permission_that_was_denied_is_seen_only_in_its_own_session(tmp_path: Path) -> None:
    line = "2026-01-01 00:00:0{}.000 UTC [{}] {}@db {}\n".format
    text = (
        line(1, 7, "ann", "LOG:  statement: select salary from staff")
        + line(2, 8, "ben", "LOG:  statement: select sum(salary) from staff")
        + line(3, 7, "ann", "ERROR:  permission denied for table staff")
        + line(3, 7, "ann", "STATEMENT:  select salary from staff")
    )
    found = queries(written(tmp_path, text))
    assert [(query.user, query.error) for query in found] == [
        ("ann", "permission denied for table staff"),
        ("ben", None),
    ]


def test_a_csvlog_of_an_older_server_has_fewer_columns(tmp_path: Path) -> None:
    line = (LOGS / "postgresql.csv").read_text().splitlines()[0]
    old = ",".join(line.split(",")[:-3]) + "\n"
    assert queries(written(tmp_path, old))[0].sql == SUM


def test_duckdbs_own_log_with_its_contexts() -> None:
    found = queries(LOGS / "duckdb" / "duckdb_log_entries.csv")
    assert [query.user for query in found] == ["connection 2"] * 5
    assert found[1].sql == "select sum(salary) from staff where sex='F'"
    assert [query.sql for query in found if query.unbound] == ["select sum(salary) from staff where sex=?"]
    assert found[3].line == 5
    assert found[4].line == 7


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_duckdbs_log_exported(tmp_path: Path, form: str) -> None:
    file = tmp_path / f"log.{form}"
    con = duckdb.connect()
    con.execute("CALL enable_logging('QueryLog')")
    con.execute("SELECT 40 + 2").fetchall()
    con.execute(f"COPY (SELECT * REPLACE (timestamp::TIMESTAMP::VARCHAR AS timestamp) FROM duckdb_logs) TO '{file}'")
    options = Options(columns={"query": "message"}) if form == "parquet" else None
    assert any(query.sql == "SELECT 40 + 2" for query in queries(file, options=options))


def test_a_csv_table_with_names_of_its_own(tmp_path: Path) -> None:
    file = written(tmp_path, f'ts;who;what;found\n2026-03-01 10:00;ann;"{SUM}";"[[5]]"\n')
    options = Options(columns={"query": "what", "answer": "found"})
    (query,) = queries(file, options=options)
    assert (query.sql, query.user, query.answers) == (SUM, "ann", ((5,),))
    assert query.time == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_a_table_without_a_column_for_the_query_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none of the columns a, b looks like the query"):
        queries(written(tmp_path, "a,b\n1,2\n"))
    with pytest.raises(DataError, match=r"no column 'sqll' for the query.*did you mean 'sql'"):
        queries(written(tmp_path, "sql,b\n1,2\n"), options=Options(columns={"query": "sqll"}))


def test_json_lines_and_parquet_tables(tmp_path: Path) -> None:
    rows = [{"timestamp": "2026-03-01T10:00:00Z", "user": "ann", "sql": SUM, "result": {"rows": [["F", 1.5]]}}]
    lines = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    (query,) = queries(lines)
    assert query.answers == (("F", 1.5),)
    parquet = tmp_path / "log.parquet"
    duckdb.execute(
        f"COPY (SELECT 'ann' AS user, '{SUM.replace(chr(39), chr(39) * 2)}' AS query FROM range(3)) TO '{parquet}'"
    )
    assert [query.sql for query in queries(parquet)] == [SUM] * 3
    assert [query.line for query in read([parquet], resume={str(parquet): Place(2, 2)})] == [3]


def test_a_script_says_who_and_when(tmp_path: Path) -> None:
    text = "-- user: ann\n-- time: 2026-01-01 00:00\nselect 1; select ';';\n-- user: ben\nselect\n 2 -- ;\n;\nselect 3"
    found = queries(written(tmp_path, text))
    assert [(query.user, query.line, query.sql) for query in found] == [
        ("ann", 3, "select 1"), ("ann", 3, "select ';'"), ("ben", 5, "select\n 2 -- ;"), ("ben", 8, "select 3"),
    ]  # fmt: skip


def test_statements_end_outside_quotes_and_comments_only() -> None:
    hard = [
        "select 'a;b', \"c;d\", $$;$$, $x$ $$ ; $x$",
        "select e'it\\'s; fine'",
        "select /* ; /* nested ; */ ; */ 1",
        "select 1 -- ; no\n + 1",
        "select `a;b` from t where x = $1",
    ]
    assert statements(";\n".join(hard) + ";") == hard


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(["a", "';'", '";"', " $$;'$$", "/*;*/", "-- ;'\n", " ", "$1", "\n"]), min_size=1),
    st.integers(1, 4),
)
def test_splitting_joined_statements_gives_them_back(parts: list[str], times: int) -> None:
    one = "select " + "".join(parts).strip()
    one = one + "\n" if one.rpartition("\n")[2].count("--") else one
    assert statements(";".join([one] * times)) == [one.strip()] * times


def test_parameters_are_put_in_outside_quotes_only() -> None:
    assert bound("select '?', \"$1\", $$ $1 $$, ? -- ?\n, a->>?", ["x", None])[0] == (
        "select '?', \"$1\", $$ $1 $$, 'x' -- ?\n, a->>NULL"
    )
    assert bound("select $10", ["x"]) == ("select $10", True)
    assert executed("EXECUTE q(now())", "PREPARE q AS SELECT $1") is None


def test_a_gzipped_log_reads_as_the_plain_one(tmp_path: Path) -> None:
    plain = LOGS / "postgresql.json"
    packed = written(tmp_path, gzip.compress(plain.read_bytes()))
    assert [query.sql for query in queries(packed)] == [query.sql for query in queries(plain)]


def test_a_truncated_gzip_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = "".join(json.dumps({"user": f"u{n}", "sql": f"select {n * 7919 % 1000}"}) + "\n" for n in range(5_000))
    packed = gzip.compress(text.encode())
    file = written(tmp_path, packed[: len(packed) // 2])
    found, wrong = queries(file), problems(file)
    assert 1_000 < len(found) < 4_000
    assert any("truncated" in problem.what and problem.line > 1_000 for problem in wrong)


def test_broken_lines_are_reported_with_their_numbers(tmp_path: Path) -> None:
    lines = [b'{"user": "a", "sql": "select 1"}', b'{"user": "a", "sql": "sel',
             b'{"user": "\xff\xfe", "sql": "select 2"}',
             b"[1, 2]", b'{"user": "a", "sql": ""}', b'{"sql": "select 3", "time": "soon"}', b""]  # fmt: skip
    file = written(tmp_path, b"\n".join(lines))
    assert [query.sql for query in queries(file)] == ["select 1", "select 2", "select 3"]
    assert [problem.line for problem in problems(file)] == [2, 3, 4, 5, 6]
    assert problems(file)[0].text() == f"{file}:2: not JSON (unterminated string starting at)"


def test_an_open_quote_costs_one_line_not_the_file(tmp_path: Path) -> None:
    good = "".join(f"u,select {n}\n" for n in range(10))
    file = written(tmp_path, 'user,sql\nu,"select oops\n' + good)
    assert [query.sql for query in queries(file)] == [f"select {n}" for n in range(10)]
    assert [problem.line for problem in problems(file)] == [2]


def test_a_clock_that_jumps_is_reported_and_order_kept(tmp_path: Path) -> None:
    times = [
        "2026-01-01 10:00:00",
        "2026-01-01 10:00:01",
        "2025-06-01 00:00:00",
        "2025-06-01 00:00:02",
        "2999-01-01 00:00:00",
    ]
    file = written(tmp_path, "time,sql\n" + "".join(f"{time},select {n}\n" for n, time in enumerate(times)))
    assert [query.sql for query in queries(file)] == [f"select {n}" for n in range(5)]
    back, future = problems(file)
    assert (back.line, future.line) == (4, 6)
    assert "goes back by 214 days, 10:00:01" in back.what
    assert "future" in future.what


def test_a_spoilt_file_does_not_flood_the_report(tmp_path: Path) -> None:
    file = written(tmp_path, '{"sql": "select 1"}\n' + "{broken\n" * 1_000)
    found = problems(file)
    assert len(found) == REPORTED + 1
    assert "more of the same" in found[-1].what


def test_reading_goes_on_where_it_was_left(tmp_path: Path) -> None:
    for file in (LOGS / "postgresql.csv", LOGS / "duckdb" / "duckdb_log_entries.csv",
                 written(tmp_path, "select 1; select 2;\nselect 3;")):  # fmt: skip
        everything = queries(file)
        for taken in range(1, len(everything)):
            place = everything[taken - 1].after
            rest = [each.sql for each in read([file], resume={str(file): place}) if isinstance(each, LoggedQuery)]
            assert rest[-1] == everything[-1].sql
            assert set(rest) >= {each.sql for each in everything[taken:]}


def test_utf16_with_a_mark_is_read(tmp_path: Path) -> None:
    file = written(tmp_path, ("user,sql\nÅsa,select 'ਊ' -- U+0A0A\nb,select 2\n").encode("utf-16"))
    assert [(query.user, query.sql) for query in queries(file)] == [("Åsa", "select 'ਊ' -- U+0A0A"), ("b", "select 2")]


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no format that sdcdb recognises"):
        queries(written(tmp_path, "lorem ipsum dolor\nsit amet\n"))
    with pytest.raises(SdcdbError, match="No such file"):
        queries(tmp_path / "absent")
    with pytest.raises(SdcdbError, match="is a folder"):
        queries(tmp_path)
    with pytest.raises(DataError, match=r"'csvlogg' is not a log format.*'csvlog'"):
        Options(format="csvlogg")
    assert queries(written(tmp_path, "")) == []
