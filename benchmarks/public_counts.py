"""How often the counts of a category may be public, so that numbers by it are answered.

    python benchmarks/public_counts.py --people 20000 100000

Of the made-up hospital: smoking by every set of sex, insurance, area and age (in bands of 10 or 20 years) of its
patients, with `true` sensitive. And of a hospital with seven diagnoses of 2% to 30%, as in benchmarks/frequencies.py:
by every set of 12 wards, sex and eight age groups; all diagnoses sensitive, or the two rarest.
"""

import argparse
from collections.abc import Iterator, Sequence
from itertools import combinations

import duckdb
import numpy as np
from frequencies import AGES, SHARES, WARDS
from record import record

from sdcdb.datasets.creation import create
from sdcdb.gateway.relations import relations
from sdcdb.gateway.tables.numbers_by_category import why_telling
from sdcdb.policy.load import parse_document

SMOKER = '{"false": 72%, "true": 17%, null: 11%}, sensitive: ["true"]'
DIAGNOSIS = ", ".join(f"d{n}: {100 * share:g}%" for n, share in enumerate(SHARES))


def main() -> None:
    """Try every set of quasi-identifiers, and record where counts may be public."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--dry", action="store_true", help="record nothing")
    given = parser.parse_args()
    rows = [row for people in given.people for row in (*_smokers(people), *_diagnoses(people))]
    header = ["people", "category", "quasi-identifiers", "sets", "counts may be public"]
    notes = ["`max_belief` 80%, `min_set` 10, no protected view, one seed. Sets of as many quasi-identifiers as said."]
    if given.dry:
        print(*rows, sep="\n")
    else:
        record("public_counts", header, rows, notes)


def _smokers(people: int) -> Iterator[list[object]]:
    with duckdb.connect() as con:
        create(con, "hospital", people, 0)
        age = "date_diff('year', birth_date, DATE '2024-01-01')"
        con.execute(f"CREATE TABLE people AS SELECT *, {age} // 10 AS tens, {age} // 20 AS twenties FROM patients")
        sets = ["sex", "insurance", "area", "tens", "twenties"]
        yield from _tried(con, people, "patient_id", "smoker", SMOKER, sets, "hospital, smoker")


def _diagnoses(people: int) -> Iterator[list[object]]:
    rng = np.random.default_rng(0)
    tilt = np.exp(rng.normal(0, 0.15, (WARDS, len(SHARES)))) * SHARES
    ward, sex, age = rng.integers(0, WARDS, people), rng.integers(0, 2, people), rng.integers(0, AGES, people)
    shares = tilt / tilt.sum(axis=1, keepdims=True)
    drawn = (rng.random(people)[:, None] > shares.cumsum(axis=1)[ward]).sum(axis=1)
    arrays = {"id": np.arange(people), "ward": ward, "sex": sex, "age": age, "place": drawn}
    with duckdb.connect() as con:
        con.register("arrays", {name: each.astype(np.int64) for name, each in arrays.items()})
        con.execute("CREATE TABLE people AS SELECT *, 'd' || place AS diagnosis FROM arrays")
        for said, sensitive in (("all sensitive", ""), ("two rarest sensitive", ", sensitive: [d5, d6]")):
            known, name = f"{{{DIAGNOSIS}}}{sensitive}", f"seven diagnoses, {said}"
            yield from _tried(con, people, "id", "diagnosis", known, ["ward", "sex", "age"], name)


def _tried(
    con: duckdb.DuckDBPyConnection, people: int, key: str, category: str, known: str, quasi: Sequence[str], said: str
) -> Iterator[list[object]]:
    for number in range(1, len(quasi) + 1):
        sets = [each for each in combinations(quasi, number) if not {"tens", "twenties"} <= set(each)]
        if sets:
            fine = [each for each in sets if _may(con, key, category, known, each)]
            listed = "; ".join(", ".join(each) for each in fine)
            yield [f"{people:,}", said, number, len(sets), f"{len(fine)}{listed and f' ({listed})'}"]


def _may(con: duckdb.DuckDBPyConnection, key: str, category: str, known: str, quasi: Sequence[str]) -> bool:
    columns = "".join(f", {name}: quasi" for name in quasi)
    policy = parse_document(
        f"version: 1\ntables:\n  people:\n    key: {key}\n    columns: {{{key}: identifier{columns}, "
        f"{category}: {{role: confidential, known: {known}}}}}\n    restrict: {{}}\n"
    ).policy
    (table,) = relations(con, policy).restricted()
    return why_telling(con, table, table.categories[category]) is None


if __name__ == "__main__":
    main()
