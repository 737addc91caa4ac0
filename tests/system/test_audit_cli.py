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
    assert "The log exceeds the policy: 1 person exposed." in printed.stdout
    assert max(map(len, printed.stdout.splitlines())) <= 80
    assert "nanobind" not in printed.stderr
    assert (folder / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads((folder / "a.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    for name in ("a.html", "a.sarif"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_json_holds_the_finding_and_each_user_alone_is_harmless(folder: Path) -> None:
    data = run_json("audit", "staff.duckdb", "--log", "log.sql", cwd=folder, code=1)
    (finding,) = data["findings"]
    assert (finding["record"], finding["users"]) == ("17", ["ann", "ben"])
    run("audit", "staff.duckdb", "--log", "log.sql", "--users-together", "user", "-q", cwd=folder)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "name the query log with --log FILE"),
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


def test_the_report_begins_with_the_exposed_and_ends_with_the_accounting(folder: Path) -> None:
    text = run("audit", "staff.duckdb", "--log", "log.sql", "--show", "age,dept", cwd=folder, code=1).stdout
    order = ["Who was exposed to whom", "What to do next", "How exposure of", "Every statement, accounted for"]
    assert sorted(order, key=text.index) == order
    assert re.search(r"  17 \(\d+, \w+\): staff.salary = [\d,]+ \(exact\)", text)
    assert "known to ann + ben together since statement 2, log.sql:4" in text


def test_a_log_with_a_damaged_line_exits_with_1_and_groups_what_was_lost(folder: Path) -> None:
    (folder / "cut.sql").write_text("SELECT 1;\nSELECT 'abc\n")
    text = run("audit", "staff.duckdb", "--log", "cut.sql", cwd=folder, code=1).stdout
    assert "may exceed the policy: 1 statement not understood, 1 problem in the log" in text.replace("\n", " ")
    assert "only its beginning is in the log" in text


def test_pseudonyms_cover_records_analysts_and_values(folder: Path) -> None:
    (folder / "named.sql").write_text(LOG + "SELECT salary FROM staff WHERE age = 4711;\n")
    command = [
        "audit",
        "staff.duckdb",
        "--log",
        "named.sql",
        "--pseudonymise",
        "--html",
        "p.html",
        "--sarif",
        "p.sarif",
    ]
    data = run_json(*command, cwd=folder, code=1)
    written = [json.dumps(data), *((folder / name).read_text(encoding="utf-8") for name in ("p.html", "p.sarif"))]
    for text in written:
        assert not re.search(r"\b(ann|ben|4711)\b", text)
    assert all(user.startswith("analyst ") for user in data["users"])


def test_sarif_has_encoded_places_and_fingerprints_that_stay(folder: Path) -> None:
    (folder / "a b%.sql").write_text("-- moved\n\n" + LOG)
    found = []
    for name in ("log.sql", "a b%.sql"):
        run("audit", "staff.duckdb", "--log", name, "--sarif", "s.sarif", "--force", "-q", cwd=folder, code=1)
        (result,) = json.loads((folder / "s.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        assert (result["level"], result["ruleId"]) == ("error", "exact")
        found.append(result)
    assert found[0]["partialFingerprints"] == found[1]["partialFingerprints"]
    place = found[1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20b%25.sql"
    assert place["region"]["startLine"] == 6


def test_a_log_rotated_under_the_same_name_is_read_whole(folder: Path) -> None:
    log, old = folder / "r.sql", folder / "r.sql.1"
    first, second = LOG.split("-- user: ben\n")
    command = ["audit", "staff.duckdb", "--log", "r.sql", "--resume", "r.state"]
    log.write_text(first)
    run(*command, cwd=folder)
    assert (folder / "r.state").stat().st_mode & 0o777 == 0o600
    log.write_text(first + "SELECT salary FROM staff WHERE id = 3;\n")
    log.rename(old)
    log.write_text("-- user: ben\n" + second)
    data = run_json(*command, cwd=folder, code=1)
    assert {each["record"] for each in data["findings"]} == {"3", "17"}
    assert data["log_problems"]["number"] == 0
    log.write_text("-- another file\nSELECT 1;\n")
    data = run_json(*command, cwd=folder, code=1)
    assert "was replaced since it was last read" in data["log_problems"]["listed"][0]
