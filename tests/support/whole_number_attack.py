"""Attackers with tools against whole-number sums, through SQL: LLL, BKZ, integer programmes and brute force."""

from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import numpy as np
from flint import fmpz_mat
from fpylll import BKZ, IntegerMatrix
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, milp

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.policy.models import Policy

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]

HEAVY = 1 << 40
SECONDS, BRANCHES = 30.0, 5000  # of one integer programme
NODES = 2_000_000  # of one search by brute force


def policy(top: int) -> Policy:
    """Restrict a table in which everybody can be picked out by a quasi-identifier; default limits."""
    columns = {"id": "identifier", "dept": "quasi", "number": "quasi"}
    value = {"role": "confidential", "domain": [0, top], "step": 1}
    people = {"key": "id", "columns": {**columns, "value": value}, "restrict": {"min_set": 10}}
    return Policy.model_validate({"version": 1, "tables": {"people": people}})


@dataclass
class Attack:
    """A gateway, whose people are numbered from 0, and what it has answered about the target's people."""

    gateway: Gateway
    values: Ints
    target: Flags
    top: int
    sets: list[Flags] = field(default_factory=list)
    refused: int = 0

    def ask(self, flags: Flags, user: str = "eve") -> int | None:
        """Ask for the sum of some people's values."""
        numbers = ", ".join(str(i) for i in np.flatnonzero(flags))
        try:
            rows = self.gateway.ask(f"SELECT SUM(value) FROM people WHERE number IN ({numbers})", user=user).rows
        except Denied:
            self.refused += 1
            return None
        assert int(rows[0][0]) == int(self.values[flags].sum())
        return int(rows[0][0])

    def halves(self, rng: np.random.Generator, way: str, patience: int, most: int) -> None:
        """Ask for random halves of the target, alone or as differences of large sets, until they are refused."""
        beside = ~self.target if way == "differences" else np.zeros(len(self.target), dtype=bool)
        if way == "differences":
            self.ask(beside)
        while self.refused < patience and len(self.sets) < most:
            half = self.target & (rng.random(len(self.target)) < 0.5)
            if self.ask(half | beside if rng.random() < 0.5 else half) is not None:
                self.sets.append(half)

    def system(self, known: Flags) -> tuple[Ints, Ints, Ints]:
        """Return rows, answers and people of the equations in those of the target that are not known."""
        people = np.flatnonzero(self.target & ~known)
        rows = np.array([cells[people] for cells in self.sets], dtype=np.int64).reshape(len(self.sets), len(people))
        return rows, rows @ self.values[people], people


def open_attack(folder: Path, values: Ints, target: Flags, top: int) -> tuple[sdcdb.Database, Attack]:
    """Write the table and open its gateway."""
    path = folder / "people.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("CREATE TABLE people (id INTEGER, dept VARCHAR, number INTEGER, value INTEGER)")
        rows = [(i, "A" if target[i] else "B", i, int(v)) for i, v in enumerate(values)]
        con.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows)
    db = sdcdb.open(path, policy(top))
    return db, Attack(db.gateway(), values, target, top)


