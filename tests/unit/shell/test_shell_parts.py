"""The parts of the shell that need no terminal."""

import doctest
import io
import json
import math
import stat
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from rich.console import Console

import sdcdb.cli.ask
import sdcdb.shell.split
import sdcdb.terminal.status
import sdcdb.terminal.values
from sdcdb.cli.ask import parameters
from sdcdb.errors import Denied, SdcdbError, Unsupported
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.relations import Confidential, Relation, Relations, Restricted
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.policy.models import Restrict
from sdcdb.shell.completion import SqlCompleter, functions
from sdcdb.shell.describe import describe
from sdcdb.shell.history import history
from sdcdb.shell.prompt import finished
from sdcdb.shell.split import blank, split
from sdcdb.terminal.answer_table import denial, draw_answer
from sdcdb.terminal.suppressed import hidden
from sdcdb.terminal.values import csv_text, json_text

SALARY = Confidential("salary", "INTEGER", 10_000, 250_000, 1)
STAFF = Restricted(
    "staff",
    "restricted",
    {"sex": "VARCHAR", "salary": "INTEGER", "Job title": "VARCHAR"},
    "id",
    ("sex", "Job title"),
    {"salary": SALARY},
    Restrict(),
)
RELATIONS = Relations((STAFF, Relation("dept_dim", "public", {"dept": "VARCHAR", "campus": "VARCHAR"})))
SUPPRESSED = Verdict("suppress", "size", "a group is too small", "merge groups", suppressed=1)
NASTY = "\x1b]0;owned\x07\x9b2J\x7f\u202e\r\n"


@pytest.mark.parametrize("module", [sdcdb.cli.ask, sdcdb.shell.split, sdcdb.terminal.status, sdcdb.terminal.values])
def test_the_examples_in_docstrings_are_true(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]  # pytest passes a module


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("SELECT 1; SELECT 2;", ("SELECT 1", "SELECT 2"), ""),
        ("SELECT ';'; x", ("SELECT ';'",), " x"),
        ("SELECT 'it''s; so';", ("SELECT 'it''s; so'",), ""),
        ('SELECT "a;""b";', ('SELECT "a;""b"',), ""),
        ("SELECT 1 -- one; two\n;", ("SELECT 1 -- one; two",), ""),
        ("SELECT /* ; */ 1;", ("SELECT /* ; */ 1",), ""),
        ("SELECT $$;$$; SELECT $a$;$$;$a$;", ("SELECT $$;$$", "SELECT $a$;$$;$a$"), ""),
        ("SELECT $1, $2; SELECT $1;", ("SELECT $1, $2", "SELECT $1"), ""),
        ("SELECT 'open; ;", (), "SELECT 'open; ;"),
        ("SELECT /* open; ;", (), "SELECT /* open; ;"),
        ("SELECT 1 -- open;", (), "SELECT 1 -- open;"),
        (";;  ; -- nothing\n;", (), ""),
    ],
)
def test_a_semicolon_in_quotes_or_comments_ends_nothing(text: str, statements: tuple[str, ...], rest: str) -> None:
    assert split(text) == sdcdb.shell.split.Split(statements, rest)


@given(st.text(alphabet="a;'\"-/*$\n ", max_size=40))
def test_splitting_loses_nothing_but_semicolons_blanks_and_comments(text: str) -> None:
    found = split(text)
    kept = [*found.statements, found.rest]
    assert all(part.strip() in text for part in kept)
    assert all(not blank(part) for part in found.statements)
    assert split(found.rest).statements == ()


@pytest.mark.parametrize("text", ["", "\\d", "SELECT 1;", "SELECT 1; -- done", "exit"])
def test_enter_ends_an_input_that_is_complete(text: str) -> None:
    assert finished(text)


@pytest.mark.parametrize("text", ["SELECT 1", "SELECT ';", "SELECT 1; SELECT", "-- ;"])
def test_enter_begins_a_new_line_otherwise(text: str) -> None:
    assert not finished(text)


def drawn(answer: Answer, sql: str) -> str:
    text = io.StringIO()
    console = Console(file=text, width=80)
    draw_answer(console, console, answer, hidden(answer, sql))
    return text.getvalue()


def test_suppressed_numbers_are_stars_and_explained() -> None:
    answer = Answer(("sex", "mean"), ("VARCHAR", "DOUBLE"), (("F", 1.5), ("M", None)), SUPPRESSED)
    lines = drawn(answer, "SELECT sex, AVG(salary) AS mean FROM staff GROUP BY sex").splitlines()
    assert [line.split() for line in lines[2:4]] == [["F", "1.5"], ["M", "*"]]
    assert lines[4:] == ["* 1 group suppressed (size): a group is too small", "  try: merge groups"]


def test_keys_of_subtotals_are_no_stars() -> None:
    answer = Answer(("sex", "n"), ("VARCHAR", "BIGINT"), (("F", None), (None, 12)), SUPPRESSED)
    assert hidden(answer, "SELECT sex, COUNT(*) AS n FROM staff GROUP BY ROLLUP (sex)") == {(0, 1)}


def test_a_null_beside_an_answer_is_no_star() -> None:
    answer = Answer(("n", "m"), ("BIGINT", "BIGINT"), ((7, None), (None, None)), SUPPRESSED)
    assert hidden(answer, "SELECT COUNT(*) AS n, MIN(age) AS m FROM staff GROUP BY sex") == {(1, 0), (1, 1)}


