"""What the reproductions of the thesis share: its data sets, and tables perturbed by a method, run after run."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sdcdb.connection.training_table import read_training_table
from sdcdb.database import Database
from sdcdb.policy.models import Policy
from sdcdb.trees.table import TrainingTable
from sdcdb.views.plan import Plan
from sdcdb.views.protect import protect

SECRET = "SDCDB_THESIS"  # noqa: S105 - the name of an environment variable
BHP = """
    SELECT rownames AS id, crim, zn, indus, nox, rm, age, dis, rad, tax, ptratio, lstat,
        CASE WHEN medv > (SELECT quantile_cont(medv, 0.8) FROM read_csv('{file}')) THEN 'top 20%' ELSE 'bottom 80%' END
            AS class
    FROM read_csv('{file}')
"""
WBC = """
    SELECT rownames AS id, V1 AS clump, V2 AS size, V3 AS shape, V4 AS adhesion, V5 AS epithelial,
        V6::INTEGER AS nuclei, V7 AS chromatin, V8 AS nucleoli, V9 AS mitoses, class
    FROM read_csv('{file}') WHERE V6 IS NOT NULL
"""
WBC_ALL = WBC.replace(" WHERE V6 IS NOT NULL", "")  # 699 records, 16 without bare nuclei: chapter 9
ADULT = """
    SELECT row_number() OVER () AS id, age, type_employer AS workclass, fnlwgt, education, education_num, marital,
        occupation, relationship, race, sex, capital_gain, capital_loss, hr_per_week, country, income
    FROM read_csv('{file}', header = true)
"""


@dataclass(frozen=True)
class Source:
    """A table with its key `id` and its class; `rows` orders it in one way, so that halves can be cut."""

    con: duckdb.DuckDBPyConnection
    target: str
    domains: Mapping[str, tuple[float, float]]

    @property
    def columns(self) -> list[str]:
        """All columns but the key, and `n`, its public twin, which no tree uses."""
        return [name for name, *_ in self.con.execute("DESCRIBE t").fetchall() if name not in {"id", "n"}]

    def table(self, name: str = "t") -> TrainingTable:
        """Read a table in the order of the key."""
        self.con.execute(f"CREATE OR REPLACE TABLE in_order AS FROM {name} ORDER BY n")
        return read_training_table(self.con, "in_order", [c for c in self.columns if c != self.target], self.target)

    def perturbed(self, methods: dict[str, Any] | str, run: int) -> tuple[TrainingTable, Plan]:
        """Perturb by a method for each column, or by one for all, with a secret for each run."""
        os.environ[SECRET] = f"run {run} of a reproduction: a secret that everybody may know"
        roles: dict[str, Any] = (
            {"id": "identifier", "n": "public"} | dict.fromkeys(self.columns, "quasi") | {self.target: "class"}
        )
        roles |= {name: {"role": "quasi", "domain": list(domain)} for name, domain in self.domains.items()}
        view = {"secret": f"env:{SECRET}", "columns": methods}
        tables = {"t": {"key": "id", "columns": roles, "protect": {"v": view}}}
        database = Database(None, self.con, Policy.model_validate({"version": 1, "tables": tables}))
        (made,) = protect(database)
        self.con.execute("CREATE OR REPLACE TABLE shown AS FROM v")
        return self.table("shown"), made.plan


def load(query: str, file: Path, target: str, cut: str = "") -> Source:
    """Load a data set. The domains are the least and greatest numbers of the data, as in the thesis (7.3.1)."""
    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = true")
    con.execute("SET threads = 2")
    con.execute(f"CREATE TABLE t AS SELECT *, id AS n FROM ({query.format(file=file)}) {cut} ORDER BY id")
    types = {name: kind for name, kind, *_ in con.execute("DESCRIBE t").fetchall()}
    domains = {}
    for name, kind in types.items():
        if name not in {"id", "n", target} and (kind in {"BIGINT", "INTEGER", "DOUBLE"}):
            (ends,) = con.execute(f"SELECT min({name})::DOUBLE, max({name})::DOUBLE FROM t").fetchall()
            domains[name] = ends
    return Source(con, target, domains)


def held_out(source: Source, share: float, seed: int = 0) -> tuple[Source, TrainingTable]:
    """Take a share of the records of each leaf of the tree of the whole table out, as the thesis does (7.3)."""
    from sdcdb.trees.c45 import grow

    whole = source.table()
    leaves = grow(whole, min_cases=200 if whole.rows > 10_000 else 2).apply(whole)
    rng = np.random.default_rng(seed)
    out = np.concatenate([
        rng.choice(rows, round(share * len(rows)), replace=False)
        for rows in (np.flatnonzero(leaves == leaf) for leaf in np.unique(leaves))
    ])  # fmt: skip
    ids = np.array([i for (i,) in source.con.execute("SELECT id FROM t ORDER BY id").fetchall()])
    source.con.execute("CREATE TABLE testing AS SELECT * FROM t WHERE id IN (SELECT unnest(?))", [ids[out].tolist()])
    testing = source.table("testing")
    source.con.execute("DELETE FROM t WHERE id IN (SELECT unnest(?))", [ids[out].tolist()])
    source.con.execute("CREATE TABLE kept AS FROM t ORDER BY id; DROP TABLE t; ALTER TABLE kept RENAME TO t")
    return source, testing


def correlations(table: TrainingTable) -> Any:
    """Return the correlation matrix of the numbers."""
    numbers = [a.name for a in table.attributes if a.kind == "number"]
    return np.corrcoef(np.array([table.column(name) for name in numbers]))


def apart(before: Any, after: Any) -> float:
    """Return the mean absolute difference of two correlation matrices, the diagonal apart."""
    upper = np.triu_indices(len(before), 1)
    return float(np.nanmean(np.abs(np.nan_to_num(after) - before)[upper]))
