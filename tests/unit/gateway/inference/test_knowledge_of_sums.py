"""Sums: nothing allowed that tells too much, nothing decided by looking, and most honest questions answered."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from support.inference_attack import SUM, Table, families, small_group_determined

from sdcdb.errors import DataError
from sdcdb.gateway.inference.intervals.record_bounds import bounds
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question


def table(seed: int) -> Table:
    """A small table: one record per cell or up to three, uniform or skewed, with a generous delta."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 26))
    counts = np.ones(n, int) if seed % 2 else rng.integers(0, 4, n)
    skewed = seed % 3 == 0
    values = [(rng.lognormal(0, 1, c) / 15).clip(0, 1) if skewed else rng.random(c) for c in counts]
    limits = Limits(3 + (seed % 5 == 0), (0.05, 0.1, 0.2)[seed % 3], delta=(1e-2, 1e-3, 1e-1)[seed % 3])
    return Table.of(values, limits)


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(12, 48))])
def test_no_sequence_of_sums_narrows_a_record_or_determines_a_small_group(seed: int) -> None:
    t = table(seed)
    for _, flags in zip(range(16), families(np.random.default_rng(seed), len(t.values)), strict=False):
        if t.ask(flags) is not None:
            assert t.widths().min() >= t.limits.min_interval - 1e-6
    rows = np.array([flags for flags, _ in t.answered])[:, t.counts > 0]
    assert not small_group_determined(rows, t.counts[t.counts > 0], t.limits.min_set)
    assert "allowed" in t.verdicts


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_do_not_depend_on_what_was_not_answered(seed: int) -> None:
    t = table(2 * seed + 1)  # one record per cell
    asked = [flags for _, flags in zip(range(16), families(np.random.default_rng(seed), len(t.values)), strict=False)]
    for flags in asked:
        t.ask(flags)
    sets = np.array([flags for flags, _ in t.answered], dtype=float)
    truth = np.concatenate(t.values)
    rng = np.random.default_rng(seed)
    corner = linprog(rng.normal(size=len(truth)), A_eq=sets, b_eq=sets @ truth, bounds=(0, 1)).x
    other = Table.of([np.array([v]) for v in 0.6 * truth + 0.4 * corner], t.limits)
    assert np.abs(sets @ np.concatenate(other.values) - sets @ truth).max() < 1e-8
    for flags in asked:
        other.ask(flags)
    assert other.verdicts == t.verdicts
    assert np.abs(np.concatenate(other.values) - truth).max() > 0.05


def test_considering_changes_nothing_and_a_statement_is_decided_together() -> None:
    k = Knowledge(np.ones(40, int), 0, 100, None, Limits(5, 10.0), b"s")
    whole, half = np.ones(40, bool), np.arange(40) < 20
    victim = half.copy()
    victim[0] = False
    together = k.consider([Question(whole, SUM), Question(half, SUM), Question(~half, SUM), Question(victim, SUM)])
    assert [f.allowed for f in together] == [True, True, True, False]
    assert [f.implied for f in together] == [False, False, True, False]
    assert together[3].rule == "exact"
    assert together[3].after is None
    assert k.rank == 0
    assert k.consider([Question(victim, SUM)])[0].allowed
    assert k.atoms == 1


def test_learning_tells_what_was_new_and_scores_fall() -> None:
    rng = np.random.default_rng(1)
    k, values = Knowledge(np.full(30, 2), 0, 1, None, Limits(5, 0.1, 1.0), b"s"), rng.random((30, 2)).sum(axis=1)
    first, second = np.arange(30) < 20, np.arange(30) >= 10
    ask = [Question(first, SUM), Question(second, SUM), Question(first, SUM)]
    before = k.status()
    assert k.learn(ask, [{"sum": values[q.cells].sum()} for q in ask]) == [True, True, False]
    assert k.rank == 2
    assert k.atoms == 3
    assert k.status().interval <= before.interval
    assert k.status().closest in {"interval", "cae"}
    lower, upper = k.intervals()
    expected = bounds([first, second], [values[first].sum(), values[second].sum()], 0, 1, weights=np.full(30, 2))
    np.testing.assert_allclose(lower, expected[0], atol=1e-6)
    np.testing.assert_allclose(upper, expected[1], atol=1e-6)
    assert float((upper - lower).min()) >= k.status().interval - 1e-6


