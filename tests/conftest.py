"""Fixtures of all suites, from the modules that hold them: two files named conftest would be one module to mypy."""

from contract import case, contract_secret, first_case
from stages import stage

__all__ = ["case", "contract_secret", "first_case", "stage"]
