"""The question in smartnoise-sql: differentially private answers from a data frame. Prints seconds per question."""

import sys
import time

import pandas as pd
from snsql import Privacy, from_df

frame = pd.read_csv(sys.argv[1])
columns = {
    "rows": len(frame),
    "id": {"type": "int", "private_id": True},
    "dept": {"type": "string"},
    "salary": {"type": "int", "lower": 10_000, "upper": 250_000},
}
reader = from_df(
    frame[["id", "dept", "salary"]],
    privacy=Privacy(epsilon=1.0, delta=1e-6),
    metadata={"": {"main": {"staff": columns}}},
)
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    rows = reader.execute("SELECT dept, COUNT(*) AS n, AVG(salary) AS mean FROM main.staff GROUP BY dept")
    assert len(rows) > 5
    print(time.perf_counter() - start)
