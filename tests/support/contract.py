"""The table, the policy and the cases on which every technique must keep the contract."""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest
from ruamel.yaml import YAML

from sdcdb.connection.connect import connect
from sdcdb.connection.identifiers import identifier, quoted, table_name
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Policy
from sdcdb.views.protect import Protected, protect
from support.paths import CASES

TECHNIQUE_CASES = CASES / "techniques"
SECRET = "contract-suite-secret-0123456789"  # noqa: S105 - a secret for tests

# Every kind of column that a technique may meet, with NULLs, in a table whose names need quoting.
TABLE = 'a "table" ü'
ROWS = 2_000
COLUMNS: dict[str, Any] = {
    "whole": {"role": "confidential", "domain": [0, 100], "step": 1},
    "real": {"role": "confidential", "domain": [-5, 5]},
    "decimal": {"role": "confidential", "domain": [0, 50]},
    "stepped": {"role": "confidential", "domain": [10, 250], "step": 10},
    "unbounded": "class",
    "word": "quasi",
    "many words": "quasi",
    "one word": "quasi",
    "flag": "quasi",
    "letter": "quasi",
    "day": "quasi",
    "code": "quasi",
    "untouched": "public",
}
SELECT = """
    SELECT i AS "key",
        CASE WHEN i % 17 <> 0 THEN (i * 7919) % 101 END::INTEGER AS whole,
        CASE WHEN i % 19 <> 0 THEN ((i * 104729) % 10007) / 10007e0 * 10 - 5 END::DOUBLE AS "real",
        CASE WHEN i % 23 <> 0 THEN ((i * 1299709) % 5001) / 100 END::DECIMAL(8, 2) AS "decimal",
        CASE WHEN i % 29 <> 0 THEN 10 + 10 * ((i * 15485863) % 25) END::SMALLINT AS stepped,
        ((i * 32452843) % 997)::DOUBLE AS unbounded,
        CASE WHEN i % 31 <> 0 THEN ['red', 'gr''een', 'blüe', 'NULL', 'a "b"'][1 + (i * 49979687) % 5] END AS word,
        'w' || ((i * 67867967) % 500) AS "many words",
        'only' AS "one word",
        CASE WHEN i % 37 <> 0 THEN (i * 86028121) % 3 = 0 END AS flag,
        ['x', 'y', 'z'][1 + (i * 122949823) % 3]::ENUM('x', 'y', 'z') AS letter,
        DATE '2020-01-01' + ((i * 141650939) % 6)::INTEGER AS "day",
        ((i * 160481183) % 7)::BIGINT AS code,
        i AS untouched
    FROM range(1, {rows} + 1) AS r(i)
"""


@dataclass(frozen=True)
class Case:
    """A technique with parameters, on one or several columns of the table."""

    method: str
    columns: tuple[str, ...]
    params: dict[str, Any] = field(hash=False)

    @property
    def view(self) -> dict[str, Any]:
        """The view's part of a policy."""
        spec = {"method": self.method, **self.params}
        if not self.columns:
            secret = [name for name, role in COLUMNS.items() if "confidential" in str(role)]
            return {"secret": "env:CONTRACT_SECRET", "rows": spec, "unchanged": secret}
        return {"secret": "env:CONTRACT_SECRET", "columns": dict.fromkeys(self.columns, spec)}

    def __str__(self) -> str:
        return f"{self.method}-{'+'.join(self.columns) or 'records'}-{'-'.join(map(str, self.params.values()))[:40]}"


def cases() -> list[Case]:
    """Read every case of every technique."""
    found = []
    for file in sorted(TECHNIQUE_CASES.glob("*.yaml")):
        for entry in YAML(typ="safe").load(file):
            columns = [entry["column"]] if isinstance(entry["column"], str) else entry["column"]
            found.append(Case(file.stem, tuple(columns), entry["params"]))
    return found


def policy_for(case: Case) -> Policy:
    """Return the policy that has this case as its only protected view."""
    columns = {"key": "identifier", **COLUMNS}
    table = {"key": "key", "columns": columns, "protect": {"the view": case.view}}
    return Policy.model_validate({"version": 1, "tables": {table_name("main", TABLE): table}})


def make(case: Case, path: Path | None = None, rows: int = ROWS) -> tuple[Governed, Protected]:
    """Create the table and its protected view, in memory or in a file."""
    # Not sdcdb.open: the SQL functions that it registers play no part here, and would be a third of the time.
    con = connect(path, create=True) if path else duckdb.connect()
    database = Governed(path, con, policy_for(case))
    database.con.execute(f"CREATE TABLE {quoted(identifier(TABLE))} AS {SELECT.format(rows=rows)}")
    (made,) = protect(database)
    return database, made


@lru_cache(maxsize=2)  # pytest runs all tests of a case before the next: see `case`
def shared(case: Case) -> tuple[Governed, Protected]:
    """As `make`, once per case: for tests that only look."""
    return make(case)


@lru_cache(maxsize=2)
def shown_rows(case: Case) -> tuple[tuple[Any, ...], ...]:
    """Return what the shared view of a case shows, read once: reading takes longer than making the view."""
    return tuple(published(shared(case)[0].con))


def published(con: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    """Read the view, in the order of the untouched column."""
    return con.execute('FROM "the view" ORDER BY untouched').fetchall()


def same(ours: Any, theirs: Any) -> bool:
    """Compare two published values; engines and processors may differ in the last digits of floats."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    return bool((str(ours) if isinstance(ours, UUID) and isinstance(theirs, str) else ours) == theirs)


@pytest.fixture
def contract_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret of every case's view."""
    monkeypatch.setenv("CONTRACT_SECRET", SECRET)


@pytest.fixture(params=cases(), ids=str, scope="module")
def case(request: pytest.FixtureRequest) -> Case:
    """Every case in turn."""
    given: Case = request.param
    return given


def first_cases() -> list[Case]:
    """Return one case of each technique: what is about the machinery, and costs a database each time, needs no more."""
    return list({each.method: each for each in reversed(cases())}.values())[::-1]


@pytest.fixture(params=first_cases(), ids=str, scope="module")
def first_case(request: pytest.FixtureRequest) -> Case:
    """The first case of every technique in turn."""
    given: Case = request.param
    return given
