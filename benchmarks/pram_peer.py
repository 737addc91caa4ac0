"""PRAM on 100,000 records, against the package `pram` from PyPI with the very same matrices.

    python -m venv peer && peer/bin/pip install pram 'pandas<2.1' 'numpy<2'
    python benchmarks/pram_peer.py --peer peer/bin/python [--rows 100000] [--no-record]

The peer runs in an environment of its own, because it needs an old pandas. It makes its matrices from the data and
perturbs; sdcdb is given those matrices, fits, creates the view and copies it. Both times are without loading the data.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from record import record
from views import SIZES, WORDS, table_sql

import sdcdb
from sdcdb.policy.models import Policy
from sdcdb.views.protect import protect

MOST, ALPHA = 0.8, 0.5  # the peer's own defaults

PEER = f"""
import json, sys, time
import pandas as pd
from pram import Pram, pram
data = pd.read_csv(sys.argv[1])
weighted = Pram.__dict__["__get_weighted_transition_matrix__"].__func__
matrices = {{c: weighted(data[c].values, {MOST}, {ALPHA}) for c in data}}
start = time.perf_counter()
after = pram(data, m={MOST}, alpha={ALPHA})
seconds = time.perf_counter() - start
# A column of the peer's matrix says what becomes of a value.
print(json.dumps({{"seconds": seconds, "counts": {{c: after[c].value_counts().to_dict() for c in after}},
    "matrices": {{c: {{v: m[v].to_dict() for v in m.columns}} for c, m in matrices.items()}}}}))
"""


def policy(matrices: dict[str, Any]) -> Policy:
    """Ask for PRAM with the peer's matrices."""
    view = {"secret": "keyfile", "columns": {c: {"method": "pram", "matrix": m} for c, m in matrices.items()}}
    roles = {"id": "identifier"} | dict.fromkeys(WORDS, "quasi")
    return Policy.model_validate(
        {"version": 1, "tables": {"t": {"key": "id", "columns": roles, "protect": {"v": view}}}}
    )


def check(peer: dict[str, dict[str, int]], ours: dict[str, dict[str, int]], matrices: dict[str, Any]) -> None:
    """Check that the counts of every value agree within five standard errors."""
    for column, counts in ours.items():
        assert set(counts) <= set(matrices[column])
        for value, n in counts.items():
            assert abs(n - peer[column].get(value, 0)) < 5 * (2 * n) ** 0.5, (column, value)


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--peer", type=Path, help="the Python of an environment that has pram")
    parser.add_argument("--no-record", action="store_true")
    given = parser.parse_args()
    if given.peer is None or not given.peer.exists():
        print("pram_peer: skipped; give --peer, the Python of an environment that has pram (see the docstring)")
        return
    with tempfile.TemporaryDirectory() as name, sdcdb.open(Path(name) / "p.duckdb", create=True) as database:
        con, file = database.con, Path(name) / "words.csv"
        con.execute(f"CREATE TABLE t AS SELECT id, {', '.join(WORDS)} FROM ({table_sql(given.rows)})")
        con.execute(f"COPY (SELECT * EXCLUDE (id) FROM t) TO '{file}'")
        done = subprocess.run(
            [given.peer, "-W", "ignore", "-c", PEER, file], check=True, capture_output=True, text=True
        )
        peer = json.loads(done.stdout)
        database.policy = policy(peer["matrices"])
        start = time.perf_counter()
        protect(database)
        fitted = time.perf_counter()
        con.execute("CREATE TABLE ours AS FROM v")
        end = time.perf_counter()
        ours = {c: dict(con.execute(f"SELECT {c}, count(*) FROM ours GROUP BY ALL").fetchall()) for c in WORDS}
    check(peer["counts"], ours, peer["matrices"])
    seconds = end - start
    row = [
        f"{given.rows:,}", len(SIZES), f"{peer['seconds']:.1f} s", f"{seconds:.2f} s", f"{end - fitted:.2f} s",
        f"{peer['seconds'] / seconds:,.0f}",
    ]  # fmt: skip
    if given.no_record:
        print(row)
        return
    columns = ["records", "columns", "pram 0.2.0", "sdcdb", "of that, the copy", "times faster"]
    notes = [
        "The same matrices; counts of every value agree within five standard errors.",
        "The time of sdcdb is that of checking the policy, fitting, creating the view and copying it.",
    ]
    record("pram_peer", columns, [row], notes)


if __name__ == "__main__":
    main()
