"""Exact means exact: honest statements over a table of all types, answered as plain DuckDB answers them."""

import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import all_types

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

AUDITED = {"size", "interval", "exact", "cae"}


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
    if isinstance(ours, str) and isinstance(theirs, str):  # of 'a' and 'A', a collation shows whichever came first
        return ours.lower() == theirs.lower()
    if isinstance(theirs, float) and isinstance(ours, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(ours) and math.isnan(theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)


def rank(row: tuple[Any, ...]) -> str:
    return str([f"{value:.6e}" if isinstance(value, int | float | Decimal) else str(value).lower() for value in row])


def compare(gateway: Gateway, raw: duckdb.DuckDBPyConnection, sql: str, number: int) -> str:
    """Ask both; return what became of it, or say in what the answers differ."""
    try:
        ran = raw.execute(sql)
        theirs, kinds = ran.fetchall(), tuple(str(column[1]) for column in ran.description or ())
    except duckdb.Error:
        return "no SQL"
    try:
        answer = gateway.ask(sql, user=f"user {number}")
    except Denied as refusal:
        # Empty sets are too small for any policy, and the audit has limits of its own.
        return refusal.rule if refusal.rule in AUDITED else f"{sql}: {refusal}"
    if answer.types != kinds:
        return f"{sql}: {answer.types} instead of {kinds}"
    for mine, right in zip(sorted(answer.rows, key=rank), sorted(theirs, key=rank), strict=False):
        if len(mine) != len(right) or not all(same(a, b) for a, b in zip(mine, right, strict=True)):
            return f"{sql}: {mine} instead of {right}"
    return "same" if len(answer.rows) == len(theirs) else f"{sql}: {len(answer.rows)} rows"


def run(gateway: Gateway, number: int, seed: int) -> None:
    ends: dict[str, int] = {}
    with duckdb.connect() as raw:
        all_types.fill(raw)
        for turn, sql in enumerate(all_types.Statements(seed).drawn(number)):
            end = compare(gateway, raw, sql, turn)
            assert end in {"same", "no SQL", *AUDITED}, end
            ends[end] = ends.get(end, 0) + 1
    assert ends["same"] > 0.7 * number, ends


def test_statements_over_all_types_are_answered_as_duckdb_answers_them(gateway: Gateway) -> None:
    run(gateway, 150, seed=1)


@pytest.mark.soak
def test_two_thousand_statements_are(gateway: Gateway) -> None:
    run(gateway, 3_000, seed=2)
