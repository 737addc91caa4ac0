"""k-anonymity: what is published is k-anonymous, true, and as fine as the lattice allows."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from support.protecting import fixed_secret, policy_of, protected

from sdcdb.errors import DataError
from sdcdb.measures.anonymity import k_anonymity, l_diversity, t_closeness
from sdcdb.techniques.families import lattice
from sdcdb.techniques.families.crowds import Crowd, Targets, satisfied
from sdcdb.techniques.families.ladders import Rung, ladder_of
from sdcdb.techniques.families.lattice import Attribute, numbered, search
from sdcdb.techniques.kanonymity import FittedKanonymity
from sdcdb.techniques.technique import ColumnSpec
from sdcdb.views.protect import protect

_secret = fixed_secret("a secret for tests of k-anonymity")

ROLES = {
    "id": "identifier",
    "age": "quasi",
    "born": "quasi",
    "zip": "quasi",
    "job": "quasi",
    "pay": {"role": "confidential", "domain": [0, 100]},
    "illness": "confidential",
    "n": "public",
}
PEOPLE = """
    SELECT i AS id, (18 + hash(i) % 70)::INTEGER AS age, DATE '1950-01-01' + (hash(i + 1) % 20000)::INTEGER AS born,
        CASE WHEN i % 50 <> 0 THEN (10000 + hash(i + 2) % 900)::VARCHAR END AS zip,
        ['smith', 'mason', 'clerk', 'nurse', 'pilot'][1 + (hash(i + 3) % 5)::INTEGER] AS job,
        (hash(i + 4) % 101)::INTEGER AS pay, ['flu', 'cold', 'none'][1 + (hash(i + 5) % 3)::INTEGER] AS illness, i AS n
    FROM range(3000) AS r(i)
