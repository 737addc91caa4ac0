"""The people that the attacks are after: a table whose secrets are easy to recognise wherever they turn up.

Salaries are distinct primes of six digits, names and record keys carry a marker, and the key of the protected view is
a word of its own. Whatever an attacker gets to see is searched for them.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import sdcdb
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.gateway import Gateway
from support.staff_policy import staff_policy

LOW, HIGH = 100_000, 250_000
MARKER = "Zq"  # in every name
DEPTS = ("Finance", "Legal", "Research", "Sales", "Support", "Works")
CAMPUS = {"Finance": "Hill", "Legal": "Hill", "Research": "Hill", "Sales": "River", "Support": "River", "Works": "Dock"}
COLUMNS = ("id", "name", "sex", "age", "dept", "education", "salary")
EDUCATION = ("School", "Bachelor", "Master", "Doctorate")

# Put in place of the public table at the end of the policy: a protected view beside.
PROTECT = """\
    protect:
      staff_public:
        secret: env:SDCDB_ATTACKED
        columns:
          salary: {method: normal, sd: 10%, boundary: reflect}
"""


def policy(
    path: Path,
    *,
    pool: str = "all",
    groups: str = "merge",
    aggregates: str = "count, sum, avg",
    protect: bool = False,
) -> Path:
    """Write the policy to a file, with a protected view if one is wanted."""
    limits = "min_set: 5, min_interval: 10%, min_h0: 1.0"
    text = staff_policy((LOW, HIGH), f"{limits}, aggregates: [{aggregates}], pool: {pool}, groups: {groups}")
    if protect:
        text = text.replace("  dept_dim: public\n", f"{PROTECT}  dept_dim: public\n")
    path.write_text(text, encoding="utf-8")
    return path


@cache
def salaries(rows: int, seed: int) -> list[int]:
    """Draw distinct primes from the domain."""
    sieve = np.ones(HIGH + 1, dtype=bool)
    sieve[:2] = False
    for number in range(2, int(HIGH**0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = False
    primes = np.flatnonzero(sieve)
    primes = primes[primes >= LOW]
    return [int(p) for p in np.random.default_rng(seed).choice(primes, rows, replace=False)]


def people(rows: int, seed: int = 1) -> list[tuple[Any, ...]]:
    """Make records: id, name, sex, age, dept, education, salary. The first is alone in being 70 and in Works."""
    rng = np.random.default_rng(seed)
    found: list[tuple[Any, ...]] = []
    for number, salary in enumerate(salaries(rows, seed)):
        sex, dept = "FM"[rng.integers(2)], DEPTS[rng.integers(5)]
        education, age = EDUCATION[rng.integers(4)], int(rng.integers(25, 65))
        if number == 0:
            dept, age, sex, education = "Works", 70, "F", "Doctorate"
        found.append((771_000_000 + 7 * number, f"{MARKER}{number:05d}q", sex, age, dept, education, salary))
    return found


def fill(con: duckdb.DuckDBPyConnection, rows: Iterable[tuple[Any, ...]]) -> None:
    """Create the tables."""
    con.execute(
        "CREATE TABLE staff (id INTEGER, name VARCHAR, sex VARCHAR, age INTEGER, dept VARCHAR, education VARCHAR, "
        "salary INTEGER)"
    )
    columns = zip(*rows, strict=True)
    held = pa.table(dict(zip(COLUMNS, (pa.array(values) for values in columns), strict=True)))
    con.register("held", held)
    con.execute("INSERT INTO staff SELECT * FROM held")
    con.unregister("held")
    con.execute("CREATE TABLE dept_dim (dept VARCHAR, campus VARCHAR)")
    listed = ", ".join(f"('{dept}', '{campus}')" for dept, campus in CAMPUS.items())
    con.execute(f"INSERT INTO dept_dim VALUES {listed}")


def create(path: Path, rows: int = 240, seed: int = 1) -> Path:
    """Create a database file of so many people."""
    path.write_bytes(_file(rows, seed))
    return path


@cache
def _file(rows: int, seed: int) -> bytes:
    """Return the bytes of such a file: many tests begin with the same one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "staff.duckdb"
        with duckdb.connect(str(path)) as con:
            fill(con, people(rows, seed))
        return path.read_bytes()


@contextmanager
def gateway(path: Path, **policy_options: Any) -> Iterator[Gateway]:
    """Open a gateway to a database file, with a policy written beside it."""
    rules = policy(path.with_suffix(".policy.yaml"), **policy_options)
    with sdcdb.open(path, policy=rules) as db, db.gateway() as gw:
        yield gw


class Secrets:
    """What must never be seen, and a way to look for it."""

    def __init__(self, rows: Iterable[tuple[Any, ...]], *words: str) -> None:
        held = list(rows)
        self.salaries = {row[6] for row in held if row[6] is not None}
        self.ids = {row[0] for row in held}
        self.words = words

    def in_text(self, text: str) -> list[str]:
        """Return the secrets that a text shows."""
        found = re.findall(rf"{MARKER}[0-9]{{5}}q", text) + [word for word in self.words if word in text]
        numbers = {int(n) for n in re.findall(r"(?<![0-9A-Za-z.])[0-9]{6,9}(?![0-9A-Za-z])", text)}
        return found + [str(n) for n in sorted(numbers & (self.salaries | self.ids))]

    def in_value(self, value: Any) -> list[str]:
        """Return the secrets that a value shows, whatever it is made of."""
        if isinstance(value, dict):
            return [hit for pair in value.items() for each in pair for hit in self.in_value(each)]
        if isinstance(value, list | tuple | set):
            return [hit for each in value for hit in self.in_value(each)]
        return self.in_text(str(value))

    def in_answer(self, answer: Answer) -> list[str]:
        """Return the secrets that an answer shows: in its rows, its columns' names or its verdict."""
        return self.in_value(answer.rows) + self.in_value(answer.columns) + self.in_text(repr(answer.verdict))

    def in_error(self, problem: BaseException) -> list[str]:
        """Return the secrets that an error's words show."""
        return self.in_text(str(problem)) + self.in_text(repr(vars(problem)))
