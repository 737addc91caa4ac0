"""`sdcdb ledger` as an auditor runs it, also while a gateway writes."""

import csv
import json
import os
import stat
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.in_process import Run
from support.killing import forking

from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.places import anchor_path, ledger_path

NASTY = "SELECT \x1b]0;owned\x07 \x9b2J \x7f \u202e \ud800 'é'\r\n\tFROM staff"
FACT = {"table": "staff", "column": "salary", "cells": "eJwDAAAAAAE=", "kinds": ["sum"], "answers": ["12.5"]}
ENTRIES: list[dict[str, Any]] = [
    {"kind": "refresh", "table": "staff", "version": 1},
    {"kind": "question", "user": "ana", "sql": "SELECT sum(salary) FROM staff", "tables": ["staff"], "verdict": "allow"}
    | {"rule": None, "reason": None, "version": 1, "facts": [FACT, FACT | {"column": "bonus"}]},
    {"kind": "question", "user": "bo", "sql": NASTY, "tables": ["staff", "dept"], "verdict": "deny"}
    | {"rule": "size", "reason": "too few records", "version": 1, "facts": []},
    {"kind": "question", "user": "ana", "sql": "DROP TABLE staff", "verdict": "unsupported", "rule": "shape"},
    {"kind": "question", "user": "ana", "sql": "SELECT dept, " + "x, " * 200, "verdict": "suppress", "rule": "size"},
]


@pytest.fixture
def run(run_here: Run) -> Run:
    return partial(run_here, "ledger")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """Return a database with a ledger of five records."""
    file = tmp_path / "staff.duckdb"
    duckdb.connect(str(file)).close()
    with Ledger.open(ledger_path(file)) as ledger:
        ledger.append_many(ENTRIES)
    return file


def broken(db: Path) -> Path:
    """Change one letter on the third line."""
    ledger = ledger_path(db)
    ledger.write_bytes(ledger.read_bytes().replace(b'"bo"', b'"bob"'))
    return db


def test_verify_says_how_many_records_are_sound_and_the_last_hash(run: Run, db: Path) -> None:
    result = json.loads(run("verify", db, "--json").stdout)
    assert (result["ok"], result["records"], result["problem"]) == (True, 5, None)
    assert f"5 valid records, the last one {result['head']}" in run("verify", db).stdout


def test_verify_finds_the_line_of_a_change(run: Run, db: Path) -> None:
    said = run("verify", broken(db), code=1).stdout
    assert "2 valid records" in said
    assert "BROKEN: line 3: the record was changed" in said
    assert "restore staff.ledger.jsonl and staff.ledger.jsonl.anchor together from a backup" in said


def test_verify_finds_that_an_older_state_was_put_back(run: Run, db: Path) -> None:
    """Ledger and anchor of last week fit each other: only a hash that was noted elsewhere tells."""
    ledger = ledger_path(db)
    old = [(file, file.read_bytes()) for file in (ledger, anchor_path(ledger))]
    with Ledger.open(ledger) as opened:
        noted = opened.append({"kind": "question"})
    run("verify", db, "--contains", noted)
    for file, content in old:
        file.write_bytes(content)
    run("verify", db)
    assert "put back to an older state" in run("verify", db, "--contains", noted, code=1).stdout


def test_a_database_without_a_ledger_is_told_apart_from_a_wrong_name(run: Run, tmp_path: Path) -> None:
    db = tmp_path / "new.duckdb"
    assert "there is no file" in run("verify", db, code=2).stderr
    duckdb.connect(str(db)).close()
    for command in (("verify",), ("show",), ("export", "-o", str(tmp_path / "x.csv"))):
        assert "nothing was asked through the gateway" in run(*command, db, code=2).stderr


def test_a_ledger_whose_file_is_gone_is_broken(run: Run, db: Path) -> None:
    ledger_path(db).unlink()
    assert "the ledger is missing; its anchor knows of 5 records" in run("verify", db, code=1).stdout
    assert "the ledger is missing" in run("show", db, code=1).stderr


