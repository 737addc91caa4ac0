"""The algorithm of Lenstra, Lenstra and Lovasz on a small basis, within a number of swaps.

Gram and Schmidt's coefficients come from a factorisation in floating point, the steps on the vectors are whole numbers:
a rounding error can spoil how short they get, never that they span the lattice.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import machine_code

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

QUALITY = 0.99
PASSES = 8
LARGEST = 1 << 30  # beyond this, products in doubles are not exact any more


def reduce_basis(basis: Ints, scale: Floats, swaps: int) -> Ints:
    """Return a reduced basis of the same lattice, lengths measured with each column times `scale`."""
    found = np.ascontiguousarray(basis[np.argsort(((basis * scale) ** 2).sum(axis=1), kind="stable")])
    left = swaps
    for _ in range(PASSES):
        factor = np.linalg.qr((found * scale).T, mode="r")
        ends = np.diag(factor).copy()
        ends[np.abs(ends) < 1e-12] = 1e-12
        done = _lll(found, np.ascontiguousarray(np.tril((factor / ends[:, None]).T, -1)), ends**2, left)
        left -= done
        if done == 0 or left <= 0 or np.abs(found).max(initial=0) > LARGEST:
            break
    return found


def orthogonal(basis: Ints, scale: Floats) -> Floats:
    """Return Gram and Schmidt's vectors, in scaled columns."""
    if len(basis) == 0:
        return np.zeros((0, basis.shape[1]))
    directions, factor = np.linalg.qr((basis * scale).T)
    return np.asarray((directions * np.diag(factor)).T, dtype=np.float64)  # signed: b_i is one of what it is made of


@machine_code()
def _lll(basis: Ints, mu: Floats, squared: Floats, budget: int) -> int:
    m, n = basis.shape
    k, swaps = 1, 0
    while k < m:
        for j in range(k - 1, -1, -1):
            if j < k - 1 and squared[k] < (QUALITY - mu[k, k - 1] ** 2) * squared[k - 1]:
                break
            if abs(mu[k, j]) > 0.501:
                r = np.rint(mu[k, j])
                times = np.int64(r)
                for t in range(n):
                    basis[k, t] -= times * basis[j, t]
                for t in range(j):
                    mu[k, t] -= r * mu[j, t]
                mu[k, j] -= r
        if squared[k] < (QUALITY - mu[k, k - 1] ** 2) * squared[k - 1]:
            swaps += 1
            if swaps > budget:
                return swaps
            _swap(basis, mu, squared, k)
            k = max(1, k - 1)
        else:
            k += 1
    return swaps


@machine_code()
def _swap(basis: Ints, mu: Floats, squared: Floats, k: int) -> None:
    x = mu[k, k - 1]
    whole = squared[k] + x * x * squared[k - 1]
    mu[k, k - 1] = x * squared[k - 1] / whole
    squared[k] = squared[k - 1] * squared[k] / whole
    squared[k - 1] = whole
    for t in range(basis.shape[1]):
        basis[k, t], basis[k - 1, t] = basis[k - 1, t], basis[k, t]
    for t in range(k - 1):
        mu[k, t], mu[k - 1, t] = mu[k - 1, t], mu[k, t]
    for i in range(k + 1, basis.shape[0]):
        f = mu[i, k]
        mu[i, k] = mu[i, k - 1] - x * f
        mu[i, k - 1] = f + mu[k, k - 1] * mu[i, k]
