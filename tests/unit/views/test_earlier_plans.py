"""Views made before draws were cut by bits: their plans are read, and a refit draws nothing anew."""

import copy
import json
from typing import Any

import duckdb
import pytest
from support.paths import ROOT

from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import Bits
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Policy
from sdcdb.views import catalogue
from sdcdb.views.catalogue import lists_table
from sdcdb.views.plan import Plan
from sdcdb.views.protect import protect
from sdcdb.views.secret import Secret

SECRET = "a secret for these tests, long enough"  # noqa: S105
WRITTEN: dict[str, Any] = json.loads((ROOT / "tests/cases/views/plan_version_2.json").read_text(encoding="utf-8"))
"""A policy, its table, and what sdcdb 0.1 kept and published, before there were bits."""
EARLIER = """
    CREATE SCHEMA sdc;
    CREATE TABLE sdc.lanes (table_name VARCHAR NOT NULL, place VARCHAR NOT NULL, lane INTEGER NOT NULL,
        draws INTEGER NOT NULL, PRIMARY KEY (table_name, place));
    CREATE TABLE sdc.plans (view_name VARCHAR PRIMARY KEY, table_name VARCHAR NOT NULL, plan JSON NOT NULL,
        sdcdb_version VARCHAR NOT NULL, fitted_at TIMESTAMP NOT NULL, fitted_rows BIGINT NOT NULL,
        kind VARCHAR NOT NULL);
"""


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Governed:
    """Return a database as the earlier version left it."""
    monkeypatch.setenv("SDCDB_TEST_SECRET", SECRET)
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS {WRITTEN['select']}")
    con.execute(EARLIER)
    con.executemany("INSERT INTO sdc.lanes VALUES ('t', ?, ?, ?)", WRITTEN["lanes"])
    con.execute(
        "INSERT INTO sdc.plans VALUES ('v', 't', ?, ?, now()::TIMESTAMP, 60, 'view')",
        [json.dumps(WRITTEN["plan"]), WRITTEN["sdcdb_version"]],
    )
    return Governed(None, con, Policy.model_validate(WRITTEN["policy"]))


def published(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    return [tuple(float(v) if not isinstance(v, str) else v for v in row) for row in con.execute(query).fetchall()]


EXPECTED = [tuple(float(v) if not isinstance(v, str) else v for v in row) for row in WRITTEN["rows"]]


def test_an_earlier_plan_still_publishes_the_same_values(database: Governed) -> None:
    plan = catalogue.entry(database.con, "v").plan
    assert plan.version == 2
    catalogue.prepare(database.con)
    catalogue.store(database.con, plan, "view")
    select = plan.select(DuckDBDialect(), Secret(SECRET.encode()).subkey("t"), lists_table("v"), {})
    assert published(database.con, select) == EXPECTED


def test_a_refit_keeps_the_earlier_draws_and_a_new_column_gets_bits(database: Governed) -> None:
    (made,) = protect(database)
    assert made.plan.lanes == {place: lane for place, lane, _ in WRITTEN["lanes"]}
    assert published(database.con, "FROM v") == EXPECTED
    other = copy.deepcopy(WRITTEN["policy"])
    other["tables"]["t"]["protect"]["v"]["columns"]["word"]["p"] = 0.7
    (made,) = protect(Governed(None, database.con, Policy.model_validate(other)))
    new = [lane for place, lane in made.plan.lanes.items() if place.endswith(":word")]
    assert new == [(0, 16, 0)]
    assert [row[1:] for row in published(database.con, "FROM v")] == [row[1:] for row in EXPECTED]


def test_a_plan_survives_its_json(database: Governed) -> None:
    (made,) = protect(Governed(None, database.con, Policy.model_validate(WRITTEN["policy"])))
    assert Plan.model_validate_json(made.plan.model_dump_json()) == made.plan


WIDE: dict[str, Any] = json.loads((ROOT / "tests/cases/views/plan_version_3.json").read_text(encoding="utf-8"))
"""The same of a Framework with 64 bits for its class and 48 for each pair: two digests, where one would do by now."""


def test_a_framework_of_two_digests_publishes_the_same_values_also_when_fitted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SDCDB_TEST_SECRET", SECRET)
    con = duckdb.connect()
    con.execute(f"CREATE TABLE t AS {WIDE['select']}")
    plan = Plan.model_validate(WIDE["plan"])
    assert plan.version == 3
    catalogue.prepare(con)
    catalogue.store(con, plan, "view")
    select = plan.select(DuckDBDialect(), Secret(SECRET.encode()).subkey("t"), lists_table("v"), {})
    expected = [tuple(row) for row in WIDE["rows"]]
    assert con.execute(f"FROM ({select}) ORDER BY n").fetchall() == expected
    con.executemany("INSERT INTO sdc.bits VALUES ('t', ?, ?, ?, ?)", WIDE["bits"])
    (made,) = protect(Governed(None, con, Policy.model_validate(WIDE["policy"])))
    assert max(bits.first for bits in made.plan.lanes.values() if isinstance(bits, Bits)) == 256
    assert con.execute("FROM v ORDER BY n").fetchall() == expected
    con.execute("DELETE FROM sdc.bits")  # as for another table: by now one digest does
    (made,) = protect(Governed(None, con, Policy.model_validate(WIDE["policy"])))
    assert max(bits.first + bits.width for bits in made.plan.lanes.values() if isinstance(bits, Bits)) <= 256
    assert con.execute("FROM v ORDER BY n").fetchall() != expected
