"""How usable skewed columns are: honest questions about 1,000 people, behind a gateway with default limits.

    python benchmarks/skewed.py [--seeds 201 202 203]

`known` is what `sdcdb init` proposes from a larger population, `min_interval` a tenth of its spread. A question
counts if its set leaves so many people open, beside all that was answered, that the histogram alone makes
a breach implausible. The public data sets are in SDCDB_DATA; without it the drawn columns are measured alone.
"""

import argparse
import csv
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from record import record

import sdcdb
from sdcdb.connection.profile import profile
from sdcdb.errors import Denied
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.policy.public_shares import propose_known, written

PEOPLE = 1000
SUM = frozenset({"sum"})
QUESTIONS = 30
VIEW = """\
    protect:
      people_public:
        columns:
          x: {method: normal, sd: 10%, boundary: reflect}
"""
CANDIDATES = 3000
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Skewed:
    """A column: its values in a population of which 1,000 people are in the table, its domain, and who they are."""

    name: str
    values: Floats
    domain: tuple[int, int]
    step: float | None
    age: NDArray[np.int64]
    one: NDArray[np.int64]
    two: NDArray[np.int64]


@dataclass(frozen=True)
class Usable:
    """What came of honest questions."""

    name: str
    smallest: int
    asked: int
    answered: int
    surprises: int
    known: str


def synthetic(seed: int) -> Iterator[Skewed]:
    """Draw bills, hours, days and salaries of 4,000 people."""
    rng = np.random.default_rng(seed)
    n = 4 * PEOPLE
    made = {
        "bills": (rng.lognormal(7, 1.2, n), (0, 200_000)),
        "hours": (rng.normal(38, 10, n), (0, 99)),
        "days": (rng.gamma(0.7, 12, n), (0, 365)),
        "salaries": (rng.lognormal(10.8, 0.45, n), (10_000, 300_000)),
    }
    for name, (values, domain) in made.items():
        whole = np.clip(np.round(values), *domain)
        yield Skewed(name, whole, domain, 1, rng.integers(20, 80, n), rng.integers(0, 2, n), rng.integers(0, 4, n))


def real(folder: Path) -> Iterator[Skewed]:
    """Read numbers of the American Community Survey and the gains of Adult."""
    acs = [row for row in _rows(folder / "acs2012.csv") if int(row["age"]) >= 16]
    for column, domain in (("income", (0, 500_000)), ("hrs_work", (0, 99)), ("time_to_work", (0, 200))):
        held = [row for row in acs if row[column]]
        yield _of(column, held, column, domain, "gender", "edu")
    yield _of("capital_gain", _rows(folder / "adult.data"), "capital_gain", (0, 100_000), "sex", "relationship")


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def _of(name: str, rows: list[dict[str, str]], column: str, domain: tuple[int, int], one: str, two: str) -> Skewed:
    codes = [np.unique([row[each] for row in rows], return_inverse=True)[1] for each in (one, two)]
    values = np.array([float(row[column]) for row in rows])
    return Skewed(name, values, domain, 1, np.array([int(row["age"]) for row in rows]), codes[0], codes[1])


def data() -> Path | None:
    """Return the folder of the public data, if it is here."""
    folder = Path(os.environ.get("SDCDB_DATA", ""))
    return folder if (folder / "acs2012.csv").exists() and (folder / "adult.data").exists() else None


def smallest_set(prior: Prior, limits: Limits, domain: tuple[float, float], step: float | None) -> int:
    """Return how large a set must be for a breach to be implausible by the histogram alone.

    It is answered beside the total of 1,000 people, asked for in the same statement: whatever that total plausibly is.
    """
    low, high = limits.min_set, PEOPLE // 2
    while low < high:
        size = (low + high) // 2
        knowledge = Knowledge(np.array([size, PEOPLE - size]), *domain, step, limits, b"any", prior)
        everybody, some = Question(np.array([True, True]), SUM), Question(np.array([True, False]), SUM)
        allowed = all(finding.allowed for finding in knowledge.consider([everybody, some]))
        low, high = (low, size) if allowed else (size + 1, high)
    return low


