"""What Tab offers."""

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from support.staff_relations import RELATIONS

from sdcdb.shell.completion import SqlCompleter, functions


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
