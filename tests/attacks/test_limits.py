"""Statements that take too much: each ends in a denial by the right rule, and the next honest question is answered."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support import victims

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.reading.lexical import MOST_CHARACTERS

LIMITS = """
resources: {seconds: 1, memory: 150MB, result: 4MB, workers: 3, per_user: 2, queue: 3}
"""
HONEST = [
    ("SELECT COUNT(*) FROM staff", ((240,),)),
    ("SELECT COUNT(*) FROM dept_dim", ((6,),)),
]
TOO_MUCH = {
    "a text that fills the memory": ("SELECT repeat('x', 3000000000)", {"memory"}),
    "texts put together": ("SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(2000)", {"memory"}),
    "a list without end": ("SELECT len(list(range)) FROM range(1000000000)", {"memory", "time"}),
    "a sort that would go to disk": (
        "SELECT max(b) FROM (SELECT row_number() OVER (ORDER BY md5(range::VARCHAR)) AS b FROM range(50000000))",
        {"memory", "time"},
    ),
    "recursion without end": (
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT COUNT(*) FROM r",
        {"time", "memory"},
    ),
    "a scalar function that hears no interrupt": (
        "SELECT list_reduce(range(30000000), lambda a, b: (a * 31 + b) % 1000003)",
        {"time", "memory"},
    ),
    "a sum that takes an hour": ("SELECT sum(sin(range)) FROM range(100000000000)", {"time"}),
    "a pattern over a long text": (
        "SELECT count(*) FROM range(1000000) WHERE regexp_matches(repeat('ab', 100000) || range, '(a|b|ab)*(a|b)*c')",
        {"time"},
    ),
    "a cross join": ("SELECT COUNT(*) FROM range(1000000) a, range(1000000) b", {"joins"}),
    "a join by inequality": (
        "SELECT COUNT(*) FROM range(500000) a JOIN range(500000) b ON a.range <> b.range",
        {"joins"},
    ),
    "a result of too many bytes": ("SELECT repeat('x', 10000) FROM range(5000)", {"result", "time"}),
    "a result of too many rows": ("SELECT NULL FROM range(3000000)", {"rows", "time"}),
    "thousands of columns of text": (
        f"SELECT {', '.join(f'repeat(chr(65), 900) AS c{n}' for n in range(2500))} FROM range(10)",
        {"result", "time"},
    ),
    "deep nesting": (f"SELECT COUNT(*) FROM staff WHERE {'(' * 5000}true{')' * 5000}", {"shape"}),
    "too long a statement": (f"SELECT '{'x' * MOST_CHARACTERS}'", {"shape"}),
    "a file": ("SELECT * FROM read_text('/etc/passwd')", {"error"}),
    "released numbers made long": (
        "SELECT repeat('x', CAST(COUNT(*) * 100000 AS BIGINT)) FROM staff",
        {"result", "time"},
    ),
    "released numbers in a long function": (
        "SELECT list_sum(list_transform(range(CAST(COUNT(*) AS BIGINT) * 1000000), lambda x: sin(x))) FROM staff",
        {"time", "memory"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    path = victims.create(tmp_path_factory.mktemp("limits") / "staff.duckdb")
    rules = victims.policy(path.with_suffix(".policy.yaml"))
    rules.write_text(rules.read_text("utf-8") + LIMITS, "utf-8")
    with sdcdb.open(path, policy=rules) as db, db.gateway() as found:
        yield found


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_statement_that_takes_too_much_is_denied_and_the_next_is_answered(gateway: Gateway, name: str) -> None:
    sql, rules = TOO_MUCH[name]
    with pytest.raises(Denied) as refusal:
        gateway.ask(sql, user="mallory")
    assert refusal.value.rule in rules
    for honest, rows in HONEST:
        assert gateway.ask(honest, user="ann").rows == rows


def test_ten_thousand_columns_are_answered_or_take_too_long(gateway: Gateway) -> None:
    try:
        fine = len(gateway.ask(f"SELECT {', '.join('1' for _ in range(10_000))}", user="ann").columns) == 10_000
    except Denied as refusal:
        fine = refusal.rule == "time"
    assert fine


def test_one_user_s_statements_wait_for_each_other_and_nobody_else_s_do(gateway: Gateway) -> None:
    endless, handle = "SELECT sum(sin(range)) FROM range(100000000000)", Cancellation()
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(gateway.ask, endless, None, "mallory", cancellation=handle) for _ in range(5)]
        while gateway._turns._waiting.get("mallory") != 3:
            time.sleep(0.02)
        with pytest.raises(Denied) as refusal:
            gateway.ask("SELECT 1", user="mallory")
        assert refusal.value.rule == "busy"
        for honest, rows in HONEST:
            assert gateway.ask(honest, user="ann").rows == rows
        assert not all(each.done() for each in asked)
        handle.cancel()
        ended = [each.exception(30) for each in asked]
    assert {each.rule for each in ended if isinstance(each, Denied)} <= {"cancelled", "time"}
    assert gateway.ask("SELECT 1", user="mallory").rows == ((1,),)


def test_what_a_worker_sends_is_never_run(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    import pickle

    from sdcdb.gateway.workers import process, wire

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.system, ("echo never",)

    for value in (Evil(), [(Evil(),)], getattr, pickle.Unpickler, Path("/")):
        with pytest.raises(pickle.UnpicklingError):
            wire.plain(wire.packed(value))
    monkeypatch.setattr(process, "plain", lambda body: wire.plain(wire.packed([(Evil(),)]) if body else body))
    with pytest.raises(Denied):
        gateway.ask("SELECT COUNT(*) FROM dept_dim", user="ann")


def alive(pids: list[int]) -> list[int]:
    def lives(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    return [pid for pid in pids if lives(pid)]


def gone(pids: list[int]) -> bool:
    until = time.monotonic() + 60
    while alive(pids) and time.monotonic() < until:
        time.sleep(0.02)
    return not alive(pids)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_closing_ends_workers_that_are_busy(tmp_path: Path) -> None:
    with victims.gateway(victims.create(tmp_path / "staff.duckdb")) as gateway, ThreadPoolExecutor(2) as threads:
        gateway.ask("SELECT COUNT(*) FROM dept_dim")
        busy = threads.submit(gateway.ask, "SELECT sum(sin(range)) FROM range(100000000000)")
        time.sleep(0.3)
        pids = gateway.workers
        assert pids
        assert alive(pids) == pids
        gateway.close()
        assert isinstance(busy.exception(30), Denied)
        assert gone(pids)


KILLED = """
import sys, threading, sdcdb
db = sdcdb.open(sys.argv[1], policy=sys.argv[2])
gateway = db.gateway()
gateway.ask("SELECT COUNT(*) FROM dept_dim")
threading.Thread(target=gateway.ask, args=("SELECT sum(sin(range)) FROM range(100000000000)",), daemon=True).start()
threading.Event().wait(0.3)
print(gateway._lobby.folder, *gateway.workers, flush=True)
threading.Event().wait()
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_gateway_that_is_killed_leaves_no_worker_and_no_copy(tmp_path: Path) -> None:
    path = victims.create(tmp_path / "staff.duckdb")
    command = [sys.executable, "-c", KILLED, str(path), str(victims.policy(path.with_suffix(".policy.yaml")))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder, *pids = process.stdout.readline().split()
        assert alive([int(pid) for pid in pids])
        assert Path(folder).stat().st_mode & 0o077 == 0
        process.kill()
    assert gone([int(pid) for pid in pids])
    until = time.monotonic() + 60
    while Path(folder).exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not Path(folder).exists()


def test_a_worker_sees_no_secret_of_the_environment(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gateway.ask("SELECT COUNT(*) FROM dept_dim").rows
    if not Path("/proc/self/environ").exists():
        pytest.skip("needs /proc")
    monkeypatch.setenv("SDCDB_SECRET_OF_A_VIEW", "never seen")
    with pytest.raises(Denied):  # the worker that runs this is ended, and the next one starts with that environment
        gateway.ask("SELECT sum(sin(range)) FROM range(100000000000)")
    assert gateway.ask("SELECT COUNT(*) FROM dept_dim").rows
    for pid in gateway.workers:
        assert b"SDCDB_SECRET" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_decisions_on_one_table_do_not_wait_for_another(gateway: Gateway) -> None:
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        with gateway._assessor.locks.holding(["another"], "mallory"):
            held.set()
            go.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    try:
        assert gateway.ask("SELECT AVG(age) FROM staff", user="ann").rows
    finally:
        go.set()
        thread.join()
