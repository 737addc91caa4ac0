"""Two processes that ask at once: where only one of two answers may be given, never both are."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import pytest
from support.command import run, warm_folder
from support.staff_policy import staff_policy

from sdcdb.gateway.ledger.entry import QuestionEntry, entries
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.ledger.read import records

POLICY = staff_policy((10_000, 250_000), "min_set: 5", quasi=("sex", "age", "dept"), public="places")
ROUNDS = 6
# In every department one person is the only one of 70.
ROWS = f"""
    CREATE TABLE staff AS
    SELECT i AS id, 'Person ' || i AS name, if(i % 2 = 0, 'F', 'M') AS sex,
        if(i // {ROUNDS} = 3, 70, 20 + i // {ROUNDS} % 5) AS age, 'D' || i % {ROUNDS} AS dept,
        (40000 + (i * 7919) % 90000)::INTEGER AS salary
    FROM range({30 * ROUNDS}) t(i);
    CREATE TABLE places AS SELECT 'D0' AS dept, 'Kiel' AS place;
"""


class Shell:
    """A shell in a process of its own, held open."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = 0

    def send(self, statement: str) -> None:
        """Send a statement, and behind it a word that is no command, whose error marks the end of what it says."""
        assert self._process.stdin is not None
        self._asked += 1
        self._process.stdin.write(f"{statement};\n\\end{self._asked}\n")
        self._process.stdin.flush()

    def said(self) -> str:
        """Return what came of it."""
        assert self._process.stdout is not None
        lines: list[str] = []
        while not lines or f"\\end{self._asked}'" not in lines[-1]:
            lines.append(self._process.stdout.readline())
            assert lines[-1], f"the shell has ended: {lines}"
        return "".join(lines[:-1])


@contextmanager
def opened(db: Path, user: str) -> Iterator[Shell]:
    command = [str(warm_folder() / "bin" / "sdcdb"), "shell", str(db), "-u", user]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, **pipes) as process:  # type: ignore[call-overload]
        yield Shell(process)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    file = tmp_path / "staff.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(ROWS)
    (tmp_path / "staff.policy.yaml").write_text(POLICY, encoding="utf-8")
    return file


def pair(dept: int) -> tuple[str, str]:
    """Return two questions whose answers differ by one person's salary."""
    whole = f"SELECT SUM(salary) AS total FROM staff WHERE dept = 'D{dept}'"
    return whole, f"{whole} AND age < 70"


def answered(db: Path) -> list[str]:
    found = entries(records(ledger_path(db)))
    return [entry.sql for entry in found if isinstance(entry, QuestionEntry) and entry.verdict == "allow"]


def test_of_two_shells_that_ask_at_once_only_one_is_answered(db: Path) -> None:
    with ExitStack() as stack:
        shells = [stack.enter_context(opened(db, user)) for user in ("ann", "bob")]
        for dept in range(ROUNDS):
            questions = pair(dept)[:: 1 if dept % 2 else -1]
            for shell, sql in zip(shells, questions, strict=True):
                shell.send(sql)
            said = [shell.said() for shell in shells]
            assert sorted("denied" in each for each in said) == [False, True], said
    assert len(answered(db)) == ROUNDS
    run("ledger", "verify", db, cwd=db.parent)


def test_what_one_process_was_told_counts_in_all_others(db: Path) -> None:
    whole, without = pair(0)
    with opened(db, "ann") as shell:
        shell.send("SELECT COUNT(*) FROM staff")
        assert str(30 * ROUNDS) in shell.said()
        assert "total" in run("ask", db, whole, "-u", "bob", cwd=db.parent).stdout
        assert "bob" in run("status", db, cwd=db.parent).stdout
        shell.send(without)
        assert "denied" in shell.said()
        other, less = pair(1)
        shell.send(other)
        assert "total" in shell.said()
        assert "denied" in run("ask", db, less, "-u", "bob", cwd=db.parent, code=1).stderr
    assert without not in answered(db)
    assert less not in answered(db)


def test_a_ledger_that_was_put_back_meanwhile_is_noticed(db: Path) -> None:
    with opened(db, "ann") as shell:
        shell.send(pair(0)[0])
        assert "total" in shell.said()
        before = {file: file.read_bytes() for file in db.parent.glob("staff.ledger*") if file.is_file()}
        run("ask", db, pair(1)[0], "-u", "bob", cwd=db.parent)
        for file, held in before.items():
            file.write_bytes(held)
        shell.send(pair(1)[1])
        assert "earlier or changed state" in shell.said()
