"""What a command loads: the large libraries only where they are needed, as each takes a while."""

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from support.staff_policy import staff_policy

LARGE = ("numpy", "duckdb", "sqlglot", "pyarrow", "numba", "pandas", "scipy.linalg", "scipy.optimize", "scipy.stats",
         "sklearn", "altair", "highspy", "prompt_toolkit", "starlette")  # fmt: skip
# Runs a command as `sdcdb` does, in a process that nothing was loaded into, and says what is there at its end.
LISTING = f"""
import json, runpy, sys
try:
    runpy.run_module("sdcdb", run_name="__main__", alter_sys=True)
except SystemExit as end:
    code = end.code or 0
print(json.dumps([code, [name for name in {LARGE!r} if name in sys.modules]]), file=sys.stderr)
"""
READING = ("numpy", "duckdb", "sqlglot")
DECIDING = (*READING, "pyarrow")


def loaded(*arguments: str, cwd: Path) -> tuple[int, list[str]]:
    """Return how the command ends, and what it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", LISTING, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    code, found = json.loads(done.stderr.splitlines()[-1])
    return code, found


POLICY = staff_policy((10_000, 250_000), "min_set: 5", quasi=("sex", "age", "dept"), public="places")
ROWS = """
    CREATE TABLE staff AS
    SELECT i AS id, 'Person ' || i AS name, if(i % 2 = 0, 'F', 'M') AS sex, 20 + i % 5 AS age,
        'IT' AS dept, i + 40000 AS salary
    FROM range(60) t(i);
    CREATE TABLE places AS SELECT 'IT' AS dept, 'Kiel' AS place;
"""
ASKING = ("ask", "staff.duckdb", "SELECT SUM(salary) FROM staff WHERE sex = 'F'", "-u", "ann")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [(("--help",), ()), (("check", "staff.duckdb"), READING), (ASKING, DECIDING)],
    ids=["help", "check", "ask"],
)
def test_a_command_loads_only_what_it_needs(
    tmp_path: Path, arguments: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    with duckdb.connect(str(tmp_path / "staff.duckdb")) as con:
        con.execute(ROWS)
    (tmp_path / "staff.policy.yaml").write_text(POLICY, encoding="utf-8")
    done, found = loaded(*arguments, cwd=tmp_path)
    assert done == 0
    assert found == list(expected)
