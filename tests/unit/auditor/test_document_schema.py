"""The JSON Schema of the audit document describes what audits really write."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from support.paths import ROOT

import sdcdb
from sdcdb.auditor.audit import Options
from sdcdb.auditor.document import document
from sdcdb.auditor.run import Request, run
from sdcdb.schemas import read_schema

LOG = """\
time,user,query
2026-05-01 10:00:00,ann,SELECT sum(salary) FROM staff
2026-05-01 10:01:00,ben,SELECT sum(salary) FROM staff WHERE id <> 7
2026-05-01 10:02:00,ben,"SELECT min(salary), max(salary) FROM staff WHERE id IN (3, 4)"
2026-05-01 10:03:00,eve,"SELECT name, salary FROM staff WHERE age < 23"
2026-05-01 10:04:00,eve,"SELECT name, diagnosis FROM staff WHERE id = 5"
2026-05-01 10:05:00,eve,SELECT x FROM nowhere
not a time,eve,SELECT count(*) FROM staff
2026-05-01 10:06:00,dba,UPDATE staff SET age = 30 WHERE diagnosis = 'flu' AND id = 4
2026-05-01 10:07:00,ann,SELECT avg(salary) FROM staff WHERE sex = 'F'
"""
POLICY = """\
version: 1
tables:
  staff:
    key: id
    columns:
      id: identifier
      name: identifier
      sex: quasi
      age: quasi
      salary: {role: confidential, domain: [0, 1000], step: 1}
      diagnosis: confidential
    restrict: {min_set: 2, min_interval: 10%}
"""


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found = read_schema("audit")
    jsonschema.Draft202012Validator.check_schema(found)
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "replayed under pseudonyms"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder: Path = tmp_path_factory.mktemp("document")
    with sdcdb.open(folder / "staff.duckdb", create=True) as made:
        made.con.execute(
            "CREATE TABLE staff AS SELECT i AS id, 'p' || i AS name, ['F', 'M'][1 + i % 2] AS sex, 20 + i % 20 AS age, "
            "100 + (i * 37) % 800 AS salary, ['flu', 'cold', 'none'][1 + i % 3] AS diagnosis FROM range(40) t(i)"
        )
    (folder / "staff.policy.yaml").write_text(POLICY)
    (folder / "log.csv").write_text(LOG)
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as opened:
        other = opened.policy if request.param else None
        asked = Request([folder / "log.csv"], options=Options(pseudonymise=request.param), replay_with=other)
        found: dict[str, Any] = json.loads(json.dumps(document(run(opened.con, opened.policy, asked))))
    return found


def test_a_document_is_valid(schema: dict[str, Any], written: dict[str, Any]) -> None:
    jsonschema.validate(written, schema)
    assert {each["level"] for each in written["findings"]} >= {"direct", "exact"}
    for part in ("direct_reads", "not_understood", "columns", "categories", "table_changes"):
        assert written[part], part
    assert written["log_problems"]["number"] == 1
    assert sum(each["statements"] for each in written["accounting"]) == written["statements"] == 9


@pytest.mark.parametrize(
    "change",
    [
        {"findings": None}, {"exceeds_policy": "yes"}, {"statements": -1}, {"more": 1},
        {"accounting": [{"outcome": "lost", "reason": "", "statements": 1}]},
    ],
)  # fmt: skip
def test_a_document_of_another_form_is_not(
    schema: dict[str, Any], written: dict[str, Any], change: dict[str, Any]
) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**written, **change}, schema)


def test_the_schema_names_every_level(schema: dict[str, Any]) -> None:
    assert (ROOT / "schemas" / "audit.schema.json").exists()
    levels = schema["$defs"]["FindingData"]["properties"]["level"]["enum"]
    assert levels == ["cae", "interval", "exact", "direct"]


def test_the_row_count_of_an_update_is_an_answer(written: dict[str, Any]) -> None:
    """It chose nobody, so that this person does not have the flu: two categories are left."""
    (told,) = (each for each in written["findings"] if "UPDATE" in each["first"]["sql"])
    assert (told["column"], told["level"], told["possible"]) == ("diagnosis", "cae", ["cold", "none"])
    assert told["users"] == [written["table_changes"]["staff"]["user"]]
