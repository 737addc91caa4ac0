"""The protected view as public knowledge: "no job, no income" is known before anybody asks."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.inference.forecast import Forecast

PEOPLE = 900
VIEW = """\
    protect:
      people_public:
        secret: env:SDCDB_VIEWED
        columns:
          income: {method: METHOD}
"""
KNOWN = "{0: 33%, 1 to 40000: 44%, 40000 to 100000: 23%}"
NORMAL = "normal, sd: 10%, boundary: reflect"


def policy(view: bool, method: str = NORMAL) -> str:  # noqa: FBT001 - with or without
    return f"""\
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      job: quasi
      age: quasi
      income: {{role: confidential, domain: [0, 100000], step: 1, known: {KNOWN}}}
    restrict: {{min_interval: 10% of spread}}
{VIEW.replace("METHOD", method) if view else ""}"""


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDCDB_VIEWED", "a secret for the noise of a view, long enough")


@contextmanager
def opened(folder: Path, *, view: bool, method: str = NORMAL, nothing: bool = True) -> Iterator[Gateway]:
    """Open a gateway to people of whom a third has no job, and no income; or, at times, some of it."""
    rng = np.random.default_rng(3)
    job = np.array(["none", "office", "works"])[np.arange(PEOPLE) % 3]
    income = np.where(job == "none", 0 if nothing else 9_000, rng.integers(1, 99_999, PEOPLE))
    held = pa.table({"id": np.arange(PEOPLE), "job": job, "age": rng.integers(20, 60, PEOPLE), "income": income})
    path = folder / "people.duckdb"
    if not path.exists():
        with duckdb.connect(str(path)) as con:
            con.register("held", held)
            con.execute("CREATE TABLE people AS SELECT id, job, age, income::INTEGER AS income FROM held")
    rules = path.with_suffix(".policy.yaml")
    rules.write_text(policy(view, method), encoding="utf-8")
    with sdcdb.open(path, policy=rules) as db:
        if view:
            db.protect()
        with db.gateway() as gateway:
            yield gateway


def forecast(gateway: Gateway) -> Forecast:
    found = gateway._tables._histories["people"]._foretold("income")
    assert found is not None
    return found


NO_JOB = "SELECT SUM(income) FROM people WHERE job = 'none'"


def test_a_pocket_that_the_view_shows_is_denied_before_it_is_asked(tmp_path: Path) -> None:
    with opened(tmp_path, view=True) as gateway:
        with pytest.raises(Denied, match="narrow one person's value"):
            gateway.ask(NO_JOB)
        assert gateway.ask("SELECT SUM(income) FROM people WHERE job = 'office'").rows
        found = forecast(gateway)
    zero = [prior.up_to(0) for prior in found.priors]
    assert max(zero) > 0.9, "deconvolved: most people without a job have nothing"
    assert min(zero) < 0.1


def test_without_the_view_the_same_pocket_is_a_surprise_that_the_owner_is_told_of(tmp_path: Path) -> None:
    with opened(tmp_path, view=False) as gateway:
        assert gateway.ask(NO_JOB).rows == ((0,),)
    ledger = (tmp_path / "people.ledger.jsonl").read_text("utf-8")
    assert '"surprise":true' in ledger.replace(" ", "")


@pytest.mark.parametrize("method", ["rounding, base: 5000", "microaggregation, k: 5"])
def test_a_view_without_a_law_of_noise_counts_as_published(tmp_path: Path, method: str) -> None:
    with opened(tmp_path, view=True, method=method) as gateway, pytest.raises(Denied):
        gateway.ask(NO_JOB)


def test_only_published_rows_are_read(tmp_path: Path) -> None:
    """The raw table may be another one: with the same view and the same cells the forecast is the same."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with opened(tmp_path / "one", view=True) as first, opened(tmp_path / "two", view=True, nothing=False) as second:
        assert forecast(first).priors != forecast(second).priors
        copy = tmp_path / "copy.duckdb"
        with duckdb.connect(str(copy)) as con:
            rows = first.ask("SELECT job, age, income FROM people_public").rows
            con.execute("CREATE TABLE t (job VARCHAR, age INTEGER, income INTEGER)")
            con.executemany("INSERT INTO t VALUES (?, ?, ?)", [list(row) for row in rows])
        con = second._con
        con.execute("DROP VIEW people_public")
        con.execute(f"ATTACH '{copy}' AS copied (READ_ONLY)")
        con.execute("CREATE TABLE people_public AS SELECT * FROM copied.t")
        second._tables._views._kept.clear()
        assert forecast(second).priors == forecast(first).priors
        assert (forecast(second).place == forecast(first).place).all()


def test_the_forecast_is_learnt_once_and_anew_when_the_view_is_fitted_anew(tmp_path: Path) -> None:
    with opened(tmp_path, view=True) as gateway:
        first = forecast(gateway)
        assert forecast(gateway) is first
    with opened(tmp_path, view=True, method="normal, sd: 20%, boundary: reflect") as gateway:
        assert forecast(gateway).priors != first.priors
    entries = (tmp_path / "people.ledger.jsonl").read_text("utf-8").count('"kind":"policy"')
    assert entries == 2, "the ledger says that what is plausible follows from another view"
