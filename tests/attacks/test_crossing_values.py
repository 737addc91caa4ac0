"""Counts of all values but one, each over other parts of the same people: they meet in a count that nobody asked."""

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
      floor: quasi
      ward: quasi
      sex: quasi
      diagnosis: {role: confidential, known: {flu: 40%, asthma: 35%, hiv: 25%}, sensitive: [hiv]}
    restrict: {groups: deny}
"""
WHERE = "FROM patients WHERE floor = 1"
STEPS = [
    *(f"SELECT COUNT(*) {WHERE} AND ward = {ward} AND diagnosis = 'flu'" for ward in (0, 1)),
    *(f"SELECT COUNT(*) {WHERE} AND sex = {sex} AND diagnosis = 'asthma'" for sex in (0, 1)),
]
LAST = f"SELECT COUNT(*) {WHERE} AND diagnosis = 'hiv'"
LEAVES = "DELETE FROM patients WHERE id = 1"


def patients(con: duckdb.DuckDBPyConnection) -> None:
    drawn = np.random.default_rng(1).choice(["flu", "asthma", "hiv"], p=[0.4, 0.35, 0.25], size=1600)
    drawn[1] = "hiv"
    rows = ", ".join(f"({n}, {n % 2}, {n // 2 % 2}, {n // 4 % 2}, '{value}')" for n, value in enumerate(drawn))
    con.execute(f"CREATE TABLE patients AS SELECT * FROM (VALUES {rows}) t(id, floor, ward, sex, diagnosis)")


def test_one_persons_value_follows_in_plain_duckdb() -> None:
    with duckdb.connect() as con:
        patients(con)
        told = [con.execute(sql).fetchall()[0][0] for sql in STEPS]
        everybody = con.execute(f"SELECT COUNT(*) {WHERE}").fetchall()[0][0]
        con.execute(LEAVES)
        assert everybody - sum(told) - con.execute(LAST).fetchall()[0][0] == 1  # who left has hiv


FOUR = POLICY.replace("{flu: 40%, asthma: 35%, hiv: 25%}", "{flu: 40%, asthma: 30%, cold: 10%, hiv: 20%}")


def test_two_values_of_all_and_the_other_two_of_all_but_one_are_not_both_told(tmp_path: Path) -> None:
    """Whoever left has flu or asthma, or has not: nobody's hiv may be ruled out like that."""
    count = f"SELECT COUNT(*) {WHERE} AND diagnosis = "
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        patients(con)
        con.execute("UPDATE patients SET diagnosis = 'cold' WHERE id % 10 = 3")
    (tmp_path / "policy.yaml").write_text(FOUR)
    with sdcdb.open(tmp_path / "clinic.duckdb", tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        for value in ("flu", "asthma"):
            assert gateway.ask(f"{count}'{value}'", user="mallory").rows
        database.con.execute(LEAVES)
        gateway.refresh()
        assert gateway.ask(f"{count}'cold'", user="mallory").rows
        with pytest.raises(Denied, match="belief"):
            gateway.ask(f"{count}'hiv'", user="mallory")


def test_not_all_of_these_counts_are_answered(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        patients(con)
    (tmp_path / "policy.yaml").write_text(POLICY)
    with sdcdb.open(tmp_path / "clinic.duckdb", tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        for sql in STEPS:
            assert gateway.ask(sql, user="mallory").rows
        database.con.execute(LEAVES)
        gateway.refresh()
        with pytest.raises(Denied, match="belief"):
            gateway.ask(LAST, user="mallory")
    with (
        sdcdb.open(tmp_path / "clinic.duckdb", tmp_path / "policy.yaml") as database,
        database.gateway() as gateway,
        pytest.raises(Denied, match="belief"),
    ):
        gateway.ask(LAST, user="mallory")
