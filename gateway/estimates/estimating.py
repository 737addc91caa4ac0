"""Answering a statement from protected views: every block estimated, the rest of the statement run on the estimates.

The standard error of a result is found by moving: the statement runs once with the estimates, and once for each measure
with that measure a standard error higher. Errors of different measures are taken as independent. Where a moved
statement gives other rows (HAVING, LIMIT), no error is given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import floor, isfinite, log10, sqrt
from typing import TYPE_CHECKING, Any

import duckdb

from sdcdb.connection.identifiers import fold
from sdcdb.errors import Unsupported
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.lobby.lobby import Lobby
from sdcdb.gateway.reading.block import Block
from sdcdb.gateway.reading.statement import Statement
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.tables.vault import Vault
from sdcdb.gateway.workers.process import Rows
from sdcdb.policy.models import Policy

if TYPE_CHECKING:
    from sdcdb.gateway.estimates.released_estimates import Estimated
    from sdcdb.gateway.estimates.view_cells import ViewCells

ESTIMATED = frozenset({"size", "counts", "belief", "overlap", "exact", "interval", "cae", "work", "hidden"})
"""The rules behind whose denial an estimate may stand."""
MOST_MOVES = 20


@dataclass(frozen=True)
class Estimates:
    """Rows, and the standard error of each number in them; None where none is given."""

    rows: Rows
    errors: tuple[tuple[float | None, ...], ...]


class Estimator:
    """Estimates statements from the protected views of the tables that they read."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, relations: Relations, policy: Policy, vault: Vault, lobby: Lobby
    ) -> None:
        self._con, self._relations, self._policy = con, relations, policy
        self._vault, self._lobby = vault, lobby

    def follows(self, rule: str, given: bool | None) -> bool:  # noqa: FBT001 - as the caller was asked
        """Tell whether an estimate may follow the denial of a rule, whatever the statement is.

        Where no table asks for estimates, a denied statement need not be read a second time.
        """
        if rule not in ESTIMATED or given is False:
            return False
        return given is True or any(table.limits.estimate == "on_denial" for table in self._relations.restricted())

    def wanted(self, read: Statement, given: bool | None) -> bool:  # noqa: FBT001 - as the caller was asked
        """Tell whether a denial is followed by an estimate: as asked, or else as the policy of its tables says."""
        if not read.blocks or given is False:
            return False
        return given is True or all(block.table.limits.estimate == "on_denial" for block in read.blocks)

    def estimate(self, read: Statement, handle: Cancellation) -> Estimates:
        """Answer a statement from protected views, or raise `Unsupported`."""
        blocks = {block.released: self._block(block, handle) for block in read.blocks}
        base = self._lobby.run(read, {name: each.released() for name, each in blocks.items()}, handle)
        variances = [[0.0 if _number(value) else None for value in row] for row in base.rows]
        for name, each in blocks.items():
            for measure in range(each.errors.shape[1]):
                if each.errors[:, measure].any():
                    self._move(read, blocks, name, measure, base, variances, handle)
        errors = tuple(tuple(None if v is None else sqrt(v) for v in row) for row in variances)
        return Estimates(base, errors)

    def _move(
        self,
        read: Statement,
        blocks: Mapping[str, "Estimated"],
        name: str,
        measure: int,
        base: Rows,
        variances: list[list[float | None]],
        handle: Cancellation,
    ) -> None:
        moved = {other: each.released(measure if other == name else None) for other, each in blocks.items()}
        rows = self._lobby.run(read, moved, handle).rows
        same = len(rows) == len(base.rows)
        for row, before in enumerate(base.rows):
            for at, value in enumerate(before):
                known = variances[row][at]
                after = rows[row][at] if same else None
                if known is not None:
                    moved_by = None if after is None or not _number(after) else float(after) - float(value)
                    variances[row][at] = None if moved_by is None else known + moved_by**2

    def _block(self, block: Block, handle: Cancellation) -> "Estimated":
        from sdcdb.gateway.estimates.view_cells import view_cells  # loads techniques

        wanted = {fold(name) for name in self._policy.tables[block.table.name].protect}
        views = [each for each in self._relations.all if each.kind == "protected" and fold(each.name) in wanted]
        problem = Unsupported("there is no protected view to estimate from", "ask the owner for one")
        for view in views:
            try:
                with view_cells(self._con.cursor(), self._vault, block.table, view) as cells:
                    if cells is not None:
                        return self._estimated(block, cells, handle)
            except Unsupported as why:
                problem = why
        raise problem

    def _estimated(self, block: Block, cells: "ViewCells", handle: Cancellation) -> "Estimated":
        from sdcdb.gateway.estimates.released_estimates import estimate_block

        evaluated = self._vault.evaluate(block, cells.cells, handle)
        if len(evaluated.groups) * len(block.measures) > 100_000 or len(block.measures) > MOST_MOVES:
            raise Unsupported("there are too many numbers to estimate at once", "group more coarsely")
        return estimate_block(cells, evaluated)


def _number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def said(values: Sequence[Any], errors: Sequence[float | None]) -> list[str]:
    """Write a row of estimates with their errors: two digits of an error, and as many of what it is the error of.

    >>> said(["A", 34.2, 12], [None, 5.1, 0.0])
    ['A', 'about 34.2 ± 5.1', '12']
    >>> said([23338.6, 0.02977], [131.2, 0.0012])
    ['about 23,340 ± 130', 'about 0.0298 ± 0.0012']
    """
    return [_about(float(value), error) if error else str(value) for value, error in zip(values, errors, strict=True)]


def _about(value: float, error: float) -> str:
    digits = 1 - floor(log10(error)) if isfinite(error) else 0
    one, other = (f"{round(each, digits):,.{max(digits, 0)}f}" for each in (value, error))
    return f"about {one} ± {other}"
