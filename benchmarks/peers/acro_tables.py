"""The question in ACRO: a pivot table with its checks of thresholds and dominance. Prints seconds per question."""

import logging
import sys
import time

import pandas as pd
from acro import ACRO

logging.disable(logging.CRITICAL)
frame = pd.read_csv(sys.argv[1])
session = ACRO(suppress=True)
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    table = session.pivot_table(frame, index=["dept"], values=["salary"], aggfunc=["mean", "count"])
    assert len(table) > 5
    print(time.perf_counter() - start)
