"""Counts of a value that is not sensitive: whoever has it has no sensitive one, and whoever has not, more probably."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import numpy as np
import pytest
from scipy.optimize import linprog

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
      floor: quasi
      diagnosis: {role: confidential, known: {flu: 80%, asthma: 3%, hiv: 17%}, sensitive: [hiv]}
    restrict: {min_set: 5, groups: deny}
"""
PATIENTS = """
CREATE TABLE patients AS
SELECT i AS id, i % 4 AS ward, i // 4 % 4 AS floor,
       CASE WHEN i * 7919 % 100 < 80 THEN 'flu' WHEN i * 7919 % 100 < 83 THEN 'asthma' ELSE 'hiv' END AS diagnosis
FROM range(2000) r(i)
"""
FLU = "SELECT COUNT(*) FROM patients WHERE diagnosis = 'flu' AND ward = 0"


@contextmanager
def clinic(folder: Path, policy: str = POLICY, patients: str = PATIENTS) -> Iterator[sdcdb.Database]:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute(patients)
    (folder / "policy.yaml").write_text(policy)
    with sdcdb.open(folder / "clinic.duckdb", folder / "policy.yaml") as database:
        yield database


def test_one_who_moves_is_not_told_to_have_no_flu(tmp_path: Path) -> None:
    """Whoever has no flu here has hiv with 17 of 20: more than the 80% that anybody may believe."""
    with clinic(tmp_path) as database, database.gateway() as gateway:
        assert gateway.ask(FLU, user="mallory").rows
        database.con.execute("UPDATE patients SET ward = 0 WHERE id = 17")
        gateway.refresh()
        with pytest.raises(Denied) as denied:
            gateway.ask(FLU, user="mallory")
        assert denied.value.rule == "belief"


def test_large_groups_are_counted_by_it(tmp_path: Path) -> None:
    with clinic(tmp_path) as database, database.gateway() as gateway:
        counted = gateway.ask("SELECT ward, COUNT(*) FROM patients WHERE diagnosis = 'flu' GROUP BY ward", user="ann")
        assert len(counted.rows) == 4


FOUR = POLICY.replace("{flu: 80%, asthma: 3%, hiv: 17%}", "{flu: 40%, asthma: 40%, cold: 3%, hiv: 17%}")
WARDS, BEDS = 60, 20


@pytest.mark.parametrize("values", [("flu", "asthma"), ("asthma", "flu"), ("flu", "asthma", "cold")])
def test_two_values_together_do_not_say_that_nobody_has_the_third(values: tuple[str, ...], tmp_path: Path) -> None:
    """In one ward of a hundred everybody has flu or asthma. Each count alone is harmless: about a third have hiv."""
    drawn = np.random.default_rng(3).choice(["flu", "asthma", "cold", "hiv"], p=[0.4, 0.4, 0.03, 0.17], size=1200)
    rows = ", ".join(f"({n}, {n // BEDS}, 0, '{value}')" for n, value in enumerate(drawn))
    patients = f"CREATE TABLE patients AS SELECT * FROM (VALUES {rows}) t(id, ward, floor, diagnosis)"
    with clinic(tmp_path, FOUR, patients) as database, database.gateway() as gateway:
        healthy = [n for n in range(WARDS) if not {"hiv", "cold"} & set(drawn[n * BEDS : (n + 1) * BEDS])]
        assert healthy
        told = dict.fromkeys(range(WARDS), 0)
        for ward in range(WARDS):
            for value in values:
                sql = f"SELECT COUNT(*) FROM patients WHERE diagnosis = '{value}' AND ward = {ward}"
                with suppress(Denied):
                    told[ward] += gateway.ask(sql, user="mallory").rows[0][0]
    assert max(told.values()) > 0
    assert [ward for ward, number in told.items() if number == BEDS] == []


