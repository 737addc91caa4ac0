"""A category of which all counts are public: numbers by it are answered, and nobody's category or number comes out."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import DatabaseError, Denied, PolicyError
from sdcdb.gateway import Gateway
from sdcdb.gateway.tables.checking import check_as_gateway
from sdcdb.policy.load import load_document

POLICY = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      ward: quasi
      sex: quasi
      diagnosis:
        role: confidential
        known: {flu: 50%, asthma: 35%, hiv: 15%}
        sensitive: [hiv, asthma]
        counts: public
      cost: {role: confidential, domain: [0, 20000], step: 1}
    restrict: {groups: deny}
"""
AUDITED = POLICY.replace("        counts: public\n", "")
PATIENTS = """
CREATE TABLE patients AS
SELECT i AS id, ['A', 'B', 'C', 'D'][1 + (i // 100) % 4] AS ward, ['F', 'M'][1 + (i // 400) % 2] AS sex,
       CASE WHEN i * 7919 % 100 < 50 THEN 'flu' WHEN i * 7919 % 100 < 85 THEN 'asthma' ELSE 'hiv' END AS diagnosis,
       (i * 104729 % 20001)::INTEGER AS cost
FROM range(1600) t(i)
"""
EVERYBODY_OF_A_WARD = "UPDATE patients SET diagnosis = 'hiv' WHERE ward = 'D' AND sex = 'F'"
NOBODY_OF_A_WARD = "UPDATE patients SET diagnosis = 'flu' WHERE ward = 'D' AND sex = 'F' AND diagnosis = 'hiv'"
A_FEW = "INSERT INTO patients SELECT 5000 + i, 'E', 'F', 'flu', 10 FROM range(5) t(i)"
NO_VALUE = "UPDATE patients SET diagnosis = NULL WHERE id = 7"


@contextmanager
def asked(folder: Path, policy: str = POLICY, *changes: str) -> Iterator[Gateway]:
    file = folder / "clinic.duckdb"
    if not file.exists():
        change(file, PATIENTS)
    change(file, *changes)
    (folder / "policy.yaml").write_text(policy)
    with sdcdb.open(file, policy=folder / "policy.yaml") as database, database.gateway() as gateway:
        yield gateway


def change(file: Path, *statements: str) -> None:
    with duckdb.connect(str(file)) as con:
        for statement in statements:
            con.execute(statement)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT diagnosis, AVG(cost), COUNT(*) FROM patients GROUP BY diagnosis ORDER BY diagnosis",
        "SELECT ward, diagnosis, SUM(cost) FROM patients GROUP BY ALL ORDER BY ALL",
        "SELECT AVG(cost) FILTER (WHERE diagnosis = 'hiv') AS hiv FROM patients",
        "SELECT sex, MAX(cost) FROM patients WHERE diagnosis <> 'flu' GROUP BY sex ORDER BY sex",
        "SELECT ward, sex, diagnosis, COUNT(*) FROM patients GROUP BY ALL ORDER BY ALL",
    ],
)
def test_numbers_by_a_category_with_public_counts_are_answered_exactly(sql: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        found = gateway.ask(sql, user="ann").df()
    with duckdb.connect(str(tmp_path / "clinic.duckdb"), read_only=True) as con:
        assert found.values.tolist() == con.sql(sql).df().values.tolist()


SIX = (
    "DELETE FROM patients WHERE ward = 'A' AND sex = 'F' AND diagnosis = 'hiv' AND id NOT IN (SELECT id FROM patients "
    "WHERE ward = 'A' AND sex = 'F' AND diagnosis = 'hiv' ORDER BY id LIMIT 6)"
)


@pytest.mark.parametrize("carrier", ["two statements", "one statement"])
def test_the_total_of_six_people_of_a_category_does_not_follow_from_two_sums(carrier: str, tmp_path: Path) -> None:
    """A tracker: all of a ward, less those who have something else."""
    everybody, others = "ward = 'A' AND sex = 'F'", "ward = 'A' AND sex = 'F' AND diagnosis <> 'hiv'"
    with asked(tmp_path, POLICY, SIX) as gateway:
        if carrier == "one statement":
            sql = f"SELECT SUM(cost) FILTER (WHERE {everybody}), SUM(cost) FILTER (WHERE {others}) FROM patients"
        else:
            gateway.ask(f"SELECT SUM(cost) FROM patients WHERE {everybody}", user="ann")
            sql = f"SELECT SUM(cost) FROM patients WHERE {others}"
        with pytest.raises(Denied) as denied:
            gateway.ask(sql, user="bob")
        assert denied.value.rule == "exact"


def test_a_set_of_few_people_of_a_category_stays_too_small(tmp_path: Path) -> None:
    with asked(tmp_path, POLICY, SIX) as gateway:
        for wanted in ("COUNT(*)", "SUM(cost)", "MAX(cost)"):
            with pytest.raises(Denied) as denied:
                gateway.ask(
                    f"SELECT {wanted} FROM patients WHERE ward = 'A' AND sex = 'F' AND diagnosis = 'hiv'", user="ann"
                )
            assert denied.value.rule == "size"


TELLING = {
    "everybody of a group has it": (EVERYBODY_OF_A_WARD, "200 of 200 people have 'hiv' where ward D, sex F"),
    "nobody of a group has it": (NOBODY_OF_A_WARD, "only 0 of 200 people have 'hiv' where ward D, sex F"),
    "a group is too small": (A_FEW, "there are 5 people, fewer than 10, where ward E, sex F"),
    "a value is not named": (NO_VALUE, "`known` does not name null, which somebody has"),
}


@pytest.mark.parametrize("name", TELLING)
def test_counts_that_tell_too_much_cannot_be_public(name: str, tmp_path: Path) -> None:
    statement, why = TELLING[name]
    with pytest.raises(DatabaseError, match=why), asked(tmp_path, POLICY, statement):
        pass
    file = tmp_path / "clinic.duckdb"
    with sdcdb.open(file, policy=tmp_path / "policy.yaml", read_only=True) as database:
        found = check_as_gateway(database.con, load_document(tmp_path / "policy.yaml"))
    errors = [str(each) for each in found if each.severity == "error"]
    assert any(why in each or "does not name every value: 'null'" in each for each in errors)


def test_a_view_that_publishes_the_category_leaves_less_to_counts(tmp_path: Path) -> None:
    view = "    protect:\n      patients_public:\n        columns:\n          diagnosis: {method: warner, p: 0.99}\n"
    with asked(tmp_path) as gateway:
        gateway.ask("SELECT diagnosis, AVG(cost) FROM patients GROUP BY diagnosis", user="ann")
    (tmp_path / "policy.yaml").write_text(POLICY + view)
    with sdcdb.open(tmp_path / "clinic.duckdb", policy=tmp_path / "policy.yaml") as database:
        database.protect()
        with pytest.raises(DatabaseError, match="cannot be public"):
            database.gateway()


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO patients VALUES (9999, 'A', 'F', 'hiv', 5)", "DELETE FROM patients WHERE id = 3"],
)
def test_two_versions_of_public_counts_do_not_tell_of_those_between(statement: str, tmp_path: Path) -> None:
    with asked(tmp_path) as gateway:
        gateway.ask("SELECT diagnosis, AVG(cost) FROM patients GROUP BY diagnosis", user="ann")
    with asked(tmp_path, POLICY, statement) as gateway:
        with pytest.raises(Denied):
            gateway.ask("SELECT diagnosis, AVG(cost) FROM patients GROUP BY diagnosis", user="ann")
        with pytest.raises(DatabaseError, match="the counts of diagnosis are public"):
            gateway.refresh()


