"""150 honest questions of health economics about the hospital, in one history: exact, estimated or refused.

    python benchmarks/hospital_questions.py --patients 20000 --seeds 0 1 2

The questions are benchmarks/hospital/questions.yaml, asked in that order by one user; the policy beside them names
persons, references and views. A question is exact if all of its rows have exact numbers, partly exact if some groups
were put together, estimated if it was denied and answered from a view with a standard error, and refused otherwise.
"""

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb
from record import record
from ruamel.yaml import YAML

import sdcdb
from sdcdb.datasets.creation import create
from sdcdb.errors import Denied, Unsupported

HERE = Path(__file__).parent / "hospital"


def main() -> None:
    """Ask, count and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--first", type=int, default=150, help="how many of the questions to ask")
    parser.add_argument("--untimed", action="store_true", help="say nothing about times: others are at work here")
    parser.add_argument("--dry", action="store_true", help="record nothing")
    given = parser.parse_args()
    questions = YAML(typ="safe").load(HERE / "questions.yaml")[: given.first]
    runs = [_run(questions, given.patients, seed) for seed in given.seeds]
    shares = [
        [name, *(f"{outcomes[name]} ({outcomes[name] / len(questions):.0%})" for outcomes, *_ in runs)]
        for name in (*OUTCOMES.values(), "refused")
    ]
    rules = sum((each[1] for each in runs), Counter[str]())
    said = ", ".join(f"{rule} {number}" for rule, number in rules.most_common())
    times = sorted(time for each in runs for time in each[2])
    notes = [
        f"{len(questions)} questions in one history, {given.patients:,} patients, one run of each seed.",
        f"Denied before an estimate, or refused, by rule, over all seeds: {said or 'none'}.",
    ]
    if not given.untimed:
        opened = max(each[3] for each in runs)
        notes.append(
            f"Processor time: {opened:.1f} s to open; a question {times[len(times) // 2]:.2f} s in the median, "
            f"{times[-1]:.1f} s at most."
        )
    if not given.dry:
        record("hospital_questions", ["outcome", *(f"seed {seed}" for seed in given.seeds)], shares, notes)
    else:
        print(shares, *notes, sep="\n")


def _run(questions: list[str], patients: int, seed: int) -> tuple[Counter[str], Counter[str], list[float], float]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hospital.duckdb"
        with duckdb.connect(str(file)) as con:
            create(con, "hospital", rows=patients, seed=seed)
        return _asked(file, questions)


OUTCOMES = {"allow": "exact", "suppress": "partly exact", "estimate": "estimated"}


def _asked(file: Path, questions: list[str]) -> tuple[Counter[str], Counter[str], list[float], float]:
    outcomes, rules, times = Counter[str](), Counter[str](), list[float]()
    began = time.process_time()
    with sdcdb.open(file, policy=HERE / "policy.yaml") as database:
        database.protect()
        with database.gateway() as gateway:
            opened = time.process_time() - began
            for number, question in enumerate(questions, 1):
                began = time.process_time()
                try:
                    answer = gateway.ask(question, user="ann")
                    what, rule = OUTCOMES[answer.verdict.kind], answer.verdict.rule
                except Unsupported as problem:
                    what, rule = "refused", f"shape: {problem.reason}"
                except Denied as denial:
                    what, rule = "refused", denial.rule
                times.append(time.process_time() - began)
                outcomes[what] += 1
                if what in {"estimated", "refused"}:
                    rules[str(rule)] += 1
                print(f"{number:4} {times[-1]:6.2f} s  {what:12} {rule or '':10} {question}", flush=True)
    return outcomes, rules, times, opened


if __name__ == "__main__":
    main()
