"""Many users at once: two questions that are safe apart and unsafe together are never both answered."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from support import victims
from support.attacker import Equations

from sdcdb.errors import Denied
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.gateway import Gateway

PAIRS = [
    ("sex = 'F'", "sex = 'F' AND age < 70"),
    ("true", "dept <> 'Works'"),
    ("age >= 50", "age BETWEEN 50 AND 69"),
    ("dept IN ('Sales', 'Works')", "dept = 'Sales'"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return victims.create(tmp_path / "staff.duckdb", rows=100)


def ask(gateway: Gateway, predicate: str, user: str, gate: threading.Barrier) -> bool:
    gate.wait(60)
    try:
        gateway.ask(f"SELECT SUM(salary) FROM staff WHERE {predicate}", user=user)
    except Denied:
        return False
    return True


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[1])
def test_two_halves_of_a_tracker_asked_at_once_are_never_both_answered(path: Path, pair: tuple[str, str]) -> None:
    with duckdb.connect(str(path)) as con:
        a, b = (con.execute(f"SELECT SUM(salary) FROM staff WHERE {p}").fetchone() for p in pair)
        victim = con.execute("SELECT salary FROM staff WHERE age = 70").fetchone()
    assert a
    assert b
    assert victim == (a[0] - b[0],)
    gate = threading.Barrier(8)
    with victims.gateway(path) as gateway, ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(ask, gateway, pair[n % 2], f"user{n}", gate) for n in range(8)]
        answered = {pair[n % 2] for n, future in enumerate(asked) if future.result(60)}
    assert len(answered) <= 1


def test_a_crowd_gets_right_answers_and_nobody_gets_another_s(path: Path) -> None:
    """Eight threads with questions of all kinds; every answer is what plain DuckDB says."""
    questions = [
        "SELECT COUNT(*) FROM staff",
        "SELECT sex, COUNT(*) FROM staff GROUP BY sex ORDER BY sex",
        "SELECT SUM(salary) FROM staff WHERE age < 60",
        "SELECT dept, campus FROM dept_dim ORDER BY ALL",
        "SELECT campus, COUNT(*) FROM staff JOIN dept_dim USING (dept) WHERE campus = 'Hill' GROUP BY ALL",
        "SELECT AVG(age), COUNT(DISTINCT dept) FROM staff WHERE sex = 'M'",
        "PIVOT dept_dim ON campus USING count(*) ORDER BY ALL",
    ]
    with duckdb.connect(str(path)) as con:
        truth = {sql: con.execute(sql).fetchall() for sql in questions}
    with victims.gateway(path) as gateway, ThreadPoolExecutor(8) as threads:
        turns = [questions[n % len(questions)] for n in range(12 * len(questions))]
        found = list(threads.map(lambda sql: list(gateway.ask(sql).rows), turns))
    assert found == [truth[sql] for sql in turns]


def test_a_crowd_of_attackers_gets_what_one_gets(path: Path) -> None:
    """Sliding windows from eight threads in any order: the same rules hold, so nobody is alone in a difference."""
    sets: list[tuple[str, int]] = []
    predicates = [f"age BETWEEN {low} AND {low + width}" for width in (6, 7) for low in range(25, 60)]

    def slide(number: int) -> None:
        for predicate in predicates[number::8]:
            try:
                answer = gateway.ask(f"SELECT SUM(salary) FROM staff WHERE {predicate}", user=f"user{number}")
                sets.append((predicate, int(answer.rows[0][0])))
            except Denied:
                pass

    with victims.gateway(path) as gateway, ThreadPoolExecutor(8) as threads:
        list(threads.map(slide, range(8)))
    with duckdb.connect(str(path)) as con:
        equations = Equations([row[0] for row in con.execute("SELECT id FROM staff").fetchall()])
        for predicate, total in sets:
            equations.add([row[0] for row in con.execute(f"SELECT id FROM staff WHERE {predicate}").fetchall()], total)
    assert sets
    assert equations.solved() == {}


def test_a_statement_that_is_interrupted_ends_with_a_denial_and_the_gateway_goes_on(path: Path) -> None:
    long = "SELECT SUM(a.range * b.range) FROM range(3000000) a, range(3000000) b WHERE a.range % 7 = b.range % 11"
    with victims.gateway(path) as gateway, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(gateway.ask, long)
        while not asked.done():
            gateway.interrupt()
            time.sleep(0.01)
        with pytest.raises(Denied) as refusal:
            asked.result()
        assert refusal.value.rule == "cancelled"
        assert gateway.ask("SELECT COUNT(*) FROM staff").rows == ((100,),)


def test_one_statement_is_cancelled_and_the_one_beside_it_is_not(path: Path) -> None:
    long = "SELECT COUNT(*) FROM range(200000) a, range(200000) b WHERE a.range % 7 = b.range % 11"
    handle = Cancellation()
    with victims.gateway(path) as gateway, ThreadPoolExecutor(2) as threads:
        asked = threads.submit(gateway.ask, long, None, "ann", cancellation=handle)
        beside = threads.submit(gateway.ask, "SELECT COUNT(*) FROM range(3000) a, range(3000) b", None, "bob")
        time.sleep(0.05)
        handle.cancel()
        with pytest.raises(Denied) as refusal:
            asked.result(60)
        assert refusal.value.rule == "cancelled"
        assert beside.result(60).rows == ((9_000_000,),)
        with pytest.raises(Denied, match="cancelled"):
            gateway.ask("SELECT COUNT(*) FROM staff", cancellation=handle)
