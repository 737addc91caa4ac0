"""SQL through the gateway, cases as data: answers equal plain DuckDB's, refusals say by which rule."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML
from support import victims
from support.paths import CASES

from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

ANSWERED: list[Any] = YAML(typ="safe").load(CASES / "gateway" / "answered.yaml")
REFUSED: list[dict[str, Any]] = YAML(typ="safe").load(CASES / "gateway" / "refused.yaml")


@pytest.fixture(scope="module")
def raw() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        victims.fill(con, victims.people(240))
        yield con


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return victims.create(tmp_path_factory.mktemp("gateway") / "staff.duckdb")


@pytest.fixture(scope="module")
def gateway(path: Path) -> Iterator[Gateway]:
    # Each case is a user of its own, so that no history stands between it and its answer.
    with victims.gateway(path, pool="user") as gateway:
        yield gateway


def rounded(rows: Any) -> list[tuple[Any, ...]]:
    def plain(value: Any) -> Any:
        number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        return float(f"{value:.9e}") if number else value

    return [tuple(plain(value) for value in row) for row in rows]


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["sql"] if isinstance(case, dict) else case)
def test_an_answer_equals_plain_duckdb_s(gateway: Gateway, raw: duckdb.DuckDBPyConnection, case: Any) -> None:
    sql, params = (case["sql"], case["params"]) if isinstance(case, dict) else (case, None)
    if sql.startswith("PIVOT") and duckdb.__version__.startswith("1."):
        pytest.skip("DuckDB 1 creates a type for PIVOT, which a transaction that only reads refuses")
    answer = gateway.ask(sql, params, user=f"user of {sql}")
    assert answer.verdict.kind == "allow"
    assert rounded(answer.rows) == rounded(raw.execute(sql, params).fetchall())


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["sql"])
def test_a_refusal_names_its_rule_and_what_to_try(gateway: Gateway, case: dict[str, Any]) -> None:
    with pytest.raises(Denied) as refusal:
        gateway.ask(case["sql"], case.get("params"), user="ben")
    assert refusal.value.rule == case["rule"], refusal.value
    assert refusal.value.reason
    assert refusal.value.hint


def test_an_answer_keeps_the_names_that_duckdb_gives(gateway: Gateway, raw: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT sex, COUNT(*), AVG(salary), AVG(age) AS a FROM staff GROUP BY sex ORDER BY sex"
    columns = tuple(column[0] for column in raw.execute(sql).description or ())
    answer = gateway.ask(sql, user="names")
    assert answer.columns == columns
    assert list(answer.df().columns) == list(columns)
    assert answer.arrow().num_rows == len(answer) == 2


NUMBERS = [[10**400], [float("nan")], [Decimal("sNaN")], [Decimal("1E+100000000")], [1j]]
OTHERS = [5, "abc", ["\ud800"], [object()], {"x": 1, "y": 2}, [b"x"], [{1, 2}]]


@pytest.mark.parametrize("params", NUMBERS + OTHERS)
def test_no_parameter_is_more_than_refused(gateway: Gateway, params: Any) -> None:
    for sql in ("SELECT COUNT(*) FROM staff WHERE age > ?", "SELECT COUNT(*) FROM staff WHERE age > $x"):
        with pytest.raises(Denied):
            gateway.ask(sql, params)


def test_a_result_that_would_fill_the_memory_is_refused(gateway: Gateway) -> None:
    with pytest.raises(Denied, match="rows"):
        gateway.ask("SELECT * FROM range(100_000_000)".replace("_", ""))


def test_what_is_explained_is_in_the_ledger_and_not_known(gateway: Gateway, path: Path) -> None:
    ledger = path.parent / "staff.ledger.jsonl"
    before = ledger.read_text("utf-8").splitlines()
    assert gateway.explain("SELECT AVG(salary) FROM staff", user="eve").kind == "allow"
    assert gateway.explain("SELECT AVG(salary) FROM staff WHERE age = 70", user="eve").rule == "size"
    assert gateway.explain("SELECT salary FROM staff", user="eve").kind == "unsupported"
    found = gateway.ask("EXPLAIN PRIVACY SELECT AVG(salary) FROM staff", user="eve")
    assert ("verdict", "allow") in found.rows
    noted = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()[len(before) :]]
    assert [(each["kind"], each["user"], each["verdict"], each["rule"]) for each in noted] == [
        ("explain", "eve", "allow", None),
        ("explain", "eve", "deny", "size"),
        ("explain", "eve", "unsupported", "shape"),
        ("explain", "eve", "allow", None),
    ]
    assert not any("facts" in each for each in noted)


def test_what_the_ledger_keeps_of_a_statement_and_a_name_is_bounded(gateway: Gateway, path: Path) -> None:
    ledger = path.parent / "staff.ledger.jsonl"
    before = ledger.stat().st_size
    for sql, user in (("SELECT " + "x" * 2_000_000, "eve"), ("SELECT COUNT(*) FROM staff", "e" * 1_000_000)):
        for call in (gateway.ask, gateway.explain) if user == "eve" else (gateway.ask,):
            with suppress(Denied):
                call(sql, user=user)
    with pytest.raises(Denied, match="name is longer"):
        gateway.ask("SELECT COUNT(*) FROM staff", user="e" * 201)
    added = ledger.read_text("utf-8")[before:].splitlines()
    assert [json.loads(line)["verdict"] for line in added] == ["unsupported"] * 4
    assert all(len(line) < 6_000 for line in added)
    assert hashlib.sha256(b"SELECT " + b"x" * 2_000_000).hexdigest() in added[0]
    assert hashlib.sha256(b"e" * 1_000_000).hexdigest() in added[2]
