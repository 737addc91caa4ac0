"""Many sums, one system: random subsets, sliding windows, ranges. The attacker eliminates, and solves programmes."""

import random

import numpy as np
import pytest
from support.attacker import Equations, gather
from support.stages import Stage, Stages
from support.victims import HIGH, LOW

WIDTH = 0.1 * (HIGH - LOW)
MIN_SET = 5


def random_subsets(number: int, seed: int) -> list[str]:
    """Conditions that pick people as if by lot: remainders of weighted sums of their attributes."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    found = []
    for _ in range(number):
        weights = [rng.randrange(1, 97) for _ in range(4)]
        found.append(
            f"(age * {weights[0]} + ascii_of(dept) * {weights[1]} + ascii_of(sex) * {weights[2]} "
            f"+ length(education) * {weights[3]}) % 97 < {rng.randrange(35, 62)}"
            .replace("ascii_of(dept)", "(length(dept) + strpos('FLRSW', left(dept, 1)) * 11)")
            .replace("ascii_of(sex)", "strpos('FM', sex)")
        )  # fmt: skip
    return found


def windows(width: int) -> list[str]:
    return [f"age BETWEEN {low} AND {low + width}" for low in range(25, 65 - width)]


def ranges(number: int, seed: int) -> list[str]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    pairs = [sorted(rng.sample(range(25, 66), 2)) for _ in range(number)]
    return [f"age BETWEEN {low} AND {high} AND sex = '{rng.choice('FM')}'" for low, high in pairs]


def must_hold(equations: Equations, set_up: Stage, sample: int = 12) -> None:
    """Nobody is solved, no small group is, and nobody's interval is narrower than the policy allows."""
    assert equations.solved() == {}
    for size in range(2, min(MIN_SET, 3)):
        assert equations.groups(size) == []
    truth = set_up.salaries
    for record in np.random.default_rng(1).choice(equations.ids, sample, replace=False):
        least, greatest = equations.interval(int(record), LOW, HIGH)
        assert least - 1e-3 <= truth[int(record)] <= greatest + 1e-3
        assert greatest - least >= WIDTH - 1e-3


@pytest.mark.parametrize(
    ("predicates", "wins"),
    [
        pytest.param(random_subsets(90, 1), 40, id="random subsets"),
        pytest.param([p for w in (5, 6, 7) for p in windows(w)], 10, id="sliding windows"),
        pytest.param(ranges(120, 2), 10, id="ranges"),
    ],
)
def test_a_system_of_sums_is_solved_in_plain_duckdb_and_not_through_the_gateway(
    stage: Stages, predicates: list[str], wins: int
) -> None:
    set_up = stage(80)
    found = gather(set_up.plain, set_up.raw, predicates).solved()
    assert len(found) >= wins
    assert all(set_up.salaries[record] == value for record, value in found.items())

    equations = gather(set_up.through(), set_up.raw, predicates)
    assert len(equations.sums) >= 3, "a gateway that denies everything would pass as well"
    must_hold(equations, set_up)


def test_two_people_are_not_singled_out_together(stage: Stages) -> None:
    """Their total is the difference of two sets, though a third question has set them apart from each other."""
    people = [
        (n, f"Zq{n:05d}q", "F", 40, "Sales" if n < 20 else "Legal", "School", 100_003 + 101 * n) for n in range(40)
    ]
    people[0] = (*people[0][:2], "M", *people[0][3:])
    people[20] = (*people[20][:2], "M", *people[20][3:])
    set_up = stage(people)
    predicates = ["dept = 'Sales'", "true", "sex = 'F'"]
    assert (0, 20) in gather(set_up.plain, set_up.raw, predicates).groups(2)
    assert gather(set_up.through(), set_up.raw, predicates).groups(2) == []


@pytest.mark.parametrize("size", [3, 4])
def test_neither_are_three_or_four(stage: Stages, size: int) -> None:
    """Each of them differs from the others in some answered set, so that none of them is an atom with another."""
    people = []
    for n in range(40 * size):
        dept, sex = ("Sales", "Legal", "Finance", "Support")[n // 40], "M" if n % 40 == 0 else "F"
        people.append((n, f"Zq{n:05d}q", sex, 40, dept, "School", 100_003 + 101 * n))
    set_up = stage(people)
    depts = ("Sales", "Legal", "Finance", "Support")[:size]
    predicates = [f"dept = '{dept}'" for dept in depts[:-1]] + ["true", "sex = 'F'"]
    chosen = tuple(40 * k for k in range(size))
    won = gather(set_up.plain, set_up.raw, predicates)
    total = won.sums[-2] - won.sums[-1]
    assert total == sum(set_up.salaries[n] for n in chosen)
    assert len(gather(set_up.through(), set_up.raw, predicates).sums) < len(predicates)


def test_a_group_of_extreme_pay_is_treated_like_any_other(stage: Stages) -> None:
    """Ten people who all earn the most there is: denying their sum would tell it; the size of a set must make it rare.

    What is public about the column should say that such groups exist; then the question is denied beforehand.
    """
    people = [(n, f"Zq{n:05d}q", "F", 40, "Sales" if n < 10 else "Legal", "School", HIGH if n < 10 else 150_001)
              for n in range(60)]  # fmt: skip
    set_up = stage(people)
    assert set_up.plain("SELECT AVG(salary) FROM staff WHERE dept = 'Sales'") == [(float(HIGH),)]
    people = [(*row[:6], 150_001 + row[0]) for row in people]
    ordinary = stage(people)
    asked = "SELECT AVG(salary) FROM staff WHERE dept = 'Sales'"
    assert set_up.gateway.explain(asked).kind == ordinary.gateway.explain(asked).kind
