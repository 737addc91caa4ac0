"""Honest frequency questions about a diagnosis, at several sizes: how many are answered exactly, in one shared history.

    python benchmarks/frequencies.py --people 1000 10000 100000 --out benchmarks/results/frequencies.json

One question is one row of a frequency table: a group of people and a value, or a share. The tables are those that an
analyst of a hospital asks for: by ward, sex, age and pairs of them, single counts with FILTER, and shares. The audit
is asked directly; nothing of it depends on SQL.
"""

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Caps, Counting

SHARES = np.array([0.30, 0.24, 0.18, 0.12, 0.09, 0.05, 0.02])
WARDS, AGES = 12, 8
Flags = NDArray[np.bool_]


def statements(ward: NDArray[np.int64], sex: NDArray[np.int64], age: NDArray[np.int64]) -> Iterator[list[Counting]]:
    """Yield the frequency tables, each as its rows."""
    values = range(len(SHARES))

    def table(groups: list[Flags], wanted: range | list[int] = values) -> list[Counting]:
        return [Counting(group, frozenset({value})) for group in groups for value in wanted]

    wards, sexes, ages = ([column == n for n in np.unique(column)] for column in (ward, sex, age))
    yield table([np.ones(len(ward), dtype=np.bool_)])
    yield table(wards)
    yield table(sexes)
    yield table(ages)
    yield table([a & b for a in sexes for b in ages])
    yield table([a & b for a in wards for b in sexes])
    for value in (0, 2, 5):
        yield table([age >= n for n in range(2, AGES, 2)], [value])
    yield table([(ward < 4) & s for s in sexes] + [(ward >= 4) & s for s in sexes])
    yield table([(age < 3), (age >= 3) & (age < 6), (age >= 6)], [0, 1, 2])
    yield [Counting(each, frozenset({0, 1})) for each in wards]
    yield [Counting(each, frozenset({5, 6})) for each in ages]


def measure(people: int, seed: int, ratio: float) -> dict[str, float]:
    """Ask all tables of one hospital; `ratio` is the likelihood ratio of a randomised copy, 1 without one."""
    rng = np.random.default_rng(seed)
    cells = np.array([(w, s, a) for w in range(WARDS) for s in (0, 1) for a in range(AGES)])
    weights = rng.dirichlet(np.full(len(cells), 20.0))
    counts = rng.multinomial(people, weights)
    tilt = np.exp(rng.normal(0, 0.15, (WARDS, len(SHARES))))
    truth = np.array([rng.multinomial(n, _tilted(tilt[w])) for n, (w, _, _) in zip(counts, cells, strict=True)])
    caps = Caps(0.8, likelihood=(ratio,) * len(SHARES))
    state = Beliefs(counts, SHARES, range(len(SHARES)), caps, 10, seed)
    asked = answered = slowest = 0.0
    began = time.perf_counter()
    for table in statements(*cells.T):
        start = time.perf_counter()
        rows = [row for row in table if counts[row.cells].sum() >= 10]
        fine = state.consider(rows)
        told = [row for row, ok in zip(rows, fine, strict=True) if ok]
        state.learn(told, [int(truth[row.cells][:, sorted(row.values)].sum()) for row in told])
        slowest = max(slowest, time.perf_counter() - start)
        asked, answered = asked + len(rows), answered + len(told)
    return {
        "people": people,
        "ratio": ratio,
        "seed": seed,
        "asked": asked,
        "answered": round(answered / asked, 4),
        "seconds": round(time.perf_counter() - began, 2),
        "slowest": round(slowest, 2),
        "surest": round(state.most_sure(), 3),
        "h0": round(state.entropy(), 3),
    }


def _tilted(tilt: NDArray[np.float64]) -> NDArray[np.float64]:
    shares = SHARES * tilt
    return np.asarray(shares / shares.sum())


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--ratios", type=float, nargs="+", default=[1.0, 4.0])
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = [measure(n, seed, ratio) for n in given.people for ratio in given.ratios for seed in range(given.seeds)]
    for each in found:
        print(json.dumps(each))
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
