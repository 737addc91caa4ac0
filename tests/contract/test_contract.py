"""The contract that every technique keeps, run over every case of every technique by itself."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from support.contract import (
    COLUMNS,
    SECRET,
    TABLE,
    TECHNIQUE_CASES,
    Case,
    make,
    policy_for,
    published,
    shared,
    shown_rows,
)

from sdcdb.assess.channels import channel, grid_of
from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.dialect import cut_of, placeholders
from sdcdb.engines.expressions import RECORD, WORD, Bits
from sdcdb.engines.spark import SparkDialect
from sdcdb.measures.channel import Grid
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.views.plan import Plan
from sdcdb.views.protect import protect
from sdcdb.views.secret import REDACTED, redacted

pytestmark = pytest.mark.usefixtures("contract_secret")

ORIGINAL = f"FROM {quoted(identifier(TABLE))} ORDER BY untouched"
DUCKDB_CLI = Path(sys.executable).with_name("duckdb")


def column(rows: Sequence[tuple[Any, ...]], plan: Plan, name: str) -> list[Any]:
    return [row[plan.columns.index(name)] for row in rows]


def original(con: duckdb.DuckDBPyConnection, name: str) -> list[Any]:
    return [value for (value,) in con.execute(f"SELECT {quoted(identifier(name))} {ORIGINAL}").fetchall()]


def test_every_technique_has_cases_and_a_manual() -> None:
    assert {file.stem for file in TECHNIQUE_CASES.glob("*.yaml")} == set(TECHNIQUES)
    for technique in TECHNIQUES.values():
        assert len((technique.params.__doc__ or "").split()) > 15, technique.name
        assert technique.summary.endswith("."), technique.name


def test_deterministic_given_the_secret_and_sticky_across_connections(first_case: Case) -> None:
    rows = list(shown_rows(first_case))
    again, _ = make(first_case)
    assert rows == published(shared(first_case)[0].con) == published(again.con.cursor())


def test_another_secret_gives_other_values(first_case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, made = list(shown_rows(first_case)), shared(first_case)[1]
    monkeypatch.setenv("CONTRACT_SECRET", SECRET[::-1])
    second, _ = make(first_case)
    if not made.plan.fitted[0].random():
        assert rows == published(second.con)
    else:
        assert rows != published(second.con)


def test_null_stays_null_and_nothing_else_becomes_null(case: Case) -> None:
    database, made = shared(case)
    rows = shown_rows(case)
    kept = column(rows, made.plan, "untouched")
    for name in case.columns:
        before = dict(enumerate(original(database.con, name), start=1))
        after = dict(zip(kept, column(rows, made.plan, name), strict=True))
        assert [key for key in kept if before[key] is None and after[key] is not None] == []
        if not made.plan.fitted[0].may_suppress():
            assert [key for key in kept if before[key] is not None and after[key] is None] == []


def test_the_output_stays_in_the_domain_and_of_its_type(case: Case) -> None:
    database, made = shared(case)
    table = f"(FROM {quoted(identifier('the view'))})"
    for name in case.columns:
        shape = made.plan.fitted[0].output_type()
        before = database.con.execute(
            f"SELECT {quoted(identifier(name))} FROM {quoted(identifier(TABLE))} LIMIT 0"
        ).description
        after = database.con.execute(f"SELECT {quoted(identifier(name))} FROM {table} LIMIT 0").description
        assert before is not None
        assert after is not None
        if shape is None:
            assert after[0][1] == before[0][1]
        spec = COLUMNS[name]
        values = [v for v in column(shown_rows(case), made.plan, name) if v is not None]
        if isinstance(spec, dict) and shape is None:
            low, high = spec["domain"]
            assert all(low <= v <= high for v in values)
            if "step" in spec:
                assert all((v - low) % spec["step"] == 0 for v in values)
        if not isinstance(spec, dict) and name != "unbounded" and shape is None:
            assert set(values) <= set(original(database.con, name))


def test_untouched_columns_are_untouched_and_identifiers_are_gone(case: Case) -> None:
    database, made = shared(case)
    assert "key" not in made.plan.columns
    rows = shown_rows(case)
    kept = column(rows, made.plan, "untouched")
    changed = {name for each in made.plan.fitted for name in each.columns}  # a method of records may change columns
    for name in {"word", "code"} - changed:
        if name not in case.columns:
            everything = dict(enumerate(original(database.con, name), start=1))
            assert column(rows, made.plan, name) == [everything[key] for key in kept]


def test_fitted_survives_json(case: Case) -> None:
    _, made = shared(case)
    again = Plan.model_validate_json(made.plan.model_dump_json())
    assert again == made.plan
    assert again.words() == made.plan.words()


def test_filters_on_untouched_columns_reach_the_scan(case: Case) -> None:
    database, _ = shared(case)
    sql = f"EXPLAIN SELECT untouched FROM {quoted(identifier('the view'))} WHERE untouched = 5"
    plan = database.con.execute(sql).fetchall()[0][1]
    assert "Filters" in plan
    if case.columns:
        assert "sha256" not in plan


def test_a_query_reads_only_the_columns_that_it_needs(case: Case) -> None:
    database, made = shared(case)

    def explained(name: str) -> str:
        sql = f"EXPLAIN SELECT {quoted(identifier(name))} FROM {quoted(identifier('the view'))}"
        return str(database.con.execute(sql).fetchall()[0][1])

    if case.columns and not made.plan.fitted[0].joined():  # an outer join is made, whether it is needed or not
        assert "sha256" not in explained("untouched")
        assert not [name for name in case.columns if name in explained("untouched")]
        assert "untouched" not in explained(case.columns[0])
        assert explained(case.columns[0]).count("sha256") <= len(made.plan.lanes)


def test_no_two_columns_share_a_bit(case: Case) -> None:
    """Save two normal numbers, which 48 bits make; and no expression uses a bit that was not asked for.

    So somebody who knows an original, and with it the bits that moved it, learns nothing of other columns' draws.
    """
    database, made = shared(case)
    rows = database.con.execute("SELECT place, first_bit, width, half FROM sdc.bits").fetchall()
    given = {place: Bits(*rest) for place, *rest in rows}
    assert given.items() >= made.plan.lanes.items()
    assert len(set(given.values())) == len(given)
    ranges = {bits[:2] for bits in given.values()}  # the two halves of a pair have one range
    taken = [bit for first, width in ranges for bit in range(first, first + width)]
    assert len(taken) == len(set(taken))
    assert all(first // WORD == (first + width - 1) // WORD for first, width in ranges)
    for each in made.plan.fitted:
        places = map(made.plan.row(each).place, each.columns or (RECORD,))
        own = [made.plan.lanes[place] for place in places if place in made.plan.lanes]  # recoding draws nothing
        allowed = {bit for bits in own if isinstance(bits, Bits) for bit in range(bits.first, bits.first + bits.width)}
        row = made.plan.row(each)
        for expression in (*each.expressions(row).values(), *filter(None, [each.condition(row)])):
            for node in placeholders(expression, "SDC_DRAW"):
                (block, number), (bit, width) = str(node.expressions[0].this).partition(" ")[::2], cut_of(node)
                if block == "bits":
                    assert set(range(256 * int(number) + bit, 256 * int(number) + bit + width)) <= allowed


def test_what_is_published_is_what_fitting_promises(case: Case) -> None:
    """Every frequency lies within five standard errors of the fitted chance, and three records."""
    database, made = shared(case)
    rows = shown_rows(case)
    for name, fitted in ((name, each) for each in made.plan.fitted for name in each.columns):
        before, after = original(database.con, name), column(rows, made.plan, name)
        if isinstance(fitted, FittedTransition):
            texts = [text for (text,) in database.con.execute(
                f"SELECT CAST({quoted(identifier(name))} AS VARCHAR) {ORIGINAL}").fetchall()]  # fmt: skip
            places = {value: place for place, value in enumerate(fitted.shape.values)}
            shown = dict(zip(before, texts, strict=True))
            pairs = [(places[shown[b]], places[shown[a]]) for b, a in zip(before, after, strict=True) if b is not None]
            likelihood = fitted.transition().matrix
        elif isinstance(COLUMNS[name], dict):
            grid = grid_of(tuple(COLUMNS[name]["domain"]), COLUMNS[name].get("step"))
            coarse = Grid(grid.low, grid.high, 10 if grid.size == 100 else grid.size)
            both = [(float(b), float(a)) for b, a in zip(before, after, strict=True) if b is not None and a is not None]
            fine = channel(fitted, name, grid)
            if fine is None or not both:
                continue
            cells = coarse.cells([grid.middles[i] for i in range(grid.size)])
            likelihood = np.array([np.bincount(cells, row, minlength=coarse.size) for row in fine])
            pairs = list(zip(grid.cells([b for b, _ in both]), coarse.cells([a for _, a in both]), strict=True))
        else:
            continue
        expected = np.sum([likelihood[i] for i, _ in pairs], axis=0)
        found = np.bincount([j for _, j in pairs], minlength=len(expected))
        assert (np.abs(found - expected) < 5 * np.sqrt(expected) + 3).all(), (name, found, expected)


def test_the_view_works_from_the_duckdb_command_line(first_case: Case, tmp_path: Path) -> None:
    database, _ = make(first_case, tmp_path / "c.duckdb")
    ours = published(database.con)
    database.close()
    sql = "COPY (FROM \"the view\" ORDER BY untouched) TO 'out.parquet'"
    subprocess.run([DUCKDB_CLI, "-readonly", "c.duckdb", sql], cwd=tmp_path, check=True, capture_output=True)
    assert duckdb.connect().execute(f"FROM '{tmp_path}/out.parquet'").fetchall() == [tuple(_plain(row)) for row in ours]


def _plain(row: tuple[Any, ...]) -> list[Any]:
    return list(row)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_tiny_tables(first_case: Case, rows: int) -> None:
    if not first_case.columns and not str(first_case.params.get("size", "%")).endswith("%"):
        return  # seven of two records cannot be
    database, _ = make(first_case, rows=rows)
    assert len(published(database.con)) <= rows


def test_a_refit_changes_nothing(first_case: Case) -> None:
    before = list(shown_rows(first_case))
    database, _ = shared(first_case)
    protect(database)
    assert published(database.con) == before


def test_the_secret_is_nowhere(case: Case) -> None:
    database, made = shared(case)
    assert SECRET not in made.sql
    assert SECRET not in made.plan.model_dump_json()
    shown = redacted(made.sql)
    subkey = made.sql.split("sha256('")[1][:32] if "sha256('" in made.sql else None
    assert subkey is None or (subkey not in shown and REDACTED in shown)
    assert subkey is None or subkey not in made.plan.model_dump_json()
    assert SECRET not in repr(database)


def test_words_explain_every_change(case: Case) -> None:
    _, made = shared(case)
    words = made.plan.words()
    for name in case.columns or ("",):
        assert len(words[name].split()) > 3


def test_it_renders_for_spark(case: Case) -> None:
    _, made = shared(case)
    lists = table_reference("lists")
    stored = {name: table_reference("stored") for each in made.plan.fitted for name in each.joined()}
    sql = made.plan.select(SparkDialect(), "k" * 32, lists, stored)
    assert "SDC_" not in sql
    assert "UHUGEINT" not in sql


def test_the_policy_is_valid(case: Case) -> None:
    assert len(policy_for(case).tables) == 1
