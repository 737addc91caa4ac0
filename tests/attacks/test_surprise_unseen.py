"""An answer that nobody expected is marked for the owner; an analyst sees no mark, wherever they look."""

import json
from pathlib import Path

import duckdb
import pytest
from support.in_process import Run

import sdcdb
from sdcdb.gateway.ledger.places import ledger_path

POLICY = """\
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      town: quasi
      gain: {role: confidential, domain: [0, 100000], step: 1, known: {0: 92%, 0 to 1000: 7%, 1000 to 100000: 1%}}
    restrict: {min_interval: 10% of spread}
"""
SQL = "SELECT SUM(gain) FROM people WHERE town = 1"


@pytest.fixture
def surprising(tmp_path: Path) -> Path:
    """Return a database in which a town of 300 has gained what 92 in 100 people are known not to have."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(
            "CREATE TABLE people AS SELECT range AS id, (range % 2)::INTEGER AS town, "
            "CASE WHEN range % 2 = 1 THEN 100000 ELSE 0 END::INTEGER AS gain FROM range(600)"
        )
    path.with_suffix(".policy.yaml").write_text(POLICY, encoding="utf-8")
    return path


def shown_to_an_analyst(path: Path) -> list[str]:
    """Return all that the gateway tells ann, before the answer, with it and after it."""
    with sdcdb.open(path) as db, db.gateway() as gateway:
        before = repr(gateway.explain(SQL, user="ann"))
        answer = gateway.ask(SQL, user="ann")
        assert [int(row[0]) for row in answer.rows] == [30_000_000]
        again = gateway.ask(SQL, user="ann")
        said = gateway.ask("EXPLAIN PRIVACY " + SQL, user="ann").rows
        return [before, repr(answer), repr(again), repr(said), repr(gateway.known("ann"))]


def test_an_analyst_sees_no_mark_of_a_surprise(surprising: Path) -> None:
    shown = shown_to_an_analyst(surprising)
    marks = ledger_path(surprising).read_text(encoding="utf-8").replace(" ", "")
    assert '"surprise":true' in marks, "the question was meant to surprise"
    assert not [text for text in shown if "surpris" in text.lower()]


def test_nor_in_status_as_the_command_line_shows_it(surprising: Path, run_here: Run) -> None:
    shown_to_an_analyst(surprising)
    own = run_here("status", surprising, "--user", "ann", "--json")
    owners = run_here("status", surprising, "--json")
    assert "surpris" not in (own.stdout + own.stderr).lower()
    assert json.loads(owners.stdout)["surprises"], "the owner is told"
