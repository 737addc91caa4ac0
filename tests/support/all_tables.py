"""Every table there is, for small instances: what all answers together leave possible, by brute force."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.categories.counting import Counting

Ints = NDArray[np.int64]


def all_tables(sizes: Sequence[int], values: int) -> Ints:
    """Return every table: how many records of each cell have each value, as tables x cells x values."""
    parts = [_compositions(size, values) for size in sizes]
    places = np.array(list(product(*(range(len(each)) for each in parts))))
    return np.stack([part[places[:, cell]] for cell, part in enumerate(parts)], axis=1)


def _compositions(size: int, values: int) -> Ints:
    found = [each for each in product(range(size + 1), repeat=values - 1) if sum(each) <= size]
    return np.array([(*each, size - sum(each)) for each in found], dtype=np.int64)


def count(tables: Ints, asked: Counting) -> Ints:
    """Return the answer of every table."""
    return np.asarray(tables[:, asked.cells][:, :, sorted(asked.values)].sum(axis=(1, 2)))


def surest(tables: Ints, sensitive: Sequence[int]) -> float:
    """Return the greatest share of a cell that must have a sensitive value, in every one of these tables."""
    least = tables.min(axis=0)[:, list(sensitive)]
    return float((least / tables[0].sum(axis=1)[:, None]).max())
