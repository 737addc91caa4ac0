"""Fixtures of all suites, from the modules that hold them: two files named conftest would be one module to mypy."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from support.contract import case, contract_secret, first_case
from support.in_process import run_here
from support.staff_snapshot import staff_snapshot
from support.stages import stage

__all__ = ["case", "contract_secret", "first_case", "run_here", "staff_snapshot", "stage"]

MEMORY = Path("/dev/shm")  # noqa: S108 - each run has a folder of its own there, as in /tmp
ROOM = 2 << 30  # bytes; a run takes less than a tenth of it at any time


def _use_memory() -> None:
    """Put temporary files into memory where there is room: databases and ledgers sync tens of thousands of times.

    A killed process loses nothing by it: only a machine that stops would, which no test can do.
    """
    if "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK | os.X_OK):
        disk = os.statvfs(MEMORY)
        if disk.f_bavail * disk.f_frsize > ROOM and not disk.f_flag & os.ST_NOEXEC:
            os.environ["TMPDIR"] = str(MEMORY)
            tempfile.tempdir = None  # look again


_use_memory()
_state = tempfile.TemporaryDirectory(prefix="sdcdb-state-")  # marks of ledgers, not in anybody's home
os.environ["XDG_STATE_HOME"] = _state.name

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what it puts into the background without Ctrl-C, and the programs under test would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew from what is rendered now")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
