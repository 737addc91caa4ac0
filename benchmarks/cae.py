"""CAE over all breakpoints: the compiled programme against the paper's Algorithm 1 written plainly, same results.

    python benchmarks/cae.py [--quick]

Algorithm 1 does not know where H changes, so it visits every distance between two values. Above 1,000 values that would
take days: there it runs on a few distances spread over the range, the results are compared at those, and its total is
their mean time times the number of distances; such rows are marked "extrapolated".
"""

import argparse
import math
import time

import numpy as np
from record import record

from sdcdb.measures.cae_as_printed import algorithm1
from sdcdb.measures.cae_curve import Curve, curve
from sdcdb.measures.distribution import Distribution, Floats, normalise

SAMPLED = 6  # distances on which Algorithm 1 runs when all would take days


def distribution(n: int, kind: str, seed: int = 7) -> Distribution:
    """Make n distinct values with random probabilities: whole numbers from 3n, or lognormal reals."""
    rng = np.random.default_rng(seed)
    values = rng.choice(3 * n, n, replace=False) if kind == "whole numbers" else rng.lognormal(10, 1, n)
    return Distribution.of(values, normalise(rng.random(n)))


def distances(d: Distribution) -> Floats:
    """Return every distinct distance between two values, ascending."""
    return np.unique(np.concatenate([d.values[k:] - d.values[: len(d.values) - k] for k in range(len(d.values))]))


def fast(d: Distribution) -> tuple[float, Curve]:
    """Time `curve` on the whole distribution: the best of three when it is quick."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 5:
        start = time.perf_counter()
        c = curve(d.values, d.probs)
        times.append(time.perf_counter() - start)
    return min(times), c


def row(n: int, kind: str) -> tuple[list[str], float]:
    """Measure one size; return its row and the time of the compiled programme."""
    d = distribution(n, kind)
    seconds, c = fast(d)
    every = distances(d)
    sampled = every if n <= 1000 else every[np.linspace(0, len(every) - 1, SAMPLED).astype(int)]
    start = time.perf_counter()
    expected = algorithm1(d, sampled)
    plain = (time.perf_counter() - start) * len(every) / len(sampled)
    worst = float(np.abs(c.at(sampled) - expected).max())
    assert worst < 1e-9, f"results differ by {worst}"
    how = "" if len(sampled) == len(every) else " (extrapolated)"
    cells = [
        f"{n:,}",
        kind,
        f"{len(every):,}",
        f"{len(c.eps):,}",
        show(plain) + how,
        show(seconds),
        f"{plain / seconds:,.0f}",
    ]
    print(" | ".join(cells), flush=True)
    return cells, seconds


def show(seconds: float) -> str:
    """Write a duration."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 600)):
        if seconds >= size:
            return f"{seconds / (60 if unit == 'minutes' else size):.3g} {unit}"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.2g} ms"


def main() -> None:
    """Run all sizes and record them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 2,500 values and record nothing")
    quick = parser.parse_args().quick
    curve([1, 2], [0.5, 0.5])  # compile before the clock starts
    rows, growth = [], []
    for kind in ("whole numbers", "reals"):
        times = {}
        for n in (25, 250) if quick else (25, 250, 2500):
            cells, times[n] = row(n, kind)
            rows.append(cells)
        if not quick:
            growth.append(f"n^{math.log10(times[2500] / times[250]):.1f} for {kind}")
    if not quick:
        record(
            "cae",
            ["values", "kind", "distances", "steps of H", "Algorithm 1", "sdcdb", "times faster"],
            rows,
            [
                "Results equal to 1e-9 at every distance that Algorithm 1 visited.",
                f"From 250 to 2,500 values the time of sdcdb grows like {' and '.join(growth)}.",
            ],
        )


if __name__ == "__main__":
    main()
