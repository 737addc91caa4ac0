"""Whole numbers, through SQL: no tool finds a value in the sums that the gateway answers, and status claims no more."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from support.paths import ROOT
from support.whole_number_attack import (
    Attack,
    Flags,
    Ints,
    Programme,
    by_brute_force,
    by_reduction,
    codes,
    open_attack,
)

RESULTS = ROOT / "benchmarks" / "results" / "whole_numbers.json"
WAYS = ("whole", "localised", "differences", "known")
TOPS = (24, 100, 240_000)
INTERVAL = 0.1  # of the domain: the default limit
LEFT = 1  # sums short of the number of people, where nothing is refused
ENOUGH = {24: 6, 100: 10, 240_000: 10}  # answered sums: an audit that denies all would pass as well


def attacked(folder: Path, seed: int, top: int, way: str, people: int = 60) -> tuple[Attack, Flags, float]:
    """Ask until it is refused; return what was answered, who is known beforehand, and what status claims."""
    rng = np.random.default_rng(seed)
    beside = 60 if way in {"localised", "differences"} else 0
    values = rng.integers(0, top + 1, people + beside)
    target = np.arange(len(values)) < people
    db, attack = open_attack(folder, values, target, top)
    with db, attack.gateway:
        attack.halves(rng, way, patience=6, most=people)
        claimed = attack.gateway.status()["people"]["all"]["value"].interval
    known = target & (rng.random(len(values)) < 0.2) if way == "known" else np.zeros(len(values), dtype=bool)
    return attack, known, claimed


def right(attack: Attack, people: Ints, found: Ints | None) -> int:
    return 0 if found is None else int((found == attack.values[people]).sum())


def past_the_audit(rows: Ints, rng: np.random.Generator) -> Ints:
    """Return the same sums and more of their kind, nearly as many as people: what an attacker would go on to ask."""
    people = rows.shape[1]
    return np.vstack([rows, (rng.random((people - LEFT - len(rows), people)) < 0.5).astype(np.int64)])


def play(folder: Path, seed: int, top: int, way: str, looked_at: int) -> dict[str, float | str | int]:
    """Play all tools against one gateway: nobody's value comes out; with the sums that it refuses, everybody's does."""
    attack, known, claimed = attacked(folder, seed, top, way)
    rows, answers, people = attack.system(known)
    assert len(rows) >= ENOUGH[top]
    exact = {block: right(attack, people, by_reduction(rows, answers, top, block)) for block in (2, 20)}
    chance = 0.4 if top < 1000 else 0.05  # a guess near the mean is right now and then
    assert max(exact.values()) <= chance * len(people)
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(people))[:looked_at]
    programme = Programme.of(rows, answers, top)
    ranges = [programme.range(int(person)) for person in chosen]
    left = min(found[1] - found[0] for found in ranges if found is not None)
    if way != "known":  # the promise itself; and what status says is no more than what is left
        assert left >= INTERVAL * top
        assert left >= claimed - 1e-6
    else:
        assert left > 0
    settled = sum(found is not None for found in ranges)
    assert settled == len(chosen), "an integer programme that ends with nothing shows nothing"

    more = past_the_audit(rows, rng)
    values = attack.values[people]
    assert right(attack, people, by_reduction(more, more @ values, top, 2)) == len(people)
    assert Programme.of(more, more @ values, top).range(int(chosen[0])) == (values[chosen[0]],) * 2
    return {
        "values": top + 1, "way": way, "seed": seed, "people": len(people), "sums": len(rows),
        "lll_right": exact[2], "bkz20_right": exact[20], "programmes": settled,
        "narrowest_share": round(left / top, 3), "claimed_share": round(claimed / top, 3),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("top", "way"),
    [
        (24, "whole"),
        (240_000, "localised"),
        pytest.param(100, "known", marks=pytest.mark.soak),
        pytest.param(240_000, "differences", marks=pytest.mark.soak),
    ],
)
def test_no_tool_finds_a_value(top: int, way: str, tmp_path: Path) -> None:
    play(tmp_path, 11, top, way, looked_at=4)


@pytest.mark.parametrize("top", [24, 240_000])
def test_the_tools_find_everybody_where_nothing_is_refused(top: int) -> None:
    rng = np.random.default_rng(2)
    values, rows = rng.integers(0, top + 1, 40), (rng.random((38, 40)) < 0.5).astype(np.int64)
    for block in (2, 20):
        found = by_reduction(rows, rows @ values, top, block)
        assert found is not None
        assert (found == values).all()
    programme = Programme.of(rows, rows @ values, top)
    assert [programme.range(person) for person in range(40)] == [(v, v) for v in values]


@pytest.mark.parametrize("seed", range(4))
def test_the_programmes_agree_with_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    top, people = 4, 7
    values, rows = rng.integers(0, top + 1, people), (rng.random((3, people)) < 0.5).astype(np.int64)
    seen = by_brute_force(rows, rows @ values, top)
    assert seen is not None
    programme = Programme.of(rows, rows @ values, top)
    assert [programme.range(person) for person in range(people)] == [(min(each), max(each)) for each in seen]


def test_brute_force_on_the_smallest_table(tmp_path: Path) -> None:
    """Twenty-one people, of whom all but a few are known beforehand: every solution is tried."""
    attack, _, _ = attacked(tmp_path, 5, 24, "whole", people=24)
    few = np.arange(24) < 5
    rows, answers, people = attack.system(~few)
    assert len(rows) >= 3
    seen = by_brute_force(rows, answers, attack.top)
    assert seen is not None
    assert all(int(attack.values[p]) in values for p, values in zip(people, seen, strict=True))
    alone = by_brute_force(np.eye(5, dtype=np.int64), attack.values[:5], attack.top)  # what brute force can do
    assert alone == [{int(v)} for v in attack.values[:5]]


# ---- remainders


def remainder(attack: Attack, sets: list[Flags], weights: Ints, modulus: int) -> int | None:
    """Return the first person's value if every sum of the code is answered."""
    answers = [attack.ask(cells) for cells in sets]
    if any(answer is None for answer in answers):
        return None
    return sum(int(w) * int(a or 0) for w, a in zip(weights, answers, strict=True)) % modulus


