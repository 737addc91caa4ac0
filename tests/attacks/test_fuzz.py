"""Statements that nobody would write: built from SQL's parts, and broken byte by byte. Nothing secret ever comes out.

Whatever is sent, the gateway answers or refuses in its own words (`Denied`, `Unsupported`), and neither the answer, nor
the words, nor the verdict, nor the ledger holds a salary, a name or a record's key. SDCDB_FUZZ sets how many are sent.
"""

import os
import random
from pathlib import Path

import pytest
from support import victims
from support.mutants import mutant

from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

STATEMENTS = int(os.environ.get("SDCDB_FUZZ", "600"))


def send(gateway: Gateway, secrets: victims.Secrets, number: int, seed: int) -> dict[str, int]:
    """Send mutants; return how many came to which end."""
    ends = {"answered": 0, "denied": 0}
    for turn in range(number):
        rng = random.Random(f"{seed} {turn}")  # noqa: S311 - no secret
        sql = mutant(rng)
        params = rng.choice([None, None, None, [1], ["salary"], {"x": 1}])
        own = secrets.in_text(sql)  # what the mutant itself says is no news
        try:
            answer = gateway.ask(sql, params, user="mallory")
            found = secrets.in_answer(answer)
            ends["answered"] += 1
        except Denied as refusal:
            found = secrets.in_error(refusal)
            ends["denied"] += 1
        except Exception as problem:
            raise AssertionError(
                f"seed {seed}, turn {turn}: {type(problem).__name__} for {sql!r} with {params}"
            ) from problem
        assert not set(found) - set(own), f"seed {seed}, turn {turn}: {sql!r} with {params} shows {found[:3]}"
    return ends


def run(folder: Path, number: int, seed: int) -> None:
    path = victims.create(folder / "staff.duckdb", rows=60)
    secrets = victims.Secrets(victims.people(60))
    with victims.gateway(path) as gateway:
        ends = send(gateway, secrets, number, seed)
    assert ends["answered"] > number / 40, ends
    assert ends["denied"] > number / 4, ends
    ledger = (folder / "staff.ledger.jsonl").read_text("utf-8")
    assert len(ledger.splitlines()) >= number
    assert not secrets.in_text(ledger)


def test_no_mutant_gets_a_secret_out(tmp_path: Path) -> None:
    run(tmp_path, STATEMENTS, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 6))
def test_no_mutant_of_many_gets_a_secret_out(tmp_path: Path, seed: int) -> None:
    run(tmp_path, 10 * STATEMENTS, seed=seed)
