"""Nothing of a log is lost in silence: every line is accounted for, and what is damaged is a problem."""

import gzip
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.paths import CASES

from sdcdb.errors import DataError
from sdcdb.logs.formats import FORMATS, Options, detect, read
from sdcdb.logs.record import LoggedQuery, LogProblem
from sdcdb.logs.source import Source
from sdcdb.logs.splitter import ends_inside, statements
from sdcdb.logs.tally import Fate, Tally

LOGS = CASES / "logs"
SAMPLES = [
    LOGS / "postgresql.csv", LOGS / "postgresql.json", LOGS / "postgresql.log", *sorted((LOGS / "servers").iterdir()),
]  # fmt: skip
MARK = "SELECT salary FROM staff WHERE id ="


def every(file: Path, form: str | None = None) -> tuple[list[LoggedQuery], list[LogProblem], Tally]:
    tallies: dict[str, Tally] = {}
    found = list(read([file], Options(format=form), tallies=tallies))
    queries = [each for each in found if isinstance(each, LoggedQuery)]
    return queries, [each for each in found if isinstance(each, LogProblem)], tallies[str(file)]


@pytest.mark.parametrize("file", SAMPLES, ids=lambda file: file.name)
def test_lines_add_up(file: Path) -> None:
    queries, problems, tally = every(file)
    assert problems == []
    assert tally.lines == len(file.read_bytes().splitlines()) == sum(tally.fates.values())
    assert tally.fates[Fate.PROBLEM] == 0
    assert tally.fates[Fate.STATEMENT] >= len(queries) > 0


def _damaged(raw: bytes, how: str, seed: int) -> bytes:
    chosen = random.Random(seed)  # noqa: S311 - a test's damage
    lines = raw.splitlines(keepends=True)
    at = chosen.randrange(len(raw))
    if how == "cut":
        return raw[:at]
    if how == "bytes":
        return raw[:at] + bytes(chosen.randrange(256) for _ in range(chosen.randrange(1, 40))) + raw[at + 1 :]
    if how == "nul":
        return raw[:at] + b"\0" * 50 + raw[at:]
    if how == "middle":
        return raw[:at] + raw[at + chosen.randrange(1, 300) :]
    if how == "shuffle":
        chosen.shuffle(lines)
        return b"".join(lines)
    half = len(lines) // 2
    return b"".join(lines[half:] + lines[:half])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(SAMPLES),
    st.sampled_from(["cut", "bytes", "nul", "middle", "shuffle", "swap"]),
    st.integers(0, 10**6),
)
def test_damaged_logs_add_up_and_what_is_missing_is_told(file: Path, how: str, seed: int) -> None:
    """Where a statement of the whole log is missing in the damaged one, there is a problem, or its line is gone."""
    form = detect(Source(file))
    damaged = _damaged(file.read_bytes(), how, seed)
    with tempfile.TemporaryDirectory() as folder:
        spoilt = Path(folder) / "log"
        spoilt.write_bytes(damaged)
        queries, problems, tally = every(spoilt, form)
    assert tally.missing == 0
    assert sum(tally.fates.values()) == tally.lines
    if tally.fates[Fate.PROBLEM]:
        assert problems
    if how in ("nul", "bytes") and not problems:
        _still_there(file, queries, damaged)


def _still_there(file: Path, queries: Sequence[LoggedQuery], damaged: bytes) -> None:
    whole, _, _ = every(file)
    kept = "\n".join(each.sql for each in queries)
    for each in whole:
        if each.sql.encode() in damaged and each.sql.startswith(MARK):
            assert each.sql in kept


def test_nul_bytes_are_a_problem_and_what_follows_them_is_read(tmp_path: Path) -> None:
    raw = (LOGS / "servers" / "statement.log").read_bytes()
    lines = raw.splitlines(keepends=True)
    file = tmp_path / "log"
    file.write_bytes(b"".join(lines[:6]) + b"\0" * 4096 + b"".join(lines[6:]))
    queries, problems, _ = every(file)
    assert [problem.what[:9] for problem in problems] == ["NUL bytes"]
    assert any(each.user == "alice" and each.sql.startswith(MARK) for each in queries)


@pytest.mark.parametrize(
    "name", ["statement.log", "all.csv", "statement.json", "mariadb-general.log", "mariadb-slow.log"]
)
def test_a_last_line_that_was_cut_is_a_problem(tmp_path: Path, name: str) -> None:
    raw = (LOGS / "servers" / name).read_bytes()
    file = tmp_path / "log"
    file.write_bytes(raw[:-7])
    assert any("middle of this line" in problem.what for problem in every(file)[1])


def test_a_truncated_gzip_is_a_problem(tmp_path: Path) -> None:
    raw = gzip.compress((LOGS / "servers" / "all.csv").read_bytes())
    file = tmp_path / "log.gz"
    file.write_bytes(raw[: len(raw) // 2])
    _, problems, tally = every(file)
    assert any("truncated" in problem.what for problem in problems)
    assert tally.missing == 0


def test_two_odd_quotes_lose_two_lines_not_all_between_them(tmp_path: Path) -> None:
    good = "".join(f"u,select {n}\n" for n in range(10))
    file = tmp_path / "log.csv"
    file.write_text(f'user,sql\nu,"select oops\n{good}u,select "more\n{good}')
    queries, problems, tally = every(file)
    assert len(queries) == 20
    assert [problem.line for problem in problems] == [2, 13]
    assert tally.missing == 0


@pytest.mark.parametrize(
    ("dialect", "text", "number"),
    [
        ("mysql", r"select 'it\'s; one'; select 2", 2),
        ("mysql", 'select "a\\"; b"; select 2', 2),
        ("mysql", "select 1 # ; no\n; select 5--1; select 2", 3),
        ("tsql", "select [a;b] from [x]]y;z]; select 2", 2),
        ("tsql", "select 1\nGO\nselect 2\ngo 3\n", 2),
        ("postgres", r"select E'it\'s; one', '\'; select $$;$$", 2),
        ("bigquery", r"select 'a\'; b'; select 2", 2),
    ],
)
def test_statements_end_where_their_dialect_says(dialect: str, text: str, number: int) -> None:
    assert len(statements(text, dialect)) == number
    assert ends_inside(text, dialect) == ""


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [("postgres", "select 'abc"), ("mysql", r"select 'abc\'"), ("tsql", "select [abc"), ("postgres", "select $$abc"),
     ("duckdb", "select 1 /* abc")],
)  # fmt: skip
def test_an_open_quote_is_a_problem_and_the_statement_marked(tmp_path: Path, dialect: str, sql: str) -> None:
    for form, text in (("csv", f'user,sql\nann,"{sql}"\nann,select 2\n'), ("sql", f"select 1;\n{sql}\n;\nselect 2;\n")):
        file = tmp_path / f"log.{form}"
        file.write_text(text)
        found = list(read([file], Options(dialect=dialect)))
        assert [type(each) for each in found if isinstance(each, LogProblem)] == [LogProblem], (form, found)
        assert [each.cut for each in found if isinstance(each, LoggedQuery)].count(True) == 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300))
def test_no_bytes_make_the_readers_fail(raw: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "log"
        file.write_bytes(raw)
        for form in FORMATS:
            try:
                _, _, tally = every(file, form)
            except DataError as problem:
                assert "query" in str(problem)  # noqa: PT017 - a table without a query column is the user's to name
            else:
                assert tally.missing == 0