@pytest.mark.parametrize("people", [pytest.param(400, marks=pytest.mark.soak), 1300])
def test_sums_chosen_to_leave_a_remainder_are_not_all_answered(people: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(people)
    values = rng.integers(0, 25, people)
    sets, weights = codes(people, 1009, 20, rng)
    answers = [int(values[cells].sum()) for cells in sets]
    assert sum(int(w) * a for w, a in zip(weights, answers, strict=True)) % 1009 == values[0]  # the attack works
    db, attack = open_attack(tmp_path, values, np.ones(people, dtype=bool), 24)
    with db, attack.gateway:
        assert remainder(attack, sets, weights, 1009) is None
        assert attack.refused < len(sets)


# ---- status


@pytest.mark.parametrize("seed", range(3))
def test_status_claims_no_more_than_whole_numbers_leave(seed: int, tmp_path: Path) -> None:
    """Random histories of ranges and halves on small tables: for everybody, integer programmes find the room."""
    rng = np.random.default_rng(seed)
    top, people = (24, 100, 240_000)[seed], 26
    values = rng.integers(0, top + 1, people)
    db, attack = open_attack(tmp_path, values, np.ones(people, dtype=bool), top)
    with db, attack.gateway:
        for number in range(14):
            a, b = np.sort(rng.integers(0, people + 1, 2))
            span = (np.arange(people) >= a) & (np.arange(people) < b)
            cells = span if number % 2 else rng.random(people) < 0.5
            if cells.any() and attack.ask(cells) is not None:
                attack.sets.append(cells)
        score = attack.gateway.status()["people"]["all"]["value"]
    rows, answers, everybody = attack.system(np.zeros(people, dtype=bool))
    assert len(rows) >= 2
    programme = Programme.of(rows, answers, top)
    for person in range(len(everybody)):
        found = programme.range(person)
        assert found is not None
        assert found[1] - found[0] >= score.interval - 1e-6
        assert np.log2(found[1] - found[0] + 1) >= score.h0 - 1e-9
    more = past_the_audit(rows, rng)  # and the programmes see it where nothing is left
    assert Programme.of(more, more @ values, top).range(0) == (values[0], values[0])


# ---- many seeds, and what is shown in the documentation


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200, 206))
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("top", TOPS)
def test_no_tool_finds_a_value_over_many_seeds(seed: int, way: str, top: int, tmp_path: Path) -> None:
    found = play(tmp_path, seed, top, way, looked_at=6)
    if "SDCDB_RECORD" not in os.environ:
        return
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else []
    kept = [each for each in kept if [each[k] for k in ("values", "way", "seed")] != [top + 1, way, seed]]
    RESULTS.write_text(json.dumps([*kept, found], indent=1) + "\n", "utf-8")
