"""A million statements that nobody would write: each is answered or denied, and nothing else comes out.

Most are read only (`explain`), which is where surprises are; every fiftieth is asked. Run by `make soak`.
"""

import importlib.util
import logging
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from support import victims
from support.mutants import broken, mutant
from support.paths import TESTS

from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

SEEDS, EACH, POOL, ASKED = 20, 50_000, 400, 50


class Unexpected(logging.Handler):
    """Keeps what the gateway logs for its owner."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())


def send(gateway: Gateway, number: int, seed: int) -> dict[str, int]:
    """Send statements broken byte by byte from a pool of mutants; return how many came to which end."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    pool = [mutant(rng) for _ in range(POOL)]
    ends = {"allow": 0, "suppress": 0, "deny": 0, "unsupported": 0, "asked": 0}
    for turn in range(number):
        sql = broken(rng.choice(pool), rng)
        ends[gateway.explain(sql).kind] += 1
        if turn % ASKED == 0:
            ends["asked"] += 1
            try:
                gateway.ask(sql, user="mallory")
            except Denied:
                continue
    return ends


def run(folder: Path, number: int, seed: int) -> None:
    path = victims.create(folder / "staff.duckdb", rows=60)
    log, handler = logging.getLogger("sdcdb.gateway"), Unexpected()
    log.addHandler(handler)
    try:
        with victims.gateway(path) as gateway:
            ends = send(gateway, number, seed)
    finally:
        log.removeHandler(handler)
    assert sum(ends.values()) == number + ends["asked"]
    assert ends["unsupported"] > number / 4, ends
    # What is caught at the last moment is a denial, and still a bug worth a look.
    assert len(handler.found) <= number / 1000, handler.found[:5]


def test_thousands_of_broken_statements_are_answered_or_denied(tmp_path: Path) -> None:
    run(tmp_path, 2_000, seed=0)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_a_million_broken_statements_are_answered_or_denied(tmp_path: Path, seed: int) -> None:
    run(tmp_path, EACH, seed)


@pytest.mark.soak
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="pip install atheris")
def test_what_a_fuzzer_finds_by_coverage_is_answered_or_denied(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "support.atheris_target", str(tmp_path), "-runs=100000", "-max_len=120"]
    ran = subprocess.run(
        command, cwd=TESTS, env={**os.environ, "PYTHONPATH": str(TESTS)}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert "Done 100000 runs" in ran.stderr
