"""Typed entries: read back as written, read from an older version, and refused where they are not understood."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.paths import CASES

import sdcdb
from sdcdb.datasets import create
from sdcdb.gateway.ledger.entry import (
    FORMAT,
    ActEntry,
    AnsweredFact,
    Entry,
    LoginEntry,
    OpenEntry,
    QuestionEntry,
    VersionEntry,
    entries,
    entry_of,
    fields_of,
)
from sdcdb.gateway.ledger.packing import unpack_json
from sdcdb.gateway.ledger.read import records
from sdcdb.schemas import read_schema

FACT = AnsweredFact(table="staff", column="salary", cells="x", kinds=("sum",), answers={"sum": "12"}, pool="team a")
ENTRIES: list[Entry] = [
    QuestionEntry(user="ann", sql="SELECT 1", verdict="allow", rule=None, reason="", facts=(FACT,)),
    QuestionEntry(user="ann", sql="SELECT 1", verdict="deny", rule="size", reason="too small", facts=()),
    VersionEntry(table="staff", version="1-a", cells="x"),
    OpenEntry(torn="file", bytes=3),
    OpenEntry(anchor="one slot"),
    LoginEntry(user="ann", door="postgres", address="127.0.0.1", admitted=False, reason="locked"),
    ActEntry(user="olga", act="refresh", about="staff"),
]
OLD = CASES / "ledger" / "format1"
SUM = "SELECT SUM(salary) FROM staff WHERE"
NAMED_CELLS = CASES / "ledger" / "format2"


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_read_as_it_was_written(entry: Entry) -> None:
    fields = json.loads(json.dumps(fields_of(entry)))
    assert fields["format"] == FORMAT
    assert entry_of(fields, 1) == entry
    jsonschema.validate(fields, read_schema("ledger"))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"format": FORMAT + 1}, "record 7 .* upgrade sdcdb"),
        ({"format": "two"}, "upgrade sdcdb"),
        ({"kind": "payment"}, "record 7 .* not understood"),
        ({"verdict": "maybe"}, "verdict"),
        ({"surprise": 1}, "surprise"),
        ({"facts": [{"table": "staff"}]}, "facts"),
    ],
)
def test_what_is_not_understood_is_refused(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(sdcdb.LedgerError, match=says):
        entry_of({**fields_of(ENTRIES[0]), **changed}, 7)


def test_a_question_without_facts_is_not_taken_for_one_that_told_nothing() -> None:
    fields = {name: value for name, value in fields_of(ENTRIES[0]).items() if name not in {"facts", "format"}}
    with pytest.raises(sdcdb.LedgerError, match="facts"):
        entry_of(fields, 1)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database with the ledger of the version before there was a format, made by that version."""
    with sdcdb.open(tmp_path / "staff.duckdb", create=True) as database:
        create(database.con, "staff", rows=300, seed=5)
    for file in OLD.iterdir():
        shutil.copy(file, tmp_path)
    return tmp_path / "staff.duckdb"


def test_a_ledger_of_the_first_format_is_still_known(old: Path) -> None:
    with sdcdb.open(old) as database, database.gateway() as gateway:
        assert gateway.changed() == []
        (known,) = gateway.known("ben")
        assert known.pool == "team office"
        assert 185_641 - 20 <= known.interval <= 185_641  # ann's MAX, less what whole numbers may need
        assert 240_000 - 20 <= gateway.known("eve")[0].interval <= 240_000
        with pytest.raises(sdcdb.Denied):  # ann asked for the sum over age >= 40
            gateway.ask("SELECT SUM(salary) FROM staff WHERE age >= 41", user="ben")
        gateway.ask("SELECT SUM(salary) FROM staff WHERE age >= 41", user="eve")
    read = list(entries(records(old.with_name("staff.ledger.jsonl"))))
    assert {entry.format for entry in read} == {FORMAT}


@pytest.fixture
def of_format_2(tmp_path: Path) -> Path:
    """A database with the ledger of a version that named every cell, made by that version, with a refresh in it."""
    path = tmp_path / "staff.duckdb"
    with sdcdb.open(path, create=True) as database:
        create(database.con, "staff", rows=300, seed=5)
        database.con.execute("DELETE FROM staff WHERE id IN (SELECT id FROM staff ORDER BY id LIMIT 12)")
    for file in NAMED_CELLS.iterdir():
        shutil.copy(file, tmp_path)
    return path


def test_a_ledger_whose_versions_name_their_cells_is_still_known(of_format_2: Path) -> None:
    ledger = of_format_2.with_name("staff.ledger.jsonl")
    before = [entry for entry in entries(records(ledger)) if isinstance(entry, VersionEntry)]
    assert {entry.format for entry in before} == {2}
    assert all("keys" in unpack_json(entry.cells) for entry in before)
    with sdcdb.open(of_format_2) as database, database.gateway() as gateway:
        assert gateway.changed() == []
        assert gateway.ask(f"{SUM} age < 45", user="ben").rows == ((8_131_056,),)  # as it was answered
        for sql in (f"{SUM} age < 44", f"{SUM} age >= 40"):  # less people of 44; and of the version before, who left
            assert gateway.explain(sql, user="ben").rule == "exact"
        database.con.execute("DELETE FROM staff WHERE id IN (SELECT id FROM staff ORDER BY id LIMIT 30)")
        assert gateway.refresh() == ["staff"]
        gateway.ask("SELECT SUM(salary) FROM staff", user="ben")
    after = list(entries(records(ledger)))
    newest = [entry for entry in after if isinstance(entry, VersionEntry)][-1]
    assert newest.format == FORMAT
    assert "keys" not in unpack_json(newest.cells)


def test_what_an_old_ledger_denies_is_answered_without_it(of_format_2: Path) -> None:
    for file in NAMED_CELLS.iterdir():
        if file.name.startswith("staff.ledger"):
            of_format_2.with_name(file.name).unlink()
    with sdcdb.open(of_format_2) as database, database.gateway() as gateway:
        assert [gateway.explain(f"{SUM} {set_}").kind for set_ in ("age < 44", "age >= 40")] == ["allow", "allow"]


def test_every_record_that_a_gateway_writes_fits_the_schema(old: Path) -> None:
    with sdcdb.open(old) as database, database.gateway() as gateway:
        gateway.ask("SELECT COUNT(*), MIN(salary) FROM staff")
        gateway.ask("SELECT COUNT(*) FROM dept_dim")
        with pytest.raises(sdcdb.Denied):
            gateway.ask("SELECT AVG(salary) FROM staff WHERE age = 23 AND sex = 'F'")
    written = [json.loads(line) for line in old.with_name("staff.ledger.jsonl").read_text("utf-8").splitlines()]
    new = [entry for entry in written if "format" in entry]
    assert [entry["kind"] for entry in new] == ["policy", "version", "question", "question", "question"]
    for entry in new:
        body = {name: value for name, value in entry.items() if name not in {"n", "time", "prev", "hash"}}
        jsonschema.validate(body, read_schema("ledger"))
