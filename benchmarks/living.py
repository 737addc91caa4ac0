"""What is answered about a table that lives: refreshes between honest questions, in one shared history.

    python benchmarks/living.py [--scenario hires raise year] [--days 365]

- hires: 1,000 people, 20 times ten newcomers and a refresh, 15 questions each time; beside it the same 300 questions
  about the table that stays as it is.
- raise: 1,000 people; a raise of 3% for everybody after half of 300 questions.
- year: 100,000 people, every day 100 people leave, come or change, then a refresh and two questions.

Denials for size alone are left out on both sides: such sets are too small whatever happened before.
"""

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
from record import record
from staff_policy import policy
from staff_questions import questions

import sdcdb
from sdcdb.datasets.creation import create
from sdcdb.gateway.gateway import Gateway

NEW = 10_000_000  # keys of newcomers begin here


@dataclass
class Tally:
    """What came of questions, and how long they and the refreshes took, in processor seconds."""

    asked: int = 0
    answered: int = 0
    times: list[float] = field(default_factory=list)
    refreshes: list[float] = field(default_factory=list)
    rules: Counter[str] = field(default_factory=Counter)

    def ask(self, gateway: Gateway, sql: str) -> None:
        start = time.process_time()
        try:
            gateway.ask(sql, user="ana")
        except sdcdb.Denied as refusal:
            if refusal.rule in {"size", "counts"}:
                return
            self.rules[refusal.rule] += 1
        else:
            self.answered += 1
        self.asked += 1
        self.times.append(time.process_time() - start)

    def refresh(self, gateway: Gateway) -> None:
        start = time.process_time()
        gateway.refresh()
        self.refreshes.append(time.process_time() - start)

    def row(self, name: str, people: int) -> list[str]:
        refresh = f"{statistics.median(self.refreshes) * 1e3:,.0f} ms" if self.refreshes else "-"
        median = f"{statistics.median(self.times) * 1e3:.0f} ms"
        last = f"{statistics.median(self.times[-50:]) * 1e3:.0f} ms"
        share = f"{self.answered / self.asked:.1%}"
        rules = ", ".join(f"{rule} {number}" for rule, number in self.rules.most_common()) or "-"
        return [name, f"{people:,}", f"{len(self.refreshes)}", f"{self.asked:,}", share, rules, median, last, refresh]


@contextmanager
def opened_staff(people: int, seed: int) -> Iterator[sdcdb.Database]:
    """Create a company in a file, and open it."""
    with tempfile.TemporaryDirectory() as folder:
        with sdcdb.open(Path(folder) / "staff.duckdb", policy(), create=True) as db:
            create(db.con, "staff", people, seed=seed)
        with sdcdb.open(Path(folder) / "staff.duckdb", policy()) as db:
            yield db


def hire(con: duckdb.DuckDBPyConnection, first: int, number: int) -> None:
    """Let people come who are like some who are there, with other salaries."""
    con.execute(
        f"INSERT INTO staff BY NAME SELECT * REPLACE ({first} + row_number() OVER () AS id, "
        f"greatest(10000, least(250000, salary + (hash(id, {first}) % 20001)::INTEGER - 10000)) AS salary) "
        f"FROM (FROM staff ORDER BY hash(id, {first}) LIMIT {number})"
    )


def hires(seed: int, *, still: bool) -> Tally:
    """Ask 300 questions, with ten newcomers after every fifteen, or with none."""
    found = Tally()
    asked = questions(300, seed)
    with opened_staff(1_000, seed) as db, db.gateway() as gateway:
        for turn in range(20):
            for sql in asked[15 * turn : 15 * turn + 15]:
                found.ask(gateway, sql)
            if not still:
                hire(db.con, NEW + 100 * turn, 10)
                found.refresh(gateway)
    return found


def raises(seed: int) -> Tally:
    """Ask 150 questions, raise everybody's salary, and ask 150 more."""
    found = Tally()
    asked = questions(300, seed)
    with opened_staff(1_000, seed) as db, db.gateway() as gateway:
        for sql in asked[:150]:
            found.ask(gateway, sql)
        db.con.execute("UPDATE staff SET salary = least(250000, round(salary * 1.03))")
        found.refresh(gateway)
        for sql in asked[150:]:
            found.ask(gateway, sql)
    return found


def year(seed: int, days: int) -> Tally:
    """Let 0.1% of 100,000 people leave, come or change every day, and ask twice."""
    found = Tally()
    asked = questions(2 * days, seed)
    with opened_staff(100_000, seed) as db, db.gateway() as gateway:
        for day in range(days):
            hire(db.con, NEW + 100 * day, 35)
            db.con.execute(f"DELETE FROM staff WHERE id IN (SELECT id FROM staff ORDER BY hash(id, -{day}) LIMIT 35)")
            db.con.execute(
                "UPDATE staff SET salary = least(250000, salary + 500) "
                f"WHERE id IN (SELECT id FROM staff ORDER BY hash(id, {day}) LIMIT 30)"
            )
            found.refresh(gateway)
            for sql in asked[2 * day : 2 * day + 2]:
                found.ask(gateway, sql)
            if day % 20 == 19:
                print(f"day {day + 1}: {found.answered} of {found.asked}", found.row("year", 100_000), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", nargs="+", default=["hires", "raise", "year"])
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=301)
    given = parser.parse_args()
    rows = []
    if "hires" in given.scenario:
        rows.append(hires(given.seed, still=True).row("the table stays as it is", 1_000))
        rows.append(hires(given.seed, still=False).row("ten newcomers after every 15 questions", 1_000))
        print(rows[-2:], flush=True)
    if "raise" in given.scenario:
        rows.append(raises(given.seed).row("a raise for everybody after half", 1_000))
        print(rows[-1], flush=True)
    if "year" in given.scenario:
        found = year(given.seed, given.days)
        rows.append(found.row(f"{given.days} days with 0.1% changes each", 100_000))
    record(
        "living",
        ["table", "people", "refreshes", "asked", "answered", "denied", "median", "last 50", "refresh"],
        rows,
        [f"One seed ({given.seed}), one user, default limits, times of the processor.", "Sets too small are left out."],
    )


if __name__ == "__main__":
    main()
