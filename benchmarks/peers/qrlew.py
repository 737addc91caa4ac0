"""The question in Qrlew: rewritten with differential privacy, run by DuckDB. Prints seconds per question.

Its SQLAlchemy route to DuckDB does not work with today's versions, so it learns the schema and the size of the table
from SQLite; the rewritten SQL is PostgreSQL's, which DuckDB reads.
"""

import sys
import time

import duckdb
import pandas as pd
from pyqrlew import Dataset, Dialect
from sqlalchemy import create_engine

frame = pd.read_csv(sys.argv[1])[["id", "dept", "salary"]]
engine = create_engine("sqlite://")
frame.to_sql("staff", engine, index=False)
con = duckdb.connect()
con.register("frame", frame)
con.execute("CREATE TABLE staff AS FROM frame")
dataset = Dataset.from_database("d", engine).with_range(None, "staff", "salary", 10_000, 250_000)
dataset = dataset.with_possible_values(None, "staff", "dept", sorted(frame["dept"].unique()))
dataset = dataset.with_constraint(None, "staff", "id", dataset.CONSTRAINT_UNIQUE)
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    asked = dataset.relation("SELECT dept, COUNT(*) AS n, AVG(salary) AS mean FROM staff GROUP BY dept")
    private = asked.rewrite_with_differential_privacy(dataset, [("staff", [], "id")], {"epsilon": 1.0, "delta": 1e-6})
    rows = con.execute(private.relation().to_query(Dialect.PostgreSql)).fetchall()
    assert len(rows) > 5
    assert sum(row[1] for row in rows) > len(frame) / 2
    print(time.perf_counter() - start)
