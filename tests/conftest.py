"""Fixtures of all suites, from the modules that hold them: two files named conftest would be one module to mypy."""

import os
import signal
import tempfile

import pytest
from support.contract import case, contract_secret, first_case
from support.in_process import run_here
from support.staff_snapshot import staff_snapshot
from support.stages import stage

__all__ = ["case", "contract_secret", "first_case", "run_here", "staff_snapshot", "stage"]

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="sdcdb-state-")  # marks of ledgers, not in anybody's home

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what it puts into the background without Ctrl-C, and the programs under test would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write tests/golden anew from what is rendered now")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))
