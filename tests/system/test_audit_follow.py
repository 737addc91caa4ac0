"""`sdcdb audit --follow` as a process: a log grows, is rotated, and new exposures come as JSON lines."""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from support.command import COLD, PLAIN, run

LINE = "2026-01-01 00:00:{:02}.000 UTC [{}] {}@db {}\n".format


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("follow")
    run("datasets", "staff", "--rows", "200", "-o", "staff.duckdb", cwd=place)
    run("init", "staff.duckdb", cwd=place)
    return place


class Following:
    """A running `sdcdb audit --follow`, and what it has said."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            [*COLD, "audit", "staff.duckdb", "--log", "server.log", "--follow", *options],
            cwd=folder, env={**os.environ, **PLAIN}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self._said: Queue[dict[str, Any]] = Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._said.put(json.loads(line))

    def next(self, event: str, seconds: float = 90) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self._said.get(timeout=seconds)
            if found["event"] == event:
                return found
            assert found["event"] != "log_problem", found
        raise AssertionError(event)

    def stop(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        self._listener.join(60)
        return self.process.wait(60)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._listener.join()


@pytest.fixture
def following(folder: Path) -> Iterator[Following]:
    (folder / "server.log").write_text(LINE(0, 1, "ann", "LOG:  statement: SELECT count(*) FROM staff"))
    made = Following(folder)
    yield made
    made.kill()


def test_new_exposures_are_told_as_they_happen_also_after_rotation(folder: Path, following: Following) -> None:
    log = folder / "server.log"
    assert following.next("following")["logs"] == ["server.log"]
    with log.open("a") as stream:
        stream.write(LINE(1, 1, "ann", "LOG:  statement: SELECT salary FROM staff WHERE id = 3"))
        stream.write(LINE(1, 1, "ann", "LOG:  duration: 0.1 ms"))
        stream.write(LINE(2, 2, "eve", "LOG:  statement: SELECT salary FROM staff WHERE id = 4"))
        stream.write(LINE(2, 2, "eve", "ERROR:  permission denied for table staff"))
        stream.write(LINE(2, 2, "eve", "STATEMENT:  SELECT salary FROM staff WHERE id = 4")[:40])
    read = following.next("direct_read")
    assert (read["users"], read["line"]) == (["ann"], 2)
    assert following.next("exposure")["record"] == "3"
    with log.open("a") as stream:  # the rest of the cut line, then rotation with a line still unread in the old file
        stream.write(LINE(2, 2, "eve", "STATEMENT:  SELECT salary FROM staff WHERE id = 4")[40:])
        stream.write(LINE(3, 3, "ben", "LOG:  statement: SELECT salary FROM staff WHERE id = 5"))
    log.rename(folder / "server.log.1")
    log.write_text(
        LINE(4, 4, "cem", "LOG:  statement: SELECT salary FROM staff WHERE id = 6")
        + LINE(4, 4, "cem", "LOG:  duration: 1 ms")
    )
    told = {following.next("exposure")["record"] for _ in range(2)}
    assert told == {"5", "6"}
    assert following.stop(signal.SIGTERM) == 1
    stopped = following.next("stopped")
    assert stopped["exceeds_policy"]


def test_stopping_a_harmless_log_exits_with_0(following: Following) -> None:
    following.next("following")
    assert following.stop(signal.SIGINT) == 0
    assert following.next("stopped") == {"event": "stopped", "statements": 1, "exceeds_policy": False}
