"""What the gateway tells a worker, and what can go wrong there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Opening:
    """Open a new DuckDB with these settings, run these statements, and lock it."""

    config: Mapping[str, Any]
    statements: tuple[str, ...]


@dataclass(frozen=True)
class Running:
    """Run a statement. `released` are results by name: an Arrow stream, and the SQL of the view that reads it."""

    sql: str
    params: Any
    released: Mapping[str, tuple[bytes, str]]
    seconds: float
    rows: int
    pairs: int
    """The most pairs of rows that a join may compare."""


FAILURES = frozenset({"names", "memory", "joins", "rows", "error"})
"""How a statement can fail: in one word, and never in the engine's."""
