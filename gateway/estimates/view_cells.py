"""A protected view as cells: the records of each combination of quasi-identifiers by what is published of a column."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.assess.channels import grid_of, likelihoods
from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.errors import DatabaseError
from sdcdb.gateway.estimates.unbiased import Weights, weights_for
from sdcdb.gateway.reading.reserved import CELL, RECORDS
from sdcdb.gateway.relations import Category, Confidential, Relation, Restricted
from sdcdb.gateway.tables.cell_text import common_text
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.vault import Vault
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.technique import Fitted
from sdcdb.views import catalogue

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Published:
    """What is published of one column: counts by cell and published value, and how originals become published."""

    counts: Floats
    likelihood: Floats
    originals: Floats
    """The original values: places of a category's, numbers of a number's."""
    _weights: dict[bytes, Weights | None] = field(default_factory=dict)

    def weights(self, wanted: Floats) -> Weights | None:
        """Return the weights for a sum in which an original counts `wanted`, found once; None where there are none."""
        key = wanted.tobytes()
        if key not in self._weights:
            self._weights[key] = weights_for(self.likelihood, wanted)
        return self._weights[key]


@dataclass(frozen=True)
class ViewCells:
    """The cells of a view that publishes every record, and whose quasi-identifiers are as they are."""

    con: duckdb.DuckDBPyConnection
    table: Restricted
    relation: Relation
    fitted: tuple[Fitted, ...]
    cells: Cells
    quasi: tuple[str, ...]

    def category(self, category: Category) -> Published | None:
        """Return what is published of a category, if its values change by a matrix."""
        found = [each for each in self.fitted if category.name in each.columns]
        if len(found) != 1 or not isinstance(found[0], FittedTransition):
            return None
        texts = list(category.public.values)
        likelihood = np.eye(len(texts))
        known = found[0].transition()
        places = {str(value): n for n, value in enumerate(known.values)}
        for row, text in enumerate(texts):
            if text in places:
                likelihood[row] = [known.matrix[places[text], places[o]] if o in places else 0.0 for o in texts]
        codes = {text: n for n, text in enumerate(texts)}
        counts = np.zeros((self.cells.size, len(texts)))
        for cell, text, number in self._rows(f"CAST({self._own(category.name)} AS VARCHAR)"):
            if text not in codes:
                return None
            counts[cell, codes[text]] += number
        return Published(counts, likelihood, np.arange(len(texts), dtype=np.float64))

    def number(self, column: Confidential) -> Published | None:
        """Return what is published of a number, if noise by a law that is published is added to it."""
        found = [each for each in self.fitted if column.name in each.columns]
        if len(found) != 1:
            return None
        grid = grid_of((column.low, column.high), column.step)
        likelihood = likelihoods(found[0], column.name, grid.middles, grid)
        if likelihood is None:
            return None
        counts = np.zeros((self.cells.size, grid.size))
        rows = self._rows(f"CAST({self._own(column.name)} AS DOUBLE)")
        held = [(cell, value, number) for cell, value, number in rows if value is not None]
        if held:
            at = grid.cells(np.array([value for _, value, _ in held], dtype=np.float64))
            np.add.at(counts, (np.array([cell for cell, _, _ in held]), at), [number for _, _, number in held])
        return Published(counts, likelihood, grid.middles)

    def _own(self, column: str) -> str:
        return quoted(identifier(str(self.relation.column(column))))

    def _rows(self, value: str) -> list[tuple[int, Any, int]]:
        """Count the records of each cell by a published value."""
        text, cell = common_text(self.quasi), quoted(identifier(CELL))
        return self.con.execute(
            f"SELECT c.{cell}, r.v, count(*) FROM (SELECT {text} AS t, {value} AS v FROM "
            f"{quoted(table_reference(self.relation.name))}) r JOIN (SELECT {text} AS t, {cell} FROM "
            f"{self.cells.source}) c ON r.t = c.t GROUP BY ALL"
        ).fetchall()


@contextmanager
def view_cells(
    con: duckdb.DuckDBPyConnection, vault: Vault, table: Restricted, view: Relation
) -> Iterator[ViewCells | None]:
    """Read the cells of a view; None if it does not publish every record, each with noise of its own."""
    try:
        plan = catalogue.entry(con, view.name).plan
    except DatabaseError:
        yield None
        return
    if any(not each.columns for each in plan.fitted):
        yield None  # records are chosen
        return
    if plan.per_person:
        yield None  # the records of a person share their noise: standard errors by record would be too small
        return
    changed = {column for each in plan.fitted for column in each.columns}
    quasi = tuple(each for each in table.quasi if view.column(each) == each and each not in changed)
    listed = ", ".join(quoted(identifier(each)) for each in quasi)
    cell, records = (quoted(identifier(each)) for each in (CELL, RECORDS))
    counted = f"{listed + ', ' if listed else ''}count(*) AS {records}"
    grouped = f"SELECT {counted} FROM {quoted(table_reference(view.name))} {'GROUP BY ALL' if listed else ''}"
    with vault.holding(f"SELECT row_number() OVER () - 1 AS {cell}, * FROM ({grouped})") as source:
        found = con.execute(f"SELECT {records} FROM {source} ORDER BY {cell}").fetchnumpy()[RECORDS]
        cells = Cells(table, source, np.asarray(found, dtype=np.int64), {})
        yield ViewCells(con, table, view, plan.fitted, cells, quasi)
