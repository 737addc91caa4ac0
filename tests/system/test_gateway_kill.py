"""A gateway is killed at random moments under load: no answer that a client got is missing from the ledger.

SDCDB_GATEWAY_KILLS sets how often; the slow test does it many more times than the one that always runs.
"""

import os
import random
from pathlib import Path

import duckdb
import pytest
from support import victims
from support.killing import forking, kill_one

import sdcdb
from sdcdb.gateway.ledger.read import records
from sdcdb.gateway.ledger.verify import verify

KILLS = int(os.environ.get("SDCDB_GATEWAY_KILLS", "12"))


def booked(ledger: Path) -> set[str]:
    """Return what the ledger says was answered, as the server says it."""
    return {
        f"{record.entry['sql']} = {fact['answers']['sum']}"
        for record in records(ledger)
        if record.kind == "question"
        for fact in record.entry["facts"]
        if record.entry["verdict"] == "allow"
    }


def killed(path: Path, policy: Path, kills: int, seed: int) -> set[str]:
    """Kill a gateway so many times; after each, check the ledger; return all answers that were received."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    ledger = path.with_name("staff.ledger.jsonl")
    received: set[str] = set()
    lines = 0

    def heard(word: str, rest: str) -> bool:
        nonlocal lines
        if word == "answered":
            received.add(rest)
        lines = 0 if word == "started" else lines + 1
        return word == "denied" and lines > 200  # late in a history little is answered

    moments = ("started", "opened", "answered", "answered")
    with forking("support.gateway_server", path, policy, "4") as (order, said):
        for _ in range(kills):
            kill_one(order, said, rng, moments=moments, longest=0.1, heard=heard)
            if ledger.exists() and received:
                assert verify(ledger).ok
                assert received <= booked(ledger)
    return received


def one_of(path: Path, sql: str) -> str:
    """Return a condition that one person of a question's set fulfils."""
    with duckdb.connect(str(path)) as con:
        row = con.execute(
            f"SELECT age, dept, education FROM staff WHERE {sql.split('WHERE ')[1]} GROUP BY ALL HAVING count(*) = 1"
        ).fetchone()
    assert row is not None
    return f"age = {row[0]} AND dept = '{row[1]}' AND education = '{row[2]}'"


def run(folder: Path, kills: int, seed: int) -> None:
    path = victims.create(folder / "staff.duckdb", rows=400)
    policy = victims.policy(folder / "staff.policy.yaml")
    received = killed(path, policy, kills, seed)
    assert len(received) >= kills / 2, "hardly anything was answered: the test shows nothing"
    known = []
    for _ in range(2):  # what the gateway knows after a restart does not depend on which
        with sdcdb.open(path, policy=policy) as db, db.gateway() as gateway:
            known.append(gateway.status())
            for line in sorted(received)[:20]:  # and what was answered once is answered again
                sql, _, value = line.rpartition(" = ")
                assert gateway.ask(sql).rows == ((int(value),),)
            sql = min(received).rpartition(" = ")[0]  # nor is it told by how much one person changes it
            assert gateway.explain(f"{sql} AND NOT ({one_of(path, sql)})").kind == "deny"
    assert known[0] == known[1]
    assert verify(path.with_name("staff.ledger.jsonl")).ok


def test_no_answer_that_was_received_is_missing(tmp_path: Path) -> None:
    run(tmp_path, KILLS, seed=1)


@pytest.mark.soak
def test_no_answer_that_was_received_is_missing_after_hundreds_of_kills(tmp_path: Path) -> None:
    run(tmp_path, 25 * KILLS, seed=2)
