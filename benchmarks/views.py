"""Protected views at full size: a perturbed copy against a plain copy, one column, numpy/pandas, and fitting VICUS.

    python benchmarks/views.py [--rows 10000000] [--no-record]

Ratios are measured in one run on the same rows. The view perturbs five categories (Warner, keep 70%) and five numbers
(normal noise, sd 5% of the domain, clipped) with the cryptographic generator. numpy does the same twice, vectorised,
and writes the result back. With draws of its own generator the results are checked to have the same distribution; that
is less work, since such draws come in order from a seed, and differ when a record is added. With draws from a SHA-256
of each record's key, which is a loop in Python, its values are checked to be those of the view.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from record import record

import sdcdb
from sdcdb.database import Database
from sdcdb.engines.expressions import Bits
from sdcdb.policy.models import Policy
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.families.transition import warner
from sdcdb.techniques.normal import FittedNormal
from sdcdb.views.plan import Plan
from sdcdb.views.protect import protect
from sdcdb.views.secret import read_secret

WORDS = [f"c{n}" for n in range(5)]
NUMBERS = [f"n{n}" for n in range(5)]
KEEP, SHARE, DOMAIN = 0.7, 0.05, (0, 1000)
SIZES = (4, 6, 8, 10, 12)  # values of the five categories


def table_sql(rows: int) -> str:
    """Make a table of categories and numbers from one digest per record."""
    bits = "md5_number(i::VARCHAR)"
    words = [f"'value ' || ((m >> {8 * n}) & 4095)::INTEGER % {size} AS c{n}" for n, size in enumerate(SIZES)]
    numbers = [f"(((m >> {40 + 16 * n}) & 65535)::INTEGER % 1001) AS n{n}" for n in range(5)]
    return f"SELECT i AS id, {', '.join(words + numbers)} FROM (SELECT i, {bits} AS m FROM range({rows}) t(i))"


def policy() -> Policy:
    """Ask for the view."""
    roles = {"id": "identifier"} | dict.fromkeys(WORDS, "quasi")
    numbers = {name: {"role": "confidential", "domain": list(DOMAIN), "step": 1} for name in NUMBERS}
    methods = {name: {"method": "warner", "p": KEEP} for name in WORDS}
    methods |= {name: {"method": "normal", "sd": f"{SHARE:.0%}", "boundary": "clip"} for name in NUMBERS}
    view = {"secret": "keyfile", "columns": methods}
    table = {"key": "id", "columns": roles | numbers, "protect": {"v": view}}
    return Policy.model_validate({"version": 1, "tables": {"t": table}})


def query(con: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Run a query to its end."""
    con.execute(sql).fetchall()


