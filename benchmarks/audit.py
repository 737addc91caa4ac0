"""The audit's decision: time by the number of past questions, and by the number of rows at equal cells.

    python benchmarks/audit.py [--quick]

Random four-dimensional ranges on 5,000 cells, sums, in one shared history, all limits on. A decision is `consider`, and
for a question that is answered also `tails` and `learn`: all that the audit does before an answer leaves. Times are of
the deciding thread's own work, so that they do not depend on what else the machine does.
"""

import argparse
import time

import numpy as np
from record import record

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

SHAPE = (10, 10, 10, 5)
WINDOW = 100  # questions over which a time is taken


def ranges(rng: np.random.Generator) -> np.ndarray:
    """Return the cells of a random range on each of four attributes, at least 1% of all."""
    grid = np.indices(SHAPE).reshape(len(SHAPE), -1)
    while True:
        ends = np.sort([rng.integers(0, size, 2) for size in SHAPE], axis=1)
        flags = ((grid >= ends[:, :1]) & (grid <= ends[:, 1:])).all(axis=0)
        if flags.mean() >= 0.01:
            return np.asarray(flags)


def run(rows: int, sizes: tuple[int, ...], seed: int = 3) -> list[list[str]]:
    """Ask as many questions as the largest size and take times before each size."""
    rng = np.random.default_rng(seed)
    cells = int(np.prod(SHAPE))
    counts = np.full(cells, rows // cells)
    totals = counts * np.clip(rng.normal(0.3, 0.1, cells), 0.05, 0.95)
    knowledge = Knowledge(counts, 0, 1, None, Limits(10, 0.1, 1.0), b"benchmark")
    considered, all_of_it, allowed, found = [], [], 0, []
    for number in range(1, max(sizes) + 1):
        question = [Question(ranges(rng), frozenset({"sum"}))]
        start = time.thread_time()
        finding = knowledge.consider(question)[0]
        middle = time.thread_time()
        if finding.allowed:
            answer = [{"sum": float(totals[question[0].cells].sum())}]
            if not finding.implied:
                knowledge.learn(question, answer)
            allowed += 1
        considered.append(middle - start)
        all_of_it.append(time.thread_time() - start)
        if number in sizes:
            recent = np.array([considered[-WINDOW:], all_of_it[-WINDOW:]]) * 1000
            (c50, a50), (c95, a95) = np.percentile(recent, [50, 95], axis=1)
            cells_of_row = [f"{rows:,}", f"{number:,}", f"{knowledge.rank:,}", f"{knowledge.atoms:,}"]
            cells_of_row += [f"{allowed / number:.1%}", f"{c50:.2g}", f"{c95:.2g}", f"{a50:.2g}", f"{a95:.2g}"]
            found.append(cells_of_row)
            print(" | ".join(found[-1]), flush=True)
    return found


def main() -> None:
    """Run all sizes and record them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="stop at 300 questions and record nothing")
    if parser.parse_args().quick:
        run(1_000_000, (100, 300))
        return
    table = [*run(1_000_000, (100, 1000)), *run(10_000_000, (100, 1000, 10_000))]
    columns = ["rows", "past questions", "independent", "atoms", "answered"]
    record(
        "audit",
        [*columns, "decide, median ms", "95%", "with learning, median ms", "95%"],
        table,
        [
            f"5,000 cells; percentiles over the last {WINDOW} questions before each size.",
            "Random ranges on four attributes, SUM, one shared history, smallest set 10, smallest interval 10%.",
        ],
    )


if __name__ == "__main__":
    main()
