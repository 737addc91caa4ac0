"""An attacker who knows everything but the salaries: who is in which query set, and how to solve equations."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

PRIME = (1 << 31) - 1  # larger than any sum of salaries here: what is solved modulo it is solved
Ask = Callable[[str], list[tuple[Any, ...]] | None]


def plain(con: duckdb.DuckDBPyConnection) -> Ask:
    """Ask plain DuckDB."""
    return lambda sql: con.execute(sql).fetchall()


def through(gateway: Gateway, *users: str) -> Ask:
    """Ask the gateway, as one user or as several in turn; None when it denies."""
    names = users or ("mallory",)
    turn = iter(range(1_000_000))

    def ask(sql: str) -> list[tuple[Any, ...]] | None:
        try:
            return list(gateway.ask(sql, user=names[next(turn) % len(names)]).rows)
        except Denied:
            return None

    return ask


@dataclass
class Equations:
    """What an attacker holds: query sets as rows over records, and the sums that were answered."""

    ids: Sequence[int]
    sets: list[NDArray[np.int64]] = field(default_factory=list)
    sums: list[int] = field(default_factory=list)

    def add(self, members: Iterable[int], total: int | None) -> None:
        """Take in an answer; no answer is none."""
        if total is not None:
            held = set(members)
            self.sets.append(np.array([int(own in held) for own in self.ids], dtype=np.int64))
            self.sums.append(int(total))

    def _reduced(self) -> tuple[NDArray[np.int64], list[int]]:
        """Eliminate modulo a prime; return the rows, sums in the last column, and the pivots."""
        a = np.column_stack([np.array(self.sets), np.array(self.sums, dtype=np.int64)]) % PRIME
        pivots: list[int] = []
        for column in range(len(self.ids)):
            row = len(pivots)
            found = np.flatnonzero(a[row:, column])
            if not len(found):
                continue
            a[[row, row + found[0]]] = a[[row + found[0], row]]
            a[row] = a[row] * pow(int(a[row, column]), -1, PRIME) % PRIME
            others = np.flatnonzero(a[:, column])
            others = others[others != row]
            a[others] = (a[others] - a[others, column][:, None] * a[row]) % PRIME
            pivots.append(column)
            if len(pivots) == len(a):
                break
        return a, pivots

    def solved(self) -> dict[int, int]:
        """Return the records whose value follows from the equations."""
        if not self.sets:
            return {}
        a, pivots = self._reduced()
        alone = [r for r in range(len(pivots)) if np.count_nonzero(a[r, :-1]) == 1]
        return {self.ids[pivots[r]]: int(a[r, -1]) for r in alone}

    def groups(self, size: int) -> list[tuple[int, ...]]:
        """Return the groups of so many records whose total follows from the equations."""
        if not self.sets:
            return []
        a, pivots = self._reduced()
        place = {column: row for row, column in enumerate(pivots)}
        held = a[:, :-1]
        # Records that are alike to every answer have equal columns. A determined group is all or none of them.
        keys = [tuple(int(x) for x in column) for column in held.T]
        found = []
        for chosen in combinations(range(len(self.ids)), size):
            target = np.zeros(len(self.ids), dtype=np.int64)
            target[list(chosen)] = 1
            if any(keys.count(keys[c]) > sum(keys[o] == keys[c] for o in chosen) for c in chosen):
                continue
            for column in [c for c in chosen if c in place]:
                target = (target - held[place[column]]) % PRIME
            if not target.any():
                found.append(tuple(self.ids[c] for c in chosen))
        return found

    def interval(self, record: int, low: float, high: float) -> tuple[float, float]:
        """Return the least and the greatest value that a record can have, by two linear programmes over records."""
        cost = np.array([float(own == record) for own in self.ids])
        equations = {"A_eq": np.array(self.sets, dtype=float), "b_eq": np.array(self.sums)} if self.sets else {}
        ends = [linprog(sign * cost, bounds=[(low, high)] * len(self.ids), **equations) for sign in (1.0, -1.0)]
        assert all(end.success for end in ends)
        return float(ends[0].fun), float(-ends[1].fun)


def gather(ask: Ask, con: duckdb.DuckDBPyConnection, predicates: Iterable[str]) -> Equations:
    """Ask for the sum of each predicate's query set; `con` is where the attacker knows the people from."""
    ids = [row[0] for row in con.execute("SELECT id FROM staff ORDER BY id").fetchall()]
    equations = Equations(ids)
    for predicate in predicates:
        answer = ask(f"SELECT SUM(salary) FROM staff WHERE {predicate}")
        members = [row[0] for row in con.execute(f"SELECT id FROM staff WHERE {predicate}").fetchall()]
        equations.add(members, answer[0][0] if answer else None)
    return equations
