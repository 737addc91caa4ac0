"""Who waits for whom: a user's own statements, decisions on one table, and nobody else."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sdcdb.errors import Denied
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.table_locks import TableLocks
from sdcdb.gateway.turns import Turns


def test_a_user_waits_for_their_own_turn_and_nobody_else_does() -> None:
    turns, handle, order = Turns(1, 1), Cancellation(), list[str]()
    go = threading.Event()

    def ask(user: str) -> None:
        with turns.turn(user, Cancellation()):
            order.append(user)
            if user == "ann" and order.count("ann") == 1:
                go.wait(30)

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(ask, "ann")
        while not order:
            time.sleep(0.01)
        second = threads.submit(ask, "ann")
        while not turns._waiting:
            time.sleep(0.01)
        with pytest.raises(Denied) as refusal, turns.turn("ann", handle):
            pass
        assert refusal.value.rule == "busy"
        threads.submit(ask, "bob").result(30)
        assert order == ["ann", "bob"]
        go.set()
        first.result(30)
        second.result(30)
    assert order == ["ann", "bob", "ann"]
    assert not turns._at_work
    assert not turns._waiting


def test_whoever_waits_can_be_cancelled() -> None:
    turns, locks, handle = Turns(1, 5), TableLocks(), Cancellation()

    def wait_for_turn() -> None:
        with turns.turn("ann", handle):
            pass

    def wait_for_table() -> None:
        with locks.holding(["staff"], "ann", handle):
            pass

    with ThreadPoolExecutor(2) as threads, turns.turn("ann", Cancellation()), locks.holding(["staff"], "bob"):
        waiting = [threads.submit(wait_for_turn), threads.submit(wait_for_table)]
        while not (turns._waiting and locks._waiting):
            time.sleep(0.01)
        handle.cancel()
        ended = [each.exception(30) for each in waiting]
    assert [each.rule for each in ended if isinstance(each, Denied)] == ["cancelled", "cancelled"]
    with locks.holding(["staff", "payroll"], "ann"):
        pass


def test_of_those_who_wait_for_a_table_the_one_goes_first_who_took_least() -> None:
    locks, order = TableLocks(), list[str]()
    locks._used["mallory"] = (1000.0, time.monotonic())

    def decide(user: str) -> None:
        with locks.holding(["staff", "payroll"], user):
            order.append(user)

    with ThreadPoolExecutor(2) as threads, locks.holding(["payroll"], "carol"):
        threads.submit(decide, "mallory")
        while len(locks._waiting) < 1:
            time.sleep(0.01)
        threads.submit(decide, "ann")
        while len(locks._waiting) < 2:
            time.sleep(0.01)
        with locks.holding(["other"], "bob"):  # another table does not wait
            order.append("bob")
    assert order == ["bob", "ann", "mallory"]
