"""Two columns that say the same of people, each with an audit of its own: a count by one less a count by the other."""

from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import DatabaseError
from sdcdb.gateway.tables.checking import check_as_gateway
from sdcdb.policy.load import load_document

POLICY = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      n: quasi
      diagnosis: {role: confidential, known: {flu: 50%, asthma: 30%, hiv: 20%}, sensitive: [hiv]}
      other: OTHER
    restrict: {groups: deny}
"""
TABLE = """
CREATE TABLE patients AS SELECT *, {other} AS other FROM (
SELECT i AS id, i AS n,
       CASE WHEN i * 7919 % 100 < 50 THEN 'flu' WHEN i * 7919 % 100 < 80 THEN 'asthma' ELSE 'hiv' END AS diagnosis
FROM range(1600) t(i))
"""
TRUTH = '{role: confidential, known: {"true": 20%, "false": 80%}, sensitive: ["true"]}'
LETTER = "{role: confidential, known: {a: 20%, b: 30%, c: 50%}, sensitive: [a]}"
NUMBER = "{role: confidential, domain: [0, 1], step: 1}"
MANY = "{role: confidential, domain: [0, 100000], step: 1}"
TWINS = {
    "a truth beside a text": ("diagnosis = 'hiv'", TRUTH),
    "its contrary": ("diagnosis <> 'hiv'", TRUTH),
    "for nearly everybody": ("(diagnosis = 'hiv') <> (id % 100 = 3)", TRUTH),
    "a coarser text": ("CASE WHEN diagnosis = 'hiv' THEN 'a' WHEN id % 2 = 0 THEN 'b' ELSE 'c' END", LETTER),
    "a number of a flag": ("(diagnosis = 'hiv')::INTEGER", NUMBER),
    "a number that only they have": ("CASE WHEN diagnosis = 'hiv' THEN 1000 + id * 37 % 50000 END", MANY),
    "a number of which they have the most": ("id * 37 % 500 + CASE WHEN diagnosis = 'hiv' THEN 90000 ELSE 0 END", MANY),
    "the same, with a few outliers": (
        "CASE WHEN id % 97 = 0 THEN 100000 WHEN diagnosis = 'hiv' THEN 90000 + id % 83 ELSE id % 83 END",
        MANY,
    ),
    "a fee that follows from the diagnosis": (
        "CASE diagnosis WHEN 'flu' THEN 800 WHEN 'asthma' THEN 3000 ELSE 1700 END + id * 37 % 200",
        MANY,
    ),
}
APART = {
    "a truth of its own": ("id * 31 % 100 < 20", TRUTH),
    "one that goes with it often": ("(diagnosis = 'hiv') <> (id % 20 = 3)", TRUTH),
    "a number that everybody has another of": ("id * 7.0", "{role: confidential, domain: [0, 20000]}"),
    "a number of which they have more": ("id * 37 % 9000 + CASE WHEN diagnosis = 'hiv' THEN 9000 ELSE 0 END", MANY),
    "a number that some of them lack": ("CASE WHEN diagnosis <> 'hiv' OR id % 3 = 0 THEN id * 37 % 9000 END", MANY),
    "a number with a long tail": ("least(100000, exp(hash(id) % 1000 / 100.0))::INTEGER", MANY),
}
HIV, TRUE = "SELECT COUNT(*) FROM patients WHERE diagnosis = 'hiv'", "SELECT COUNT(*) FROM patients WHERE other"


def database(folder: Path, other: str, role: str, linked: str = "") -> sdcdb.Database:
    with duckdb.connect(str(folder / "clinic.duckdb")) as con:
        con.execute(TABLE.format(other=other))
    (folder / "policy.yaml").write_text(POLICY.replace("OTHER", role) + linked)
    return sdcdb.open(folder / "clinic.duckdb", policy=folder / "policy.yaml")


def test_plain_duckdb_tells_one_persons_value_by_two_columns() -> None:
    with duckdb.connect() as con:
        con.execute(TABLE.format(other=TWINS["a truth beside a text"][0]))
        whole, but_one = (con.execute(sql).fetchall()[0][0] for sql in (f"{HIV} AND n > 20", f"{TRUE} AND n > 21"))
        assert (
            whole - but_one
            == con.execute("SELECT (diagnosis = 'hiv')::INT FROM patients WHERE n = 21").fetchall()[0][0]
        )


@pytest.mark.parametrize("name", TWINS)
def test_the_gateway_does_not_open_with_two_columns_that_say_the_same(name: str, tmp_path: Path) -> None:
    with database(tmp_path, *TWINS[name]) as found:
        with pytest.raises(DatabaseError, match="say the same"):
            found.gateway()
        problems = check_as_gateway(found.con, load_document(tmp_path / "policy.yaml"))
        assert any("say the same" in each.message for each in problems if each.severity == "error")


@pytest.mark.parametrize("name", APART)
def test_columns_that_say_something_else_are_asked_about(name: str, tmp_path: Path) -> None:
    with database(tmp_path, *APART[name]) as found, found.gateway() as gateway:
        assert gateway.ask(HIV, user="ann").rows


RARE = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      floor: quasi
      diagnosis: {role: confidential, known: {flu: 60%, asthma: 39%, hiv: 1%}, sensitive: [hiv]}
      other: {role: confidential, known: {"true": 1%, "false": 99%}, sensitive: ["true"]}
    restrict: {groups: deny}
"""


