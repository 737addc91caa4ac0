"""What an audit never does without saying so: leave out a proof, cut a list, or skip bounds beyond a budget."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from rich.console import Console
from support.staff_policy import staff_policy

import sdcdb
from sdcdb.auditor import finding, timeline
from sdcdb.auditor.audit import Options
from sdcdb.auditor.document import document
from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.proofs import polytope
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.auditor.reading import input_history
from sdcdb.auditor.run import Request, run
from sdcdb.database import Database
from sdcdb.pages.audit_report import page
from sdcdb.policy.load import load_policy
from sdcdb.policy.models import Policy
from sdcdb.schemas import read_schema
from sdcdb.terminal.audit_text import draw

POLICY = staff_policy((0, 1000), "min_set: 2, min_interval: 10%", quasi=("sex", "dept"), public="dims")
PEOPLE = """
CREATE TABLE staff AS SELECT i AS id, 'p' || i AS name, ['F', 'M'][1 + i % 2] AS sex,
    ['it', 'hr', 'lab'][1 + i % 3] AS dept, 100 + (i * 37) % 800 AS salary FROM range(30) t(i);
CREATE TABLE dims AS SELECT 'it' AS dept, 'north' AS site;
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    file = tmp_path_factory.mktemp("limits") / "staff.duckdb"
    with sdcdb.open(file, create=True) as made:
        made.con.execute(PEOPLE)
    file.with_name("staff.policy.yaml").write_text(POLICY)
    with sdcdb.open(file, read_only=True) as opened:
        yield opened