def delivered(con: duckdb.DuckDBPyConnection, sql: str) -> int:
    """Read a query's result into Python, batch by batch."""
    with con.sql(sql).to_arrow_reader(50_000) as reader:
        return sum(batch.num_rows for batch in reader)


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and seconds of processor time over all threads."""

    clock: float
    processor: float

    def __str__(self) -> str:
        return f"{self.clock:.2f} s" if self.clock >= 0.1 else f"{self.clock * 1000:.1f} ms"


def timed(work: Callable[[], object], repeat: int = 2) -> Spent:
    """Return the best time of a few tries."""
    found = []
    for _ in range(repeat):
        start, used = time.perf_counter(), time.process_time()
        work()
        found.append(Spent(time.perf_counter() - start, time.process_time() - used))
    return Spent(min(each.clock for each in found), min(each.processor for each in found))


def side_by_side(repeat: int = 4, **works: Callable[[], object]) -> dict[str, Spent]:
    """Return the best time of each of several works that take turns, so that a busy minute does not hit one alone."""
    found: dict[str, list[Spent]] = {name: [] for name in works}
    for _ in range(repeat):
        for name, work in works.items():
            found[name].append(timed(work, repeat=1))
    return {
        name: Spent(min(each.clock for each in own), min(each.processor for each in own)) for name, own in found.items()
    }


def line(rows: int, what: str, against: str, ours: Spent, other: Spent) -> list[str]:
    """Set two times side by side."""
    ratios = (ours.clock / other.clock, ours.processor / other.processor)
    found = [
        f"{rows:,}",
        what,
        against,
        str(ours),
        str(other),
        *(f"{r:.1f}" if r < 100 else f"{r:.0f}" for r in ratios),
    ]
    print(" | ".join(found), flush=True)
    return found


def in_numpy(con: duckdb.DuckDBPyConnection) -> None:
    """Perturb the same table in numpy and pandas, vectorised, and write it back."""
    rng = np.random.default_rng(1)
    frame = con.sql(f"SELECT {', '.join(WORDS + NUMBERS)} FROM t").df()
    for name in WORDS:
        codes, values = frame[name].factorize()
        drawn = warner([str(v) for v in values], KEEP).sample(codes, rng.integers(0, 2**32, len(frame), np.uint64))
        frame[name] = values.to_numpy()[drawn]
    for name in NUMBERS:
        noisy = frame[name].to_numpy() + rng.normal(0, SHARE * DOMAIN[1], len(frame))
        frame[name] = np.clip(np.floor(noisy + 0.5), *DOMAIN).astype(np.int32)
    con.register("perturbed", frame)
    con.execute("CREATE OR REPLACE TABLE by_numpy AS FROM perturbed")
    con.unregister("perturbed")


def in_numpy_by_key(con: duckdb.DuckDBPyConnection, plan: Plan, subkey: str) -> None:
    """Perturb the table in numpy and pandas with the draws of the plan, and write it back."""
    frame = con.sql("SELECT * FROM t").df()
    words = digests(subkey, "bits 0", frame.pop("id").tolist())  # a loop: numpy has no SHA-256
    for each in plan.fitted:
        (name,), row = each.columns, plan.row(each)
        lane = row.lanes[row.place(name)]
        assert isinstance(lane, Bits)
        if isinstance(each, FittedTransition):
            values = np.array(each.shape.values, object)
            codes = pd.Categorical(frame[name], categories=each.shape.values).codes
            frame[name] = values[each.transition().sample(codes, cut(words, lane.first, lane.width), lane.width)]
        else:
            assert isinstance(each, FittedNormal)
            size = lane.width // 2
            one, two = (cut(words, lane.first + place * size, size) for place in (0, 1))
            turn = (np.sin if lane.half else np.cos)(two * (2 * np.pi * 2.0**-size))
            noisy = frame[name].to_numpy() + each.sd * (np.sqrt(-2 * np.log((one + 1) * 2.0**-size)) * turn)
            frame[name] = np.clip(np.floor(noisy + 0.5), *DOMAIN).astype(np.int32)
    con.register("perturbed", frame)
    con.execute("CREATE OR REPLACE TABLE by_key AS FROM perturbed")
    con.unregister("perturbed")


def digests(subkey: str, block: str, keys: list[int]) -> NDArray[np.uint64]:
    """Return the four words of every record's digest, in the order in which a view counts bits."""
    made, prefix = bytearray(), f"{subkey}:{block}:".encode()
    for key in keys:
        made += hashlib.sha256(b"%s%d" % (prefix, key)).digest()
    return np.frombuffer(made, ">u8").reshape(-1, 4)[:, [1, 0, 3, 2]].astype(np.uint64)


def cut(words: NDArray[np.uint64], first: int, width: int) -> NDArray[np.uint64]:
    """Cut a draw from words."""
    word, bit = divmod(first, 64)
    return (words[:, word] >> np.uint64(bit)) & np.uint64(2**width - 1)


