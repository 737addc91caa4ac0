"""The shares of bins behind noisy values: maximum likelihood by expectation and maximisation.

With L[i, j] the chance that a value of bin i is published in cell j, and n_j the published counts,

    p_i  <-  p_i sum_j n_j L[i, j] / (p L)_j  /  n       (Dempster, Laird and Rubin 1977; Richardson 1972, Lucy 1974).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDS = 300
ENOUGH = 1e-5
ONE_PERSON = 1.0  # of the whole is mixed into every part: nothing that was seen nowhere here counts as impossible


def unblurred(counts: Floats, likelihood: Floats, start: Floats) -> Floats:
    """Return the shares of the bins that make the published counts likeliest, from a start without zeros."""
    total = counts.sum()
    if not total > 0:
        return start
    shares: Floats = start / start.sum()
    for _ in range(ROUNDS):
        seen = shares @ likelihood
        weights = np.divide(counts, seen, out=np.zeros_like(counts), where=seen > 0)
        after: Floats = shares * (likelihood @ weights)
        if not after.sum() > 0:  # published where nothing should be: the forecast stays what it was
            return np.asarray(start / start.sum(), dtype=np.float64)
        after = after / after.sum()
        done = float(np.abs(after - shares).max()) < ENOUGH
        shares = after
        if done:
            break
    return shares


def part_of(shares: Floats, records: float, whole: Floats) -> Floats:
    """Mix the whole into a part, with the weight of one person."""
    mixed = (records * shares + ONE_PERSON * whole) / (records + ONE_PERSON)
    return np.asarray(mixed / mixed.sum(), dtype=np.float64)
