"""An answer leaves while it is learnt; what is decided next knows it."""

import threading
from pathlib import Path

import pytest
from support import victims

from sdcdb.errors import Denied
from sdcdb.gateway.background_learning import Learner
from sdcdb.gateway.inference.knowledge import Knowledge


def test_finishing_waits_for_what_is_being_learnt() -> None:
    learner, go, learnt = Learner(), threading.Event(), []

    def learn() -> None:
        go.wait(60)
        learnt.append(1)

    learner.begin(["staff"], learn, pytest.fail)
    assert not learnt
    go.set()
    learner.finish(["staff"])
    assert learnt == [1]
    learner.finish(["staff"])
    learner.close()


def test_a_failure_is_told_once_to_whoever_comes_next() -> None:
    learner, told = Learner(), []

    def broken() -> None:
        raise MemoryError

    learner.begin(["staff"], broken, lambda: told.append(1))
    with pytest.raises(MemoryError):
        learner.finish(["staff"])
    assert told == [1]
    learner.finish(["staff"])
    learner.close()


def test_a_table_about_which_learning_failed_is_answered_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise MemoryError

    with victims.gateway(victims.create(tmp_path / "staff.duckdb")) as gateway:
        assert gateway.ask("SELECT SUM(salary) FROM staff WHERE age < 40").rows
        with monkeypatch.context() as patched:
            patched.setattr(Knowledge, "learn", broken)
            gateway.ask("SELECT SUM(salary) FROM staff WHERE age < 50")
            with pytest.raises(Denied, match="failed"):
                gateway.ask("SELECT SUM(salary) FROM staff WHERE age < 60")
        with pytest.raises(Denied) as refusal:
            gateway.ask("SELECT SUM(salary) FROM staff WHERE age < 60")
        assert refusal.value.rule == "version"