def same_values(con: duckdb.DuckDBPyConnection, rows: int) -> None:
    """Check that both copies are equal, record by record; a number on the border of two steps may fall either way."""
    for name in WORDS + NUMBERS:
        sql = f"SELECT count(*) FROM (SELECT v.{name} AS a, k.{name} AS b FROM by_view v POSITIONAL JOIN by_key k)"
        ((other,),) = con.execute(f"{sql} WHERE a IS DISTINCT FROM b").fetchall()
        assert other <= (rows // 1_000_000 if name in NUMBERS else 0), (name, other)


def same_distribution(con: duckdb.DuckDBPyConnection) -> None:
    """Check that the two copies agree in distribution: shares and moments within five standard errors."""
    ((rows,),) = con.execute("SELECT count(*) FROM t").fetchall()
    for name in NUMBERS:
        (mean, sd), (other, other_sd) = (
            con.execute(f"SELECT avg({name}), stddev({name}) FROM {table}").fetchall()[0]
            for table in ("by_view", "by_numpy")
        )
        assert abs(mean - other) < 5 * sd * (2 / rows) ** 0.5, (name, mean, other)
        assert abs(sd - other_sd) < 5 * sd * (1 / rows) ** 0.5, (name, sd, other_sd)
    for name in WORDS:
        counts = [
            dict(con.execute(f"SELECT {name}, count(*) FROM {table} GROUP BY ALL").fetchall())
            for table in ("by_view", "by_numpy")
        ]
        assert all(abs(n - counts[1][value]) < 5 * (2 * n) ** 0.5 for value, n in counts[0].items()), name


def measure(folder: Path, rows: int, *, full: bool) -> tuple[list[list[str]], float]:
    """Measure one size; return what was found, and the seconds of the perturbed copy."""
    with sdcdb.open(folder / f"{rows}.duckdb", policy(), create=True) as database:
        con = database.con
        con.execute("SET enable_progress_bar = false")
        con.execute(f"CREATE TABLE t AS {table_sql(rows)}")
        con.execute("CHECKPOINT")
        (made,) = protect(database)
        same = "SELECT * EXCLUDE (id) FROM t"  # the ten columns that the view has
        copies = side_by_side(
            plain=lambda: con.execute(f"CREATE OR REPLACE TABLE copy AS {same}"),
            view=lambda: con.execute("CREATE OR REPLACE TABLE by_view AS FROM v"),
        )
        plain, view = copies["plain"], copies["view"]
        found = [line(rows, "perturbed copy of 10 columns", "plain copy", view, plain)]
        prefix = "'" + "k" * 32 + ":bits 0:'"
        sha = timed(lambda: query(con, f"SELECT sum(length(sha256({prefix} || id))) FROM t"))
        found.append(line(rows, "one SHA-256 per record, no more", "plain copy", sha, plain))
        for name, sql in (
            ("category", "SELECT count(*) FROM {} WHERE c2 = 'value 3'"),
            ("number", "SELECT sum(n2) FROM {}"),
        ):
            through, raw = (timed(partial(query, con, sql.format(t))) for t in ("v", "t"))
            found.append(line(rows, f"one {name} through the view", "raw column", through, raw))
        if full:
            peer = timed(lambda: in_numpy(con))
            same_distribution(con)
            found.append(line(rows, "numpy/pandas, unkeyed draws", "the view's copy", peer, view))
            subkey = read_secret("keyfile", database.path).subkey("t")
            peer = timed(lambda: in_numpy_by_key(con, made.plan, subkey), repeat=1)
            same_values(con, rows)
            found.append(line(rows, "numpy/pandas, the view's draws", "the view's copy", peer, view))
        return found, view.clock


def fit_vicus(folder: Path, rows: int) -> list[list[str]]:
    """Fit VICUS on twenty categories, against plain scans of them and against a copy."""
    names = [f"w{n}" for n in range(20)]
    with sdcdb.open(folder / f"vicus{rows}.duckdb", create=True) as database:
        con = database.con
        con.execute("SET enable_progress_bar = false")
        words = [f"'v' || ((m >> {6 * n}) & 63)::INTEGER % {5 + n % 8} AS w{n}" for n in range(20)]
        source = f"(SELECT i, md5_number(i::VARCHAR) AS m FROM range({rows}) t(i))"
        con.execute(f"CREATE TABLE t AS SELECT i AS id, {', '.join(words)} FROM {source}")
        con.execute("CHECKPOINT")
        lengths = ", ".join(f"sum(length({n}))" for n in names)
        times = {
            "scan of them in the engine": timed(lambda: query(con, f"SELECT {lengths} FROM t")),
            "scan of them into Python": timed(lambda: delivered(con, f"SELECT {', '.join(names)} FROM t")),
            "plain copy": timed(lambda: con.execute("CREATE OR REPLACE TABLE copy AS FROM t")),
        }
        fit = timed(lambda: vicus(database, names), repeat=2)  # the first loads numba and pandas
    return [line(rows, "fitting VICUS on 20 columns", what, fit, spent) for what, spent in times.items()]


def peak(rows: int) -> float:
    """Return the peak memory, in MiB, of a process of its own that fits and copies, with DuckDB held to 1 GB."""
    done = subprocess.run(
        [sys.executable, __file__, "--rows", str(rows), "--memory"], check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def fit_and_copy(folder: Path, rows: int) -> float:
    """Create the view, copy it to a file, and return this process's peak memory in MiB."""
    with sdcdb.open(folder / "memory.duckdb", policy(), create=True) as database:
        con = database.con
        con.execute("SET enable_progress_bar = false; SET memory_limit = '1GB'")
        con.execute(f"CREATE TABLE t AS {table_sql(rows)}")
        protect(database)
        con.execute("CREATE TABLE by_view AS FROM v")
    # Not getrusage: its peak is inherited from the process that started this one.
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def growth(small: list[list[str]], large: list[list[str]], seconds: list[float]) -> list[str]:
    """Say how the time of the copy grows, and the memory."""
    rows = [int(found[0][0].replace(",", "")) for found in (small, large)]
    power = np.log(seconds[1] / seconds[0]) / np.log(rows[1] / rows[0])
    times = f"{seconds[1] / seconds[0]:.1f} times as long"
    return [
        f"From {rows[0]:,} to {rows[1]:,} rows the perturbed copy takes {times}: it grows like n^{power:.2f}.",
        "Peak memory of a process that fits the view and copies it, DuckDB held to 1 GB: "
        + " and ".join(f"{peak(n):.0f} MiB at {n:,} rows" for n in rows)
        + ". Python itself holds nothing of the table.",
    ]


def vicus(database: Database, names: list[str]) -> None:
    """Create a view of twenty columns perturbed by VICUS."""
    columns = {"id": "identifier"} | dict.fromkeys(names, "quasi")
    view = {"secret": "keyfile", "columns": {name: {"method": "vicus", "k1": 5, "k2": 20} for name in names}}
    asked = {"version": 1, "tables": {"t": {"key": "id", "columns": columns, "protect": {"v": view}}}}
    protect(Database(database.path, database.con, Policy.model_validate(asked)))


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--no-record", action="store_true")
    parser.add_argument("--memory", action="store_true", help="only print the peak memory of fitting and copying")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        if given.memory:
            print(fit_and_copy(Path(name), given.rows))
            return
        small, first = measure(Path(name), given.rows // 10, full=False)
        large, second = measure(Path(name), given.rows, full=True)
        fitted = fit_vicus(Path(name), given.rows)
    grown = growth(small, large, [first, second])
    print("\n".join(grown))
    if not given.no_record:
        columns = ["rows", "what", "against", "time", "time of the other", "ratio", "ratio of processor time"]
        notes = [
            "Marks: a perturbed copy at most 3.3 plain copies in processor time; numpy at least 3 times slower.",
            "And fitting at most 20 scans.",
            "Times by the clock are those of a shared machine; processor time, over all threads, feels that less.",
            "Copies take turns, the best of four tries; numpy has two with its own draws, and one with the view's.",
            "With its own draws numpy's result agrees in shares and moments within five standard errors.",
            "With the view's draws it is the view's result, record by record.",
        ]
        record("views", columns, [*small, *large, *fitted], [*notes, *grown])


if __name__ == "__main__":
    main()
