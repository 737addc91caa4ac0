"""MIN and MAX: by brute force over all tables of a few whole numbers, and the classic ways to misuse them."""

import numpy as np
import pytest
from support.inference_attack import SUM, Table

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

MAX, MIN, BOTH = frozenset({"max"}), frozenset({"min"}), frozenset({"min", "max"})
MIXES = (MAX, MIN, SUM, frozenset({"sum", "max"}), BOTH)
VALUES = 25


def consistent(states: np.ndarray, members: np.ndarray, answer: dict[str, float]) -> np.ndarray:
    """Keep the tables that give this answer."""
    part = states[:, members].astype(np.int64)
    found = {"sum": part.sum(axis=1), "min": part.min(axis=1), "max": part.max(axis=1)}
    return states[np.logical_and.reduce([found[kind] == round(value) for kind, value in answer.items()])]


@pytest.mark.parametrize("seed", range(60))
def test_nothing_allowed_leaves_a_record_too_narrow_by_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 4
    cell = np.arange(n) if seed % 3 == 0 else np.sort(rng.integers(0, 2 + seed % 2, n))
    truth = rng.integers(0, VALUES, n) if seed % 4 else np.minimum(VALUES - 1, rng.lognormal(1, 0.8, n).astype(int))
    limits = Limits(2, (2.0, 4.0, 6.0)[seed % 3], delta=(0.3, 0.1, 0.4)[seed % 3])
    cells = int(cell.max()) + 1
    t = Table.of([truth[cell == c].astype(float) for c in range(cells)], limits, 1.0, float(VALUES - 1))
    states = np.stack(np.meshgrid(*[np.arange(VALUES, dtype=np.int8)] * n, indexing="ij"), axis=-1).reshape(-1, n)
    for _ in range(9):
        flags = rng.random(cells) < 0.7
        members = flags[cell]
        if not members.any():
            continue
        answer = t.ask(flags, MIXES[int(rng.integers(0, len(MIXES)))])
        if t.surprises:  # one of the rare answers that were not thought plausible: the owner is told
            break
        if answer is not None:
            states = consistent(states, members, answer)
            assert (states.max(axis=0) - states.min(axis=0)).min() >= limits.min_interval


def fifty(counts: int = 1, **limits: float) -> tuple[Knowledge, np.ndarray]:
    k = Knowledge(np.full(50, counts), 0, 1, None, Limits(5, 0.1, **limits), b"s")  # type: ignore[arg-type] # floats
    return k, np.random.default_rng(2).random((50, counts))


def learn(k: Knowledge, values: np.ndarray, flags: np.ndarray, kinds: frozenset[str]) -> bool:
    question = [Question(flags, kinds)]
    if not k.consider(question)[0].allowed:
        return False
    part = values[flags]
    k.learn(question, [{"sum": float(part.sum()), "min": float(part.min()), "max": float(part.max())}])
    return True


def test_the_maximum_of_many_is_answered_and_caps_everybody() -> None:
    k, values = fifty()
    assert learn(k, values, np.ones(50, bool), MAX)
    lower, upper = k.intervals()
    assert (upper <= values.max() + 1e-9).all()
    assert (lower == 0).all()
    assert k.consider([Question(np.ones(50, bool), MAX)])[0].implied


def test_a_set_and_the_same_without_one_person_are_not_both_answered() -> None:
    k, values = fifty()
    without = np.arange(50) < 49
    assert learn(k, values, without, MAX)
    assert not k.consider([Question(np.ones(50, bool), MAX)])[0].allowed  # were it higher, the last one would have it
    k, values = fifty()
    assert learn(k, values, np.ones(50, bool), MAX)
    assert not k.consider([Question(without, MAX)])[0].allowed  # were it lower, the last one would have the maximum


def test_probing_with_shrinking_sets_pins_nobody() -> None:
    k, values = fifty()
    for size in range(50, 1, -1):
        learn(k, values, np.arange(50) < size, MAX)
        learn(k, values, np.arange(50) < size, MIN)
    lower, upper = k.intervals()
    assert (upper - lower).min() >= 0.1


def test_a_maximum_and_sums_are_judged_together() -> None:
    # FACTS of the field: MIN and MAX beside audited sums gave exact values
    k, values = fifty()
    rng = np.random.default_rng(4)
    asked = 0
    for _ in range(40):
        flags = rng.random(50) < 0.5
        asked += learn(k, values, flags, (SUM, MAX, MIN)[int(rng.integers(3))])
    lower, upper = k.intervals()
    assert asked >= 10
    assert (upper - lower).min() >= 0.1
    assert (lower <= values[:, 0] + 1e-9).all()
    assert (values[:, 0] <= upper + 1e-9).all()


def test_cells_of_many_records_hide_who_has_the_maximum() -> None:
    k, values = fifty(200)
    assert learn(k, values, np.arange(50) < 30, BOTH)
    assert learn(k, values, np.arange(50) >= 20, BOTH)
    assert learn(k, values, np.arange(50) % 2 == 0, frozenset({"sum", "max"}))
    assert k.status().interval > 0.3


def test_few_people_who_may_have_it_are_too_few() -> None:
    k, values = fifty()
    assert learn(k, values, np.arange(50) < 47, MAX)
    assert k.consider([Question(np.ones(50, bool), MAX)])[0].rule == "exact"  # one of three, if it is higher


def test_a_constant_set_is_a_surprise() -> None:
    k, _ = fifty()
    question = [Question(np.arange(50) < 20, BOTH)]
    assert k.consider(question)[0].allowed
    answer = [{"min": 0.4, "max": 0.4}]
    assert k.surprises(question, answer) == [True]
    k.learn(question, answer)
    assert k.consider(question)[0].implied
    assert k.status().interval == 0


def test_verdicts_on_extremes_do_not_depend_on_what_was_not_answered() -> None:
    _, values = fifty()
    hidden = values.copy()
    hidden[10:] = hidden[10:][::-1]  # the same sum, minimum and maximum over 10 to 49
    known = np.arange(50) >= 10
    verdicts = []
    for column in (values, hidden):
        k = Knowledge(np.ones(50, int), 0, 1, None, Limits(5, 0.1), b"s")
        assert learn(k, column, known, frozenset({"sum", "min", "max"}))
        rng = np.random.default_rng(5)
        asked = [Question(rng.random(50) < 0.6, MIXES[int(rng.integers(0, 5))]) for _ in range(12)]
        verdicts.append([k.consider([question])[0].allowed for question in asked])
    assert verdicts[0] == verdicts[1]
    assert any(verdicts[0])


def test_restoring_a_history_with_extremes_and_a_surprise() -> None:
    k, values = fifty(3)
    history: list[tuple[Question, dict[str, float]]] = []
    for flags, kinds in ((np.arange(50) < 30, SUM), (np.arange(50) > 10, BOTH), (np.arange(50) % 3 == 0, SUM)):
        part = values[flags]
        answer = {"sum": float(part.sum()), "min": float(part.min()), "max": float(part.max())}
        history.append((Question(flags, kinds), answer))
    low = Question(np.arange(50) < 4, SUM)
    history.append((low, {"sum": 0.0}))
    for question, answer in history:
        k.learn([question], [answer])
    again = Knowledge.restore(np.full(50, 3), 0, 1, None, Limits(5, 0.1), b"t", history)
    assert (again.rank, again.atoms) == (k.rank, k.atoms)
    for state in (k, again):
        assert state.consider([low])[0].implied
        assert state.consider([history[0][0]])[0].implied
        assert state.consider([history[1][0]])[0].implied
        np.testing.assert_allclose(state.intervals()[1][:4], 0, atol=1e-6)
