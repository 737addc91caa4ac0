"""Verdicts never depend on the truth: tables that agree on all that was answered are treated alike, byte for byte."""

import numpy as np
import pytest
from numpy.typing import NDArray
from support.inference_attack import SUM

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.lattice.basis import fresh_basis, with_set
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

KINDS = (SUM, SUM, SUM, frozenset({"max"}), frozenset({"min"}), frozenset({"sum", "max"}), frozenset({"min", "max"}))
Ints = NDArray[np.int64]
TOP = 1000


def protocol(values: Ints, questions: list[list[Question]]) -> tuple[list[str], list[list[Question]]]:
    """Ask statement by statement; return all that could be seen, and the questions that were answered."""
    k = Knowledge(np.ones(len(values), dtype=int), 0, TOP, 1, Limits(3, 50.0, 1.0), b"s")
    seen, told = [], []
    for asked in questions:
        findings = k.consider(asked)
        seen.append(repr(findings))
        allowed = [q for q, finding in zip(asked, findings, strict=True) if finding.allowed]
        answers = [
            {"sum": int(values[q.cells].sum()), "min": int(values[q.cells].min()), "max": int(values[q.cells].max())}
            for q in allowed
        ]
        k.learn(allowed, answers)
        seen.append(repr([{kind: a[kind] for kind in sorted(q.kinds)} for q, a in zip(allowed, answers, strict=True)]))
        seen.append(repr(k.status()))
        told.append(allowed)
    return seen, told


def other_table(values: Ints, told: list[list[Question]], rng: np.random.Generator) -> Ints:
    """Return another table with the same answers: values change places within atoms, and sums along the kernel."""
    flat = [q for asked in told for q in asked]
    keys = np.array([[q.cells[i] for q in flat] for i in range(len(values))], dtype=bool).reshape(len(values), -1)
    found = values.copy()
    for key in np.unique(keys, axis=0):
        members = np.flatnonzero((keys == key).all(axis=1))
        found[members] = rng.permutation(found[members])
    if all(q.kinds == SUM for q in flat):
        basis = fresh_basis(np.ones(len(values), dtype=np.int64))
        for q in flat:
            after = with_set(basis, q.cells, 10.0)
            basis = after if after is not None else basis
        for vector in basis.vectors:
            chosen = [rng.permutation(np.flatnonzero(basis.labels == c))[0] for c in range(len(basis.records))]
            for times in (40, 7, 1, -1, -7, -40):
                tried = found.copy()
                tried[chosen] += times * vector
                if ((tried >= 0) & (tried <= TOP)).all():
                    found = tried
                    break
    return found


def pair(seed: int) -> bool:
    """Compare one pair of tables; return whether they differ at all."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(14, 26))
    values = rng.integers(0, TOP + 1, n)
    if seed % 3 == 0:
        values = np.where(rng.random(n) < 0.4, 0, values)  # zeros: answers out of all expectation happen
    kinds = (SUM,) if seed % 2 else KINDS
    questions = []
    for _ in range(5):
        statement = []
        for _ in range(int(rng.integers(1, 4))):
            cells = rng.random(n) < rng.uniform(0.3, 0.8)
            cells[int(rng.integers(n))] = True
            statement.append(Question(cells, kinds[int(rng.integers(len(kinds)))]))
        questions.append(statement)
    seen, told = protocol(values, questions)
    other = other_table(values, told, rng)
    again, _ = protocol(other, questions)
    assert again == seen
    return bool((other != values).any())


def test_tables_with_the_same_answers_look_the_same() -> None:
    assert sum(pair(seed) for seed in range(60)) >= 50


@pytest.mark.soak
@pytest.mark.parametrize("start", range(0, 1200, 100))
def test_over_a_thousand_pairs_look_the_same(start: int) -> None:
    assert sum(pair(1000 + seed) for seed in range(start, start + 100)) >= 85
