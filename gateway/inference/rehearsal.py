"""Loading the audit's machine code before anybody waits for it.

The kernels are compiled the first time that they are called on a machine, which takes some ten seconds, and kept beside
the package or in NUMBA_CACHE_DIR; a new process loads them when they are first called. A server that did this in its
first question would spend that question's time limit on it.
"""

from functools import cache

import numpy as np

from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question

CELLS = 400
SETS = (0, 40, 90)  # where each set of 200 cells begins


@cache
def rehearse() -> int:
    """Put questions about made-up numbers to the audit, in reals and in whole numbers; return how many it allowed."""
    allowed = 0
    for step in (None, 1.0):
        knowledge = Knowledge(np.ones(CELLS, dtype=np.int64), 0.0, 1000.0, step, Limits(3, 10.0), b"rehearsal")
        for first in SETS:
            place = np.arange(CELLS) - first
            question = Question((place >= 0) & (place < CELLS // 2), frozenset({"sum"}))
            (finding,) = knowledge.consider([question])
            allowed += finding.allowed
            knowledge.learn([question], [{"sum": 500.0 * CELLS / 2}])
    return allowed
