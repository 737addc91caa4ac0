"""Packed rows: their products are those of the matrix."""

import numpy as np

from sdcdb.gateway.inference.algebra.bit_matrix import Rows


def test_products_with_packed_rows_are_those_of_the_matrix() -> None:
    rng = np.random.default_rng(1)
    matrix = rng.random((77, 301)) < 0.4
    rows = Rows(301)
    for row in matrix:
        rows.append(row)
    weights, each = rng.random(301), rng.random(77)
    np.testing.assert_allclose(rows.times(weights), matrix @ weights)
    np.testing.assert_allclose(rows.combined(each), each @ matrix)
    assert (rows.column(300) == matrix[:, 300]).all()
    assert (rows.dense() == matrix).all()
    assert (rows.part(128, 256) == matrix[:, 128:256]).all()
    assert (rows.row(5) == matrix[5]).all()
    rows.truncate(33)
    rows.append(matrix[70])
    np.testing.assert_allclose(rows.combined(np.ones(34)), matrix[:33].sum(axis=0) + matrix[70])