def by_reduction(rows: Ints, answers: Ints, top: int, block: int) -> Ints | None:
    """Return a whole-number solution near the middle: LLL, then BKZ with blocks of this size if it is above 2."""
    k, n = rows.shape
    centre, spread = round(float(answers.sum() / max(1, rows.sum()))), max(1, top // 4)
    table = [[0] * (n + 1 + k) for _ in range(n + 1)]
    for i in range(n):
        table[i][i] = 1
        table[i][n + 1 :] = [HEAVY * int(v) for v in rows[:, i]]
    table[n][:n], table[n][n] = [-centre] * n, spread
    table[n][n + 1 :] = [-HEAVY * int(a) for a in answers]
    reduced = [[int(v) for v in row] for row in fmpz_mat(table).lll().tolist()]
    if block > 2:
        matrix = IntegerMatrix.from_matrix([row for row in reduced if any(row)])
        BKZ.reduction(matrix, BKZ.Param(block, max_loops=4, flags=BKZ.MAX_LOOPS | BKZ.AUTO_ABORT))
        reduced = [[int(v) for v in row] for row in matrix]
    for row in reduced:
        if abs(row[n]) == spread and not any(row[n + 1 :]):
            return np.array([v if row[n] > 0 else -v for v in row[:n]], dtype=np.int64) + centre
    return None


def kernel(rows: Ints) -> Ints:
    """Return short whole-number vectors that change no sum, by LLL: all whole-number moves are sums of them."""
    n = rows.shape[1]
    table = [[int(i == j) for j in range(n)] + [HEAVY * int(v) for v in rows[:, i]] for i in range(n)]
    reduced = [[int(v) for v in row] for row in fmpz_mat(table).lll().tolist()]
    return np.array([row[:n] for row in reduced if not any(row[n:])], dtype=np.int64).reshape(-1, n)


@dataclass(frozen=True)
class Programme:
    """Integer programmes over all whole-number tables that agree with the sums: a start, and steps along the kernel.

    In the values themselves, branching ends in time on 25 values only. In steps along short vectors of the kernel it
    ends at once (Aardal, Hurkens and Lenstra), on any domain.
    """

    start: Ints
    moves: Ints
    top: int

    @classmethod
    def of(cls, rows: Ints, answers: Ints, top: int) -> "Programme":
        """Start from a solution that LLL finds; it may lie outside the domain."""
        start = by_reduction(rows, answers, top, 2)
        assert start is not None
        assert (rows @ start == answers).all()
        return cls(start, kernel(rows), top)

    def range(self, person: int) -> tuple[int, int] | None:
        """Return the least and the greatest value of one person; None unless both are proved to be so."""
        if not len(self.moves):
            return int(self.start[person]), int(self.start[person])
        inside = LinearConstraint(self.moves.T.astype(float), 0.0 - self.start, float(self.top) - self.start)
        ends = []
        for sign in (1.0, -1.0):
            found = milp(
                sign * self.moves[:, person],
                constraints=[inside],
                bounds=Bounds(-np.inf, np.inf),
                integrality=np.ones(len(self.moves)),
                options={"time_limit": SECONDS, "node_limit": BRANCHES, "mip_rel_gap": 0.0},
            )
            if found.status != 0:
                return None
            table = self.start + np.rint(found.x).astype(np.int64) @ self.moves
            assert ((table >= 0) & (table <= self.top)).all()
            ends.append(int(table[person]))
        return ends[0], ends[1]


def by_brute_force(rows: Ints, answers: Ints, top: int) -> list[set[int]] | None:
    """Return every value that each person has in some whole-number solution; None if there are too many to try."""
    n = rows.shape[1]
    seen: list[set[int]] = [set() for _ in range(n)]
    rest = np.cumsum(rows[:, ::-1], axis=1)[:, ::-1]  # people of each set from i on
    chosen, nodes = [0] * n, 0

    def descend(i: int, left: list[int]) -> bool:
        nonlocal nodes
        nodes += 1
        if nodes > NODES:
            return False
        if i == n:
            for person, value in enumerate(chosen):
                seen[person].add(value)
            return True
        after = rest[:, i + 1] if i + 1 < n else np.zeros(len(rows), dtype=np.int64)
        mine = [int(s) for s in np.flatnonzero(rows[:, i])]
        low = max([0, *(int(left[s] - top * after[s]) for s in mine)])
        high = min([top, *(int(left[s]) for s in mine)])
        for value in range(low, high + 1):
            chosen[i] = value
            if not descend(i + 1, [int(a) - value * int(r) for a, r in zip(left, rows[:, i], strict=True)]):
                return False
        return True

    return seen if descend(0, [int(a) for a in answers]) else None


def codes(people: int, modulus: int, bits: int, rng: np.random.Generator) -> tuple[list[Flags], Ints]:
    """Return sets with weights: the weighted sums add up to the first person's value, modulo a number.

    Everybody's bits spell a multiple of the modulus; the first person's one more than that.
    """
    words = modulus * rng.integers(1, (1 << bits) // modulus - 1, people)
    words[0] += 1
    return [(words >> b) & 1 == 1 for b in range(bits)], np.array([1 << b for b in range(bits)], dtype=np.int64)
