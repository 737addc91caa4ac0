"""Several MIN and MAX in one statement: whatever carries the sets, the verdict is the same, and nobody is named."""

import random
from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from support.stages import Stage, Stages
from support.victims import DEPTS, EDUCATION

WITH_EXTREMES = {"aggregates": "count, sum, avg, min, max", "groups": "deny"}


def one_by_one(kind: str, sets: Sequence[str]) -> list[str]:
    return [f"SELECT {kind}(salary) FROM staff WHERE {each}" for each in sets]


def filters(kind: str, sets: Sequence[str]) -> str:
    return f"SELECT {', '.join(f'{kind}(salary) FILTER (WHERE {each})' for each in sets)} FROM staff"


def cases(kind: str, sets: Sequence[str]) -> str:
    return f"SELECT {', '.join(f'{kind}(CASE WHEN {each} THEN salary END)' for each in sets)} FROM staff"


def unions(kind: str, sets: Sequence[str]) -> str:
    return " UNION ALL ".join(one_by_one(kind, sets))


def tables(kind: str, sets: Sequence[str]) -> str:
    made = ", ".join(f"t{n} AS ({sql})" for n, sql in enumerate(one_by_one(kind, sets)))
    return f"WITH {made} SELECT * FROM {', '.join(f't{n}' for n in range(len(sets)))}"


def subqueries(kind: str, sets: Sequence[str]) -> str:
    return f"SELECT {', '.join(f'({sql})' for sql in one_by_one(kind, sets))}"


CARRIERS: tuple[Callable[[str, Sequence[str]], str], ...] = (filters, cases, unions, tables, subqueries)


def verdicts(set_up: Stage, kind: str, sets: Sequence[str], more: Sequence[str] = ()) -> set[str]:
    """Return what is said about the same sets, however they are written."""
    written = [carrier(kind, sets) for carrier in CARRIERS] + [carrier(kind, sets[::-1]) for carrier in CARRIERS]
    return {set_up.gateway.explain(sql).kind for sql in [*written, *more]}


def predicates(rng: random.Random) -> list[str]:
    """Draw sets that overlap, are nested, or are the same in other words."""
    low = rng.randrange(25, 45)
    chosen = rng.sample(DEPTS[:5], rng.randrange(2, 5))
    listed = ", ".join(f"'{dept}'" for dept in chosen)
    return rng.sample(
        [
            f"age BETWEEN {low} AND {low + rng.randrange(12, 25)}",
            f"age >= {low}",
            f"age > {low - 1}",
            f"dept IN ({listed})",
            f"dept IN ({listed}) AND age >= {low}",
            f"dept NOT IN ({listed})",
            f"education <> '{rng.choice(EDUCATION)}'",
            f"sex = '{rng.choice('FM')}'",
            "true",
        ],
        rng.randrange(2, 5),
    )


@pytest.mark.parametrize("kind", [pytest.param("MAX", marks=pytest.mark.soak), "MIN"])
def test_the_carrier_makes_no_difference(stage: Stages, kind: str) -> None:
    set_up = stage(240, also="DELETE FROM staff WHERE age = 70", **WITH_EXTREMES)
    rng, seen = random.Random(3), list[str]()  # noqa: S311 - no secret
    for turn in range(12):
        if turn == 6:  # and behind a history
            assert set_up.through()(f"SELECT {kind}(salary) FROM staff WHERE dept IN ('Legal', 'Sales')")
        sets = predicates(rng)
        found = verdicts(set_up, kind, sets)
        assert len(found) == 1, sets
        seen += found
    assert {"allow", "deny"} <= set(seen)


@pytest.mark.parametrize("kind", ["MAX", pytest.param("MIN", marks=pytest.mark.soak)])
def test_groups_are_sets_like_others(stage: Stages, kind: str) -> None:
    set_up = stage(400, also="DELETE FROM staff WHERE age = 70", **WITH_EXTREMES)
    by_dept, by_sex = [f"dept = '{dept}'" for dept in DEPTS[:5]], ["sex = 'F'", "sex = 'M'"]
    both = [f"{one} AND {other}" for one in by_dept for other in by_sex]
    forms = {
        "dept": by_dept,
        "GROUPING SETS ((dept), (sex))": by_dept + by_sex,
        "ROLLUP (dept)": [*by_dept, "true"],
        "ROLLUP (dept, sex)": [*both, *by_dept, "true"],
        "CUBE (dept, sex)": [*both, *by_dept, *by_sex, "true"],
        "GROUPING SETS ((dept, sex), ())": [*both, "true"],
    }
    for by, sets in forms.items():
        grouped = f"SELECT {kind}(salary) FROM staff GROUP BY {by}"
        found = verdicts(set_up, kind, sets, [grouped, f"WITH a AS ({grouped}) SELECT * FROM a"])
        assert found == {"allow"}, by


def in_common(victim: str, sets: int) -> list[str]:
    """Sets that overlap pairwise in a department, and all together in the victim alone."""
    pairs = list(combinations(range(sets), 2))
    own = [[DEPTS[n] for n, pair in enumerate(pairs) if which in pair] for which in range(sets)]
    listed = [", ".join(f"'{dept}'" for dept in depts) for depts in own]
    return [f"(dept IN ({depts}) OR ({victim}))" for depts in listed]


@pytest.mark.parametrize("kind", ["MAX", "MIN"])
@pytest.mark.parametrize("carrier", [*CARRIERS, None])
def test_whoever_is_in_all_sets_is_not_named(
    stage: Stages, kind: str, carrier: Callable[[str, Sequence[str]], str] | None
) -> None:
    value = 249_989 if kind == "MAX" else 100_003
    victim = "age = 70 AND dept = 'Works'"
    set_up = stage(150, also=f"UPDATE staff SET salary = {value} WHERE {victim}", **WITH_EXTREMES)
    sets = in_common(victim, 3)
    told = [set_up.plain(sql) for sql in one_by_one(kind, sets)]
    assert [rows[0][0] for rows in told if rows] == [
        value
    ] * 3  # in plain DuckDB: the victim's, as nobody else is in all
    ask = set_up.through()
    if carrier is not None:
        assert ask(carrier(kind, sets)) is None
    else:
        assert [ask(sql) for sql in one_by_one(kind, sets)].count(None) >= 1


@pytest.mark.parametrize("kind", ["MAX", "MIN"])
def test_equal_values_name_nobody(stage: Stages, kind: str) -> None:
    """Everybody in a department earns the same, so that sets which should differ do not."""
    set_up = stage(200, also="UPDATE staff SET salary = 249_989 WHERE dept = 'Legal'", **WITH_EXTREMES)
    truth, ask = set_up.salaries, set_up.through()
    rng, told = random.Random(5), list[tuple[set[int], int]]()  # noqa: S311 - no secret
    for _ in range(25):
        sets = predicates(rng)
        rows = ask(filters(kind, sets))
        for predicate, value in zip(sets, rows[0] if rows else (), strict=False):
            chosen = set_up.raw.execute(f"SELECT id FROM staff WHERE {predicate}").fetchall()
            told.append(({int(record) for (record,) in chosen}, int(value)))
    assert told
    for value in {own for _, own in told}:
        suspects = set(truth)
        for members, own in told:
            if own == value:
                suspects &= members
            elif (own < value) == (kind == "MAX"):
                suspects -= members
        assert not suspects or len(suspects) >= 5