def use(column: Skewed, folder: Path, seed: int = 1, *, view: bool = False) -> Usable:
    """Ask 30 different honest questions about sets that are large enough, and leave as many people open."""
    rng = np.random.default_rng(seed)
    path = folder / f"{column.name}.duckdb"
    chosen = rng.permutation(len(column.values))[:PEOPLE]
    with duckdb.connect(str(path)) as con:
        _fill(con, "population", column, np.arange(len(column.values)))
        found = next(each for each in profile(con, "population").columns if each.name == "x")
        known = propose_known(con, "population", found, column.domain, column.step)
        con.execute("DROP TABLE population")
        _fill(con, "people", column, chosen)
    assert known is not None
    rules = path.with_suffix(".policy.yaml")
    rules.write_text(_policy(column, written(known)) + (VIEW if view else ""), encoding="utf-8")
    asked = answered = 0
    told: list[NDArray[np.bool_]] = []
    seen: set[str] = set()
    with sdcdb.open(path, policy=rules) as db:
        if view:
            db.protect()
    with sdcdb.open(path, policy=rules) as db, db.gateway() as gateway:
        (table,) = gateway.relations.restricted()
        spec = table.confidential["x"]
        assert spec.prior is not None
        smallest = smallest_set(spec.prior, table.limits_of(spec), column.domain, column.step)
        for _ in range(CANDIDATES):
            sql, inside = _question(column, chosen, rng)
            if asked == QUESTIONS or sql in seen or left_open(inside, told) < smallest:
                continue
            asked += 1
            seen.add(sql)
            try:
                gateway.ask(sql)
            except Denied:
                continue
            answered += 1
            told.append(inside)
    surprises = ledger_path(path).read_text(encoding="utf-8").replace(" ", "").count('"surprise":true')
    return Usable(column.name, smallest, asked, answered, surprises, str(known))


def left_open(inside: NDArray[np.bool_], told: list[NDArray[np.bool_]]) -> float:
    """Return how many people a set leaves open: the square of its distance from all combinations of answered sets.

    A set that differs from an answered one by d people, or is all of them but d, leaves at most d open.
    """
    wanted = inside.astype(np.float64)
    if not told:
        return float(wanted.sum())
    earlier = np.array(told, dtype=np.float64).T
    rest = wanted - earlier @ np.linalg.lstsq(earlier, wanted, rcond=None)[0]
    return float(rest @ rest)


def _fill(con: duckdb.DuckDBPyConnection, table: str, column: Skewed, chosen: NDArray[np.int64]) -> None:
    held = pa.table(
        {
            "id": np.arange(len(chosen)),
            "age": column.age[chosen],
            "one": column.one[chosen],
            "two": column.two[chosen],
            "x": column.values[chosen].astype(np.int64),
        }
    )
    con.register("held", held)
    con.execute(f"CREATE TABLE {table} AS SELECT id, age, one, two, x::INTEGER AS x FROM held")
    con.unregister("held")


def _policy(column: Skewed, known: str) -> str:
    return f"""\
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      age: quasi
      one: quasi
      two: quasi
      x: {{role: confidential, domain: {list(column.domain)}, step: {column.step}, known: {known}}}
    restrict: {{min_interval: 10% of spread}}
"""


def _question(column: Skewed, chosen: NDArray[np.int64], rng: np.random.Generator) -> tuple[str, NDArray[np.bool_]]:
    """Make a question about ages by tens, and perhaps about one or two of the other columns."""
    low = int(rng.integers(1, 7)) * 10
    high = low + int(rng.integers(1, 8)) * 10
    terms = [f"age >= {low} AND age < {high}"]
    inside = (column.age[chosen] >= low) & (column.age[chosen] < high)
    for name, values in (("one", column.one[chosen]), ("two", column.two[chosen])):
        if rng.random() < 0.4:
            different = np.unique(values)
            some = sorted(int(each) for each in rng.permutation(different)[: (len(different) + 1) // 2])
            terms.append(f"{name} IN ({', '.join(map(str, some))})")
            inside &= np.isin(values, some)
    return f"SELECT SUM(x), COUNT(*) FROM people WHERE {' AND '.join(terms)}", inside


def _between(sizes: list[int]) -> str:
    return str(sizes[0]) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[201, 202, 203])
    given = parser.parse_args()
    folder = data()
    found: dict[str, list[Usable]] = {}
    for seed in given.seeds:
        for column in [*synthetic(seed), *(real(folder) if folder else ())]:
            with tempfile.TemporaryDirectory() as scratch:
                found.setdefault(column.name, []).append(use(column, Path(scratch), seed))
            print(found[column.name][-1], flush=True)
    rows = [
        [
            name,
            "-".join(
                str(size) for size in sorted({min(each.smallest for each in uses), max(each.smallest for each in uses)})
            ),
            sum(each.asked for each in uses),
            sum(each.answered for each in uses),
            f"{sum(each.answered for each in uses) / max(1, sum(each.asked for each in uses)):.0%}",
            sum(each.surprises for each in uses),
        ]
        for name, uses in found.items()
    ]
    seeds = ", ".join(map(str, given.seeds))
    record(
        "skewed",
        ["column", "people left open", "asked", "answered", "share", "surprises"],
        rows,
        [
            f"1,000 people, 30 different questions per seed, seeds {seeds}; each seed has a history of its own.",
            "People left open: how many a set must leave open for the histogram alone to make a breach implausible.",
        ],
    )


if __name__ == "__main__":
    main()
