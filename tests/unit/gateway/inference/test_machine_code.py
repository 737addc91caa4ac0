"""The forms of a loop agree: in machine code, in numpy, and gone through by Python itself."""

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sdcdb.gateway.inference import draws
from sdcdb.gateway.inference.algebra import bit_matrix, gram, kernels, lapack, modular
from sdcdb.gateway.inference.intervals import certificate, sum_range
from sdcdb.gateway.inference.lattice import answered, clearing, shortening, sparse_rows, sparse_trees
from sdcdb.gateway.inference.machine_code import Compiled

PRIME = 4_194_319
LOOPS = {
    f"{module.__name__.rsplit('.', 1)[-1]}.{name}": loop
    for module in (
        answered,
        bit_matrix,
        certificate,
        clearing,
        draws,
        gram,
        kernels,
        modular,
        shortening,
        sparse_rows,
        sparse_trees,
        sum_range,
    )
    for name, loop in vars(module).items()
    if isinstance(loop, Compiled) and loop.__module__ == module.__name__ and (loop.plain is not None or loop.few)
}


class Made:
    """Random arguments, some of them of no size at all."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.n, self.m = (int(self.rng.integers(0 if seed % 7 == 0 else 1, 12)) for _ in range(2))

    def floats(self, *shape: int) -> Any:
        return self.rng.normal(size=shape)

    def positive(self, *shape: int) -> Any:
        return self.rng.uniform(0.1, 5.0, shape)

    def flags(self, *shape: int) -> Any:
        return self.rng.random(shape) < 0.5

    def residues(self, *shape: int) -> Any:
        drawn = self.rng.integers(-(PRIME // 2), PRIME // 2, shape)
        return np.where(self.rng.random(shape) < 0.4, 0, drawn).astype(np.float64)

    def whole(self, *shape: int) -> Any:
        return self.rng.integers(-3, 4, shape)

    def lower(self, k: int) -> Any:
        return np.tril(self.floats(k, k) / 3) + np.eye(k) * 2

    def sparse(self, rows: int, columns: int) -> tuple[Any, Any, Any]:
        dense = self.whole(rows, columns) * self.flags(rows, columns)
        starts = np.cumsum([0, *np.count_nonzero(dense, axis=1)]).astype(np.int64)
        return starts, np.nonzero(dense)[1].astype(np.int32), dense[np.nonzero(dense)].astype(np.int32)

    def classes(self) -> tuple[Any, Any]:
        """Return deviations from the mean, and their chances; some are 0."""
        chances = self.rng.random((3, 4)) * (self.flags(3, 4) | (np.arange(4) == 0))
        chances /= chances.sum(axis=1, keepdims=True)
        values = self.floats(3, 4) * 10
        return values - (values * chances).sum(axis=1, keepdims=True), chances


def _eliminate(made: Made) -> list[Any]:
    values = made.residues(made.n + 1)
    values[0] = 5.0
    return [made.residues(made.n + 1, made.m), values, 0, float(PRIME)]


def _rows(made: Made, *, chosen: bool = False) -> list[Any]:
    rows = made.sparse(6, 8)
    return [*rows, np.arange(0, 6, 2), 8] if chosen else [*rows]


def _worth_trying(made: Made) -> list[Any]:
    rows, weight = made.sparse(6, 8), made.positive(8)
    active, size = np.array([0, 2, 3, 5]), sparse_rows.lengths.py_func(*rows, weight)
    return [active, 2, made.rng.choice([-1, 1], 6), *rows, weight, size]


def _shorter(made: Made) -> list[Any]:
    rows, weight = made.sparse(6, 8), made.positive(8)
    index = sparse_rows.by_column.py_func(*rows, np.arange(6), 8)
    return [np.array([1, 4, 5]), *rows, weight, sparse_rows.lengths.py_func(*rows, weight), index, 3]


def _replaced(made: Made) -> list[Any]:
    new = np.array([1, 3]), made.whole(4).astype(np.int32), made.whole(4).astype(np.int32)
    return [*made.sparse(6, 8), np.array([4, 1]), new, int(made.rng.choice([-1, 0, 5]))]


def _carriers(made: Made) -> tuple[Any, Any]:
    """Return sparse rows, and rows 1, 2 and 4 of them as carriers, whose sums are of one size."""
    dense = made.whole(6, 9) * made.flags(6, 9)
    dense[[1, 2, 4], 0] = made.rng.choice([-1, 1], 3)
    starts = np.cumsum([0, *np.count_nonzero(dense, axis=1)]).astype(np.int64)
    rows = starts, np.nonzero(dense)[1].astype(np.int32), dense[np.nonzero(dense)].astype(np.int32)
    return rows, clearing.Carriers.of(np.array([1, 2, 4]), dense[:, 0], rows, made.positive(9))


def _gram(made: Made) -> list[Any]:
    _, each = _carriers(made)
    return [each.ends, each.local, each.number, each.weight]


def _cleared(made: Made) -> list[Any]:
    rows, each = _carriers(made)
    long, need = np.array([0, 3, 5]), made.rng.choice([-130, -2, 1, 3, 200], 3)
    return [
        long,
        need,
        *rows,
        each.wide,
        each.weight,
        each.ends,
        each.local,
        each.number,
        each.sums,
        each.products,
    ]


def _overlaps(made: Made) -> list[Any]:
    rows = made.sparse(6, 8)
    index = sparse_rows.by_column.py_func(*rows, np.arange(6), 8)
    return [3, *rows, made.positive(8), index, np.zeros(8, np.int64), np.zeros(6), np.zeros(len(rows[1]) * 6, np.int64)]


def _combine(made: Made) -> list[Any]:
    first, second = (np.flatnonzero(made.flags(9)).astype(np.int32) for _ in range(2))
    out, result = np.zeros(18, np.int32), np.zeros(18, np.int32)
    return [
        first,
        made.whole(len(first)).astype(np.int32),
        second,
        made.whole(len(second)).astype(np.int32),
        2,
        out,
        result,
    ]


def _answered(made: Made) -> list[Any]:
    vectors = made.rng.integers(1, 5, (made.n + 2, made.m + 1))
    inside = np.ones(made.m + 1, dtype=np.bool_)
    shape = made.n + 1, made.m + 1
    made_up = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape[0])
    floats = vectors.astype(np.float64)
    return [vectors, floats, (floats**2).sum(axis=1), vectors.sum(axis=1), inside, *made_up]


def _cumulants(made: Made) -> list[Any]:
    return [made.floats(5), made.flags(5) * 2.0, np.array([0, 0, 1, 2, 2]), *made.classes(), np.zeros(5), np.zeros(5)]


def _spread(made: Made) -> list[Any]:
    return [made.positive(made.n) * (made.rng.random(made.n) < 0.8), made.positive(made.n).round(), 1e-6]


def _groups(made: Made) -> list[Any]:
    place = np.array([0, 0, 1, 2, 2])
    return [made.floats(5), made.positive(5).round() + 1, place, *made.classes()]


def _ranges(made: Made) -> list[Any]:
    low, high = made.floats(made.n) - 5, made.floats(made.n) + 5
    falls, rises = (made.positive(made.n) / 10 for _ in range(2))
    number = made.rng.choice([1.0, 2.0], made.n)
    leverage = made.rng.random(made.n) * (made.rng.random(made.n) < 0.8)
    return [made.floats(made.n), (low, high, falls, rises), leverage, number, made.flags(made.n)]


ARGUMENTS: dict[str, Callable[[Made], list[Any]]] = {
    "answered._answered": _answered,
    "answered._euclid": lambda m: [int(m.rng.integers(1, 99)), int(m.rng.integers(-99, 99))],
    "answered.column_sums": lambda m: [m.whole(m.n, m.m), m.floats(m.n, m.m), m.positive(m.n), m.positive(m.m)],
    "answered.largest_entries": lambda m: [m.whole(m.n, m.m)],
    "answered.sums_of": lambda m: [m.whole(m.n, 6), np.array([0, 2, 5])],
    "bit_matrix._by_cells": lambda m: [m.rng.integers(0, 256, (m.n, 16), dtype=np.uint8), m.floats(128)],
    "bit_matrix._by_rows": lambda m: [m.rng.integers(0, 256, (8, m.n), dtype=np.uint8), m.floats(64) * m.flags(64)],
    "certificate.widths": _ranges,
    "clearing._cleared": _cleared,
    "clearing._gram": _gram,
    "draws._cumulants": _cumulants,
    "draws._deviation": lambda m: [*_groups(m), 1e-6],
    "draws._ends": _groups,
    "draws._tilted": lambda m: [float(m.floats()), *_groups(m)],
    "gram._backward": lambda m: [m.lower(m.n + 2), m.n, m.floats(m.n)],
    "gram._forward": lambda m: [m.lower(m.n + 2), m.n, m.floats(m.n)],
    "gram._update": lambda m: [m.lower(m.n), m.floats(m.n) / 2, m.n % 2 == 0],
    "kernels.dot": lambda m: [m.floats(m.n), m.floats(m.n)],
    "kernels.dot3": lambda m: [m.floats(m.n), m.floats(m.n), m.floats(m.n)],
    "kernels.sums_over": lambda m: [m.whole(m.n, m.m).astype(np.float64), m.flags(m.m)],
    "modular._gauss_jordan": lambda m: [np.hstack([m.residues(m.n, m.n), np.eye(m.n)]), float(PRIME)],
    "modular._inverse_of": lambda m: [float(m.rng.integers(1, PRIME // 2)), float(PRIME)],
    "modular._reduce": lambda m: [m.rng.integers(-(2**52), 2**52, m.n).astype(np.float64), float(PRIME)],
    "modular.eliminate_along": _eliminate,
    "modular.pivots_of": lambda m: [m.residues(m.n, m.m), float(PRIME)],
    "sparse_trees._differences_worth_trying": _worth_trying,
    "sparse_trees._root": lambda m: [np.array([0, 0, 1, 3, 2, 4]), int(m.rng.integers(6))],
    "sparse_trees._tree_along": lambda m: [m.rng.integers(0, 5, 30), m.rng.integers(0, 5, 30), 5, 4],
    "sparse_rows.add_squares": lambda m: [*_rows(m), np.array([0, 3, 4]), m.positive(8)],
    "sparse_rows.by_column": lambda m: _rows(m, chosen=True),
    "sparse_rows.combine": _combine,
    "sparse_rows.differences": lambda m: [np.array([0, 2]), np.array([1, 5]), np.array([1, -1]), *_rows(m)],
    "sparse_rows.lengths": lambda m: [*_rows(m), m.positive(8)],
    "sparse_trees.most_overlaps": lambda m: [*_rows(m)[:2], np.array([0, 3]), np.cumsum([0, *m.rng.integers(0, 4, 8)])],
    "sparse_trees.overlaps": _overlaps,
    "sparse_rows.replaced": _replaced,
    "shortening.shorter": _shorter,
    "sparse_rows.sums_inside": lambda m: [*_rows(m), m.flags(8)],
    "sparse_rows.times": lambda m: [*_rows(m), m.floats(8)],
    "sum_range.deviation": _spread,
}  # fmt: skip


def test_every_loop_that_can_do_without_machine_code_is_compared() -> None:
    assert set(ARGUMENTS) == set(LOOPS)


@pytest.mark.parametrize("name", sorted(ARGUMENTS))
def test_the_forms_return_the_same(name: str) -> None:
    loop = LOOPS[name]
    for seed in range(60):
        given = ARGUMENTS[name](Made(seed))
        compiled, other = copy.deepcopy(given), copy.deepcopy(given)
        expected = loop.dispatcher(*compiled)
        found = (loop.plain or loop.py_func)(*other)
        _same(found, expected, f"{name}, seed {seed}")
        if expected is not False:  # what was given up half-way is not used
            _same(other, compiled, f"{name}, seed {seed}, in place")


def _same(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, tuple | list):
        assert len(found) == len(expected), where
        for one, other in zip(found, expected, strict=True):
            _same(one, other, where)
    elif expected is None or isinstance(expected, bool):
        assert found is expected or bool(found) == expected, where
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9, err_msg=where)


def test_small_factors_are_those_of_scipy() -> None:
    """A process without scipy, and one with it, find the same."""
    program = """
