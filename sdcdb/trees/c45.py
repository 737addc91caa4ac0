"""C4.5: the learner of the thesis, after Quinlan's book (1993) and release 8, as in Weka's J48."""

import numpy as np

from sdcdb.errors import DataError
from sdcdb.trees.draft import Draft, frozen
from sdcdb.trees.fields import Fields
from sdcdb.trees.growth import Grower, Progress
from sdcdb.trees.pruning import pruned
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Tree

MIN_CASES = 2
CONFIDENCE = 0.25


def grow(
    table: TrainingTable,
    *,
    min_cases: int = MIN_CASES,
    confidence: float = CONFIDENCE,
    prune: bool = True,
    max_depth: int | None = None,
    progress: Progress | None = None,
) -> Tree:
    """Grow a tree.

    Records without a class are left out. `min_cases` is the smallest number of records in at least two branches of a
    split; `confidence` is that of pessimistic pruning: lower values prune more. `progress` is called with the number of
    records that have reached a leaf, and of all records.
    """
    if min_cases < 1:
        raise DataError(f"min_cases is {min_cases}: a branch needs at least one record")
    if not 0 < confidence <= 0.5:
        raise DataError(f"confidence is {confidence}: it must be above 0 and at most 0.5, for example 0.25")
    if max_depth is not None and max_depth < 0:
        raise DataError(f"max_depth is {max_depth}: it is the most tests of a rule, at least 0")
    rows = np.flatnonzero(table.labels() >= 0).astype(np.int32)
    if not len(rows):
        return frozen(Draft(np.zeros(len(table.classes)), 0.0, 0), table)
    fields = Fields.of(table)
    root = Grower(fields, min_cases, max_depth, progress).grow(rows)
    if prune:
        pruned(root, rows, fields, confidence)
    return frozen(root, table)