def test_what_was_read_directly_uses_up_no_proof(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text(
        "time,user,query\n"
        '2026-01-01 00:00:02,ann,"SELECT name, salary FROM staff WHERE id < 10"\n'
        "2026-01-01 00:00:03,bob,SELECT sum(salary) FROM staff WHERE id >= 10\n"
        "2026-01-01 00:00:04,bob,SELECT sum(salary) FROM staff WHERE id > 10\n"
    )
    found = run(database.con, database.policy, Request([log], options=Options(proofs=1))).findings
    exact = [each for each in found if each.level is Level.EXACT]
    direct = [each for each in found if each.level is Level.DIRECT]
    assert (len(direct), len(exact)) == (10, 1)
    assert all(each.users == ("ann",) and each.certificate is not None for each in direct)
    assert exact[0].certificate is not None
    assert exact[0].users == ("bob",)


@pytest.mark.parametrize("limit", ["LISTED", "REPLAYED"])
def test_a_list_that_is_cut_says_so(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(input_history, limit, 3)
    log = tmp_path / "log.sql"
    log.write_text("".join(f"SELECT sum(salary) FROM staff_{n}, staff;\n" for n in range(3)))
    whole = run(database.con, database.policy, Request([log]))
    assert not whole.history.problems
    log.write_text("".join(f"SELECT sum(salary) FROM staff_{n}, staff;\n" for n in range(6)))
    cut = run(database.con, database.policy, Request([log]))
    assert [each.line for each in cut.history.problems] == [4]
    assert "more than 3 different statements" in cut.history.problems[0].what
    assert cut.history.problem_count == 1
    assert cut.exceeds  # the exit code is 1
    assert any("more than 3" in each for each in document(cut)["log_problems"]["listed"])


def test_bounds_beyond_the_budget_are_named() -> None:
    rows = np.array([[1, 1, 1, 0], [0, 1, 1, 1], [1, 0, 1, 1]], dtype=bool)
    values = np.array([30.0, 2.0, 1.0, 50.0])
    known = Evidence.of([1, 1, 1, 1], Domain.of(0, 100), rows, ["sum"] * 3, [int(row @ values) for row in rows])
    assert not intervals(known).open.any()
    assert intervals(known, budget=0).open.all()


LINKED = """\
SELECT sum(salary) FROM staff WHERE dept = 'it';
SELECT sum(salary) FROM staff WHERE dept = 'it' AND id <> 3;
SELECT sum(salary) FROM staff WHERE id IN (0, 22);
SELECT sum(salary) FROM staff WHERE id IN (22, 1);
SELECT sum(salary) FROM staff WHERE id IN (1, 23);
SELECT sum(salary) FROM staff WHERE id IN (23, 0);
"""


def _forms(
    database: Database, log: Path, options: Options | None = None, policy: Policy | None = None
) -> tuple[dict[str, Any], str, str]:
    """Return an audit as data, as text in one line, and as a page."""
    found = run(database.con, policy or database.policy, Request([log], options=options or Options()))
    data = document(found)
    jsonschema.validate(data, read_schema("audit"))
    console = Console(record=True, file=StringIO())
    draw(console, data)
    return data, " ".join(console.export_text().split()), page(found, data)


def test_costs_beyond_the_budget_are_named(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.sql"
    log.write_text(LINKED)
    whole, *_ = _forms(database, log)
    course = whole["columns"][0]["course"]
    assert course["costliest"]
    assert course["costliest_records"] == course["endangered"] > 0
    assert {each["among"] for each in course["costliest"]} == {1}
    monkeypatch.setattr(timeline, "BUDGET", 0)
    cut, text, html = _forms(database, log)
    course = cut["columns"][0]["course"]
    assert (course["costliest"], course["costliest_records"]) == ([], 0)
    assert course["endangered"] > 0
    said = "The costliest answers were not computed: that exceeds the budget"
    assert said in text
    assert said in html
    assert cut["findings"] == whole["findings"]  # only the course was cut
    assert any(each["not_computed"] for each in course["moments"])
    assert "were not computed, as that exceeds the budget of the course" in text


def test_costs_of_a_part_say_so(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.sql"
    log.write_text("".join(f"SELECT sum(salary) FROM staff WHERE id = {n};\n" for n in range(9)))
    monkeypatch.setattr(timeline, "TRACKED", 4)
    monkeypatch.setattr(timeline, "COSTS", 1)
    data, text, html = _forms(database, log)
    course = data["columns"][0]["course"]
    assert (course["costliest_records"], course["endangered"]) == (4, 9)
    assert max(each["among"] for each in course["costliest"]) > 1
    for said in ("the 4 most exposed of 9 exposed records", "statements up to this one, not told apart"):
        assert said in text
        assert said in html


@pytest.mark.parametrize("limit", ["BUDGET", "MATCHING"])
def test_uncertainty_of_matching_records_beyond_the_budget_is_named(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    log = tmp_path / "log.sql"
    log.write_text(LINKED)
    whole, text, html = _forms(database, log)
    assert all(each["given_known_exact"] for each in whole["findings"])
    assert "not exact: the records that match" not in text + html
    monkeypatch.setattr(finding, limit, 0)
    cut, text, html = _forms(database, log)
    assert not all(each["given_known_exact"] for each in cut["findings"])
    assert "not exact: the records that match exceed the budget" in text
    assert "not exact: the records that match exceed the budget" in html


def test_a_finding_that_was_not_proved_says_so(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "log.sql"
    log.write_text(LINKED)
    data, text, html = _forms(database, log, Options(proofs=0))
    assert all(each["certificate"] is None for each in data["findings"])
    assert "no proof was sought" in text
    assert "No proof was sought" in html


def test_a_solver_without_an_answer_leaves_nobody_safe(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.sql"
    log.write_text(LINKED)
    stricter = tmp_path / "stricter.policy.yaml"
    stricter.write_text(POLICY.replace("10%", "40%"))
    whole, *_ = _forms(database, log, policy=load_policy(stricter))
    assert whole["columns"][0]["not_computed"] == 0
    monkeypatch.setattr(polytope._Vertices, "end", lambda *_, **__: None)
    data, text, html = _forms(database, log, policy=load_policy(stricter))
    assert data["columns"][0]["not_computed"] > 0
    assert data["exceeds_policy"]
    assert "the solver found no bounds for them" in text
    assert "the solver found no bounds for them" in html