def boxes(n: int, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Random two-dimensional ranges of at least ten records."""
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    found: list[np.ndarray] = []
    while len(found) < 200:
        low, high = np.sort(rng.random((2, 2)), axis=0)
        flags = ((points >= low) & (points <= high)).all(axis=1)
        if flags.sum() >= 10:
            found.append(flags)
    return rng.random((2, n)), found


@pytest.mark.parametrize(
    ("n", "questions", "skewed", "least"),
    [
        # 81% where small totals are allowed: margins for an intruder who knows a fifth end it
        pytest.param(300, 200, False, 0.55, marks=pytest.mark.soak),
        (300, 150, True, 0.75),
        pytest.param(2500, 120, False, 1.0, marks=pytest.mark.soak),
        (2500, 100, True, 0.9),
        (20_000, 40, False, 1.0),
        (20_000, 40, True, 0.97),
    ],
)
def test_honest_ranges_are_answered(n: int, questions: int, skewed: bool, least: float) -> None:  # noqa: FBT001
    (uniform, normal), asked = boxes(n, 5)
    values = np.minimum(np.exp(2.5 * normal - 4), 1) if skewed else uniform
    k = Knowledge(np.ones(n, int), 0, 1, None, Limits(10, 0.1, 1.0), b"s")
    allowed = surprised = 0
    for flags in asked[:questions]:
        question = [Question(flags, SUM)]
        if k.consider(question)[0].allowed:
            answer = [{"sum": float(values[flags].sum())}]
            surprised += k.surprises(question, answer)[0]
            k.learn(question, answer)
            allowed += 1
    print(f"{n} records, {'skewed' if skewed else 'uniform'}: {allowed} of {questions}")  # noqa: T201 - how strict it is
    assert allowed >= least * questions
    assert surprised == 0


def test_restoring_gives_the_state_that_the_sequence_led_to() -> None:
    rng = np.random.default_rng(3)
    counts, limits = rng.integers(0, 4, 120), Limits(6, 0.1, 1.0)
    values = np.array([rng.random(c).sum() for c in counts])
    k, history = Knowledge(counts, 0, 1, None, limits, b"s"), []
    for _ in range(60):
        a, b = np.sort(rng.integers(0, 121, 2))
        question = Question((np.arange(120) >= a) & (np.arange(120) < b), SUM)
        if (finding := k.consider([question])[0]).allowed and not finding.implied:
            history.append((question, {"sum": float(values[question.cells].sum())}))
            k.learn([question], [history[-1][1]])
    again = Knowledge.restore(counts, 0, 1, None, limits, b"other", history)
    assert (again.rank, again.atoms) == (k.rank, k.atoms)
    for _ in range(40):
        question = Question(rng.random(120) < 0.5, SUM)
        ours, theirs = again.consider([question])[0], k.consider([question])[0]
        assert (ours.allowed, ours.rule, ours.implied) == (theirs.allowed, theirs.rule, theirs.implied)


# ---- surprises


def zeros() -> tuple[Knowledge, Question, list[dict[str, float]]]:
    """Forty records of which twelve are at the very end of the domain, as the first question finds out."""
    k = Knowledge(np.ones(40, int), 0, 1, None, Limits(5, 0.1), b"s")
    whole = [Question(np.ones(40, bool), SUM)]
    k.learn(whole, [{"sum": 14.0}])
    return k, Question(np.arange(40) < 12, SUM), [{"sum": 0.0}]


def test_an_answer_out_of_all_expectation_is_given_and_noted() -> None:
    k, question, answer = zeros()
    assert k.consider([question])[0].allowed
    assert k.surprises([question], answer) == [True]
    assert k.learn([question], answer) == [True]
    assert k.consider([question])[0].implied
    assert k.status().interval == 0


def test_others_can_still_be_asked_about_after_a_surprise() -> None:
    k, question, answer = zeros()
    k.consider([question])
    k.learn([question], answer)
    other = Question(np.arange(40) >= 25, SUM)
    assert k.consider([other])[0].allowed
    assert k.learn([other], [{"sum": 7.0}]) == [True]
    lower, upper = k.intervals()
    assert upper[:12].max() <= 1e-6
    assert (upper - lower)[25:].min() > 0.1


def test_an_answer_within_reach_is_no_surprise() -> None:
    k, question, _ = zeros()
    k.consider([question])
    assert k.surprises([question], [{"sum": 4.0}]) == [False]


def held_steps(k: Knowledge) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the cells that are held after surprises, and their totals in steps of the grid."""
    ground = k._ground  # what is held shows nowhere else
    assert not ground.blind
    place = k._blocks.partition.labels  # every cell is a block then
    held = np.asarray(np.array([each.cells for each in ground.frozen]).any(axis=0), dtype=np.bool_)[place]
    return held, ground.columns.held[place][held] / ground.columns.unit


def test_people_with_little_room_are_held_on_the_grid() -> None:
    """The second total leaves two cells anything from 0 to 3 together: the middle would be no whole number."""
    counts, totals = np.array([4, 4, 12, 12, 12, 12, 8, 8]), np.array([15, 14, 0, 1, 1, 1, 700, 900])
    k = Knowledge(counts, 0, 200, 1, Limits(5, 20.0), b"s")
    for cells in (np.ones(8, dtype=bool), np.arange(8) < 4, (np.arange(8) >= 2) & (np.arange(8) < 6)):
        k.learn([Question(cells, SUM)], [{"sum": int(totals[cells].sum())}])
    held, steps = held_steps(k)
    assert held.tolist() == [False, False, True, True, False, False, False, False]
    assert np.abs(steps - np.rint(steps)).max() < 1e-6
    assert 0 <= round(steps.sum()) <= 3


@pytest.mark.parametrize("seed", range(3))
def test_everybody_else_keeps_whole_tables_after_a_surprise(seed: int) -> None:
    """Integer programmes find both ends of what every other person can have, in tables that agree with all answers."""
    rng = np.random.default_rng(seed)
    counts, need = rng.integers(7, 12, 12), 20.0
    totals = np.array([0, 0, 0, 0, *(counts[4:] * rng.integers(60, 140, 8))])
    k = Knowledge(counts, 0, 200, 1, Limits(5, need), b"s")
    asked, given = list[NDArray[np.bool_]](), list[int]()
    few = np.arange(12) < 4
    for cells in [np.ones(12, dtype=bool), few, *((rng.random(12) < 0.5) & ~few for _ in range(8))]:
        question = Question(cells, SUM)
        if k.consider([question])[0].allowed:
            k.learn([question], [{"sum": int(totals[cells].sum())}])
            asked.append(cells)
            given.append(int(totals[cells].sum()))
    held, steps = held_steps(k)
    assert np.array_equal(held, few)
    assert not steps.any()
    assert len(asked) >= 4
    rows = np.hstack([np.array(asked, dtype=np.float64), np.zeros((len(asked), 1))])
    for i in np.flatnonzero(~few):
        own = LinearConstraint(np.append(-np.eye(12)[i], 1.0), -200.0 * (counts[i] - 1), 0.0)  # one person of the cell
        ends = []
        for sign in (1.0, -1.0):
            found = milp(
                np.append(np.zeros(12), sign),
                constraints=[LinearConstraint(rows, given, given), own],
                bounds=Bounds(0, np.append(200.0 * counts, 200.0)),
                integrality=np.ones(13),
            )
            assert found.success
            ends.append(sign * found.fun)
        assert ends[1] - ends[0] >= need - 1e-6


# ---- edges


def test_overlaps_are_limited_if_the_policy_says_so() -> None:
    k = Knowledge(np.ones(60, int), 0, 1, None, Limits(5, 0.05, max_overlap=3), b"s")
    first = Question(np.arange(60) < 25, SUM)
    k.learn([first], [{"sum": 12.0}])
    assert k.consider([Question(np.arange(60) < 30, SUM)])[0].rule == "overlap"
    assert k.consider([Question(np.arange(60) >= 22, SUM)])[0].allowed
    assert k.consider([first])[0].implied


def test_a_domain_of_few_values_is_not_audited_but_refused() -> None:
    k = Knowledge(np.ones(60, int), 0, 20, 1, Limits(5, 2.0), b"s")
    assert k.consider([Question(np.ones(60, bool), SUM)])[0].rule == "interval"
    constant = Knowledge(np.ones(60, int), 3, 3, None, Limits(5, 0.0), b"s")
    assert not constant.consider([Question(np.ones(60, bool), SUM)])[0].allowed
    constant.learn([Question(np.ones(60, bool), SUM)], [{"sum": 180}])


def test_cells_without_records_one_cell_and_no_cells() -> None:
    k = Knowledge([0, 12, 0, 30], 0, 1, None, Limits(5, 0.1), b"s")
    empty = k.consider([Question(np.array([True, False, True, False]), SUM)])[0]
    assert empty.implied
    some = Question(np.array([True, True, False, False]), SUM)
    assert k.consider([some])[0].allowed
    k.learn([some], [{"sum": 6.5}])
    assert k.consider([Question(np.array([False, True, True, False]), SUM)])[0].implied
    assert k.intervals()[1].tolist() == [1, 1, 1, 1]
    one = Knowledge([50], 0, 1, None, Limits(5, 0.1), b"s")
    assert one.consider([Question(np.array([True]), SUM)])[0].allowed
    none = Knowledge([], 0, 1, None, Limits(5, 0.1), b"s")
    assert none.consider([Question(np.zeros(0, bool), SUM)])[0].implied
    assert none.status().interval == 1


def test_values_outside_of_the_domain_blind_the_audit_and_crash_nothing() -> None:
    k = Knowledge(np.ones(40, int), 0, 1, None, Limits(5, 0.1), b"s")
    question = Question(np.arange(40) < 20, SUM)
    k.consider([question])
    assert k.surprises([question], [{"sum": 25.0}]) == [True]
    k.learn([question], [{"sum": 25.0}])
    assert not k.consider([Question(np.arange(40) < 30, SUM)])[0].allowed
    assert k.status().interval == 0
    k.intervals()


def test_too_few_records_for_the_limits() -> None:
    k = Knowledge(np.ones(8, int), 0, 1, None, Limits(10, 0.1), b"s")
    assert k.consider([Question(np.ones(8, bool), SUM)])[0].rule == "exact"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Knowledge([-1], 0, 1, None, Limits(5, 0.1)),
        lambda: Knowledge([1], 1, 0, None, Limits(5, 0.1)),
        lambda: Knowledge([1], 0, 1, -1, Limits(5, 0.1)),
        lambda: Limits(0, 0.1),
        lambda: Limits(5, -1),
        lambda: Limits(5, 0.1, delta=0.7),
        lambda: Limits(5, 0.1, max_overlap=-1),
        lambda: Question(np.ones(3, bool), frozenset({"avg"})),
        lambda: Question(np.ones(3, bool), frozenset()),
        lambda: Question(np.ones(3), SUM),  # type: ignore[arg-type] # what is being tested
        lambda: Knowledge([1, 1], 0, 1, None, Limits(5, 0.1)).consider([Question(np.ones(3, bool), SUM)]),
        lambda: Knowledge([1], 0, 1, None, Limits(5, 0.1)).learn([Question(np.ones(1, bool), SUM)], [{"min": 1}]),
    ],
)
def test_malformed_input_is_the_callers_mistake(wrong: object) -> None:
    with pytest.raises(DataError):
        wrong()  # type: ignore[operator] # a lambda