def test_behind_a_cte_every_null_may_be_suppressed() -> None:
    answer = Answer(("sex", "m"), ("VARCHAR", "DOUBLE"), (("F", None), ("M", 2.0)), SUPPRESSED)
    sql = "WITH t AS (SELECT sex, AVG(salary) AS m FROM staff GROUP BY sex) SELECT sex, m FROM t"
    assert hidden(answer, sql) == {(0, 1)}


def test_an_answer_in_full_has_no_stars() -> None:
    assert hidden(Answer(("a",), ("INTEGER",), ((None,),), Verdict("allow")), "SELECT NULL AS a") == frozenset()


def test_a_pipe_gets_long_values_uncut() -> None:
    answer = Answer(("a", "b"), ("VARCHAR", "VARCHAR"), (("x" * 300, "y" * 300),), Verdict("allow"))
    assert "x" * 300 + "   " + "y" * 300 in drawn(answer, "SELECT")


def test_no_value_writes_control_characters() -> None:
    answer = Answer((NASTY, "b"), ("VARCHAR", "BLOB"), ((NASTY, b"\x1b"), ("é 🙂", None)), Verdict("allow"))
    refusal = Unsupported(f"there is no table {NASTY}", NASTY)
    table = drawn(answer, "SELECT")
    printed = [
        table,
        denial(refusal).plain,
        json_text({"rows": answer.rows, "columns": answer.columns}),
        csv_text(answer.columns, answer.rows),
    ]
    for text in printed:
        assert all(char.isprintable() or char in "\n\t" for char in text), repr(text)
    assert "\\x1b]0;owned\\x07" in table
    assert "é 🙂" in table


def test_a_denial_says_rule_reason_and_hint() -> None:
    assert (
        denial(Denied("size", "too small", "widen a range")).plain == "denied (size): too small\n  try: widen a range"
    )
    assert denial(Unsupported("no such thing")).plain == "not supported (shape): no such thing"


def test_json_keeps_values_exact() -> None:
    values = [1, 2**70, 0.1, Decimal("1.10"), date(2020, 1, 2), None, True, math.inf, b"\x00", [1, {"a": "é"}]]
    back = json.loads(json_text(values))
    assert back == [1, 2**70, 0.1, "1.10", "2020-01-02", None, True, "inf", "AA==", [1, {"a": "é"}]]


def test_csv_tells_null_from_suppressed() -> None:
    assert csv_text(("a", "b"), [(None, 'x,"y"\nz'), (None, 1)], {(1, 0)}) == 'a,b\n,"x,""y""\nz"\n*,1\n'


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["F"], "write 1=VALUE"),
        (["=F"], "write 1=VALUE"),
        (["1=F", "1=M"], "twice"),
        (["1=F", "3=M"], "without a gap"),
        (["1=F", "sex=M"], "without a gap"),
    ],
)
def test_parameters_that_make_no_sense(given: list[str], says: str) -> None:
    with pytest.raises(SdcdbError, match=says):
        parameters(given)


def test_parameters_are_what_they_look_like() -> None:
    assert parameters([]) is None
    assert parameters(["2=b=c", "1=-1.5e3", "3=NULL", "4=true", "5='it''s'", "6=0.5", "7="]) == [
        *(-1500.0, "b=c", None, True, "it's", 0.5, "")
    ]


def completed(text: str) -> list[str]:
    completer = SqlCompleter(RELATIONS)
    return [each.text for each in completer.get_completions(Document(text), CompleteEvent())]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("SELECT sal", ["salary"]),
        ("SELECT av", ["avg("]),
        ("select fro", ["from"]),
        ("SELECT count(*) FROM st", ["staff"]),
        ("SELECT count(*) FROM ", ["staff", "dept_dim"]),
        ("SELECT count(*) FROM dept_dim d JOIN staff s USING (dept) WHERE d.c", ["campus"]),
        ("SELECT staff.se", ["sex"]),
        ("SELECT count(*) FROM staff WHERE jo", ['"Job title"', "join"]),
        ("\\ex", ["\\explain"]),
        ("\\d de", ["dept_dim"]),
    ],
)
def test_completion(text: str, wanted: list[str]) -> None:
    assert completed(text) == wanted


def test_functions_are_those_of_the_gateway_under_names_of_duckdb() -> None:
    assert {"sum", "avg", "lower", "date_trunc", "substring"} <= set(functions())
    assert not {"median", "list", "str_position", "if", "string_agg"} & set(functions())


def test_identifiers_are_not_described() -> None:
    assert describe(RELATIONS, "STAFF") == [
        ("sex", "VARCHAR", "conditions, GROUP BY, aggregates"),
        ("salary", "INTEGER", "count, sum, avg, min, max; values 10,000 to 250,000 in steps of 1"),
        ("Job title", "VARCHAR", "conditions, GROUP BY, aggregates"),
    ]
    with pytest.raises(SdcdbError, match="did you mean 'staff'"):
        describe(RELATIONS, "stuff")


def test_the_history_is_for_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    kept, problem = history(kept=True)
    kept.store_string("SELECT 1;")
    file = tmp_path / "sdcdb" / "history"
    assert problem is None
    assert "SELECT 1;" in file.read_text(encoding="utf-8")
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)


def test_a_history_that_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sdcdb").write_text("a file where a folder belongs", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert "history will not be kept" in (history(kept=True)[1] or "")
    assert history(kept=False)[1] is None
