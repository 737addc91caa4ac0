"""How many independent sums are answered before denial starts: random halves of people who are all told apart.

    python benchmarks/sums_before_denial.py [--people 60 120 240] [--seeds 201 202 203]

Every person is a cell of their own, the worst case. Sums over random halves are asked one after the other, all limits
on (`min_set` 10, `min_interval` a tenth of the domain), by one user and by users who act together, each asking once.
`IN_A_ROW` denials in a row end a run. The values are spread evenly; verdicts do not depend on them but for the answers.
"""

import argparse
import statistics

import numpy as np
from record import record

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

VALUES = (25, 101, 240_001)
IN_A_ROW = 12


def run(people: int, values: int, seed: int, *, alone: bool) -> tuple[int, int]:
    """Return how many sums were answered before the first denial, and in all."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, values, people)
    limits = Limits(10, 0.1 * (values - 1))
    knowledge = Knowledge(np.ones(people, dtype=np.int64), 0, values - 1, 1, limits, b"benchmark")
    first, answered, denied, asked = -1, 0, 0, 0
    while denied < IN_A_ROW:
        cells = rng.random(people) < 0.5
        asked += 1
        question = Question(cells, frozenset({"sum"}), "ana" if alone else f"user {asked}")
        if knowledge.consider([question])[0].allowed:
            knowledge.learn([question], [{"sum": int(truth[cells].sum())}])
            answered, denied = answered + 1, 0
        else:
            first, denied = (answered if first < 0 else first), denied + 1
    return first, answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[60, 120, 240])
    parser.add_argument("--seeds", type=int, nargs="+", default=[201, 202, 203])
    given = parser.parse_args()
    table = []
    for people in given.people:
        for values in VALUES:
            row = [str(people), f"{values:,}"]
            for alone in (True, False):
                found = [run(people, values, seed, alone=alone) for seed in given.seeds]
                row += [f"{statistics.median(each[k] for each in found):.0f}" for k in (0, 1)]
            table.append(row)
            print(row, flush=True)
    record(
        "sums_before_denial",
        ["people", "values", "one user: before a denial", "in all", "users together: before a denial", "in all"],
        table,
        [
            "Everybody is a cell of their own, and sums are over random halves; people with cells in common bear more.",
            f"Medians of {len(given.seeds)} seeds. A run ends with {IN_A_ROW} denials in a row.",
        ],
    )


if __name__ == "__main__":
    main()
