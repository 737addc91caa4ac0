"""Growing a C4.5 tree of 1 million records and 14 mixed columns, beside scikit-learn's CART on the same records.

    python benchmarks/trees.py [--rows 1000000] [--quick]

The table is generated: six numbers and eight categories of 2 to 40 values, 5% of one of each missing, and a class of
two values that depends on five of them, with noise. CART gets the categories as one column per value, which is how
scikit-learn takes them; it does not prune here.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import astuple

import duckdb
import numpy as np
import pandas as pd
from record import record

from sdcdb.connection.training_table import read_training_table
from sdcdb.engines.dialect import Binding
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import Row
from sdcdb.engines.tree_expression import leaf_expression
from sdcdb.trees.c45 import grow
from sdcdb.trees.cart import grow_cart
from sdcdb.trees.table import Attribute, TrainingTable
from sdcdb.trees.tree import Tree

SIZES = (2, 3, 5, 7, 8, 14, 16, 40)


def generated(rows: int, seed: int = 1) -> TrainingTable:
    """Make the table: whole numbers of 50 to 100,000 values, measurements, and categories."""
    rng = np.random.default_rng(seed)
    numbers = {
        "age": rng.integers(17, 90, rows).astype(float),
        "hours": np.clip(rng.normal(40, 12, rows).round(), 1, 99),
        "weight": rng.integers(12_000, 1_500_000, rows).astype(float),
        "gain": np.where(rng.random(rows) < 0.08, rng.integers(100, 100_000, rows), 0).astype(float),
        "score": rng.normal(size=rows),
        "ratio": rng.gamma(2.0, size=rows).round(2),
    }
    codes = {f"c{size}": rng.integers(0, size, rows).astype(np.int32) for size in SIZES}
    numbers["score"][rng.random(rows) < 0.05] = np.nan
    codes["c7"][rng.random(rows) < 0.05] = -1
    signal = (
        (numbers["age"] - 40) / 20 + numbers["gain"] / 20_000 + np.nan_to_num(numbers["score"])
        + (codes["c7"] == 2) * 1.5 - (codes["c14"] % 5 == 0) + rng.normal(size=rows)
    )  # fmt: skip
    attributes = [Attribute(name, "number", whole=bool(np.all(column % 1 == 0))) for name, column in numbers.items()]
    attributes += [
        Attribute(name, "category", tuple(str(v) for v in range(size))) for name, size in zip(codes, SIZES, strict=True)
    ]
    labels = (signal > 0.8).astype(np.int32)
    columns = (*numbers.values(), *codes.values(), labels)
    return TrainingTable((*attributes, Attribute("class", "category", ("no", "yes"))), columns, "class")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="20,000 records; record nothing")
    given = parser.parse_args()
    size = 20_000 if given.quick else given.rows
    grow(generated(1_000))  # compiles
    table, fresh = generated(size), generated(min(size, 200_000), seed=2)
    rows = []
    learners: dict[str, Callable[[], Tree]] = {
        "C4.5, minimum 2": lambda: grow(table),
        "C4.5, minimum 200": lambda: grow(table, min_cases=200),
        "CART, minimum 2": lambda: grow_cart(table),
        "CART, minimum 200": lambda: grow_cart(table, min_cases=200),
    }
    for name, learner in learners.items():
        start = time.process_time()
        tree = learner()
        seconds = time.process_time() - start
        start = time.process_time()
        tree.apply(table)
        applied = time.process_time() - start
        accuracy = float(np.mean(tree.predict(fresh) == fresh.labels()))
        rows.append([name, f"{seconds:.1f}", len(tree.leaves()), tree.depth(), f"{accuracy:.2%}", f"{applied:.2f}"])
        print(*rows[-1], sep=" | ", flush=True)
    notes = [
        f"{size:,} records, 6 numbers and 8 categories; one core, and times are of the processor.",
        "Accuracy is on records not grown from. CART gets a column for each value of a category.",
    ]
    notes.append(_in_sql(table))
    print(notes[-1])
    if not given.quick:
        record(
            "trees", ["learner", "grown in s of CPU", "leaves", "depth", "accuracy", "applied in s of CPU"], rows, notes
        )


def _in_sql(table: TrainingTable) -> str:
    """Read the table from DuckDB, grow, and compare the leaves in SQL with those in Python."""
    con = duckdb.connect()
    frame = {
        name: column if kind == "number" else np.array([*texts, None])[column]
        for (name, kind, texts, _), column in zip(map(astuple, table.attributes), table.columns, strict=True)
    }
    con.register("given", pd.DataFrame(frame))
    con.execute("CREATE TABLE d AS SELECT row_number() OVER () AS id, * FROM given")
    start = time.process_time()
    read = read_training_table(con, "d", [a.name for a in table.attributes[:-1]], "class")
    fetched = time.process_time() - start
    tree = grow(read, min_cases=200)
    sql = DuckDBDialect().render(leaf_expression(tree, Row({})), Binding("id", "", {}))
    start = time.process_time()
    leaves = con.execute(f"SELECT {sql} AS leaf FROM d AS t ORDER BY id").fetchnumpy()["leaf"]
    seconds = time.process_time() - start
    assert np.array_equal(leaves, tree.apply(read))
    return (
        f"Read from DuckDB in {fetched:.1f} s; the leaves of {len(tree.leaves())} in SQL, "
        f"the same as in Python, in {seconds:.1f} s."
    )


if __name__ == "__main__":
    main()
