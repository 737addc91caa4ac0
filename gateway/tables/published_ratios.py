"""By how much one published record raises the odds that somebody has a value of a category.

A record that is published as o was v with odds P(o | v) / P(o | another value) higher than before. What a count and a
published record tell together is the product of both, so the audit of counts leaves room for the record. A view keeps
NULL, so it also says who has a value at all.
"""

from collections.abc import Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.relations import Category, Relation
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.views import catalogue

MOST = 1e6  # for a published value that shows the original for certain


def published_ratios(
    con: duckdb.DuckDBPyConnection, category: Category, views: Sequence[Relation]
) -> tuple[float, ...]:
    """Return, for each value, the largest likelihood ratio of what views publish; 1 where they publish nothing of it.

    Only techniques that change values by a matrix have one; for others nothing is known, and 1 is returned.
    """
    found = np.ones(category.size)
    for view in views:
        for fitted in catalogue.entry(con, view.name).plan.fitted:
            if category.name in fitted.columns and isinstance(fitted, FittedTransition):
                found = found * _ratios(category, fitted)
    return tuple(found.tolist())


def _ratios(category: Category, fitted: FittedTransition) -> NDArray[np.float64]:
    known = fitted.transition()
    places = {str(value): n for n, value in enumerate(known.values)}
    shares = np.array(category.public.shares)
    there = [n for n, text in enumerate(category.public.values) if text in places]
    rows = np.array([known.matrix[places[str(category.public.values[n])]] for n in there])
    if None in category.public.values and there:  # who has no value is published without one
        there = [*there, category.public.values.index(None)]
        rows = np.block([[rows, np.zeros((len(rows), 1))], [np.zeros((1, rows.shape[1])), np.ones((1, 1))]])
    found = np.ones(category.size)
    for at, value in enumerate(there):
        others = np.array([other for other in range(len(there)) if other != at], dtype=np.intp)
        weights = shares[np.array(there, dtype=np.intp)[others]]
        if len(others):
            elsewhere = weights @ rows[others] / weights.sum()
            ratio = np.divide(rows[at], elsewhere, out=np.full(rows.shape[1], MOST), where=elsewhere > 0)
            found[value] = min(MOST, max(1.0, float(ratio[rows[at] > 0].max(initial=1.0))))
    return found
