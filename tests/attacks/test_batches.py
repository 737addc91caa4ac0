"""`refresh: auto`: newcomers who trickle in show only together, so that no two versions differ by a few people."""

from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import Denied, PolicyError
from sdcdb.gateway.gateway import Gateway

POLICY = """\
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      town: quasi
      pay: {role: confidential, domain: [0, 9999], step: 1}
    restrict: {refresh: auto, refresh_people: 20}
"""
ALL = "SELECT COUNT(*), SUM(pay) FROM people"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(
            "CREATE TABLE people AS SELECT range AS id, (range % 4)::INTEGER AS town, "
            "(range * 7919 % 10000)::INTEGER AS pay FROM range(400)"
        )
    path.with_suffix(".policy.yaml").write_text(POLICY, encoding="utf-8")
    return path


def hire(db: sdcdb.Database, first: int, number: int) -> None:
    db.con.execute(
        f"INSERT INTO people SELECT range, (range % 4)::INTEGER, (range * 31 % 10000)::INTEGER "
        f"FROM range({first}, {first + number})"
    )


def counted(gateway: Gateway) -> int:
    return int(gateway.ask(ALL).rows[0][0])


def test_newcomers_who_trickle_in_show_together(people: Path) -> None:
    with sdcdb.open(people) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
        for first, number in ((0, 1), (1, 1), (2, 8), (10, 8), (18, 1)):
            hire(db, 1000 + first, number)
            assert gateway.refresh_due() == []
            assert counted(gateway) == 400, "the version before is answered about"
        hire(db, 1019, 1)
        assert gateway.refresh_due() == ["people"]
        assert counted(gateway) == 420


def test_those_who_come_and_leave_again_count_once(people: Path) -> None:
    with sdcdb.open(people) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
        hire(db, 1000, 12)
        db.con.execute("DELETE FROM people WHERE id < 12")
        assert gateway.refresh_due() == []
        db.con.execute("UPDATE people SET pay = (pay + 1) % 10000 WHERE id BETWEEN 100 AND 119")
        assert gateway.refresh_due() == ["people"]


@pytest.mark.parametrize(("number", "shown"), [(5, False), (25, True)])
def test_a_gateway_that_opens_takes_enough_changes_by_itself(people: Path, number: int, *, shown: bool) -> None:
    with sdcdb.open(people) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
    with sdcdb.open(people) as db:
        hire(db, 1000, number)
        with db.gateway() as gateway:
            if shown:
                assert counted(gateway) == 400 + number
            else:
                with pytest.raises(Denied, match="version"):
                    counted(gateway)
                assert gateway.refresh() == ["people"], "the owner may still declare it"


def test_records_that_cannot_be_followed_wait_for_the_owner(people: Path) -> None:
    with sdcdb.open(people) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
    with sdcdb.open(people) as db:
        db.con.execute("UPDATE people SET id = id + 50000")
        with db.gateway() as gateway, pytest.raises(Denied):
            counted(gateway)


def test_new_records_of_few_people_are_few_and_of_many_people_are_enough(tmp_path: Path) -> None:
    """One of them has 40 records: as records, 20 people would be 800."""
    path = tmp_path / "people.duckdb"
    policy = POLICY.replace("key: id", "key: id\n    person: who").replace(
        "id: identifier", "id: identifier\n      who: identifier"
    )
    path.with_suffix(".policy.yaml").write_text(policy, encoding="utf-8")
    who = "CASE WHEN range < 40 THEN 0 ELSE range // 2 END"
    row = "SELECT range AS id, {who} AS who, (range % 4)::INTEGER AS town, (range * {step} % 10000)::INTEGER AS pay "
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE TABLE people AS {row.format(who=who, step=7919)} FROM range(600)")
    with sdcdb.open(path) as db, db.gateway() as gateway:
        assert counted(gateway) == 600
        db.con.execute(f"INSERT INTO people {row.format(who='100 + range % 19', step=31)} FROM range(1000, 1060)")
        assert gateway.refresh_due() == [], "60 records of 19 people"
        db.con.execute(f"INSERT INTO people {row.format(who='200', step=31)} FROM range(1060, 1061)")
        assert gateway.refresh_due() == ["people"]
        assert counted(gateway) == 661


def test_a_view_of_a_file_is_looked_at_although_nothing_is_written_to_the_database(tmp_path: Path) -> None:
    """Nobody can write to a database that a server owns; a file beside it can be replaced."""
    file = tmp_path / "people.parquet"

    def put(number: int) -> None:
        columns = "range AS id, (range % 4)::INTEGER AS town, (range * 7919 % 10000)::INTEGER AS pay"
        with duckdb.connect() as con:
            con.execute(f"COPY (SELECT {columns} FROM range({number})) TO '{file}.new' (FORMAT parquet)")
        Path(f"{file}.new").replace(file)

    put(400)
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(f"CREATE VIEW people AS FROM read_parquet('{file}')")
    path.with_suffix(".policy.yaml").write_text(POLICY, encoding="utf-8")
    with sdcdb.open(path) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
        put(410)
        assert gateway.refresh_due() == []
        assert counted(gateway) == 400
        put(430)
        assert gateway.refresh_due() == ["people"]
        assert counted(gateway) == 430
        file.unlink()
        assert gateway.refresh_due() == []
        assert counted(gateway) == 430


BY_TOWN = POLICY.replace("refresh_people: 20", "refresh_people: 20, refresh_by: town")


def move_in(db: sdcdb.Database, town: int, first: int, number: int) -> None:
    db.con.execute(
        f"INSERT INTO people SELECT range, {town}, (range * 31 % 10000)::INTEGER FROM range({first}, {first + number})"
    )


def test_a_few_newcomers_of_one_town_do_not_show_among_those_of_others(people: Path) -> None:
    """Without `refresh_by`, forty who come to one town would show the three who come to another."""
    people.with_suffix(".policy.yaml").write_text(BY_TOWN, encoding="utf-8")
    with sdcdb.open(people) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
        move_in(db, 1, 1000, 40)
        move_in(db, 2, 2000, 3)
        assert gateway.refresh_due() == []
        move_in(db, 2, 3000, 17)
        assert gateway.refresh_due() == ["people"]
        assert counted(gateway) == 460
        db.con.execute("UPDATE people SET town = 3 WHERE id BETWEEN 1000 AND 1024")  # they leave one and join the other
        assert gateway.refresh_due() == ["people"]
        db.con.execute("UPDATE people SET pay = (pay + 1) % 10000 WHERE town = 0 AND id < 100")
        assert gateway.refresh_due() == ["people"]
        db.con.execute("DELETE FROM people WHERE town = 3 AND id < 60")
        assert gateway.refresh_due() == []


def test_groups_that_were_not_kept_wait_for_the_owner(people: Path) -> None:
    with sdcdb.open(people) as db, db.gateway() as gateway:
        assert counted(gateway) == 400
    people.with_suffix(".policy.yaml").write_text(BY_TOWN, encoding="utf-8")
    with sdcdb.open(people) as db, db.gateway() as gateway:
        move_in(db, 1, 1000, 40)
        assert gateway.refresh_due() == []
        assert gateway.refresh() == ["people"]
        move_in(db, 1, 2000, 40)
        assert gateway.refresh_due() == ["people"]


def test_changes_are_counted_by_a_quasi_identifier(people: Path) -> None:
    people.with_suffix(".policy.yaml").write_text(BY_TOWN.replace("refresh_by: town", "refresh_by: pay"), "utf-8")
    with pytest.raises(PolicyError, match="'pay' is not a quasi-identifier"):
        sdcdb.open(people)
