"""The audit: what all answers together tell about one record of one confidential column.

Pure mathematics on numpy arrays: no SQL, no files. A table is given as *cells* with a number of records each; a query
set is a set of cells; an answer is the exact SUM, MIN or MAX of the confidential column over a query set. `Knowledge`
holds what has been answered and decides, without looking at the true answer, whether one more answer is safe;
`bounds` gives the interval that a list of sums leaves for every record, and `ranges` the same for sums
over ranges of records in one order, all at once.
"""

from typing import TYPE_CHECKING

from sdcdb.lazy import lazily

if TYPE_CHECKING:
    from sdcdb.gateway.inference.finding import Finding
    from sdcdb.gateway.inference.intervals.record_bounds import bounds
    from sdcdb.gateway.inference.knowledge import Knowledge
    from sdcdb.gateway.inference.limits import Limits
    from sdcdb.gateway.inference.question import Question
    from sdcdb.gateway.inference.score import Score

__all__ = [
    "Finding",
    "Knowledge",
    "Limits",
    "Question",
    "Score",
    "bounds",
]

_HOMES = {
    "Finding": "sdcdb.gateway.inference.finding",
    "bounds": "sdcdb.gateway.inference.intervals.record_bounds",
    "Knowledge": "sdcdb.gateway.inference.knowledge",
    "Limits": "sdcdb.gateway.inference.limits",
    "Question": "sdcdb.gateway.inference.question",
    "Score": "sdcdb.gateway.inference.score",
}
__getattr__ = lazily(__name__, _HOMES)
