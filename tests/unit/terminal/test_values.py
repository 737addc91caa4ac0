"""Answers as JSON and CSV; the examples of the packages for terminals."""

import doctest
import json
import math
from datetime import date
from decimal import Decimal

import pytest

import sdcdb.cli.ask
import sdcdb.shell.split
import sdcdb.terminal.status
import sdcdb.terminal.values
from sdcdb.terminal.values import csv_text, json_text


@pytest.mark.parametrize("module", [sdcdb.cli.ask, sdcdb.shell.split, sdcdb.terminal.status, sdcdb.terminal.values])
def test_the_examples_in_docstrings_are_true(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]  # pytest passes a module


def test_json_keeps_values_exact() -> None:
    values = [1, 2**70, 0.1, Decimal("1.10"), date(2020, 1, 2), None, True, math.inf, b"\x00", [1, {"a": "é"}]]
    back = json.loads(json_text(values))
    assert back == [1, 2**70, 0.1, "1.10", "2020-01-02", None, True, "inf", "AA==", [1, {"a": "é"}]]


def test_csv_tells_null_from_suppressed() -> None:
    assert csv_text(("a", "b"), [(None, 'x,"y"\nz'), (None, 1)], {(1, 0)}) == 'a,b\n,"x,""y""\nz"\n*,1\n'
