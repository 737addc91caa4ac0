"""The SQL of every technique for every engine, as committed files that a reviewer reads."""

from collections.abc import Callable
from pathlib import Path

from sdcdb.errors import DataError
from sdcdb.policy.governed import Governed
from sdcdb.views.protect import Protected
from sdcdb.views.secret import Secret
from sdcdb.views.spark import spark_sql
from support.contract import SECRET, Case, make
from support.paths import ROOT
from support.sql_layout import layout

GOLDEN = ROOT / "tests" / "golden"
ROWS = 60  # enough for a tree to branch, few enough for a list to be read


def _duckdb(made: Protected) -> str:
    return made.sql.split(" AS ", 1)[1]


def _spark(made: Protected) -> str:
    names = [name for each in made.plan.fitted for name in each.joined()]
    stored = {name: f"stored_{number}" for number, name in enumerate(names)}
    return spark_sql(made.plan, Secret(SECRET.encode()), "people", stored=stored)


ENGINES: dict[str, Callable[[Protected], str]] = {"duckdb": _duckdb, "spark": _spark}


def golden_file(engine: str, technique: str) -> Path:
    return GOLDEN / engine / f"{technique}.sql"


def fitted(case: Case) -> tuple[Governed, Protected]:
    """Return a small table of the contract suite and its view."""
    return make(case, rows=ROWS)


def rendered(engine: str, case: Case, made: Protected) -> tuple[str, str]:
    """Return what the golden file of a technique is to say: a title in one line, and the SQL."""
    columns = ", ".join(case.columns) or "the records"
    asked = ", ".join(f"{name}: {value}" for name, value in case.params.items())
    title = f"-- {case.method} of {columns}, {{{asked}}}\n"
    try:
        sql = ENGINES[engine](made)
    except DataError as refusal:
        sql = f"-- {type(refusal).__name__}: {refusal}"
    return title, layout(sql)
