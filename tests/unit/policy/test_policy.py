"""The policy: its shape, its errors (cases as data), its schema, and the drafts that `init` writes."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from ruamel.yaml import YAML
from support.paths import CASES

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.datasets import create
from sdcdb.errors import PolicyError
from sdcdb.fields.amount import Amount
from sdcdb.policy.defaults import DEFAULTS
from sdcdb.policy.draft import draft_policy, outward, yaml_name
from sdcdb.policy.load import load_policy, parse_document
from sdcdb.policy.models import Column, Policy, Restrict, Role
from sdcdb.schemas import read_schema
from sdcdb.views.check import check

DEMO = files("sdcdb.cli").joinpath("demo.policy.yaml").read_text(encoding="utf-8")
BROKEN = YAML(typ="safe").load(CASES / "broken_policies.yaml")


@pytest.fixture(scope="module")
def staff() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    create(con, "staff", rows=500)
    return con


def problems_of(text: str, con: duckdb.DuckDBPyConnection) -> list[str]:
    try:
        found = check(con, parse_document(text, "p.yaml"))
    except PolicyError as error:
        found = list(error.problems)
    return [problem.text("p.yaml") for problem in found]


def test_the_shape_that_the_manual_shows() -> None:
    staff = parse_document(DEMO).policy.tables["staff"]
    assert staff.key == "id"
    assert staff.named(Role.QUASI) == ["sex", "age", "dept", "education"]
    assert staff.columns["salary"] == Column(role=Role.CONFIDENTIAL, domain=(10000, 250000), step=1)
    assert staff.restrict is not None
    assert staff.restrict.min_interval.of(staff.columns["salary"].width) == 24000
    assert staff.protect["staff_public"].columns["salary"].method == "normal"


def test_the_demo_policy_fits_the_staff_table(staff: duckdb.DuckDBPyConnection) -> None:
    assert problems_of(DEMO, staff) == []


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: case["name"])
def test_a_broken_policy_gets_a_helpful_message(case: dict[str, Any], staff: duckdb.DuckDBPyConnection) -> None:
    assert DEMO.count(case["replace"]) == 1
    found = problems_of(DEMO.replace(case["replace"], case["with"]), staff)
    fitting = [text for text in found if all(words in text for words in case["says"])]
    assert fitting, found
    assert any(text.startswith(f"p.yaml:{case['line']}:") for text in fitting), found
    assert not [word for word in case.get("never", []) if word in "\n".join(found)]


def test_all_mistakes_are_told_at_once(staff: duckdb.DuckDBPyConnection) -> None:
    broken = (
        DEMO.replace("sex: quasi", "sex: quassi").replace("min_set: 5", "min_set: x").replace("pool: all", "pool: we")
    )
    assert len(problems_of(broken, staff)) == 3


@pytest.mark.parametrize(
    "text", ["", "just words", "- a\n- b", "version: 1\n", "version: 1\ntables: {}\n", "\x00", "a: &x [*x]"]
)
def test_text_that_is_no_policy(text: str) -> None:
    with pytest.raises(PolicyError):
        parse_document(text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="sdcdb init"):
        load_policy(tmp_path / "missing.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PolicyError, match="not UTF-8"):
        load_policy(tmp_path / "binary.yaml")
    with pytest.raises(PolicyError, match="cannot be read"):
        load_policy(tmp_path)


def test_models_are_frozen() -> None:
    policy = parse_document(DEMO).policy
    with pytest.raises(ValidationError, match="frozen"):
        policy.tables["staff"].key = "name"  # type: ignore[misc]  # that it is read-only is the point


def test_every_default_stands_in_the_file() -> None:
    assert set(Restrict.model_fields) == set(DEFAULTS["restrict"])
    assert Restrict().min_set == DEFAULTS["restrict"]["min_set"]


@pytest.mark.parametrize(("given", "expected"), [("10%", Amount(0.1, relative=True)), (5, Amount(5)), ("5", Amount(5))])
def test_amounts(given: Any, expected: Amount) -> None:
    assert Restrict(min_interval=given).min_interval == expected


@pytest.mark.parametrize("given", ["ten", "-1%", -1, True, None, "nan", "1e999"])
def test_amounts_that_are_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        Restrict(min_interval=given)


def test_the_schema_accepts_the_demo_and_refuses_mistakes() -> None:
    good = YAML(typ="safe").load(DEMO)
    jsonschema.validate(good, read_schema("policy"))
    for path, value in [("sex", "quassi"), ("salary", {"role": "confidential", "domian": [1, 2]})]:
        bad = json.loads(json.dumps(good))
        bad["tables"]["staff"]["columns"][path] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, read_schema("policy"))


def test_a_draft_for_staff_guesses_every_role(staff: duckdb.DuckDBPyConnection) -> None:
    drafted = parse_document(draft_policy(staff, "staff.duckdb")).policy
    demo = parse_document(DEMO).policy
    assert drafted.tables["dept_dim"].public
    assert drafted.tables["staff"].key == "id"
    roles = {name: column.role for name, column in drafted.tables["staff"].columns.items()}
    assert roles == {name: column.role for name, column in demo.tables["staff"].columns.items()}


def test_a_draft_passes_its_own_check(staff: duckdb.DuckDBPyConnection) -> None:
    assert problems_of(draft_policy(staff, "staff.duckdb"), staff) == []


ODD_NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).filter(str.strip)


@given(st.lists(ODD_NAMES, min_size=1, max_size=4, unique_by=str.casefold), ODD_NAMES)
@example(["0", "Y", "Ý"], "two columns that say class")
@settings(deadline=None, max_examples=60)
def test_drafts_survive_any_name(columns: list[str], table: str) -> None:
    con = duckdb.connect()
    listed = ", ".join(f"i + {n} AS {quoted(identifier(name))}" for n, name in enumerate(columns))
    con.execute(f"CREATE TABLE {quoted(identifier(table))} AS SELECT {listed} FROM range(5) t(i)")
    policy = parse_document(draft_policy(con, "x\ny.duckdb")).policy
    assert [list(t.columns) for t in policy.tables.values()] == [columns]
    con.close()


@given(st.floats(-1e12, 1e12, allow_subnormal=False), st.floats(-1e12, 1e12, allow_subnormal=False))
@settings(deadline=None)
def test_a_proposed_domain_covers_the_data(a: float, b: float) -> None:
    low, high = outward(min(a, b), max(a, b))
    assert low <= min(a, b)
    assert max(a, b) <= high
    assert low < high


@pytest.mark.parametrize("name", ["yes", "null", "1", "a b", "ä:", "#x", "'", '"', "tables", "~", "- a", "2020-01-01"])
def test_names_are_quoted_where_yaml_needs_it(name: str) -> None:
    assert YAML(typ="safe").load(f"{yaml_name(name)}: 1") == {name: 1}


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT * FROM base LIMIT 0", "the table is empty"),
        ("SELECT 1 AS id, s FROM base", "is not unique: 499 records repeat"),
        ("SELECT CASE WHEN id > 2 THEN id END AS id, s FROM base", "is NULL in 2 of 500 records"),
        ("SELECT id, CASE id WHEN 3 THEN 'nan'::DOUBLE ELSE s END AS s FROM base", "holds 1 NaN or infinite values"),
        ("SELECT id, CASE id WHEN 3 THEN '-inf'::DOUBLE ELSE s END AS s FROM base", "holds 1 NaN or infinite values"),
        ("SELECT id, 5 AS s FROM base", "the same value in every record"),
        ("SELECT * FROM base LIMIT 1", "leaves only questions about all 1 record at once"),
        ("SELECT id, s::VARCHAR AS s FROM base", "is for numbers; 's' is VARCHAR"),
    ],
)
def test_odd_tables_are_told(sql: str, says: str) -> None:
    con = duckdb.connect()
    con.execute("CREATE TEMP TABLE base AS SELECT i AS id, (i % 100)::DOUBLE AS s FROM range(1, 501) t(i)")
    con.execute(f"CREATE TABLE t AS {sql}")
    policy = """
version: 1
tables:
  t:
    key: id
    columns: {id: identifier, s: {role: confidential, domain: [0, 100], step: 1}}
    restrict: {}
"""
    assert any(says in text for text in problems_of(policy, con))


def test_a_policy_can_be_made_in_python() -> None:
    policy = Policy.model_validate({"version": 1, "tables": {"t": "public"}})
    assert policy.tables["t"].public
