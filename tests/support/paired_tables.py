"""Pairs of tables that agree on what is public and on every released answer, behind two gateways.

A gateway serves the first table of many pairs, another one the second: opening gateways takes longer than asking.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.inference.lattice.basis import fresh_basis, with_set
from sdcdb.gateway.ledger.entry import QuestionEntry, entries
from sdcdb.gateway.ledger.packing import unpack
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.ledger.read import records

TOP = 1000
KNOWN = ", known: {0: 40%, 0 to 500: 40%, 500 to 1000: 20%}"
PROTECT = """\
    protect:
      {table}_public:
        secret: env:SDCDB_PAIRS
        columns:
          pay: {{method: normal, sd: 10%, boundary: reflect}}
"""
Ints = NDArray[np.int64]
Told = list[tuple[NDArray[np.bool_], frozenset[str]]]
"""The people of every answered set, and what was told of it."""


@dataclass(frozen=True)
class Pair:
    """People, their quasi-identifiers, their table's part of the policy, and the statements that are asked."""

    table: str
    town: Ints
    age: Ints
    pay: Ints
    policy: str
    statements: tuple[str, ...]
    protected: bool


def make(seed: int) -> Pair:
    """Make people and statements: sums, MIN and MAX, groups that are merged, marked or denied."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(24, 40))
    pay = np.where(rng.random(n) < 0.4, 0, rng.integers(0, TOP + 1, n))
    groups = ("merge", "mark", "deny")[seed % 3]
    protected = seed % 4 == 3
    table = f"people{seed}"
    policy = f"""\
  {table}:
    key: id
    columns:
      id: identifier
      town: quasi
      age: quasi
      pay: {{role: confidential, domain: [0, {TOP}], step: 1{KNOWN if seed % 4 else ""}}}
    restrict: {{min_set: 3, min_interval: 5% of spread, min_h0: 1.0, groups: {groups}}}
{PROTECT.format(table=table) if protected else ""}"""
    kinds = ["SUM(pay)", "AVG(pay), COUNT(*)"]
    kinds += [] if seed % 2 else ["MAX(pay)", "MIN(pay)", "SUM(pay), MAX(pay)"]
    made = []
    for _ in range(5):
        low = int(rng.integers(0, 6))
        where = f"age BETWEEN {low} AND {low + int(rng.integers(2, 9))}"
        what = kinds[int(rng.integers(len(kinds)))]
        by = int(rng.integers(3))
        if by == 2:
            made.append(f"SELECT town, {what} FROM {table} WHERE {where} GROUP BY town ORDER BY ALL")
        else:
            made.append(f"SELECT {what} FROM {table} WHERE {where}{' AND town <> 2' * by}")
    return Pair(table, rng.integers(0, 3, n), rng.integers(0, 12, n), pay, policy, tuple(made), protected)


def watch(pairs: Sequence[Pair], folder: Path, views: Path | None = None) -> tuple[list[list[str]], list[Told]]:
    """Ask everything; return for each table all that an analyst sees, byte for byte, and its answered sets.

    `views` is a database whose protected views are published in place of those fitted here.
    """
    path = folder / "people.duckdb"
    with duckdb.connect(str(path)) as con:
        for pair in pairs:
            held = pa.table({"id": np.arange(len(pair.pay)), "town": pair.town, "age": pair.age, "pay": pair.pay})
            con.register("held", held)
            con.execute(f"CREATE TABLE {pair.table} AS SELECT id, town, age, pay::INTEGER AS pay FROM held")
    rules = path.with_suffix(".policy.yaml")
    names = ", ".join(pair.table for pair in pairs)  # they all count their people from 0, and many have nothing
    said = f"version: 1\ndistinct: [[{names}]]\ntables:\n"
    rules.write_text(said + "".join(pair.policy for pair in pairs), encoding="utf-8")
    _publish([pair.table for pair in pairs if pair.protected], path, views)
    seen: list[list[str]] = []
    coins = patch.object(secrets, "token_bytes", lambda number=32: b"c" * number)  # the same private coins for both
    with coins, sdcdb.open(path, policy=rules) as db, db.gateway() as gateway:
        for pair in pairs:
            shown: list[str] = []
            for sql in pair.statements:
                shown.append(f"explain {gateway.explain(sql)}")
                shown.append(f"says {_asked(lambda sql=sql: gateway.ask('EXPLAIN PRIVACY ' + sql).rows)}")  # type: ignore[misc]
                shown.append(f"ask {_asked(lambda sql=sql: gateway.ask(sql))}")  # type: ignore[misc]
            seen.append(shown)
        after, known = gateway.status(), gateway.known("analyst")
        for pair, shown in zip(pairs, seen, strict=True):
            shown.append(f"status {after[pair.table]} {[each for each in known if each.table == pair.table]}")
    return seen, [_told(path, pair) for pair in pairs]


def _publish(tables: Sequence[str], path: Path, views: Path | None) -> None:
    if not tables:
        return
    with sdcdb.open(path, policy=path.with_suffix(".policy.yaml")) as db:
        db.protect(materialise=True)
        if views is not None:
            db.con.execute(f"ATTACH '{views}' AS other (READ_ONLY)")
            for table in tables:
                db.con.execute(f"DELETE FROM {table}_public")
                db.con.execute(f"INSERT INTO {table}_public SELECT * FROM other.{table}_public")


def _told(path: Path, pair: Pair) -> Told:
    """Return the people of every answered set, and what was told of it."""
    cells, cell = np.unique(np.stack([pair.town, pair.age]), axis=1, return_inverse=True)
    found: Told = []
    for entry in entries(records(ledger_path(path))):
        for fact in entry.facts if isinstance(entry, QuestionEntry) else ():
            if fact.table == pair.table:
                flags = unpack(fact.cells, cells.shape[1])
                found.append((flags[cell.reshape(-1)], frozenset(fact.kinds)))
    return found


def other(pair: Pair, told: Told, seed: int) -> Pair:
    """Return another table with the same answers: values change places within atoms, and sums along the kernel."""
    rng = np.random.default_rng(seed)
    pay, n = pair.pay.copy(), len(pair.pay)
    keys = np.array([[bool(people[i]) for people, _ in told] for i in range(n)], dtype=bool).reshape(n, -1)
    for key in np.unique(keys, axis=0):
        members = np.flatnonzero((keys == key).all(axis=1))
        pay[members] = rng.permutation(pay[members])
    if all(kinds == {"sum"} for _, kinds in told):
        basis = fresh_basis(np.ones(n, dtype=np.int64))
        for people, _ in told:
            after = with_set(basis, people, 10.0)
            basis = after if after is not None else basis
        for vector in basis.vectors:
            chosen = [rng.permutation(np.flatnonzero(basis.labels == c))[0] for c in range(len(basis.records))]
            for times in (40, 7, 1, -1, -7, -40):
                tried = pay.copy()
                tried[chosen] += times * vector
                if ((tried >= 0) & (tried <= TOP)).all():
                    pay = tried
                    break
    return replace(pair, pay=pay)


def compare(seeds: Sequence[int], folder: Path) -> int:
    """Watch pairs of tables; return how many of them differ at all. What is seen must not."""
    pairs = [make(seed) for seed in seeds]
    one, two = folder / "one", folder / "two"
    one.mkdir()
    two.mkdir()
    seen, told = watch(pairs, one)
    others = [other(pair, answered, seed) for seed, pair, answered in zip(seeds, pairs, told, strict=True)]
    again, _ = watch(others, two, one / "people.duckdb")
    for seed, first, second in zip(seeds, seen, again, strict=True):
        assert second == first, f"pair {seed}"
    return sum(bool((second.pay != first.pay).any()) for first, second in zip(pairs, others, strict=True))


def _asked(ask: Callable[[], Any]) -> str:
    try:
        return repr(ask())
    except Denied as refusal:
        return f"{type(refusal).__name__} {refusal}"
