"""An honest analyst is served: nearly all of a hundred varied questions in one history, and every number is right."""

from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML
from support.paths import CASES

import sdcdb
from sdcdb.datasets import create
from sdcdb.errors import Denied

QUESTIONS: list[str] = YAML(typ="safe").load(CASES / "gateway" / "honest.yaml")
ENOUGH = 95
POLICY = files("sdcdb.cli").joinpath("demo.policy.yaml").read_text("utf-8")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "staff.duckdb"
    with duckdb.connect(str(path)) as con:
        create(con, "staff", rows=1_000)
    path.with_suffix(".policy.yaml").write_text(POLICY, "utf-8")
    return path


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, int | float | Decimal) and isinstance(ours, int | float | Decimal):
        return float(ours) == pytest.approx(float(theirs), rel=1e-9)
    return bool(ours == theirs)


def test_a_hundred_questions_in_one_history(path: Path) -> None:
    assert len(QUESTIONS) == 100
    with duckdb.connect() as raw:
        create(raw, "staff", rows=1_000)
        refused: list[str] = []
        with sdcdb.open(path) as db, db.gateway() as gateway:
            for sql in QUESTIONS:
                truth = raw.execute(sql).fetchall()
                try:
                    answer = gateway.ask(sql, user="ana")
                except Denied as refusal:
                    refused.append(f"{refusal.rule}: {sql}")
                    continue
                if answer.verdict.kind == "allow":
                    assert len(answer.rows) == len(truth), sql
                    for mine, right in zip(answer.rows, truth, strict=True):
                        assert all(same(a, b) for a, b in zip(mine, right, strict=True)), (sql, mine, right)
                    continue
                shown = [row for row in answer.rows if None not in row]
                for row in shown:  # where an order or a window is over suppressed rows, the rows are found by value
                    assert any(all(same(a, b) for a, b in zip(row, right, strict=True)) for right in truth), (sql, row)
                if len(shown) * 2 < len(truth):
                    refused.append(f"suppressed: {sql}")
    assert len(QUESTIONS) - len(refused) >= ENOUGH, refused
