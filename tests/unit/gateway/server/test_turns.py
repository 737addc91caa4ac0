"""Turns: nobody's many statements hold up somebody else's one."""

import threading

import pytest

from sdcdb.gateway.server.turns import Busy, Turns


def test_one_user_s_statements_leave_room_for_others() -> None:
    turns = Turns(threads=3, per_user=2, most_waiting=100)
    block = threading.Event()
    slow = [turns.submit("greedy", lambda: block.wait(10)) for _ in range(20)]
    assert turns.submit("other", lambda: "answered").result(5) == "answered"
    assert (turns.running, turns.waiting) == (2, 18)
    block.set()
    assert all(each.result(10) for each in slow)
    turns.close()


def test_a_line_that_is_too_long_is_refused() -> None:
    turns = Turns(threads=1, per_user=1, most_waiting=2)
    block = threading.Event()
    taken = [turns.submit("ann", lambda: block.wait(10)) for _ in range(3)]
    with pytest.raises(Busy, match="try again"):
        turns.submit("ann", lambda: True)
    block.set()
    assert all(each.result(10) for each in taken)
    turns.close()


def test_a_failure_reaches_whoever_waits_and_frees_the_thread() -> None:
    turns = Turns(threads=1, per_user=1, most_waiting=9)
    assert isinstance(turns.submit("ann", lambda: 1 // 0).exception(5), ZeroDivisionError)
    assert turns.submit("ann", lambda: 2).result(5) == 2
    turns.close()


def test_what_still_waits_can_be_withdrawn_and_what_runs_goes_on() -> None:
    turns = Turns(threads=1, per_user=1, most_waiting=9)
    block = threading.Event()
    running, second, third = [turns.submit("ann", lambda: block.wait(10)) for _ in range(3)]
    for each in (running, second):
        turns.withdraw(each, TimeoutError("left"))
    assert isinstance(second.exception(5), TimeoutError)
    assert (turns.running, turns.waiting) == (1, 1)
    block.set()
    assert (running.result(5), third.result(5)) == (True, True)
    turns.withdraw(third, TimeoutError("too late"))
    turns.close()