@pytest.mark.parametrize("other", ["diagnosis = 'hiv'", "id * 31 % 100 = 7"])
def test_few_people_are_no_accident(other: str, tmp_path: Path) -> None:
    """16 of 1,600: a count of all by the one column, less a count by the other when one of them has left."""
    columns = "id, id % 7 AS floor, CASE WHEN id % 100 < 60 THEN 'flu' WHEN id % 100 < 99 THEN 'asthma' ELSE 'hiv' END"
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        con.execute(f"CREATE TABLE people AS SELECT {columns} AS diagnosis FROM range(1600) r(id)")
        con.execute(f"CREATE TABLE patients AS SELECT *, {other} AS other FROM people")
    (tmp_path / "policy.yaml").write_text(RARE)
    with sdcdb.open(tmp_path / "clinic.duckdb", tmp_path / "policy.yaml") as found:
        if "hiv" in other:
            with pytest.raises(DatabaseError, match="of 16 with 'hiv', 16 can be counted by either"):
                found.gateway()
        else:
            found.gateway().close()


VISITS = """
version: 1
tables:
  FIRST
    columns: {id: identifier, n: quasi, sick: TRUTH}
    restrict: {groups: deny}
  visits:
    key: visit
    person: patient
    constant: [hiv]
    columns: {visit: identifier, patient: identifier, n: quasi, hiv: TRUTH}
    restrict: {groups: deny}
""".replace("TRUTH", TRUTH)
FIRST = {
    "a table of people": "patients:\n    key: id",
    "another table of visits": "labs:\n    key: lab\n    person: id\n    constant: [sick]",
}


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize(("hiv", "alike"), [("p * 7919 % 100 < 20", True), ("p * 31 % 100 < 20", False)])
def test_persons_of_two_tables_are_compared(first: str, hiv: str, alike: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    name, records = ("patients", 1600) if first == "a table of people" else ("labs", 4800)
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        sick = "i % 1600 AS id, i % 1600 AS n, (i % 1600) * 7919 % 100 < 20 AS sick"
        con.execute(f"CREATE TABLE {name} AS SELECT {sick}, i AS lab FROM range({records}) r(i)")
        con.execute(f"CREATE TABLE visits AS SELECT i AS visit, p AS patient, p AS n, {hiv} AS hiv "
                    "FROM (SELECT i, i % 1600 AS p FROM range(3200) r(i))")  # fmt: skip
        if name == "patients":
            con.execute("ALTER TABLE patients DROP COLUMN lab")
        whole = con.execute(f"SELECT COUNT(DISTINCT id) FROM {name} WHERE sick AND n > 2").fetchall()[0][0]
        but_one = con.execute("SELECT COUNT(DISTINCT patient) FROM visits WHERE hiv AND n > 3").fetchall()[0][0]
        truth = con.execute(f"SELECT DISTINCT sick::INT FROM {name} WHERE n = 3").fetchall()[0][0]
        assert not alike or whole - but_one == truth
    policy = VISITS.replace("FIRST", FIRST[first])
    (tmp_path / "policy.yaml").write_text(
        policy if name == "patients" else policy.replace("{id", "{lab: identifier, id")
    )
    with sdcdb.open(tmp_path / "clinic.duckdb", tmp_path / "policy.yaml") as found:
        problems = check_as_gateway(found.con, load_document(tmp_path / "policy.yaml"))
        assert any("say the same" in each.message for each in problems) == alike
        if alike:
            with pytest.raises(DatabaseError, match="say the same"):
                found.gateway()
        else:
            found.gateway().close()


def test_linking_categories_is_refused_in_words(tmp_path: Path) -> None:
    link = "linked: [patients.diagnosis ~ patients.other]\n"
    with database(tmp_path, *APART["a truth of its own"], link) as found:
        with pytest.raises(DatabaseError, match="`linked` is for numbers"):
            found.gateway()
        problems = check_as_gateway(found.con, load_document(tmp_path / "policy.yaml"))
        assert any("`linked` is for numbers" in each.message for each in problems)


ONE_EACH = """
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      n: quasi
      diagnosis: {role: confidential, known: {flu: 50%, asthma: 30%, hiv: 20%}, sensitive: [hiv]}
    restrict: {groups: deny}
  others:
    key: id
    columns: {id: identifier, year: quasi, cause: {role: confidential, known: {"true": 20%, "false": 80%}}}
    restrict: {groups: deny}
"""
REFERRED = ONE_EACH.replace("  others:\n    key: id", "  others:\n    key: visit\n    refers: {id: patients}").replace(
    "columns: {id", "columns: {visit: identifier, id"
)


@pytest.mark.parametrize("policy", [ONE_EACH, REFERRED], ids=["the same keys", "keys that are referred to"])
@pytest.mark.parametrize(("cause", "alike"), [("diagnosis = 'hiv'", True), ("id * 31 % 100 < 20", False)])
def test_tables_about_the_same_people_are_compared(policy: str, cause: str, alike: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a case
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as con:
        con.execute(TABLE.format(other=cause))
        columns = "id + 9000 AS visit, id, 2020 + id % 3 AS year, other AS cause"
        con.execute(f"CREATE TABLE others AS SELECT {columns} FROM patients")
        con.execute("ALTER TABLE patients DROP COLUMN other")
        if policy == ONE_EACH:
            con.execute("ALTER TABLE others DROP COLUMN visit")
    (tmp_path / "policy.yaml").write_text(policy)
    with sdcdb.open(tmp_path / "clinic.duckdb", policy=tmp_path / "policy.yaml") as found:
        problems = check_as_gateway(found.con, load_document(tmp_path / "policy.yaml"))
        assert any("say the same" in each.message for each in problems) == alike
        if alike:
            with pytest.raises(DatabaseError, match="say the same"):
                found.gateway()
        else:
            found.gateway().close()
