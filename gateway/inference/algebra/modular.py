"""Exact arithmetic modulo primes of 23 bits, at the speed of floating-point matrix products.

Residues are kept as float64 between -p/2 and p/2. A product of two is below 2^45, so sums of 128 of them are below
2^52 and exact: `BLOCK` is the longest inner dimension between two reductions. Products of a residue with 0 or 1 may be
summed over any number of cells that fits into memory.

The primes are drawn from a secret. Rank modulo a fixed, public prime can be fooled by query sets whose determinant is
a multiple of it; whoever does not know the primes cannot aim. Three primes of 23 bits cost less than two of 31 bits,
whose products would not be exact in one multiplication, and leave less to chance.
"""

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.machine_code import FEW, machine_code

Floats = NDArray[np.float64]

BLOCK = 128
LOWEST, HIGHEST = 1 << 22, 11_863_283  # HIGHEST is 2^23.5: half of it squared is below 2^45


def random_primes(rng: np.random.Generator, number: int) -> tuple[int, ...]:
    """Draw different primes between 2^22 and 2^23.5."""
    found: list[int] = []
    while len(found) < number:
        candidate = int(rng.integers(LOWEST, HIGHEST))
        if candidate not in found and _is_prime(candidate):
            found.append(candidate)
    return tuple(found)


def _is_prime(n: int) -> bool:
    """Miller-Rabin; the bases 2, 3, 5, 7 decide every n below 3.2 * 10^9."""
    if n % 2 == 0:
        return n == 2
    s = ((n - 1) & -(n - 1)).bit_length() - 1
    for base in (2, 3, 5, 7):
        x = pow(base, (n - 1) >> s, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return n in (2, 3, 5, 7)
    return True


def reduced(a: Floats, p: int) -> Floats:
    """Reduce whole numbers below 2^53 to residues, in place where the memory allows."""
    a = np.ascontiguousarray(a, dtype=np.float64)
    _reduce(a.reshape(-1), float(p))
    return a


def product(a: Floats, b: Floats, p: int) -> Floats:
    """Multiply two matrices of residues."""
    out = np.zeros((a.shape[0], b.shape[1]))
    for start in range(0, a.shape[1], BLOCK):
        out = reduced(out + a[:, start : start + BLOCK] @ b[start : start + BLOCK], p)
    return out


@machine_code()
def _reduce(a: Floats, p: float) -> None:
    inverse = 1.0 / p
    for i in range(len(a)):
        a[i] -= p * np.rint(a[i] * inverse)


@_reduce.in_numpy
def _reduce_plainly(a: Floats, p: float) -> None:
    a -= p * np.rint(a * (1.0 / p))


@machine_code(few=FEW)
def _inverse_of(a: float, p: float) -> float:
    """Invert a residue by the extended Euclidean algorithm."""
    old, new, x, y = a % p, p, 1.0, 0.0
    while new != 0.0:
        q = np.floor(old / new)
        old, new = new, old - q * new
        x, y = y, x - q * y
    return float(x - p * np.rint(x / p))


@machine_code()
def eliminate_along(z: Floats, values: Floats, chosen: int, p: float) -> None:
    """Subtract from every row of z the multiple of row `chosen` that makes its value zero."""
    inverse, scale = 1.0 / p, _inverse_of(values[chosen], p)
    for i in range(z.shape[0]):
        if i == chosen or values[i] == 0.0:
            continue
        f = values[i] * scale
        f -= p * np.rint(f * inverse)
        for c in range(z.shape[1]):
            v = z[i, c] - f * z[chosen, c]
            z[i, c] = v - p * np.rint(v * inverse)


@eliminate_along.in_numpy
def _eliminate_along_plainly(z: Floats, values: Floats, chosen: int, p: float) -> None:
    f = values * _inverse_of(values[chosen], p)
    _reduce_plainly(f, p)
    f[chosen] = 0.0
    z -= np.outer(f, z[chosen])
    _reduce_plainly(z, p)


@machine_code()
def pivots_of(a: Floats, p: float) -> NDArray[np.int64]:
    """Eliminate the rows of `a` in order, in place; return a pivot column per row, -1 where none is left."""
    inverse = 1.0 / p
    chosen = np.full(a.shape[0], -1, np.int64)
    for i in range(a.shape[0]):
        for c in range(a.shape[1]):
            if a[i, c] != 0.0:
                chosen[i] = c
                break
        if chosen[i] < 0:
            continue
        scale = _inverse_of(a[i, chosen[i]], p)
        for j in range(i + 1, a.shape[0]):
            f = a[j, chosen[i]] * scale
            f -= p * np.rint(f * inverse)
            if f == 0.0:
                continue
            for c in range(a.shape[1]):
                v = a[j, c] - f * a[i, c]
                a[j, c] = v - p * np.rint(v * inverse)
    return chosen


@pivots_of.in_numpy
def _pivots_plainly(a: Floats, p: float) -> NDArray[np.int64]:
    chosen = np.full(a.shape[0], -1, np.int64)
    for i in range(a.shape[0]):
        left = np.flatnonzero(a[i])
        if len(left):
            chosen[i] = left[0]
            f = a[i + 1 :, left[0]] * _inverse_of(a[i, left[0]], p)
            _reduce_plainly(f, p)
            a[i + 1 :] -= np.outer(f, a[i])
            _reduce_plainly(a[i + 1 :], p)
    return chosen


def inverse_matrix(a: Floats, p: float) -> tuple[Floats, bool]:
    """Invert a square matrix of residues; the flag says whether it could be done."""
    n = len(a)
    work = np.hstack([a, np.eye(n)])
    regular = bool(_gauss_jordan(work, p))
    return work[:, n:].copy(), regular


@machine_code()
def _gauss_jordan(work: Floats, p: float) -> bool:
    """Turn the left half of a matrix of residues into the identity, in place; False if it is singular."""
    n = work.shape[0]
    inverse = 1.0 / p
    for i in range(n):
        row = i
        while row < n and work[row, i] == 0.0:
            row += 1
        if row == n:
            return False
        if row != i:
            for c in range(2 * n):
                work[i, c], work[row, c] = work[row, c], work[i, c]
        scale = _inverse_of(work[i, i], p)
        for c in range(2 * n):
            v = work[i, c] * scale
            work[i, c] = v - p * np.rint(v * inverse)
        for j in range(n):
            f = work[j, i]
            if j == i or f == 0.0:
                continue
            for c in range(2 * n):
                v = work[j, c] - f * work[i, c]
                work[j, c] = v - p * np.rint(v * inverse)
    return True


@_gauss_jordan.in_numpy
def _gauss_jordan_plainly(work: Floats, p: float) -> bool:
    for i in range(len(work)):
        left = np.flatnonzero(work[i:, i])
        if not len(left):
            return False
        row = i + left[0]
        work[[i, row]] = work[[row, i]]
        work[i] *= _inverse_of(work[i, i], p)
        _reduce_plainly(work[i], p)
        f = work[:, i].copy()
        f[i] = 0.0
        work -= np.outer(f, work[i])
        _reduce_plainly(work, p)
    return True
