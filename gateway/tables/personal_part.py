"""How much of a number is its person's: what is left when every quasi-identifier has taken its part.

A pay is a wage times the hours, in a year of raises: no two records of a person are alike, and yet there is one unknown
per person, since everybody knows the hours. So the parts of the person and of each quasi-identifier are fitted, of the
number (parts are added) and of its logarithm (parts are factors).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 30
LEFT = 0.1
"""The variance that persons leave unexplained, as a share of what they explain, below which the number is theirs."""


def is_personal(values: Floats, persons: Ints, places: Sequence[Ints]) -> bool:
    """Tell whether a number is a person's, beside what quasi-identifiers add to it or multiply it by.

    `persons` and `places` are codes: whose each record is, and its value of each quasi-identifier.

    >>> wage, hours = np.repeat([12.0, 40.0, 25.0, 31.0], 6), np.tile([1, 4, 2, 8, 5, 7], 4)
    >>> persons = np.repeat(np.arange(4), 6)
    >>> is_personal(wage * hours, persons, [hours]), is_personal(hours * 1.0, persons, [hours])
    (True, False)
    """
    positive = values > 0
    every = np.ones(len(values), dtype=np.bool_)
    logarithms = np.log(values, where=positive, out=np.zeros(len(values)))
    return any(
        _personal(numbers[kept], persons[kept], [each[kept] for each in places])
        for numbers, kept in ((values, every), (logarithms, positive))
    )


def _personal(values: Floats, persons: Ints, places: Sequence[Ints]) -> bool:
    factors = [np.unique(each, return_inverse=True)[1] for each in (persons, *places)]
    sizes = [np.bincount(each) for each in factors]
    free = len(values) - sum(map(len, sizes))
    if free <= len(values) / 2:
        return False
    left, own = values - values.mean(), np.zeros(len(sizes[0]))
    for _ in range(ROUNDS):
        for number, (codes, size) in enumerate(zip(factors, sizes, strict=True)):
            means = np.bincount(codes, weights=left) / size
            left = left - means[codes]
            own = own + means if number == 0 else own
    unexplained = float(left @ left) / free
    explained = float(own[factors[0]].var()) - unexplained * len(sizes[0]) / len(values)
    return explained > 1e-9 * max(1.0, float(values.var())) and unexplained <= LEFT * explained