def test_show_is_a_table(run: Run, db: Path) -> None:
    lines = run("show", db).stdout.splitlines()
    assert lines[1].split() == ["n", "time", "(UTC)", "user", "verdict", "rule", "what"]
    assert lines[2].endswith("refresh staff version 1".ljust(len(lines[2]) - lines[2].index("refresh")))
    assert "SELECT sum(salary) FROM staff" in lines[3]
    assert lines[4].split()[3:6] == ["bo", "deny", "size"]
    assert "…" in lines[6]


def test_control_characters_never_reach_the_terminal(run: Run, db: Path) -> None:
    for said in (run("show", db).stdout, run("show", db, "--json").stdout):
        assert all(char == "\n" or char.isprintable() for char in said)
    assert r"SELECT \x1b]0;owned\x07 \x9b2J \x7f \u202e \ud800 'é' FROM staff" in run("show", db).stdout
    assert json.loads(run("show", db, "--json").stdout)[2]["sql"] == NASTY.replace("\ud800", r"\ud800")


def test_show_chooses_by_user_verdict_and_number(run: Run, db: Path) -> None:
    def numbers(*options: str) -> list[int]:
        return [row["n"] for row in json.loads(run("show", db, "--json", *options).stdout)]

    assert numbers() == [1, 2, 3, 4, 5]
    assert numbers("--user", "ana") == [2, 4, 5]
    assert numbers("--denied") == [3, 4]
    assert numbers("--last", "2") == [4, 5]
    assert numbers("--user", "ana", "--denied", "--last", "1") == [4]
    assert numbers("--user", "nobody") == []
    assert "3 earlier records not shown" in run("show", db, "--last", "2").stderr


def test_show_gives_what_is_sound_of_a_broken_ledger_and_says_so(run: Run, db: Path) -> None:
    done = run("show", broken(db), "--json", code=1)
    assert [row["n"] for row in json.loads(done.stdout)] == [1, 2]
    assert "BROKEN: line 3" in done.stderr


def read(file: Path) -> list[dict[str, Any]]:
    """Read an exported file with what others would use; an empty cell of a CSV is None."""
    if file.suffix == ".csv":
        with file.open(encoding="utf-8", newline="") as stream:
            return [{key: value or None for key, value in row.items()} for row in csv.DictReader(stream)]
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    with duckdb.connect() as con:
        cursor = con.execute("FROM read_parquet(?)", [str(file)])
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_export_writes_flat_columns(run: Run, db: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"it's.{ending}"
    assert "5 records" in run("export", db, "-o", file).stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    rows = read(file)
    assert [int(row["n"]) for row in rows] == [1, 2, 3, 4, 5]
    assert [rows[0][name] for name in ("kind", "user", "verdict", "tables", "version")] == [
        "refresh", None, None, "staff", "1",
    ]  # fmt: skip
    assert [rows[1][name] for name in ("user", "verdict", "tables", "columns")] == [
        "ana", "allow", "staff", "salary, bonus",
    ]  # fmt: skip
    assert json.loads(rows[1]["facts"]) == ENTRIES[1]["facts"]
    assert rows[2]["tables"] == "staff, dept"
    assert rows[2]["sql"] == NASTY.replace("\ud800", r"\ud800")
    assert str(rows[2]["time"]).startswith("20")


def test_export_keeps_what_is_there(run: Run, db: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    file.write_text("mine", encoding="utf-8")
    assert "exists already" in run("export", db, "-o", file, code=2).stderr
    assert file.read_text(encoding="utf-8") == "mine"
    assert "allowed: .csv, .jsonl, .parquet" in run("export", db, "-o", tmp_path / "out.xlsx", code=2).stderr


def test_every_command_works_while_a_gateway_writes(run: Run, db: Path, tmp_path: Path) -> None:
    """The writer of the kill test appends from four threads as fast as it can, records of all sizes."""
    with forking("support.ledger_writers", ledger_path(db), "4") as (order, said):
        order.write("go\n")
        order.flush()
        while not (line := said.readline()).startswith("started"):
            pass
        try:
            counts = []
            for turn in range(6):
                counts.append(json.loads(run("verify", db, "--json").stdout)["records"])
                assert len(json.loads(run("show", db, "--json", "-n", "3").stdout)) == 3
                run("export", db, "-o", tmp_path / f"{turn}.parquet")
        finally:
            os.kill(int(line.split()[1]), 9)
            order.close()
            said.read()
    assert counts == sorted(counts)
