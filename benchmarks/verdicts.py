"""Whether a change of the audit's code changed a verdict: a few hundred questions, recorded before and compared after.

    python benchmarks/verdicts.py before.json           records, if the file is not there
    python benchmarks/verdicts.py before.json           compares, once it is

Honest ranges and groups about 300, 1,000 and 100,000 people, MIN and MAX among sums, and an attacker's random halves of
sixty people who are all told apart. Every gateway has the same private random numbers, so that nothing but the code can
differ. Verdicts, rules, suppressed groups, answers and scores to nine digits are compared.
"""

import argparse
import json
import random
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from staff_policy import policy
from staff_questions import questions

import sdcdb
from sdcdb.datasets.creation import create
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.policy.models import Policy

GROUPED = (
    "SELECT dept, AVG(salary), COUNT(*) FROM staff GROUP BY dept",
    "SELECT sex, education, SUM(salary) FROM staff WHERE age < 50 GROUP BY ALL",
    "SELECT age // 10, AVG(age), AVG(salary) FROM staff GROUP BY ALL",
    "SELECT dept, sex, SUM(salary) FROM staff GROUP BY ROLLUP (dept, sex)",
)


def with_extremes(number: int, seed: int) -> list[str]:
    """Make questions of which every third is for a MIN or MAX."""
    made = []
    for n, sql in enumerate(questions(number, seed)):
        what, where = sql.removeprefix("SELECT ").split(" FROM ")
        made.append(f"SELECT {('MAX(salary)', 'MIN(salary)')[n % 2] if n % 3 == 0 else what} FROM {where}")
    return made


def halves(number: int, seed: int) -> list[str]:
    """Make sums over random halves of 60 people, who have an age of their own each."""
    rng = random.Random(seed)  # noqa: S311 - questions, not secrets
    return [
        f"SELECT SUM(salary) FROM staff WHERE age IN ({', '.join(map(str, sorted(rng.sample(range(60), 30))))})"
        for _ in range(number)
    ]


RUNS: dict[str, tuple[int, list[str]]] = {
    "300 people": (300, [*questions(60, 11), *GROUPED]),
    "300 people, extremes": (300, with_extremes(45, 12)),
    "1,000 people": (1_000, [*GROUPED, *questions(120, 13)]),
    "100,000 people": (100_000, [*questions(200, 14), *GROUPED, *questions(60, 15)]),
    "halves": (60, halves(45, 16)),
}


def asked(gateway: Gateway, statements: list[str]) -> Iterator[list[object]]:
    """Ask each; yield all that can be seen of the verdict."""
    for sql in statements:
        try:
            answer = gateway.ask(sql)
            verdict, rows = answer.verdict, [[str(value) for value in row] for row in answer.rows]
        except Denied as refusal:
            yield [sql, "deny", refusal.rule]
            continue
        scores = {
            column: [f"{each:.9g}" if isinstance(each, float) else str(each) for each in vars(change.after).values()]
            for column, change in sorted(verdict.changes.items())
        }
        yield [sql, verdict.kind, verdict.suppressed, rows, scores]


def run(people: int, statements: list[str], folder: Path) -> list[list[object]]:
    """Ask everything of one run."""
    path = folder / "staff.duckdb"
    path.unlink(missing_ok=True)
    rules = policy().model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    rules["tables"]["staff"]["restrict"] |= {"aggregates": ["count", "sum", "avg", "min", "max"]}
    with sdcdb.open(path, create=True) as new:
        create(new.con, "staff", people, seed=7)
        if people == 60:
            new.con.execute("UPDATE staff SET age = (id - (SELECT min(id) FROM staff)) % 60, sex = 'F', dept = 'IT'")
    coins = patch.object(secrets, "token_bytes", lambda number=32: b"c" * number)
    with coins, sdcdb.open(path, Policy.model_validate(rules), read_only=True) as db, db.gateway() as gateway:
        return list(asked(gateway, statements))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    given = parser.parse_args()
    found, used = {}, time.process_time()
    for name, (people, statements) in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            found[name] = run(people, statements, Path(folder))
        ends = [str(each[1]) for each in found[name]]
        counted = {end: ends.count(end) for end in sorted(set(ends))}
        print(f"{name}: {counted}, {time.process_time() - used:.0f} s", flush=True)
    if not given.file.exists():
        given.file.write_text(json.dumps(found, indent=1), encoding="utf-8")
        return
    before = json.loads(given.file.read_text(encoding="utf-8"))
    different = [
        (name, old, new)
        for name, rows in json.loads(json.dumps(found)).items()
        for old, new in zip(before[name], rows, strict=True)
        if old != new
    ]
    for each in different[:10]:
        print(*each, sep="\n  ")
    print(f"{len(different)} of {sum(map(len, found.values()))} differ")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
