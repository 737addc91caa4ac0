"""Answers and denials drawn for a terminal: stars, nothing that a terminal obeys, words that help."""

import io

from rich.console import Console

from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.terminal.answer_table import denial, draw_answer
from sdcdb.terminal.suppressed import hidden
from sdcdb.terminal.values import csv_text, json_text

SUPPRESSED = Verdict("suppress", "size", "a group is too small", "merge groups", suppressed=1)

NASTY = "\x1b]0;owned\x07\x9b2J\x7f\u202e\r\n"


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
