"""Where the repository and the cases lie, whatever folder a test is in."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
SUPPORT = ROOT / "tests" / "support"
