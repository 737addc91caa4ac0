"""The stage of an attack: the same people in plain DuckDB and behind a gateway."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sdcdb
from sdcdb.database import Database
from sdcdb.gateway.gateway import Gateway
from support import victims
from support.attacker import Ask, plain, through


@dataclass
class Stage:
    """Both sides of an attack."""

    raw: duckdb.DuckDBPyConnection
    db: Database
    gateway: Gateway
    path: Path

    @property
    def plain(self) -> Ask:
        return plain(self.raw)

    def through(self, *users: str) -> Ask:
        return through(self.gateway, *users)

    @property
    def salaries(self) -> dict[int, int]:
        return dict(self.raw.execute("SELECT id, salary FROM staff").fetchall())

    def both(self, sql: str) -> None:
        """Change the data on both sides."""
        self.raw.execute(sql)
        self.db.con.execute(sql)


class Stages:
    """Sets stages up, and clears them away."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack, self._made = folder, stack, 0

    def __call__(self, rows: int | Iterable[tuple[Any, ...]] = 120, *, also: str = "", **policy: Any) -> Stage:
        """Set up people, by number or one by one; `also` is SQL that changes the tables before anybody asks."""
        self._made += 1
        people = victims.people(rows) if isinstance(rows, int) else list(rows)
        path = self._folder / f"{self._made}.duckdb"
        raw = self._stack.enter_context(duckdb.connect())
        with duckdb.connect(str(path)) as con:
            for each in (raw, con):
                victims.fill(each, people)
                if also:
                    each.execute(also)
        rules = victims.policy(path.with_suffix(".policy.yaml"), **policy)
        db = self._stack.enter_context(sdcdb.open(path, policy=rules))
        return Stage(raw, db, self._stack.enter_context(db.gateway()), path)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stages]:
    with ExitStack() as stack:
        yield Stages(tmp_path, stack)
