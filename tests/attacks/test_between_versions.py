"""What two versions of a table tell together, beyond sums: MIN and MAX around a raise, and records that are alike."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway import Gateway

POLICY = """
version: 1
tables:
  staff:
    key: id
    columns:
      id: identifier
      dept: quasi
      age: quasi
      salary: {role: confidential, domain: [0, 10000], step: 1}
    restrict: {min_set: 5, groups: deny}
"""
STAFF = """
CREATE TABLE staff AS
SELECT i AS id, i % 4 AS dept, i AS age, i * 3037 % 9000 AS salary FROM range(200) r(i)
"""
ALIKE = "INSERT INTO staff SELECT 500, 0, 40, 100 FROM range(2)"
TOP = "SELECT MAX(salary) FROM staff WHERE dept = 0"
LEAST = "SELECT MIN(salary) FROM staff WHERE dept = 0"
HOLDER = 188  # of the highest salary in department 0


@contextmanager
def opened(folder: Path, *statements: str) -> Iterator[tuple[sdcdb.Database, Gateway]]:
    file = folder / "staff.duckdb"
    with duckdb.connect(str(file)) as con:
        for statement in statements:
            con.execute(statement)
    (folder / "policy.yaml").write_text(POLICY)
    with sdcdb.open(file, policy=folder / "policy.yaml") as database, database.gateway() as gateway:
        yield database, gateway


def asked(gateway: Gateway, sql: str) -> int | str:
    try:
        return int(gateway.ask(sql, user="mallory").rows[0][0])
    except Denied as refusal:
        return refusal.rule


RAISES = {
    "the same for everybody": "UPDATE staff SET salary = salary + 1",
    "another one for everybody": "UPDATE staff SET salary = salary + id",
    "in parts of a hundred": "UPDATE staff SET salary = salary * 103 // 100",
}


@pytest.mark.parametrize("raised", RAISES)
@pytest.mark.parametrize("kind", ["MAX", "MIN"])
def test_an_extreme_before_a_raise_and_one_after_do_not_meet(raised: str, kind: str, tmp_path: Path) -> None:
    """The MAX of a department, a raise that everybody knows, and the MAX without one person."""
    with opened(tmp_path, STAFF) as (database, gateway):
        assert isinstance(asked(gateway, TOP.replace("MAX", kind)), int)
        database.con.execute(RAISES[raised])
        gateway.refresh()
        assert asked(gateway, f"{TOP.replace('MAX', kind)} AND age <> {HOLDER}") == "exact"
        assert asked(gateway, TOP.replace("MAX", kind)) == "exact"  # the difference is the holder's raise
        assert isinstance(asked(gateway, "SELECT MAX(salary) FROM staff WHERE dept = 1"), int)
        assert isinstance(asked(gateway, "SELECT SUM(salary) FROM staff WHERE dept = 0"), int)
    with opened(tmp_path) as (_, gateway):  # and so after a restart
        assert asked(gateway, f"{TOP} AND age <> {HOLDER}") == "exact"


def test_extremes_go_on_where_nobody_in_the_set_has_another_value(tmp_path: Path) -> None:
    with opened(tmp_path, STAFF) as (database, gateway):
        first = asked(gateway, TOP)
        database.con.execute("UPDATE staff SET salary = salary + 1 WHERE dept = 3")
        gateway.refresh()
        assert asked(gateway, TOP) == first
        assert isinstance(asked(gateway, LEAST), int)
        database.con.execute("INSERT INTO staff SELECT 1000 + i, 0, 300 + i, 4000 FROM range(12) r(i)")
        gateway.refresh()
        assert asked(gateway, TOP) == first


@pytest.mark.parametrize("change", ["UPDATE staff SET salary = 900 WHERE id = 500", "DELETE FROM staff WHERE id = 500"])
def test_a_change_of_two_records_that_are_alike_in_everything_is_seen(change: str, tmp_path: Path) -> None:
    """Digests of two equal records cancel out in an XOR: before and after, it is the same."""
    with opened(tmp_path, STAFF, ALIKE) as (database, gateway):
        assert isinstance(asked(gateway, "SELECT SUM(salary) FROM staff"), int)
        database.con.execute(change)
        assert asked(gateway, "SELECT SUM(salary) FROM staff WHERE age >= 0") == "version"
    with opened(tmp_path) as (_, gateway):
        assert asked(gateway, "SELECT SUM(salary) FROM staff WHERE age >= 0") == "version"


Person = list[int]


def random_people(rng: np.random.Generator, number: int) -> list[Person]:
    return [[*map(int, rng.integers(0, 5, 2)), int(rng.integers(0, 9_000))] for _ in range(number)]


def changed(rng: np.random.Generator, people: dict[int, Person]) -> None:
    """Raise everybody's value or some people's, or let a few move, leave or come."""
    ids, few = list(people), int(rng.choice([1, 3, 20]))
    match rng.choice(["raise", "some", "move", "leave", "come"]):
        case "raise":
            for each in people.values():
                each[2] += 10
        case "some":
            for n in rng.choice(ids, 40, replace=False).tolist():
                people[n][2] += 1 + n
        case "move":
            for n in rng.choice(ids, few, replace=False).tolist():
                people[n][0] = int(rng.integers(5))
        case "leave":
            for n in rng.choice(ids, few, replace=False).tolist():
                del people[n]
        case _:
            people |= {max(ids) + 1 + n: each for n, each in enumerate(random_people(rng, few))}


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[] if seed == 2 else [pytest.mark.soak]) for seed in range(8)]
)
def test_whoever_knows_all_changes_has_many_suspects_for_every_extreme(seed: int, tmp_path: Path) -> None:
    """Random MIN and MAX over versions, and all who may hold each of them, if nobody has the value of another one."""
    rng = np.random.default_rng(seed)
    people = dict(enumerate(random_people(rng, 150)))
    told: list[tuple[int, int, dict[int, int]]] = []

    def write(con: duckdb.DuckDBPyConnection) -> None:
        con.execute("CREATE OR REPLACE TABLE staff (id INT, dept INT, age INT, salary INT)")
        con.executemany("INSERT INTO staff VALUES (?, ?, ?, ?)", [(n, *each) for n, each in people.items()])

    with opened(tmp_path, "CREATE TABLE staff (id INT, dept INT, age INT, salary INT)") as (database, gateway):
        for _ in range(4):
            write(database.con)
            gateway.refresh()
            for _ in range(12):
                depts, ages = (rng.choice(5, rng.integers(1, 6), replace=False).tolist() for _ in range(2))
                kind, sign = (("MAX", 1), ("MIN", -1))[int(rng.integers(2))]
                where = f"dept IN ({', '.join(map(str, depts))}) OR age IN ({', '.join(map(str, ages))})"
                answer = asked(gateway, f"SELECT {kind}(salary) FROM staff WHERE {where}")
                if isinstance(answer, int):
                    held = {n: x for n, (dept, age, x) in people.items() if dept in depts or age in ages}
                    told.append((sign, answer, held))
            changed(rng, people)
    assert told
    for sign, answer, held in told:
        suspects = [
            n
            for n, value in held.items()
            if all(
                sign * (answer + others[n] - value) <= sign * bound
                for kind, bound, others in told
                if kind == sign and n in others
            )
        ]
        assert len(suspects) >= 5
