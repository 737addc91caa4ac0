"""A view keeps NULL as it is, so everybody sees who has a value: a count is then one of those, not of all people."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.errors import Denied

POLICY = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      ward: quasi
      test: {role: confidential, known: {negative: 15%, positive: 45%, null: 40%}, sensitive: [positive]}
    restrict: {groups: deny}
    protect:
      patients_public: {columns: {test: {method: warner, p: 0.5}}}
"""
WARDS, BEDS = 60, 120


def patients(con: duckdb.DuckDBPyConnection) -> dict[int, tuple[int, int]]:
    """Write a table, and return for each ward how many are positive, and how many have a value."""
    drawn = np.random.default_rng(4).choice(["negative", "positive", "NULL"], p=[0.15, 0.45, 0.4], size=WARDS * BEDS)
    rows = ", ".join(
        f"({n}, {n // BEDS}, {value if value == 'NULL' else repr(str(value))})" for n, value in enumerate(drawn)
    )
    con.execute(f"CREATE TABLE patients AS SELECT * FROM (VALUES {rows}) t(id, ward, test)")
    sql = "SELECT ward, count(*) FILTER (WHERE test = 'positive'), count(test) FROM patients GROUP BY ward"
    return {ward: (positive, known) for ward, positive, known in con.execute(sql).fetchall()}


@pytest.mark.parametrize("shown", [True, False])
def test_counts_beside_a_view_are_judged_among_those_with_a_value(shown: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        truth = patients(con)
    sure = {ward for ward, (positive, known) in truth.items() if positive > 0.8 * known}
    assert sure  # in a few wards more than four of five of those who have a value are positive
    policy = POLICY if shown else POLICY.split("    protect:", maxsplit=1)[0]
    (tmp_path / "policy.yaml").write_text(policy)
    with sdcdb.open(tmp_path / "clinic.duckdb", policy=tmp_path / "policy.yaml") as database:
        if shown:
            database.protect()
            hidden = "SELECT count(*) FROM patients_public WHERE test IS NULL"
            assert database.con.execute(hidden).fetchall()[0][0] == WARDS * BEDS - sum(n for _, n in truth.values())
        with database.gateway() as gateway:
            told = set()
            for ward in range(WARDS):
                try:
                    gateway.ask(f"SELECT COUNT(*) FROM patients WHERE test = 'positive' AND ward = {ward}", user="ann")
                    told.add(ward)
                except Denied as refusal:
                    rule = refusal.rule
                    assert rule == "belief"
            assert bool(told & sure) != shown
            whole = "SELECT COUNT(*) FROM patients WHERE test = 'positive'"
            assert gateway.ask(whole, user="bob").rows[0][0] == sum(n for n, _ in truth.values())