def test_values_that_were_counted_over_crossing_sets_meet_in_a_small_one(tmp_path: Path) -> None:
    """Flu by ward and asthma by floor and ward: what was told of both is told of each ward."""
    drawn = np.random.default_rng(5).choice(["flu", "asthma", "cold", "hiv"], p=[0.4, 0.4, 0.03, 0.17], size=200)
    rows = ", ".join(f"({n}, {n // BEDS}, {n % 2}, '{value}')" for n, value in enumerate(drawn))
    patients = f"CREATE TABLE patients AS SELECT * FROM (VALUES {rows}) t(id, ward, floor, diagnosis)"
    with clinic(tmp_path, FOUR, patients) as database, database.gateway() as gateway:
        assert gateway.ask("SELECT COUNT(*) FROM patients WHERE diagnosis = 'flu' AND ward = 3", user="mallory").rows
        assert gateway.ask("SELECT COUNT(*) FROM patients WHERE diagnosis = 'asthma' AND ward < 5", user="mallory").rows
        with pytest.raises(Denied) as denied:
            gateway.ask(
                "SELECT COUNT(*) FROM patients WHERE diagnosis = 'asthma' AND ward IN (0, 1, 2, 4)", user="mallory"
            )
        assert denied.value.rule == "belief"


THREE = POLICY.replace(
    "{flu: 80%, asthma: 3%, hiv: 17%}, sensitive: [hiv]", "{x: 30%, y: 30%, z: 40%}, sensitive: [x, y]"
)
VALUES = np.array(["x", "y", "z"])


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=[pytest.mark.soak] if seed else []) for seed in range(6)])
def test_linear_programmes_over_versions_name_nobody(seed: int, tmp_path: Path) -> None:
    """Random counts of three values, changes of few people, and what follows of those who went the same way.

    Before counts of z were judged, three of these six histories told of single people that they have no x, or have it.
    """
    rng = np.random.default_rng(seed)
    people = {n: [*map(int, rng.integers(0, 4, 2)), str(rng.choice(VALUES, p=[0.3, 0.3, 0.4]))] for n in range(300)}

    def write(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("CREATE OR REPLACE TABLE patients (id INT, ward INT, floor INT, diagnosis VARCHAR)")
        con.executemany("INSERT INTO patients VALUES (?, ?, ?, ?)", [(n, *each) for n, each in people.items()])

    told: list[tuple[frozenset[int], int, int]] = []
    with clinic(tmp_path, THREE) as database:
        write(database.con)
        with database.gateway() as gateway:
            for version in range(3):
                for _ in range(16):
                    wards, floors = (rng.choice(4, rng.integers(1, 5), replace=False) for _ in range(2))
                    value = int(rng.integers(3))
                    listed = ", ".join(map(str, wards)), ", ".join(map(str, floors))
                    where = f"diagnosis = '{VALUES[value]}' AND ward IN ({listed[0]}) AND floor IN ({listed[1]})"
                    try:
                        (count,) = gateway.ask(f"SELECT COUNT(*) FROM patients WHERE {where}", user="mallory").rows[0]
                    except Denied:
                        continue
                    held = frozenset(n for n, (w, f, _) in people.items() if w in wards and f in floors)
                    told.append((held, value, int(count)))
                if version < 2:
                    for n in rng.choice(300, 4, replace=False).tolist():
                        people[n][0] = int(rng.integers(4))
                    write(database.con)
                    gateway.refresh()
    assert len(told) >= 10
    member = np.array([[n in held for n in range(300)] for held, *_ in told])
    kinds, size = np.unique(member, axis=1, return_counts=True)
    number = len(size)
    rows = np.zeros((len(told) + number, number, 3))
    for row, (_, value, _) in enumerate(told):
        rows[row, :, value] = kinds[row]
    rows[len(told) + np.arange(number), np.arange(number)] = 1
    right = [*(count for *_, count in told), *size]
    for kind in np.flatnonzero(size <= 10):
        for value in (0, 1):
            wanted = np.zeros((number, 3))
            wanted[kind, value] = 1
            least, most = (
                sign * linprog(sign * wanted.ravel(), A_eq=rows.reshape(len(rows), -1), b_eq=right,
                               bounds=[(0, each) for each in np.repeat(size, 3)]).fun
                for sign in (1, -1)
            )  # fmt: skip
            assert least <= 0.8 * size[kind] + 1e-6
            assert most >= 0.2 * 0.3 * size[kind] - 1e-6