"""
QUASI = ("age", "born", "zip", "job")


def view(**params: Any) -> dict[str, Any]:
    return {"rows": {"method": "kanonymity", **params}}


def columns(database: Any, *names: str) -> list[list[Any]]:
    rows = database.con.execute(f"SELECT {', '.join(names)} FROM y").fetchall()
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("more", [{}, {"search": "mondrian"}, {"suppress": 0}, {"suppress": "30%"}])
@pytest.mark.parametrize("k", [2, 11])
def test_every_published_combination_belongs_to_k_records(k: int, more: dict[str, Any]) -> None:
    database, made = protected(PEOPLE, ROLES, view(k=k, **more))
    found = k_anonymity(columns(database, *QUASI))
    assert found.k is not None
    assert found.k >= k
    fitted = made.plan.fitted[0]
    assert isinstance(fitted, FittedKanonymity)
    assert found.records == 3000 - fitted.dropped
    assert 0 < fitted.loss < 1
    assert fitted.dropped < 30


def test_diversity_and_closeness_are_reached() -> None:
    database, _ = protected(PEOPLE, ROLES, view(k=3, l=3, confidential=["illness"]))
    assert (l_diversity(columns(database, *QUASI), columns(database, "illness")[0]).l_distinct or 0) >= 3
    database, _ = protected(PEOPLE, ROLES, view(k=3, l=2.5, diversity="entropy", confidential=["illness"]))
    assert (l_diversity(columns(database, *QUASI), columns(database, "illness")[0]).l_entropy or 0) >= 2.5 - 1e-9
    database, made = protected(PEOPLE, ROLES, view(k=3, t=0.15, confidential=["pay"]))
    assert made.plan.fitted[0].model_dump()["dropped"] == 0  # else the table that t compares with would be another
    assert (t_closeness(columns(database, *QUASI), columns(database, "pay")[0]).t or 1) <= 0.15 + 1e-9


def test_what_is_published_is_true() -> None:
    """A range holds the age, a period the day, a prefix the postcode."""
    database, _ = protected(PEOPLE, ROLES, view(k=5))
    rows = database.con.execute(
        "SELECT x.age, y.age, x.born, y.born, x.zip, y.zip FROM x JOIN y USING (n) ORDER BY n"
    ).fetchall()
    for age, shown, born, period, code, prefix in rows:
        if isinstance(shown, str):
            low, high = map(int, shown.split("-"))
            assert low <= age <= high
        if isinstance(period, str) and period.endswith("s"):
            assert int(period[:-1]) <= born.year < int(period[:-1]) + 10
        if prefix is not None:
            assert code.startswith(prefix.rstrip("*"))
        if code is None:
            assert prefix is None


def test_given_ladders_are_climbed_step_by_step() -> None:
    steps = {
        "job": [{"craft": ["smith", "mason"], "other": ["clerk", "nurse", "pilot"]}],
        "zip": [3],
        "born": ["decade"],
    }
    database, made = protected(PEOPLE, ROLES, view(k=5, hierarchies=steps | {"age": [10, 50]}))
    jobs = {job for (job,) in database.con.execute("SELECT DISTINCT job FROM y WHERE job IS NOT NULL").fetchall()}
    assert jobs <= {"craft", "other"} or jobs <= {"smith", "mason", "clerk", "nurse", "pilot"}
    assert set(made.plan.fitted[0].model_dump()["levels"]) == set(QUASI)
    with pytest.raises(DataError, match="no step of dates"):
        protected(PEOPLE, ROLES, view(k=5, hierarchies={"born": ["fortnight"]}))
    with pytest.raises(DataError, match="'shoe' is not used"):
        protected(PEOPLE, ROLES, view(k=5, hierarchies={"shoe": [2]}))
    with pytest.raises(DataError, match="as diverse as l asks"):
        protected(PEOPLE, ROLES, view(k=5, l=9, confidential=["illness"]))


def test_a_record_that_comes_later_is_not_published_until_the_next_fit() -> None:
    database, _ = protected(PEOPLE, ROLES, view(k=5))
    database.con.execute("INSERT INTO x SELECT 9999, 200, DATE '1900-01-01', '99999', 'king', 1, 'flu', 9999")
    assert database.con.execute("SELECT count(*) FROM y WHERE n = 9999").fetchone() == (0,)
    protect(database)
    assert (k_anonymity(columns(database, *QUASI)).k or 0) >= 5


def test_a_column_with_a_method_of_its_own_is_left_to_it() -> None:
    database, made = protected(PEOPLE, ROLES, view(k=5) | {"columns": {"age": {"method": "swapping", "range": "10%"}}})
    assert "age" not in made.plan.fitted[0].columns
    assert {type(age) for (age,) in database.con.execute("SELECT DISTINCT age FROM y").fetchall()} == {int}


def test_many_columns_are_cut_by_mondrian() -> None:
    more = ", ".join(f"(hash(i + {n}) % 4)::INTEGER AS c{n}" for n in range(12))
    roles = {"id": "identifier"} | {f"c{n}": "quasi" for n in range(12)}
    database, made = protected(f"SELECT i AS id, {more} FROM range(800) AS r(i)", roles, view(k=4))
    assert "Mondrian" in made.plan.words()[""]
    assert (k_anonymity(columns(database, *(f"c{n}" for n in range(12)))).k or 0) >= 4


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("paths", [0, 5])
def test_the_search_finds_what_brute_force_finds(seed: int, paths: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "PATHS", paths)
    draw = np.random.default_rng(seed)
    attributes, size = [], 60
    for many in (5, 4, 6):
        values = [f"{n:02}" for n in range(many)]
        codes = draw.integers(0, many, size)
        counts = np.bincount(codes, minlength=many)
        groups: list[Rung] = [{"low": tuple(values[:2]), "high": tuple(values[2:4])}, {"all": ("low", "high")}]
        ladder = ladder_of(ColumnSpec("c", "VARCHAR"), values, counts.tolist(), groups)
        heights = range(ladder.height)
        attributes.append(Attribute(codes, tuple(map(ladder.codes, heights)), tuple(map(ladder.losses, heights))))
    crowd = Crowd(draw.integers(1, 4, size).astype(float), (draw.integers(0, 3, size),), (False,))
    for targets in (Targets(4), Targets(3, 2), Targets(2, 1.5, entropy=True), Targets(2, t=0.3)):
        found = search(attributes, crowd, targets, 0.2)
        assert found is not None
        assert found.loss == pytest.approx(_least(attributes, crowd, targets, 0.2), abs=1e-9)


def _least(attributes: list[Attribute], crowd: Crowd, targets: Targets, most: float) -> float:
    best = np.inf
    for levels in product(*(range(len(each.classes)) for each in attributes)):
        classes = numbered([a.classes[level][a.codes] for a, level in zip(attributes, levels, strict=True)])
        left = ~satisfied(classes, crowd, targets, crowd)[classes]
        own = np.mean([a.losses[level][a.codes] for a, level in zip(attributes, levels, strict=True)], axis=0)
        if crowd.weights[left].sum() / crowd.weights.sum() <= most:
            best = min(best, float(np.average(np.where(left, 1.0, own), weights=crowd.weights)))
    return best


@pytest.mark.parametrize(
    ("kind", "values", "words"),
    [
        ("INTEGER", [str(n) for n in range(18, 91)], ["ranges of 2", "ranges of 10", "ranges of 20"]),
        ("DOUBLE", [f"{n / 10}" for n in range(100)], ["ranges of 0.5", "ranges of 1", "ranges of 2"]),
        ("DATE", ["1980-01-01", "1980-02-01", "1985-01-09", "1999-12-31"], ["by quarter", "by decade"]),
        ("VARCHAR", [f"{n}" for n in range(10000, 10999, 7)], ["first 4 characters", "first 3 characters"]),
    ],
)
def test_derived_ladders(kind: str, values: list[str], words: list[str]) -> None:
    ladder = ladder_of(ColumnSpec("c", kind), sorted(values), [1] * len(values), None)
    assert (ladder.words[0], ladder.words[-1]) == ("as it is", "suppressed")
    assert [word for word in ladder.words if word in words] == words
    losses = [float(ladder.losses(level)[:-1].mean()) for level in range(ladder.height)]
    assert losses == sorted(losses)
    assert (losses[0], losses[-1]) == (0.0, 1.0)


def test_skewed_numbers_are_cut_by_shares() -> None:
    values = sorted({str(n) for n in [*range(40), *range(1000, 100_000, 5000)]})
    ladder = ladder_of(ColumnSpec("c", "INTEGER"), values, [900 if v == "0" else 1 for v in values], None)
    assert all("shares" in word for word in ladder.words[1:-1])
    assert "up to 0" in ladder.levels[-2] or len(set(ladder.levels[-2])) == 1 or ladder.height == 2


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_too_few_records_are_not_published(rows: int) -> None:
    database, _ = protected(f"FROM ({PEOPLE}) LIMIT {rows}", ROLES, view(k=5))
    assert database.con.execute("SELECT count(*) FROM y").fetchone() == (0,)


def test_a_policy_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="is for l and t"):
        policy_of(ROLES, view(k=5, confidential=["pay"]))
