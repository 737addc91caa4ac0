"""Where the repository and the cases lie, whatever folder a test is in."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
CASES = TESTS / "cases"
SUPPORT = TESTS / "support"
