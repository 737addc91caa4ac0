"""`known` through the gateway: what analysts see, what it changes, and that it is not changed in silence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.shell.describe import describe

KNOWN = "{0: 92%, 1 to 5000: 5%, 5000 to 99999: 3%}"
PEOPLE = 1000


def policy(known: str = KNOWN, interval: str = "10% of spread") -> str:
    declared = f", known: {known}" if known else ""
    return f"""\
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      age: quasi
      town: quasi
      gain: {{role: confidential, domain: [0, 99999], step: 1{declared}}}
    restrict: {{min_set: 10, min_interval: {interval}}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    made = tmp_path / "people.duckdb"
    with duckdb.connect(str(made)) as con:
        con.execute("CREATE TABLE people (id INTEGER, age INTEGER, town VARCHAR, gain INTEGER)")
        for number in range(PEOPLE):
            chance = rng.random()
            gain = 0 if chance < 0.92 else rng.integers(1, 5000) if chance < 0.97 else rng.integers(5000, 99999)
            row = [number, int(rng.integers(20, 70)), "ABCD"[number % 4], int(gain)]
            con.execute("INSERT INTO people VALUES (?, ?, ?, ?)", row)
    return made


@contextmanager
def opened(path: Path, text: str) -> Iterator[Gateway]:
    rules = path.with_suffix(".policy.yaml")
    rules.write_text(text, encoding="utf-8")
    with sdcdb.open(path, policy=rules) as db, db.gateway() as gateway:
        yield gateway


def test_a_set_that_may_have_nothing_at_all_is_denied_and_a_large_one_answered(path: Path) -> None:
    with opened(path, policy()) as gateway:
        with pytest.raises(Denied, match="narrow one person's value"):
            gateway.ask("SELECT SUM(gain) FROM people WHERE age BETWEEN 30 AND 34")
        assert gateway.ask("SELECT SUM(gain) FROM people WHERE town IN ('A', 'C')").rows
        assert len(gateway.ask("SELECT town, SUM(gain) FROM people GROUP BY town").rows) == 4


def test_the_floor_is_a_share_of_what_is_usual(path: Path) -> None:
    with opened(path, policy()) as gateway:
        (table,) = gateway.relations.restricted()
        usual = table.confidential["gain"].spread
        assert 2_000 < usual < 5_000
        assert table.limits_of(table.confidential["gain"]).min_interval == pytest.approx(0.1 * usual)
        gateway.ask("SELECT SUM(gain) FROM people")
        (known,) = gateway.known()
        assert known.interval >= 0.1 * usual
        assert 0 < known.room <= 1


def test_analysts_see_what_is_declared_public(path: Path) -> None:
    with opened(path, policy()) as gateway:
        uses = {name: use for name, _, use in describe(gateway.relations, "people")}
    assert "known: 0: 92%, 1 to 5,000: 5%, 5,000 to 99,999: 3%" in uses["gain"]


@pytest.mark.parametrize("changed", ["", "{0: 50%, 1 to 99999: 50%}"])
def test_what_is_public_does_not_change_in_silence(path: Path, changed: str) -> None:
    sql = "SELECT SUM(gain) FROM people"
    with opened(path, policy(interval="900")) as gateway:
        assert gateway.ask(sql).rows
    with opened(path, policy(changed, interval="900")) as gateway:
        with pytest.raises(Denied, match="the owner has not confirmed"):
            gateway.ask(sql)
        (halt,) = gateway.halted()
        assert any("declared public was 0: 92%" in why for why in halt.why)
        assert gateway.accept_looser("the survey of 2024 is out")
        assert gateway.ask(sql).rows
        assert gateway.known()[0].room < 1, "what was answered stays known"
