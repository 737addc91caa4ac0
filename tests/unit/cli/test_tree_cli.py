"""`sdcdb tree`, as a user calls it."""

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from sdcdb.cli.main import app
from sdcdb.errors import SdcdbError
from sdcdb.trees.tree import Tree


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "d.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(
            "CREATE TABLE d AS SELECT i AS id, i % 10 AS n, 'k' || i % 3 AS k, i % 7 AS other, "
            "CASE WHEN i % 10 > 4 OR i % 3 = 1 THEN 'yes' ELSE 'no' END AS class FROM range(300) r(i)"
        )
    return path


def call(*arguments: str | Path) -> str:
    result = CliRunner().invoke(app, ["tree", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_it_prints_the_rules(file: Path) -> None:
    text = call(file, "d", "--class", "class")
    assert "class: 4 leaves" in text
    assert "=> yes: 150 of 150 records" in text
    assert "total innocent attributes: other" in text


def test_json_holds_the_leaves_and_the_tree(file: Path) -> None:
    data = json.loads(call(file, "d", "--class", "class", "--json"))
    assert {"leaf", "rule", "class", "records", "siblings", "influential", "innocent"} == set(data["leaves"][0])
    assert len(Tree.model_validate(data["tree"]).leaves()) == len(data["leaves"]) == 4


def test_attributes_minimum_and_learner_are_the_callers_choice(file: Path) -> None:
    one = json.loads(call(file, "d", "--class", "class", "-a", "k,other", "--json"))
    assert [a["name"] for a in one["tree"]["attributes"]] == ["k", "other"]
    large = json.loads(call(file, "d", "--class", "class", "--min-cases", "160", "--json"))
    assert len(large["leaves"]) == 1
    cart = json.loads(call(file, "d", "--class", "class", "--learner", "cart", "--json"))
    assert any("k <> k1" in leaf["rule"] for leaf in cart["leaves"])


def test_it_draws_and_says_so_on_stderr(file: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["tree", str(file), "d", "--class", "class", "-o", str(tmp_path / "t.svg")])
    assert (tmp_path / "t.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "Drew" in result.stderr
    assert "Left out: id" in result.stderr


def test_a_sample_is_stated(file: Path) -> None:
    result = CliRunner().invoke(app, ["tree", str(file), "d", "--class", "class", "--sample", "100", "--seed", "3"])
    assert "Grown from a sample of 100 records (seed 3)" in result.stderr
    assert "100 records" in result.stdout


def test_mistakes_are_the_users(file: Path) -> None:
    with pytest.raises(SdcdbError, match="no column 'klass'"):
        call(file, "d", "--class", "klass")
    with pytest.raises(SdcdbError, match="confidence is 0"):
        call(file, "d", "--class", "class", "--confidence", "0")
    with pytest.raises(SdcdbError, match="allowed endings"):
        call(file, "d", "--class", "class", "-o", "t.gif")
