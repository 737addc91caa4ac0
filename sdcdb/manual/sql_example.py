"""The small database on which every example of the SQL reference runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from sdcdb.udfs import register

TABLES = (
    """CREATE TABLE staff AS SELECT i AS id, 'n' || i AS name, ['sales', 'lab', 'office'][1 + i % 3] AS dept,
    CASE WHEN i % 3 = 0 OR i % 5 = 0 THEN 'leeds' ELSE 'york' END AS town, 20 + (i * 7) % 41 AS age,
    1000 * (20 + (i * 11) % 30) AS pay FROM range(120) r(i)""",
    "CREATE TABLE noisy AS SELECT * REPLACE (CASE WHEN id % 7 = 0 THEN 'lab' ELSE dept END AS dept) FROM staff",
    "CREATE TABLE lists AS SELECT town, [pay, pay + 1] AS pays FROM staff",
    "CREATE TABLE ranges AS FROM (VALUES (1, 2, 30), (2, 3, 50)) v(first_record, last_record, answer)",
    "CREATE TABLE sets AS FROM (VALUES ('q1', 'ann', 6), ('q1', 'bob', 6)) v(query, record, answer)",
)
POLICY = """\
version: 1
tables:
  staff:
    key: id
    columns: {id: identifier, name: identifier, dept: class, town: quasi, age: quasi,
              pay: {role: confidential, domain: [0, 100000], step: 1000}}
    restrict: {min_set: 3}
    protect:
      staff_public:
        columns:
          dept: {method: vicus, k1: 5, k2: 20}
          town: {method: warner, p: 0.8}
"""


@contextmanager
def example_database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection to the database, with its policy beside it, and its protected view in it."""
    with TemporaryDirectory(prefix="sdcdb-") as folder:
        path = Path(folder) / "staff.duckdb"
        path.with_name("staff.policy.yaml").write_text(POLICY, encoding="utf-8")
        with register(duckdb.connect(str(path))) as con:
            for statement in (*TABLES, "SELECT sdc_protect()"):
                con.execute(statement)
            yield con
