"""Data to try sdcdb on: one paper's example, two papers' generators, a staff table, and a hospital.

>>> import duckdb
>>> con = duckdb.connect()
>>> create(con, "bank").tables
('bank',)
>>> con.execute("SELECT count(*) FROM bank").fetchall()
[(7,)]
"""

from sdcdb.datasets.creation import create
from sdcdb.datasets.dataset import Dataset
from sdcdb.datasets.registry import DATASETS

__all__ = ["DATASETS", "Dataset", "create"]