def test_counts_that_were_answered_before_a_change_cannot_become_public(tmp_path: Path) -> None:
    count = "SELECT diagnosis, COUNT(*) FROM patients GROUP BY diagnosis"
    with asked(tmp_path, AUDITED) as gateway:
        gateway.ask(count, user="ann")
    with asked(tmp_path, AUDITED, "INSERT INTO patients VALUES (9999, 'A', 'F', 'hiv', 5)") as gateway:
        gateway.refresh()
    with pytest.raises(DatabaseError, match="the counts of diagnosis are public"), asked(tmp_path):
        pass


def test_making_counts_public_and_taking_that_back_waits_for_the_owner(tmp_path: Path) -> None:
    sums = "SELECT ward, SUM(cost) FROM patients GROUP BY ward"
    by_category = "SELECT diagnosis, AVG(cost) FROM patients GROUP BY diagnosis"
    with asked(tmp_path, AUDITED) as gateway:
        gateway.ask(sums, user="ann")
    with asked(tmp_path) as gateway:
        with pytest.raises(Denied) as denied:
            gateway.ask(by_category, user="ann")
        assert denied.value.rule == "policy"
        assert any("its counts became public" in what for what in gateway.accept_looser("the clinic publishes them"))
        assert len(gateway.ask(by_category, user="ann").rows) == 3
    with asked(tmp_path, AUDITED) as gateway:
        with pytest.raises(Denied) as denied:
            gateway.ask(sums, user="ann")
        assert denied.value.rule == "policy"


def test_sums_answered_before_counts_became_public_stay_known(tmp_path: Path) -> None:
    with asked(tmp_path, AUDITED, SIX) as gateway:
        gateway.ask("SELECT SUM(cost) FROM patients WHERE ward = 'A' AND sex = 'F'", user="ann")
    with asked(tmp_path) as gateway:
        gateway.accept_looser("the clinic publishes them")
        with pytest.raises(Denied) as denied:
            gateway.ask(
                "SELECT SUM(cost) FROM patients WHERE ward = 'A' AND sex = 'F' AND diagnosis <> 'hiv'", user="bob"
            )
        assert denied.value.rule == "exact"


def test_a_table_with_finer_groups_is_not_linked_with_public_counts(tmp_path: Path) -> None:
    """Bills by age would tell apart people of one ward and sex, on whom the belief rests."""
    bills = """
  bills:
    key: id
    columns: {id: identifier, age: quasi, bill: {role: confidential, domain: [0, 20000], step: 1}}
    restrict: {}
linked: [patients.cost ~ bills.bill]
"""
    with pytest.raises(PolicyError, match="`counts: public`"), asked(tmp_path, POLICY + bills.lstrip("\n")):
        pass


@pytest.mark.parametrize(
    ("line", "with_", "why"),
    [
        ("restrict: {groups: deny}", "restrict: {refresh: auto}", "cannot be public with `refresh: auto`"),
        ("    key: id\n", "    key: id\n    person: ward\n", "cannot be public where a person has several records"),
        ("ward: quasi", "ward: {role: confidential, known: {A: 50%, B: 50%}, counts: public}", "for one category"),
        ("cost: {role: confidential, domain: [0, 20000], step: 1}", "cost: {role: quasi, counts: public}", "for categ"),
    ],
)
def test_policies_that_cannot_be_kept_are_refused(line: str, with_: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=why), asked(tmp_path, POLICY.replace(line, with_)):
        pass
