"""The quick certificate of an interval's width, held against the exact one."""

import numpy as np
import pytest

from sdcdb.gateway.inference.algebra.geometry import Geometry
from sdcdb.gateway.inference.intervals.certificate import widths
from sdcdb.gateway.inference.intervals.record_bounds import bounds


@pytest.mark.parametrize("seed", range(30))
def test_the_certificate_is_a_lower_bound_of_the_exact_widths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, questions = int(rng.integers(4, 15)), int(rng.integers(1, 5))
    counts = rng.integers(1, 4, cells).astype(float)
    geometry, leverage, sets = Geometry(counts), np.zeros(cells), []
    for _ in range(questions):
        flags = rng.random(cells) < 0.6
        rest = geometry.rest(flags)
        if rest.length > 1e-6:
            geometry.add(rest)
            leverage += rest.values**2 / rest.length
            sets.append(flags)
    point = rng.uniform(0.05, 0.95, cells)
    zero = np.zeros(cells)
    found = widths(point, (zero, zero + 1, zero, zero), leverage, counts, zero > 0)
    lower, upper = bounds(
        np.array(sets).reshape(-1, cells), [(counts * point)[s].sum() for s in sets], 0, 1, weights=counts
    )
    assert (found <= upper - lower + 1e-6).all()
    assert found.max() > 0
    basis = np.linalg.qr((np.array(sets).reshape(-1, cells) * np.sqrt(counts)).T)[0]
    np.testing.assert_allclose(leverage * counts, (basis**2).sum(axis=1), atol=1e-9)
