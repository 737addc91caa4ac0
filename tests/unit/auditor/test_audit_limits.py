"""What an audit never does without saying so: leave out a proof, cut a list, or skip bounds beyond a budget."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.staff_policy import staff_policy

import sdcdb
from sdcdb.auditor.audit import Options
from sdcdb.auditor.document import document
from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.auditor.reading import input_history
from sdcdb.auditor.run import Request, run
from sdcdb.database import Database

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
