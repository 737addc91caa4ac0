"""Bounds of every record under query restriction: `range_bounds` against two linear programmes per record.

    python benchmarks/bounds.py [--quick]

The experiment of the CAE paper (2014, section 5 and appendix): n = 2,500 records with 25 salaries, k = floor(2n/Q) - 1
sum queries of Q records that slide by Q/2 over the shuffled records, Q = 2, 4, 8, 16, 32, thirty systems of each. Two
`scipy.optimize.linprog` calls (HiGHS, sparse constraints) per record would take days in all: they run on a sample of
records of a few systems, bounds are compared there, and the total is their mean time times 2,500 records x 30 systems.
"""

import argparse
import time

import numpy as np
from cae import show
from record import record
from scipy.optimize import linprog
from scipy.sparse import csr_array

from sdcdb.evaluate.beliefs import sliding_ranges
from sdcdb.measures.ranges import Floats, range_bounds

N, LOW, HIGH, STEP = 2_500, 10, 250, 10  # the paper's Table 2: Salary
SIZES = (2, 4, 8, 16, 32)
SYSTEMS, SAMPLED_SYSTEMS, SAMPLED_RECORDS = 30, 3, 8


def salaries(rng: np.random.Generator) -> Floats:
    """Draw salaries with a long upper tail, rounded to 10 as in Table 2."""
    return np.asarray(np.clip(np.round(rng.lognormal(3.6, 0.7, N) / STEP) * STEP, LOW, HIGH))


def programme(sums: Floats, rows: csr_array, record_number: int) -> tuple[float, float]:
    """Return L and U of one record by two linear programmes."""
    objective = np.zeros(N)
    objective[record_number] = 1
    low, high = (
        linprog(sign * objective, A_eq=rows, b_eq=sums, bounds=(LOW, HIGH), method="highs").fun * sign
        for sign in (1, -1)
    )
    return low, high


def row(size: int, rng: np.random.Generator, systems: int) -> list[str]:
    """Measure one query set size."""
    starts, ends = sliding_ranges(N, size)
    inside = csr_array(
        (np.ones(len(starts) * size), (starts[:, None] + np.arange(size)).ravel(), np.arange(len(starts) + 1) * size),
        shape=(len(starts), N),
    )
    values = salaries(rng)
    ours = programmes = worst = 0.0
    compared = 0
    for system in range(systems):
        total = np.concatenate([[0.0], np.cumsum(rng.permutation(values))])
        sums = total[ends] - total[starts]
        begin = time.perf_counter()
        low, high = range_bounds(starts, ends, sums, N, LOW, HIGH, STEP)
        ours += time.perf_counter() - begin
        for i in rng.choice(N, SAMPLED_RECORDS, replace=False) if system < SAMPLED_SYSTEMS else ():
            begin = time.perf_counter()
            expected = programme(sums, inside, i)
            programmes += time.perf_counter() - begin
            worst = max(worst, abs(low[i] - expected[0]), abs(high[i] - expected[1]))
            compared += 1
    assert worst < 1e-6, f"bounds differ by {worst}"
    extrapolated = programmes / compared * N * systems
    cells = [
        str(size),
        f"{len(starts):,}",
        show(extrapolated),
        show(ours),
        f"{extrapolated / ours:,.0f}",
        str(compared),
    ]
    print(" | ".join(cells), flush=True)
    return cells


def main() -> None:
    """Run all sizes and record them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one system of each size, and record nothing")
    quick = parser.parse_args().quick
    rng = np.random.default_rng(2014)
    range_bounds([0], [1], [LOW], 1, LOW, HIGH, STEP)  # imports before the clock starts
    rows = [row(size, rng, 1 if quick else SYSTEMS) for size in SIZES]
    ratios = [float(cells[4].replace(",", "")) for cells in rows]
    if quick:
        return
    assert min(ratios) >= 10_000, f"only {min(ratios):,.0f} times faster"
    record(
        "bounds",
        ["Q", "queries", "linprog (extrapolated)", "sdcdb", "times faster", "records compared"],
        rows,
        [
            f"All bounds of {N:,} records in {SYSTEMS} systems of each query set size, in one process.",
            "Bounds equal to 1e-6 on every record compared; the linear programmes' total is extrapolated from these.",
        ],
    )


if __name__ == "__main__":
    main()
