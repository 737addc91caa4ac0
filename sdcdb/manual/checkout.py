"""Where the documentation lies: beside the package, in a checkout of the repository."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
