"""Fixtures of all suites, from the modules that hold them: two files named conftest would be one module to mypy."""

import signal

from support.contract import case, contract_secret, first_case
from support.stages import stage

__all__ = ["case", "contract_secret", "first_case", "stage"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts what it puts into the background without Ctrl-C, and the programs under test would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
