"""`sdcdb audit` as a process: exit codes, what goes where, errors that say what to do."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.command import COLD, PLAIN, run, run_json

from sdcdb.cli.audit import audit
from sdcdb.errors import SdcdbError

LOG = """-- user: ann
SELECT sum(salary) FROM staff;
-- user: ben
SELECT sum(salary) FROM staff WHERE id <> 17;
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("audit")
    run("datasets", "staff", "--rows", "1000", "-o", "staff.duckdb", cwd=place)
    run("init", "staff.duckdb", cwd=place)
    (place / "log.sql").write_text(LOG)
    return place


def test_a_log_that_exposes_somebody_exits_with_1_and_is_shown_with_its_proof(folder: Path) -> None:
    command = ["audit", "staff.duckdb", "--log", "log.sql", "--html", "a.html", "--sarif", "a.sarif"]
    environment = {**os.environ, **PLAIN}
    # Not a warm process: what Python says when it ends matters here.
    printed = subprocess.run(
        [*COLD, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert printed.returncode == 1, printed.stderr
    with duckdb.connect(str(folder / "staff.duckdb"), read_only=True) as con:
        ((salary,),) = con.execute("SELECT salary FROM staff WHERE id = 17").fetchall()
        ((total,),) = con.execute("SELECT sum(salary) FROM staff").fetchall()
    assert f"17: smallest proof, (1) - (2) = {total:,} - {total - salary:,} = {salary:,}" in printed.stdout
    assert "The log exceeds the policy." in printed.stdout
    assert "nanobind" not in printed.stderr
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((folder / "a.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_json_holds_the_finding_and_each_user_alone_is_harmless(folder: Path) -> None:
    data = run_json("audit", "staff.duckdb", "--log", "log.sql", cwd=folder, code=1)
    (finding,) = data["findings"]
    assert (finding["record"], finding["users"]) == ("17", ["ann", "ben"])
    run("audit", "staff.duckdb", "--log", "log.sql", "--users-together", "user", "-q", cwd=folder)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "name the query log: --log FILE"),
        ({"log": [Path("absent.csv")]}, "cannot read the log absent.csv"),
        ({"log": [Path("log.sql")], "dialect": "postgress"}, "did you mean 'postgres'?"),
        ({"log": [Path("log.sql")], "together": "al"}, "did you mean 'all'?"),
        ({"log": [Path("log.sql")], "known": "sexx"}, "did you mean 'sex'?"),
        ({"log": [Path("log.sql")], "columns": "query"}, "write what=name"),
        ({"log": [Path("staff.duckdb")]}, "is a DuckDB database, not a log"),
    ],
)
def test_a_mistake_says_what_to_do(
    folder: Path, arguments: dict[str, Any], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(SdcdbError, match=re.escape(words)):
        audit(Path("staff.duckdb"), quiet=True, **arguments)
