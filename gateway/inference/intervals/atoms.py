"""Atoms: classes of columns that lie in exactly the same query sets."""

import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int64]


def classes(membership: NDArray[np.bool_]) -> Labels:
    """Return the atom of every column of a query-by-column matrix, numbered from 0 in order of first appearance.

    >>> classes(np.array([[True, True, False], [False, False, True]])).tolist()
    [0, 0, 1]
    """
    packed = np.packbits(membership.astype(bool), axis=0)
    keys = np.ascontiguousarray(packed.T)
    labels: dict[bytes, int] = {}
    return np.array([labels.setdefault(key.tobytes(), len(labels)) for key in keys], dtype=np.int64)


def refine(labels: Labels, number: int, cells: NDArray[np.bool_]) -> tuple[Labels, int]:
    """Split every atom that a query set cuts; return the new labels and their number.

    The part outside the set keeps its label, the part inside gets a new one, so that labels of untouched atoms stay.

    >>> refine(np.array([0, 0, 1]), 2, np.array([True, False, True]))
    (array([2, 0, 1]), 3)
    """
    inside = np.bincount(labels, weights=cells, minlength=number)
    size = np.bincount(labels, minlength=number)
    cut = (inside > 0) & (inside < size)
    fresh = np.arange(number)
    fresh[cut] = number + np.arange(np.count_nonzero(cut))
    return np.where(cells, fresh[labels], labels), number + int(np.count_nonzero(cut))
