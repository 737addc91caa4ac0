"""Columns that determine each other are found, and the line that `check` prints is one that the policy takes."""

from pathlib import Path

import duckdb
import pytest

from sdcdb.policy.load import load_document
from sdcdb.views.check import check

POLICY = """\
version: 1
{across}
tables:
  staff:
    key: id
    {within}
    columns:
      id: identifier
      month: {{role: confidential, domain: [0, 9999]}}
      year: {{role: confidential, domain: [0, 999999]}}
      tax: {{role: confidential, domain: [0, 99999]}}
      luck: {{role: confidential, domain: [0, 99999]}}
    restrict: {{}}
  payroll:
    key: person
    columns: {{person: identifier, gross: {{role: confidential, domain: [0, 99999]}}}}
    restrict: {{}}
"""


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    made.execute(
        "CREATE TABLE staff AS SELECT i AS id, 1000 + (i * 7919) % 8000 AS month, 12 * month + 500 AS year, "
        "month * month // 9000 AS tax, (i * 104729) % 9973 AS luck FROM range(300) t(i)"
    )
    made.execute("CREATE TABLE payroll AS SELECT CAST(id AS VARCHAR) AS person, month * 1.5 AS gross FROM staff")
    return made


def problems(con: duckdb.DuckDBPyConnection, folder: Path, within: str = "", across: str = "") -> list[str]:
    file = folder / "policy.yaml"
    file.write_text(POLICY.format(within=within, across=across), "utf-8")
    return [
        each.message for each in check(con, load_document(file)) if "linked" in each.message or "hold" in each.message
    ]


def test_equations_and_ranks_are_found_with_the_line_to_add(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    found = " ".join(problems(con, tmp_path))
    assert "Add under `staff`: `linked: [year = 12 * month + 500]`" in found
    assert "`linked: [month ~ tax]`" in found
    assert "Add beside `tables`: `linked: [staff.month ~ payroll.gross]`" in found
    assert "luck" not in found
    rest = problems(
        con,
        tmp_path,
        "linked: [year = 12 * month + 500, month ~ tax, year ~ tax]",
        "linked: [staff.month ~ payroll.gross, staff.year ~ payroll.gross, staff.tax ~ payroll.gross]",
    )
    assert rest == []


def test_an_equation_that_does_not_hold_is_an_error(con: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    con.execute("UPDATE staff SET year = NULL WHERE id = 3")
    (found,) = (each for each in problems(con, tmp_path, "linked: [year = 12 * month + 500]") if "hold" in each)
    assert found == "does not hold in 1 record: write `year ~ month` if it holds nearly"