import sys
import numpy as np
from sdcdb.gateway.inference.algebra import lapack
rng = np.random.default_rng(1)
found = []
for n in (1, 2, 7, 40):
    a = rng.normal(size=(n, n)); a = a @ a.T + np.eye(n)
    lower, right = lapack.cholesky(a.copy()), rng.normal(size=(n, 3))
    found += [lower.sum(), lapack.solve_lower(lower + np.triu(np.ones((n, n)), 1), right.copy()).sum(),
              lapack.solve_factored(lower, right[:, 0]).sum(), lapack.solve_positive(a, right[:, 0]).sum()]
try:
    lapack.cholesky(-np.eye(3))
except np.linalg.LinAlgError:
    found.append(0.0)
try:
    lapack.solve_positive(-np.eye(3), np.ones(3))
except np.linalg.LinAlgError:
    found.append(0.0)
print("scipy.linalg" in sys.modules, *found)
"""
    plain, loaded = (
        subprocess.run(
            [sys.executable, "-c", first + program], capture_output=True, text=True, check=True
        ).stdout.split()
        for first in ("", "import scipy.linalg")
    )
    assert [plain[0], loaded[0]] == ["False", "True"]
    assert len(plain) == len(loaded) == 19
    np.testing.assert_allclose([float(x) for x in plain[1:]], [float(x) for x in loaded[1:]], rtol=1e-9)


def test_a_process_that_has_done_enough_loads_machine_code() -> None:
    program = """
import sys
import numpy as np
from sdcdb.gateway.inference import machine_code
from sdcdb.gateway.inference.algebra.kernels import dot
from sdcdb.gateway.inference.lattice.sparse_rows import times
assert dot(np.ones(3), np.ones(3)) == 3.0 and "numba" not in sys.modules
machine_code._Done.numbers = machine_code.ENOUGH - machine_code.CALL
dot(np.ones(3), np.ones(3))
assert "numba" not in sys.modules
dot(np.ones(3), np.ones(3))
assert "numba" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert lapack.FEW < 1_000


def test_some_questions_about_many_cells_do_without_machine_code() -> None:
    program = """
import sys
import numpy as np
from sdcdb.gateway.inference.lattice.lattice import DENSE, Lattice
cells = 2 * DENSE
lattice = Lattice.fresh(np.full(cells, 20), 240_000, np.random.default_rng(1))
for low in range(0, 200, 10):
    lattice = lattice.with_set((np.arange(cells) >= low) & (np.arange(cells) < 5 * low + 100))
    assert lattice.short is not None and lattice.worst < lattice.grid.cap
assert "numba" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
