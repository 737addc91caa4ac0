"""A server rehearses the audit before it opens: afterwards nothing that an ordinary sum needs is left to load."""

import subprocess
import sys

from sdcdb.gateway.inference.rehearsal import SETS, rehearse

PROGRAM = """
from numba.core.dispatcher import Dispatcher
import numpy as np
from sdcdb.gateway.inference import Knowledge, Limits, Question
from sdcdb.gateway.inference.rehearsal import rehearse

rehearse()
late, prepare = [], Dispatcher._compile_for_args
Dispatcher._compile_for_args = lambda self, *a, **k: (late.append(self.py_func.__name__), prepare(self, *a, **k))[1]
knowledge = Knowledge(np.ones(60, dtype=np.int64), 0.0, 500.0, 1.0, Limits(3, 10.0), b"secret")
for first in (0, 7):
    question = Question((np.arange(60) >= first) & (np.arange(60) < 40), frozenset({"sum"}))
    knowledge.consider([question])
    knowledge.learn([question], [{"sum": 10_000.0 - 250 * first}])
print(sorted(set(late)))
"""


def test_the_audit_allows_what_is_rehearsed() -> None:
    assert rehearse() == 2 * len(SETS)


def test_nothing_is_left_to_load_for_ordinary_sums() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
