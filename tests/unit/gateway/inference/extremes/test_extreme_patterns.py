"""MIN and MAX against every table of a few people: whatever the answers are, enough may hold each, with room for all.

A statement is decided before anything is answered, so every answer that was thought plausible is looked at: those of
all tables that agree with the history.
"""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from support.extremes_oracle import Told, answer, possible, suspects

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

KINDS = (frozenset({"max"}), frozenset({"min"}), frozenset({"max", "min"}))
SUMS = (frozenset({"sum"}), frozenset({"sum", "max"}))
NEED = 0.05
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def drawn(rng: np.random.Generator, people: int, least: int, kinds: tuple[frozenset[str], ...]) -> list[Question]:
    """Draw a statement: sets that overlap, are nested, or are the same."""
    sets: list[Flags] = []
    for _ in range(int(rng.integers(1, 5))):
        chosen = rng.random(people) < rng.uniform(0.45, 1)
        if sets and rng.random() < 0.4:
            chosen = chosen & sets[-1] if rng.random() < 0.6 else chosen | sets[-1]
        if chosen.sum() >= least:
            sets.append(chosen)
    return [Question(chosen, kinds[int(rng.integers(len(kinds)))]) for chosen in sets]


def agreeing(tables: Floats, told: list[Told]) -> Floats:
    for each in told:
        part = tables[:, each.people]
        found = {"sum": part.sum(axis=1), "max": part.max(axis=1), "min": part.min(axis=1)}[each.kind]
        tables = tables[np.abs(found - each.value) < 1e-9]
    return tables


def covered(k: Knowledge, asked: list[Question], told: list[Told]) -> bool:
    """Tell whether answers are among those that were thought plausible; the others are marked as surprises."""
    ranges = [k.covered(question).get(kind) for question in asked for kind in sorted(question.kinds)]
    return all(r is None or r[0] - 1e-9 <= each.value <= r[1] + 1e-9 for r, each in zip(ranges, told, strict=True))


def play(seed: int, tables: Floats, kinds: tuple[frozenset[str], ...], most: int) -> int:
    """Ask statements in one history; check everything that each may answer. Return how many answers were checked."""
    rng, least, people = np.random.default_rng(seed), 2 + seed % 2, tables.shape[1]
    k = Knowledge(np.ones(people, int), 0, 1, None, Limits(least, NEED, small_totals="allow"), b"s")
    truth, told, checked = tables[int(rng.integers(len(tables)))], list[Told](), 0
    for _ in range(4):
        asked = drawn(rng, people, least, kinds)
        allowed = [q for q, finding in zip(asked, k.consider(asked), strict=True) if finding.allowed]
        if not allowed:
            continue
        left = agreeing(tables, told)
        seen: dict[tuple[float, ...], list[Told]] = {}
        for row in left[rng.permutation(len(left))[:most]]:
            new = [answer(kind, q.cells, row) for q in allowed for kind in sorted(q.kinds)]
            seen.setdefault(tuple(each.value for each in new), new)
        for new in seen.values():
            if covered(k, allowed, new):
                low, high = possible(told + new, people)
                assert (high - low).min() >= NEED - 1e-9, (told, new)
                assert min(n for n in suspects(told + new, people) or [people] if n) >= least, (told, new)
                checked += 1
        answers = [{kind: answer(kind, q.cells, truth).value for kind in q.kinds} for q in allowed]
        if any(k.surprises(allowed, answers)):
            break
        k.learn(allowed, answers)
        told += [Told(kind, q.cells, a[kind]) for q, a in zip(allowed, answers, strict=True) for kind in q.kinds]
    return checked


@pytest.mark.parametrize("seed", range(0, 24, 4))
def test_all_tables_of_six_people_and_three_values(seed: int) -> None:
    tables = np.array(list(product((0.3, 0.6, 0.9), repeat=6)))
    assert sum(play(seed + n, tables, KINDS, len(tables)) for n in range(4)) > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1800, 20))
def test_all_tables_of_seven_people_and_up_to_five_values(seed: int) -> None:
    grid = ((0.25, 0.5, 0.9), (0.2, 0.4, 0.6, 0.9), (0.3, 0.45, 0.6, 0.75, 0.9))[seed // 20 % 3]
    tables = np.array(list(product(grid, repeat=7 if len(grid) < 5 else 6)))
    assert sum(play(seed + n, tables, KINDS, len(tables)) for n in range(20)) > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(40))
def test_extremes_beside_sums(seed: int) -> None:
    tables = np.array(list(product((0.3, 0.5, 0.7, 0.9), repeat=7)))
    play(seed, tables, (*KINDS, *SUMS), 3)


def test_a_denial_has_its_reason_in_some_table() -> None:
    """One more MAX is denied as pointing at too few only where the answers can come to that."""
    grid = np.linspace(0.2, 1.0, 9)
    tables = np.array(list(permutations(grid, 5)))
    rng, denied = np.random.default_rng(1), 0
    for _ in range(60):
        truth = rng.permutation([*grid[1::2].tolist(), grid[4]])[:5]
        k = Knowledge(np.ones(5, int), 0, 1, None, Limits(2, 0.0, small_totals="allow"), b"s")
        told: list[Told] = []
        for _ in range(4):
            chosen = rng.random(5) < 0.6
            if chosen.sum() < 2:
                continue
            question = [Question(chosen, frozenset({"max"}))]
            finding = k.consider(question)[0]
            if finding.allowed:
                told.append(answer("max", chosen, truth))
                k.learn(question, [{"max": told[-1].value}])
            elif finding.rule == "exact":
                denied += 1
                left = agreeing(tables, told)
                assert any(min(suspects([*told, answer("max", chosen, row)], 5)) < 2 for row in left), (told, chosen)
    assert denied > 10


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_questions_in_a_statement_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    asked = drawn(rng, 40, 10, KINDS) + drawn(rng, 40, 10, KINDS)
    verdicts = set()
    for _ in range(6):
        k = Knowledge(np.ones(40, int), 0, 1, None, Limits(10, 0.1), b"s")
        order = rng.permutation(len(asked))
        found = {
            int(n): finding.allowed for n, finding in zip(order, k.consider([asked[n] for n in order]), strict=True)
        }
        verdicts.add(tuple(found[n] for n in range(len(asked))))
    assert len(verdicts) == 1


def test_a_maximum_is_not_implied_by_a_guess() -> None:
    """The whole is tried at a low MAX, at which that of a part would follow from an earlier answer. It does not."""
    k = Knowledge(np.ones(7, int), 0, 1, None, Limits(3, 0.05), b"s")
    people = np.arange(7)
    k.learn([Question(np.isin(people, [0, 1, 5]), frozenset({"max"}))], [{"max": 0.5}])
    asked = [Question(people >= 0, frozenset({"max"})), Question(people != 2, frozenset({"max"}))]
    assert [finding.allowed for finding in k.consider(asked)].count(True) == 1
