"""The factor of the Gram matrix, updated vector by vector."""

import numpy as np

from sdcdb.gateway.inference.algebra.gram import Gram


def test_the_factor_grows_shrinks_and_takes_a_vector_in_or_out() -> None:
    rng = np.random.default_rng(2)
    square = rng.normal(size=(20, 40))
    g = square @ square.T
    gram = Gram()
    for k in range(20):
        half = gram.half(g[k, :k])
        gram.append(half, float(np.sqrt(g[k, k] - half @ half)))
    right, v = rng.normal(size=20), rng.normal(size=20)
    np.testing.assert_allclose(gram.solve(right), np.linalg.solve(g, right))
    more, less = gram.updated(v, 3.0), gram.updated(v, -0.01)
    assert more is not None
    assert less is not None
    np.testing.assert_allclose(more.solve(right), np.linalg.solve(g + 3 * np.outer(v, v), right))
    np.testing.assert_allclose(less.solve(right), np.linalg.solve(g - 0.01 * np.outer(v, v), right))
    assert gram.updated(v, -1e9) is None
