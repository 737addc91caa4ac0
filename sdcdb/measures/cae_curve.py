"""Confidential Attribute Equivocation (CAE paper, 2014): how uncertain an intruder is, even about being roughly right.

Shannon's entropy looks at probabilities only. CAE looks at the values too: with an *approximate compromise range* eps,
values that fit into one window of length eps count as one, and H(eps) is the least entropy over all ways to place the
windows (the paper once says maximised; its algorithm and its example minimise). H(0) is Shannon's entropy. H never
rises; it is a step function that changes only at distances between values, and it reaches 0 at eps_max, the range of
the values. The area under it, in bits times the unit of the column, is large only when the candidates are many *and*
far apart.

Area convention: the exact integral of the step function from 0 to eps_max (section 3). `grid` gives the left sum over
multiples of a step instead, which for values on that grid is the same number.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sdcdb.errors import DataError
from sdcdb.measures.distribution import SUM_TOLERANCE, Distribution, Floats
from sdcdb.measures.entropies import entropy


@dataclass(frozen=True)
class CAE:
    """The two numbers of the paper, H(0) and the area, with the eps at which H reaches zero."""

    h0: float
    area: float
    eps_max: float


@dataclass(frozen=True)
class Curve:
    """H as a step function: `h[k]` holds from `eps[k]` up to `eps[k + 1]`; the last `h` is 0."""

    eps: Floats
    h: Floats

    def at(self, eps: ArrayLike) -> Floats:
        """Return H at one or many eps."""
        return self.h[np.searchsorted(self.eps, _not_negative(eps), side="right") - 1]

    def area(self, grid: float | None = None) -> float:
        """Return the area under the curve; with `grid`, the left sum over 0, grid, 2 grid, ... up to eps_max."""
        if grid is None:
            return float(self.h[:-1] @ np.diff(self.eps))
        if not grid > 0:
            raise DataError(f"the grid must be a positive step, not {grid}")
        return float(grid * self.at(np.arange(0.0, self.eps[-1], grid)).sum())


def curve(values: ArrayLike, probs: ArrayLike) -> Curve:
    """Return H(eps) for every eps, by the programme in `sdcdb.measures.windows`.

    >>> curve([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05]).h.round(3).tolist()
    [1.319, 1.054, 0.811, 0.61, 0.286, 0.0]
    """
    return _curve(Distribution.of(values, probs))


def h(values: ArrayLike, probs: ArrayLike, eps: float) -> float:
    """Return H(eps) for one eps.

    >>> round(h([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05], 6), 3)
    0.61
    """
    from sdcdb.measures.windows import entropy_at  # numba takes half a second to import

    d = Distribution.of(values, probs)
    return float(entropy_at(d.values, d.probs, float(_not_negative(eps))))


def cae(values: ArrayLike, probs: ArrayLike, bins: int | None = None) -> CAE:
    """Return H(0), the area under H, and eps_max.

    For thousands of distinct values, `bins` computes the area on a grid of that many parts of the range. Moving values
    by at most delta/2 lets every window of length eps become one of length eps + delta and back, hence the area is
    wrong by at most delta * H(0), delta = eps_max / bins. H(0) and eps_max stay exact.

    Two people whose salary is one of two equally likely values are equally safe by Shannon's entropy, but not by CAE:

    >>> cae([50_000, 107_000], [0.5, 0.5])
    CAE(h0=1.0, area=57000.0, eps_max=57000.0)
    >>> cae([77_000, 80_000], [0.5, 0.5])
    CAE(h0=1.0, area=3000.0, eps_max=3000.0)
    """
    d = Distribution.of(values, probs)
    eps_max = float(d.values[-1] - d.values[0])
    if bins is not None and bins < len(d.values):
        return CAE(entropy(d.probs), _curve(d.coarse(bins)).area(), eps_max)
    c = _curve(d)
    return CAE(float(c.h[0]), c.area(), eps_max)


def cae_rows(values: ArrayLike, rows: ArrayLike) -> tuple[Floats, Floats]:
    """Return H(0) and the area of many distributions over the same values: one distribution in each row.

    For thousands of distributions: everything runs in the compiled programme.

    >>> h0, area = cae_rows([50, 77, 80, 107], [[0.5, 0, 0, 0.5], [0, 0.5, 0.5, 0]])
    >>> h0.tolist(), area.tolist()
    ([1.0, 1.0], [57.0, 3.0])
    """
    from sdcdb.measures.windows import measure_rows  # numba takes half a second to import

    x, p = np.asarray(values, dtype=np.float64), np.ascontiguousarray(rows, dtype=np.float64)
    if p.ndim != 2 or x.shape != (p.shape[1],) or not (np.diff(x) > 0).all():
        raise DataError(
            f"{x.shape} values and {p.shape} probabilities: pass ascending values, and rows of the same length"
        )
    if not (np.isfinite(p).all() and (p >= 0).all() and np.allclose(p.sum(axis=1), 1, rtol=0, atol=SUM_TOLERANCE)):
        raise DataError("every row of probabilities must be zero or positive, and sum to 1")
    return measure_rows(x, p)


def _curve(d: Distribution) -> Curve:
    from sdcdb.measures.windows import steps  # numba takes half a second to import

    return Curve(*steps(d.values, d.probs))


def _not_negative(eps: ArrayLike) -> Floats:
    e = np.asarray(eps, dtype=np.float64)
    if not (e >= 0).all():
        raise DataError(f"eps must be zero or positive, not {eps!r}")
    return e
