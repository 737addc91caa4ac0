"""Equivalence classes of records, and how likely a match with a unique record is the right person.

Records that share all quasi-identifier values form an equivalence class. A missing quasi-identifier counts as a
value, as in SQL's GROUP BY: two records without an age are equal. None, NaN, NaT and masked values (which DuckDB's
`fetchnumpy` uses for NULL) are the same missing value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError

Codes = NDArray[np.int64]
Column = ArrayLike | Sequence[object]  # a plain list may contain None


@dataclass(frozen=True)
class Uniqueness:
    """Result of `uniqueness`. `theta` is None where the estimate is 0/0."""

    records: int
    classes: int
    sample_uniques: int
    sample_pairs: int
    theta: float | None
    expected_correct_matches: float


@dataclass(frozen=True)
class PopulationUniqueness:
    """Result of `population_uniqueness`. `share` is None where the sample has no unique record."""

    records: int
    sample_uniques: int
    population_uniques_in_sample: int
    share: float | None


def uniqueness(quasi: Sequence[Column], fraction: float = 1.0) -> Uniqueness:
    """Count sample uniques and estimate how often a unique match is correct, without the population.

    Theta is Skinner and Elliot's (2002) probability that a match is correct, given that someone drawn at random from
    the population matches exactly one record of the sample. With a sampling fraction pi, n1 classes of one record and
    n2 classes of two it is estimated by pi n1 / (pi n1 + 2 (1 - pi) n2).

    `expected_correct_matches` is n1 theta: of as many unique matches as there are sample uniques, how many are expected
    to be the right person. It does not estimate the number of population uniques. Without sample uniques it is 0.

    `quasi` holds one array per quasi-identifier, `fraction` is the share of the population that is in the sample.

    >>> uniqueness([["f", "f", "m", "m"], [30, 30, 41, 52]], fraction=0.5)
    Uniqueness(records=4, classes=3, sample_uniques=2, sample_pairs=1, theta=0.5, expected_correct_matches=1.0)
    """
    if not 0 < fraction <= 1:
        raise DataError(
            f"fraction is {fraction}: it must be above 0 and at most 1; "
            "it is records in the sample / records in the population"
        )
    sizes = np.bincount(equivalence_classes(quasi))
    ones, twos = int(np.sum(sizes == 1)), int(np.sum(sizes == 2))
    seen = fraction * ones + 2 * (1 - fraction) * twos
    theta = fraction * ones / seen if seen else None
    return Uniqueness(int(sizes.sum()), sizes.size, ones, twos, theta, ones * (theta or 0.0))


def population_uniqueness(sample: Sequence[Column], population: Sequence[Column]) -> PopulationUniqueness:
    """Count the sample uniques that are also unique in the population (SUPU), with the population at hand.

    `share` is their part of the sample uniques: Pr(population unique | sample unique). Sample and population hold
    the same columns in the same order. A sample unique that is missing in the population, as after perturbation, does
    not count: it matches nobody.

    >>> population_uniqueness([["f", "m", "m"], [30, 41, 52]], [["f", "f", "m", "m"], [30, 30, 41, 52]])
    PopulationUniqueness(records=3, sample_uniques=3, population_uniques_in_sample=2, share=0.6666666666666666)
    """
    if len(sample) != len(population):
        raise DataError(
            f"sample has {len(sample)} columns and population {len(population)}: pass the same ones in the same order"
        )
    records = _length(sample)
    _length(population)
    classes = equivalence_classes([_stacked(*pair) for pair in zip(sample, population, strict=True)])
    total = int(classes.max(initial=-1)) + 1
    in_sample = np.bincount(classes[:records], minlength=total)
    in_population = np.bincount(classes[records:], minlength=total)
    uniques = int(np.sum(in_sample == 1))
    both = int(np.sum((in_sample == 1) & (in_population == 1)))
    return PopulationUniqueness(records, uniques, both, both / uniques if uniques else None)


def equivalence_classes(quasi: Sequence[Column]) -> Codes:
    """Number the equivalence class of each record, from 0 in order of first appearance.

    >>> equivalence_classes([["f", "m", "f", None, None], [30, 30, 30, 41, 41]]).tolist()
    [0, 1, 0, 2, 2]
    """
    classes = np.zeros(_length(quasi), dtype=np.int64)
    for column in quasi:
        codes = numbered(column)[0] + 1
        joint = classes * (codes.max(initial=0) + 1) + codes
        classes = pd.factorize(joint)[0].astype(np.int64)
    return classes


def numbered(column: Column) -> tuple[Codes, Any]:
    """Number the values of a column by first appearance, and list them; a missing value is -1."""
    values = _one_dimensional(column)
    present = np.ones(len(values), dtype=bool)
    if isinstance(values, np.ma.MaskedArray):
        present, values = ~np.ma.getmaskarray(values), values.data
    codes = np.full(present.size, -1, dtype=np.int64)
    try:
        codes[present], distinct = pd.factorize(values[present])
    except TypeError as error:
        raise DataError(
            f"a column contains something other than plain values ({error}): use numbers or text"
        ) from error
    return codes, distinct


def _one_dimensional(column: Column) -> Any:
    """Take arrays and pandas columns as they are; a list as objects, for numpy turns ["a", nan] into text."""
    if isinstance(column, str | bytes) or not np.iterable(column):
        raise DataError(f"{column!r} is not a column: pass a list with one array per column")
    values: Any = column
    if not isinstance(column, np.ndarray | pd.Series | pd.Index | pd.api.extensions.ExtensionArray):
        values = np.asarray(column) if hasattr(column, "__array__") else np.array(list(column), dtype=object)
    if values.ndim != 1:
        raise DataError(f"a column has {values.ndim} dimensions: pass one-dimensional arrays, one per column")
    return values


def _length(columns: Sequence[Column]) -> int:
    """Return the number of records, the same in every column."""
    if len(columns) == 0:
        raise DataError("no columns were given: pass at least one array of quasi-identifier values")
    lengths = [len(_one_dimensional(column)) for column in columns]
    if len(set(lengths)) > 1:
        raise DataError(f"the columns have different lengths {lengths}: pass the same records in every column")
    return lengths[0]


def _stacked(first: Column, second: Column) -> NDArray[Any]:
    """Put the second column under the first, keeping masks."""
    parts = [np.ma.masked_array(_one_dimensional(column)) for column in (first, second)]
    try:
        values = np.concatenate([part.data for part in parts])
    except TypeError as error:
        raise DataError(f"a column has different types in sample and population ({error}): convert one") from error
    return np.ma.masked_array(values, mask=np.concatenate([np.ma.getmaskarray(part) for part in parts]))
