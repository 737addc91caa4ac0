"""Projections settle what exact elimination settles, and free only what linear programmes find free."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.auditor.proofs.projection import Projection, Room, settle
from sdcdb.auditor.proofs.uncertainty import few_values
from sdcdb.measures.cae_curve import curve


def in_row_space(rows: np.ndarray, column: int) -> bool:
    """Eliminate in fractions: a column is determined if its indicator adds nothing to the rank."""

    def rank(matrix: list[list[Fraction]]) -> int:
        done = 0
        for at in range(len(matrix[0])):
            pivot = next((n for n in range(done, len(matrix)) if matrix[n][at]), None)
            if pivot is None:
                continue
            matrix[done], matrix[pivot] = matrix[pivot], matrix[done]
            for n in range(done + 1, len(matrix)):
                factor = matrix[n][at] / matrix[done][at]
                if factor:
                    matrix[n] = [a - factor * b for a, b in zip(matrix[n], matrix[done], strict=True)]
            done += 1
        return done

    plain = [[Fraction(int(each)) for each in row] for row in rows]
    unit = [Fraction(int(n == column)) for n in range(rows.shape[1])]
    return rank([list(row) for row in plain]) == rank([*map(list, plain), unit])


@pytest.mark.parametrize("seed", range(12))
def test_determined_columns_are_those_of_elimination_in_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = 14
    rows = rng.random((int(rng.integers(5, 16)), columns)) < rng.uniform(0.2, 0.7)
    truth = rng.integers(10, 90, columns)
    answers = [Fraction(int(truth[row].sum())) for row in rows]
    room = Room(truth.astype(np.float64), (100 - truth).astype(np.float64))
    projection = Projection(sparse.csr_matrix(rows, dtype=np.int64))
    settled = settle(projection, answers, np.arange(columns), room, 5.0)
    expected = {c for c in range(columns) if rows[:, c].any() and in_row_space(rows, c)}
    assert settled.determined == {c: Fraction(int(truth[c])) for c in expected}
    assert not settled.determined.keys() & settled.free.keys()


@pytest.mark.parametrize("seed", range(12))
def test_with_and_without_the_data_the_same_intervals_are_found(seed: int) -> None:
    """Without the data every record gets its programmes; with them, projections come first."""
    rng = np.random.default_rng(100 + seed)
    columns = 12
    sets = rng.random((8, columns)) < 0.5
    sets = sets[sets.any(axis=1)]
    truth = rng.integers(5, 95, columns)
    answers = [int(truth[row].sum()) for row in sets]
    plain = Evidence.of(np.ones(columns, int), Domain.of(0, 100, 1), sets, ["sum"] * len(sets), answers)
    known = Evidence(
        plain.counts, plain.domain, plain.packed, plain.kinds, plain.answers, plain.numbers, truth.astype(float)
    )
    slow, fast = intervals(plain), intervals(known, np.arange(columns))
    assert fast.lower == pytest.approx(slow.lower)
    assert fast.upper == pytest.approx(slow.upper)
    part = intervals(known, np.arange(columns), enough=20.0)
    assert (part.lower >= slow.lower - 1e-6).all()
    assert (part.upper <= slow.upper + 1e-6).all()
    assert ((part.widths >= 20 - 1e-6) == (slow.widths >= 20 - 1e-6)).all()


@pytest.mark.parametrize("seed", range(20))
def test_few_values_have_the_curve_of_the_compiled_programme(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.sort(rng.choice(200, int(rng.integers(1, 11)), replace=False)).astype(float)
    probability = rng.dirichlet(np.ones(len(values)))
    few, compiled = few_values(values.tolist(), probability.tolist()), curve(values, probability)
    assert few.eps == pytest.approx(compiled.eps)
    assert few.h == pytest.approx(compiled.h)
