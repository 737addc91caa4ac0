"""The same GROUP BY question through the gateway and through what a user would otherwise pick, in one run.

    python benchmarks/gateway_peers.py [--rows 100000] [--install]

Each peer runs in an environment of its own, with a pinned version, under ~/.cache/sdcdb-peers; `--install` makes them.
A peer that is not there is skipped with a word. They do different things: smartnoise-sql and Qrlew add noise, ACRO
checks one table for itself; the gateway answers exactly and audits the whole history. Compared is how long one waits.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from record import record
from staff_policy import policy

import sdcdb
from sdcdb.datasets.creation import create

PEERS = {
    "smartnoise-sql": ("1.0.10", "smartnoise.py"),
    "pyqrlew": ("0.9.27", "qrlew.py"),
    "acro": ("1.0.2", "acro_tables.py"),
}
BESIDE = {"pyqrlew": ("duckdb==2.0.0", "pandas==2.3.3")}  # what a peer's script needs besides
HOME = Path.home() / ".cache" / "sdcdb-peers"
HERE = Path(__file__).parent
TIMES = 9


def ours(path: Path) -> list[float]:
    """Ask departments' counts and means, a different range each time: a repeated question would be free."""
    times = []
    with sdcdb.open(path, policy(), read_only=True) as db, db.gateway() as gateway:
        for n in range(TIMES):
            start = time.perf_counter()
            sql = f"SELECT dept, COUNT(*) AS n, AVG(salary) AS mean FROM staff WHERE age >= {18 + 2 * n} GROUP BY dept"
            assert len(gateway.ask(sql)) == 10
            times.append(time.perf_counter() - start)
    return times


def theirs(name: str, data: Path, *, install: bool) -> list[float] | None:
    """Run a peer's script in its own environment."""
    version, script = PEERS[name]
    python = HOME / f"{name}-{version}" / "bin" / "python"
    if install and not python.exists():
        venv.create(python.parents[1], with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"{name}=={version}", *BESIDE.get(name, ())], check=True)
    if not python.exists():
        print(f"{name} is not installed: run with --install", file=sys.stderr)
        return None
    done = subprocess.run(
        [python, HERE / "peers" / script, data, str(TIMES)], capture_output=True, text=True, check=False
    )
    times = [float(line) for line in done.stdout.splitlines() if line.replace(".", "").replace("e-", "").isdigit()]
    if done.returncode or not times:
        print(f"{name} did not run: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--install", action="store_true")
    given = parser.parse_args()
    table = []
    with tempfile.TemporaryDirectory() as folder:
        path, data = Path(folder) / "staff.duckdb", Path(folder) / "staff.csv"
        with sdcdb.open(path, create=True) as new:
            create(new.con, "staff", given.rows, seed=1)
            new.con.execute(f"COPY staff TO '{data}'")
        mine = ours(path)
        table.append(["sdcdb", f"{statistics.median(mine) * 1e3:.1f} ms", f"{mine[0] * 1e3:.0f} ms", "1"])
        for name, (version, _) in PEERS.items():
            times = theirs(name, data, install=given.install)
            if times is None:
                table.append([f"{name} {version}", "not installed", "", ""])
            else:
                ratio = statistics.median(times) / statistics.median(mine)
                shown = f"{statistics.median(times) * 1e3:.1f} ms"
                table.append([f"{name} {version}", shown, f"{times[0] * 1e3:.0f} ms", f"{ratio:.1f}"])
    record(
        "gateway_peers",
        ["system", "a question, median", "the first question", "times as long as sdcdb"],
        table,
        [
            f"{given.rows:,} records, counts and means of ten departments, {TIMES} questions each, one by one.",
            "smartnoise-sql and Qrlew answer with noise, ACRO checks one table; sdcdb audits all answers together.",
        ],
    )


if __name__ == "__main__":
    main()
