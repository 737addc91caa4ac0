"""Sequences on persons, categories, joins and versions, as data: each tells a secret to plain DuckDB, none here."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway import Gateway

CASES: dict[str, dict[str, Any]] = YAML(typ="safe").load(
    Path(__file__).parents[1] / "cases" / "attacks" / "people.yaml"
)
STATIC = [(kind, name) for kind, cases in CASES.items() if kind != "versions" for name in cases]
QUICK = ("a newcomer's visits", "one who moves", "a cell that disappears", "a parent who moves")

POLICY = """
version: 1
tables:
  patients:
    key: patient_id
    columns:
      patient_id: identifier
      sex: quasi
      area: quasi
      age: quasi
      sick: {role: confidential, known: {"true": 30%, "false": 70%}, sensitive: ["true"]}
      income: {role: confidential, domain: [0, 100000], step: 1}
    restrict: {min_set: 10, min_interval: 1%, groups: deny, pool: user}
  visits:
    key: visit_id
    person: patient_id
    refers: {patient_id: patients}
    columns:
      visit_id: identifier
      patient_id: identifier
      ward: quasi
      year: quasi
      cost: {role: confidential, domain: [0, 20000], step: 1}
    restrict: {min_set: 10, min_interval: 1%, groups: deny, pool: user}
"""
TABLES = """
CREATE TABLE patients AS
SELECT i AS patient_id, ['F', 'M'][1 + i % 2] AS sex, ['N', 'S', 'E', 'W'][1 + i // 2 % 4] AS area,
       20 + i * 7 % 60 AS age, i * 7919 % 1009 < 303 AS sick, 20000 + i * 131 % 40000 AS income FROM range(400) t(i)
UNION ALL SELECT 400, 'F', 'Z', 97, true, 34567
UNION ALL SELECT 401 + i, 'M', 'Y', 40 + i, i = 1, 50000 + i FROM range(4) t(i)
UNION ALL SELECT 405 + i, 'F', 'P', 50, true, 30000 + i FROM range(12) t(i);
CREATE TABLE visits AS
SELECT i AS visit_id, i % 400 AS patient_id, ['A', 'B', 'C'][1 + i // 400] AS ward, 2018 + i % 4 AS year,
       1000 + i * 7919 % 9001 AS cost FROM range(1200) t(i)
UNION ALL SELECT 5000 + i, 400, 'X', 2018 + i % 4, 4000 + i FROM range(12) t(i)
UNION ALL SELECT 5100 + i, 401 + i % 4, 'Y', 2018 + i % 4, 3000 + 7 * i FROM range(20) t(i)
UNION ALL SELECT 5200 + i, 405 + i % 12, 'A', 2018 + i % 4, 2000 + 3 * i FROM range(24) t(i);
"""


def database(folder: Path) -> sdcdb.Database:
    file = folder / "clinic.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(TABLES)
    (folder / "policy.yaml").write_text(POLICY)
    return sdcdb.open(file, policy=folder / "policy.yaml")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One gateway for all: every attacker has a history of their own."""
    with database(tmp_path_factory.mktemp("clinic")) as found, found.gateway() as opened:
        yield opened


def answered(gateway: Gateway, question: str, user: str) -> bool:
    try:
        return gateway.ask(question, user=user).verdict.kind == "allow"
    except Denied:
        return False


def solved(case: dict[str, Any]) -> tuple[float, float]:
    """Return what plain DuckDB tells, and the secret."""
    with duckdb.connect() as plain:
        plain.execute(TABLES)
        found = []
        for step in case["steps"]:
            rows = plain.execute(step).fetchall()
            if step.startswith("SELECT"):
                found.append(rows[0][0])
        told = sum(
            float(Fraction(str(weight))) * float(answer) for weight, answer in zip(case["solve"], found, strict=True)
        )
        return told, float(plain.execute(case["secret"]).fetchall()[0][0])


def test_there_are_sixty() -> None:
    assert sum(map(len, CASES.values())) >= 60


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, cases in CASES.items() for name in cases])
def test_plain_duckdb_tells_the_secret(kind: str, name: str) -> None:
    told, secret = solved(CASES[kind][name])
    assert told == pytest.approx(secret, abs=1e-6)


@pytest.mark.parametrize(("kind", "name"), STATIC)
def test_no_attack_is_answered_to_its_end(gateway: Gateway, kind: str, name: str) -> None:
    assert not all(answered(gateway, step, f"{kind} {name}") for step in CASES[kind][name]["steps"])


def test_attacks_can_begin(gateway: Gateway) -> None:
    """A gateway that denies everything would stop them too."""
    firsts = [CASES[kind][name]["steps"][0] for kind, name in STATIC if len(CASES[kind][name]["steps"]) > 1]
    begun = [answered(gateway, step, f"beginner {number}") for number, step in enumerate(firsts)]
    assert sum(begun) > 0.7 * len(begun)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.soak) for name in CASES["versions"]]
)
def test_no_attack_over_versions_is_answered_to_its_end(name: str, tmp_path: Path) -> None:
    with database(tmp_path) as found, found.gateway() as gateway:
        begun = []
        for step in CASES["versions"][name]["steps"]:
            if step.startswith("SELECT"):
                begun.append(answered(gateway, step, "mallory"))
            else:
                found.con.execute(step)
                assert gateway.refresh()
        assert begun[0]
        assert not all(begun)
