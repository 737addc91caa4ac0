"""`sdcdb audit` as a process: exit codes, what goes where, errors that say what to do."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.paths import ROOT

from sdcdb.cli.audit import audit
from sdcdb.errors import SdcdbError

LOG = """-- user: ann
SELECT sum(salary) FROM staff;
-- user: ben
SELECT sum(salary) FROM staff WHERE id <> 17;
"""


def sdcdb(folder: Path, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    command = [sys.executable, "-m", "sdcdb", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("audit")
    sdcdb(place, "datasets", "staff", "--rows", "1000", "-o", "staff.duckdb")
    sdcdb(place, "init", "staff.duckdb")
    (place / "log.sql").write_text(LOG)
    return place


def test_a_log_that_exposes_somebody_exits_with_1_and_the_manual_shows_its_proof(folder: Path) -> None:
    printed = sdcdb(
        folder, "audit", "staff.duckdb", "--log", "log.sql", "--html", "a.html", "--sarif", "a.sarif", code=1
    )
    manual = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    shown = manual.partition("```text\n")[2].partition("```")[0]
    assert shown in printed.stdout
    assert "The log exceeds the policy." in printed.stdout
    assert "nanobind" not in printed.stderr
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((folder / "a.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_json_holds_the_finding_and_each_user_alone_is_harmless(folder: Path) -> None:
    data = json.loads(sdcdb(folder, "audit", "staff.duckdb", "--log", "log.sql", "--json", code=1).stdout)
    (finding,) = data["findings"]
    assert (finding["record"], finding["users"]) == ("17", ["ann", "ben"])
    sdcdb(folder, "audit", "staff.duckdb", "--log", "log.sql", "--users-together", "user", "-q")


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
