"""Arithmetic modulo random primes."""

import numpy as np

from sdcdb.gateway.inference.algebra import modular as field
from sdcdb.gateway.inference.algebra.modular import inverse_matrix, product, random_primes


def test_primes_are_primes_of_the_right_size() -> None:
    for p in random_primes(np.random.default_rng(3), 20):
        assert field.LOWEST <= p <= field.HIGHEST
        assert all(p % d for d in range(2, int(p**0.5) + 1))


def test_matrices_modulo_a_prime() -> None:
    rng = np.random.default_rng(4)
    p = random_primes(rng, 1)[0]
    a, b = rng.integers(0, p, (40, 300)), rng.integers(0, p, (300, 50))
    left, right = (np.where(m > p // 2, m - p, m).astype(float) for m in (a, b))
    expected = np.array([[sum(int(x) * int(y) for x, y in zip(row, col, strict=True)) % p for col in b.T] for row in a])
    assert (np.mod(product(left, right, p), p) == expected).all()
    square = left[:, :40]
    inverse, regular = inverse_matrix(square, float(p))
    assert regular
    assert (np.mod(product(square, inverse, p), p) == np.eye(40)).all()
