"""Exact means exact: honest statements over a table of all types, answered as plain DuckDB answers them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from support import all_types

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

AUDITED = {"interval", "exact", "cae"}
CASES: Mapping[str, frozenset[int]] = defaultdict(lambda: frozenset({0, 1}), ALL=frozenset())
SAME = 0.75  # of the statements; the others are about nobody, or bad SQL


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    path = tmp_path / "kinds.duckdb"
    with duckdb.connect(str(path)) as con:
        all_types.fill(con)
    rules = path.with_suffix(".policy.yaml")
    rules.write_text(all_types.policy(), "utf-8")
    with sdcdb.open(path, policy=rules) as db, db.gateway() as found:
        yield found


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, float) and isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(ours) and math.isnan(theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)


def rank(row: tuple[Any, ...]) -> str:
    return str([f"{value:.6e}" if isinstance(value, int | float | Decimal) else str(value) for value in row])


def folded(rows: Sequence[tuple[Any, ...]], columns: frozenset[int]) -> list[tuple[Any, ...]]:
    """Put the texts of some columns into small letters."""
    return [tuple(v.lower() if n in columns and isinstance(v, str) else v for n, v in enumerate(row)) for row in rows]


def difference(ours: Sequence[tuple[Any, ...]], theirs: Sequence[tuple[Any, ...]], drawn: all_types.Drawn) -> str:
    """Say in what two answers differ: in rows, in values, or in the order of what ORDER BY names."""
    if len(ours) != len(theirs):
        return f"{len(ours)} rows instead of {len(theirs)}"
    for column in drawn.any_case:  # which of 'a' and 'A' is shown is open, but one of them it is
        shown = {row[column] for row in ours if isinstance(row[column], str)}
        if not shown <= all_types.NOCASE | {row[column] for row in theirs}:
            return f"{ours} instead of {theirs}"
    mine, right = folded(ours, drawn.any_case), folded(theirs, drawn.any_case)
    ties = frozenset(range(drawn.ordered))  # a collation leaves the order of 'a' and 'A' open
    for one, other in zip(folded(mine, ties), folded(right, ties), strict=True):
        if not all(same(a, b) for a, b in zip(one[: drawn.ordered], other[: drawn.ordered], strict=True)):
            return f"another order: {one} instead of {other}"
    for one, other in zip(sorted(mine, key=rank), sorted(right, key=rank), strict=True):
        if len(one) != len(other) or not all(same(a, b) for a, b in zip(one, other, strict=True)):
            return f"{one} instead of {other}"
    return ""


def computes_nothing(raw: duckdb.DuckDBPyConnection, sql: str) -> bool:
    """Tell whether a number is 0 for some group, shown or not: nobody may be in the set that it asks about."""
    everything = sqlglot.parse_one(sql, dialect="duckdb")
    for select in everything.find_all(exp.Select):
        select.set("having", None)
        select.set("limit", None)
    found = raw.execute(everything.sql(dialect="duckdb")).fetchall()
    numbers = (value for row in found for value in row if isinstance(value, int | float | Decimal))
    return any(value == 0 and not isinstance(value, bool) for value in numbers)


def compare(gateway: Gateway, raw: duckdb.DuckDBPyConnection, drawn: all_types.Drawn, number: int) -> str:
    """Ask both; return what became of it, or say in what the answers differ."""
    try:
        ran = raw.execute(drawn.sql)
        theirs, shape = ran.fetchall(), ran.description or ()
        sizes = [size for (size,) in raw.execute(drawn.sizes).fetchall()]
    except duckdb.Error:
        return "no SQL"
    empty = not sizes or min(sizes) == 0  # too small for any policy
    try:
        answer = gateway.ask(drawn.sql, user=f"user {number}")
    except Denied as refusal:
        if refusal.rule == "size":
            return (
                "empty"
                if empty or computes_nothing(raw, drawn.sql)
                else f"{drawn.sql}: denied, and no query set is empty"
            )
        return refusal.rule if refusal.rule in AUDITED else f"{drawn.sql}: {refusal}"
    if empty:
        return f"{drawn.sql}: answered, and a query set is empty"
    kinds, names = tuple(str(column[1]) for column in shape), tuple(column[0] for column in shape)
    if answer.types != kinds:
        return f"{drawn.sql}: {answer.types} instead of {kinds}"
    if "k0" in names and answer.columns[: drawn.ordered] != names[: drawn.ordered]:
        return f"{drawn.sql}: {answer.columns} instead of {names}"
    found = difference(answer.rows, theirs, drawn)
    return f"{drawn.sql}: {found}" if found else "same"


def run(gateway: Gateway, number: int, seed: int) -> None:
    ends: dict[str, int] = {}
    with duckdb.connect() as raw:
        all_types.fill(raw)
        for turn, drawn in enumerate(all_types.Statements(seed).drawn(number)):
            end = compare(gateway, raw, drawn, turn)
            assert end in {"same", "no SQL", "empty", *AUDITED}, end
            ends[end] = ends.get(end, 0) + 1
    assert ends["same"] > SAME * number, ends
    print(ends)  # noqa: T201 - the counts of a soak run


def test_statements_over_all_types_are_answered_as_duckdb_answers_them(gateway: Gateway) -> None:
    run(gateway, 150, seed=1)


@pytest.mark.parametrize("what", ["SUM(pay::DOUBLE)", "SUM(CAST(hours AS DOUBLE) * 2 + 1)", "AVG(rate::DOUBLE)"])
def test_a_cast_makes_the_type_that_it_makes_in_duckdb(gateway: Gateway, what: str) -> None:
    sql = f"SELECT typeof(x), x FROM (SELECT {what} AS x FROM kinds)"
    with duckdb.connect() as raw:
        all_types.fill(raw)
        kind, value = raw.execute(sql).fetchone() or ("", 0.0)
    assert list(gateway.ask(sql, user="ann").rows) == [(kind, pytest.approx(value))]


@pytest.mark.soak
def test_two_thousand_statements_are(gateway: Gateway) -> None:
    run(gateway, 3_000, seed=2)


@pytest.mark.parametrize("keys", ["nocase", "nocase || '!'", "nocase, flag", "mood, nocase"])
def test_group_by_all_tells_letters_apart_as_in_duckdb(gateway: Gateway, keys: str) -> None:
    """GROUP BY ALL is the one form in which DuckDB pays no heed to a collation."""
    with duckdb.connect() as raw:
        all_types.fill(raw)
        for by in ("ALL", keys):
            sql = f"SELECT {keys}, COUNT(*) AS n, COUNT() AS m FROM kinds GROUP BY {by}"
            theirs = raw.execute(sql).fetchall()
            ours = gateway.ask(sql).rows
            assert sorted(map(str, folded(ours, CASES[by]))) == sorted(map(str, folded(theirs, CASES[by])))
        assert len(raw.execute(f"SELECT {keys} FROM kinds GROUP BY ALL").fetchall()) > len(theirs)
