"""What the owner is told of numbers by a category: whether its counts could be public, and where they tell too much."""

from pathlib import Path

import duckdb
import pytest
from support import command

import sdcdb
from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.tables.numbers_by_category import say_numbers_by
from sdcdb.policy.load import load_document

POLICY = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      ward: quasi
      diagnosis: {role: confidential, known: {flu: 60%, asthma: 30%, hiv: 10%}, sensitive: [hiv]}
      cost: {role: confidential, domain: [0, 20000], step: 1}
    restrict: {}
"""
PATIENTS = """
CREATE TABLE patients AS
SELECT i AS id, 'ABC'[1 + i % 3] AS ward,
       CASE WHEN i // 3 % 10 < 6 THEN 'flu' WHEN i // 3 % 10 < 9 THEN 'asthma' ELSE 'hiv' END AS diagnosis,
       i * 7919 % 15013 AS cost
FROM range(3000) t(i)
"""
CASES = {
    "they could be": ("SELECT 1", "", "denied, and could be answered: its counts tell nobody too much"),
    "they are": ("SELECT 1", "counts: public", "are answered where the audit of the numbers allows"),
    "nobody of a ward has it": ("UPDATE patients SET diagnosis = 'flu' WHERE ward = 'B'", "", "only 0 of 1000 people"),
    "everybody has it": (
        "UPDATE patients SET diagnosis = 'hiv' WHERE ward = 'B'",
        "",
        "1000 of 1000 people have 'hiv'",
    ),
    "few people": (
        "INSERT INTO patients VALUES (9999, 'D', 'flu', 3)",
        "",
        "some combinations of ward have fewer than 10 people (1 of them)",
    ),
    "several records": ("SELECT 1", "person", "cannot be public where a person has several records"),
    "refreshed by itself": ("SELECT 1", "refresh: auto", "cannot be public with `refresh: auto`"),
}


def written(folder: Path, change: str = "SELECT 1", more: str = "") -> Path:
    file = folder / "clinic.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(PATIENTS)
        con.execute(change)
    policy = POLICY
    if more == "counts: public":
        policy = policy.replace("sensitive: [hiv]", "sensitive: [hiv], counts: public")
    elif more == "person":
        policy = policy.replace("key: id\n", "key: id\n    person: who\n").replace(
            "id: identifier", "id: identifier\n      who: identifier"
        )
        with duckdb.connect(str(file)) as con:
            con.execute("ALTER TABLE patients ADD COLUMN who INT")
            con.execute("UPDATE patients SET who = id // 2")
    else:
        policy = policy.replace("restrict: {}", f"restrict: {{{more}}}")
    (folder / "clinic.policy.yaml").write_text(policy)
    return file


@pytest.mark.parametrize("name", CASES)
def test_the_owner_is_told_whether_and_why_not(name: str, tmp_path: Path) -> None:
    change, more, said = CASES[name]
    file = written(tmp_path, change, more)
    with duckdb.connect(str(file), read_only=True) as con:
        (note,) = say_numbers_by(con, load_document(tmp_path / "clinic.policy.yaml"))
    assert note.severity == "note"
    assert note.field == "tables.patients.columns.diagnosis"
    assert said in note.message


def test_the_gateway_agrees_with_what_the_owner_was_told(tmp_path: Path) -> None:
    sql = "SELECT diagnosis, AVG(cost) FROM patients GROUP BY diagnosis"
    file = written(tmp_path)
    with sdcdb.open(file) as database, database.gateway() as gateway:
        with pytest.raises(Unsupported) as refusal:
            gateway.ask(sql, user="ann")
        assert "`counts: public` for diagnosis, and `sdcdb check` says" in refusal.value.hint
    policy = tmp_path / "clinic.policy.yaml"
    policy.write_text(policy.read_text().replace("sensitive: [hiv]", "sensitive: [hiv], counts: public"))
    with sdcdb.open(file) as database, database.gateway() as gateway:
        with pytest.raises(Denied, match="loosened"):
            gateway.ask(sql, user="ann")
        gateway.accept_looser("the clinic publishes them")
        assert len(gateway.ask(sql, user="ann").rows) == 3


@pytest.mark.parametrize(
    ("change", "there"), [("SELECT 1", True), ("UPDATE patients SET diagnosis = 'flu' WHERE ward = 'B'", False)]
)
def test_init_proposes_public_counts_where_they_are_safe(change: str, there: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    file = written(tmp_path, change)
    said = command.run("init", file, "-o", "-", cwd=tmp_path).stdout
    assert ("# CHECK: its counts tell nobody too much in any combination of ward" in said) == there
    assert "\n        counts: public" not in said


def test_check_prints_notes_and_fails_by_none_of_them(tmp_path: Path) -> None:
    file = written(tmp_path)
    found = command.run_json("check", file, "--strict", cwd=tmp_path)
    assert found["ok"]
    assert [note["severity"] for note in found["notes"]] == ["note"]
