"""A process with several writing threads is killed at random moments: nothing that it acknowledged is ever missing.

SDCDB_KILLS sets how often; the slow test does it many more times than the one that always runs.
"""

import os
import random
from pathlib import Path

import pytest
from support.killing import forking, kill_one

from sdcdb.gateway.ledger.examine import links
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.ledger.read import records
from sdcdb.gateway.ledger.verify import verify

KILLS = int(os.environ.get("SDCDB_KILLS", "120"))
PER_LEDGER = 20  # kills that one ledger lives through


def killed_over_and_over(path: Path, kills: int, seed: int) -> set[str]:
    """Let a ledger live through so many kills; check it after each; return the hashes that were acknowledged."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    acknowledged: set[str] = set()

    def heard(word: str, rest: str) -> bool:
        if word == "acknowledged":
            acknowledged.add(rest.split()[1])
        return False

    # Kill during opening, at the first write, or later.
    moments = ("started", "opened", "acknowledged")
    with forking("support.ledger_writers", path, "4") as (order, said):
        for _ in range(kills):
            kill_one(order, said, rng, moments=moments, longest=0.03, heard=heard)
            must_hold(path, acknowledged)
    return acknowledged


def must_hold(path: Path, acknowledged: set[str]) -> None:
    """Check the files as the kill left them."""
    if not path.exists():  # killed before it came into being
        assert not acknowledged
        return
    with path.open("rb") as file:
        hashes = [at.head for _, at in links(file, path.stat().st_size)]
    if hashes:
        assert verify(path).ok, verify(path)
    assert acknowledged <= set(hashes)


def has_no_gaps(path: Path) -> None:
    """The numbers run on, and each thread's records are there from its first to its last, in order."""
    turns: dict[str, list[int]] = {}
    for number, record in enumerate(records(path), start=1):
        assert record.number == number
        if record.kind == "question":
            turns.setdefault(record.entry["user"], []).append(record.entry["turn"])
    assert all(of_thread == list(range(1, len(of_thread) + 1)) for of_thread in turns.values())


def run(folder: Path, kills: int, seed: int) -> None:
    total = 0
    for number, start in enumerate(range(0, kills, PER_LEDGER)):
        path = folder / f"{number}.ledger.jsonl"
        acknowledged = killed_over_and_over(path, min(PER_LEDGER, kills - start), seed + number)
        with Ledger.open(path) as ledger:
            assert ledger.healthy
            ledger.append({"kind": "refresh"})
            assert acknowledged <= {record.hash for record in ledger}
        has_no_gaps(path)
        assert verify(path).ok
        total += len(acknowledged)
        path.unlink()
    assert total > kills, "the writers got hardly anything written: the test shows nothing"


def test_nothing_acknowledged_is_lost_however_often_the_writer_is_killed(tmp_path: Path) -> None:
    run(tmp_path, KILLS, seed=1)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_in_thousands_of_kills(tmp_path: Path) -> None:
    run(tmp_path, 25 * KILLS, seed=1_000)
