"""How far a real solution is from one in whole numbers, coordinate by coordinate.

Let b_1 .. b_m be independent whole-number vectors on which every answered sum vanishes, and v_i = b_i plus any real
combination of the vectors before it. Write y - x = sum c_i b_i for a real solution y and the true whole-number one x.
Going from the last vector to the first, replace the coefficient of b_i by a whole number next to it; what that takes
away is theta_i v_i, and a change of the coefficients of vectors still to come. So y moves by sum theta_i v_i in all,
and arrives at x plus whole multiples of the b_i: a whole-number solution. Two ways to choose:

(N) to the nearest: |theta_i| <= 1/2, so coordinate j moves by at most 1/2 sum_i |v_i[j]|.
(R) up or down at random, with the right mean: theta_i has mean 0 given those before, in an interval of length 1. By
    Azuma and Hoeffding coordinate j moves by more than r with probability at most 2 exp(-2 r^2 / sum_i v_i[j]^2), and
    never by more than sum_i |v_i[j]|. With r^2 = ln(2 n' + 1) / 2 times the sum of squares, where n' coordinates use
    it, the probabilities add up to less than 1: some choice moves no coordinate by more.

One choice is made for all coordinates: taking the better bound for each is wrong (they belong to different solutions).
The v_i of a basis are Gram-Schmidt vectors, which are short even where the b_i are long.

Of sparse vectors only the b_i are kept. Put those first that are short, of squared lengths of at most D in some
geometry in which column j has the weight w_j. Their Gram-Schmidt vectors are not longer, and are orthogonal there, so
the sum of their squares in column j is at most D / w_j. For those that are long, which come last, v_i = b_i, and their
squares are added up as they are. Any D and any weights will do. The weights used here (`weights`) make the margins of
all records alike, since a total may move further where more records share it, and add a little for every entry, which
keeps vectors sparse.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 1.000001  # Gram-Schmidt vectors are known in floating point only
ENTRY = 1e-3  # what an entry of 1 adds to the squared length of a sparse vector, wherever it is


def best_margins(whole: Floats, squares: Floats, records: Floats) -> Floats:
    """Return how far the total of each column moves, per record of it.

    `whole` is sum_i |v_i[j]|, `squares` is sum_i v_i[j]^2. Of the two ways the one whose worst record is best.
    """
    n = len(whole)
    root = np.sqrt(squares / 2)
    certain = whole <= math.sqrt(math.log(2 * n + 1)) * root
    number = int((~certain).sum())
    random = np.where(certain, whole, math.sqrt(math.log(2 * number + 1)) * root)
    found = [each * ROUNDING / records for each in (whole / 2, random)]
    return min(found, key=lambda margin: float(margin.max(initial=0.0)))


def longest_for(cap: float, columns: int) -> float:
    """Return the squared length of Gram-Schmidt vectors up to which (R) moves nobody by more than `cap`.

    Gram-Schmidt vectors are orthogonal, so sum_i v_i[j]^2 is at most the largest |v_i|^2 divided by the weight of j,
    which is 1 / c for the vectors of a basis and at least 1 / c^2 for sparse ones, c being its records.
    """
    return 2.0 * (cap / ROUNDING) ** 2 / math.log(2 * columns + 1)


def weights(records: Floats) -> Floats:
    """Return what the square of a number in a column of so many records counts in the length of a sparse vector."""
    return np.asarray(records**-2.0 + ENTRY, dtype=np.float64)


def margins_of_squares(squares: Floats, records: Floats) -> Floats:
    """Return how far the total of each column moves, per record of it, if sum_i v_i[j]^2 is at most `squares`: (R)."""
    return np.asarray(ROUNDING * np.sqrt(squares * math.log(2 * len(records) + 1) / 2) / records, dtype=np.float64)
