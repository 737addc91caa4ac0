"""Cells beside every value of a category: what a block that counts by it is evaluated on.

Every cell stands beside every value that the policy names, whether or not anybody has it, so conditions and groups are
evaluated without a look at the data. A *place* is a cell and a value: cell times the number of values, plus the value.
The query set of a count is a set of places, and only rectangles are answered: some cells, some values.
"""

from dataclasses import dataclass

import numpy as np

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.engines.dialect import text_literal
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.reserved import CELL, RECORDS, VALUE
from sdcdb.gateway.relations import Category
from sdcdb.gateway.tables.cells import Cells, Indices

MOST_PLACES = 2_000_000


@dataclass(frozen=True, eq=False)
class Rectangle:
    """Some cells, and some values."""

    cells: Indices
    values: frozenset[int]

    @property
    def text(self) -> tuple[bytes, frozenset[int]]:
        """What makes two rectangles the same."""
        return self.cells.tobytes(), self.values


def places(cells: Cells, category: Category) -> Cells:
    """Return the cells of a table beside every value of a category; how many records a place has is not in it."""
    if cells.size * category.size > MOST_PLACES:
        raise Unsupported("the table has too many combinations to count by this column", "the protected view")
    value, cell, place = (quoted(identifier(name)) for name in (category.name, CELL, VALUE))
    listed = ", ".join(
        f"({n}, CAST({'NULL' if each is None else text_literal(each)} AS {category.type}))"
        for n, each in enumerate(category.public.values)
    )
    source = (
        f"(SELECT c.* REPLACE (c.{cell} * {category.size} + v.{place} AS {cell}, 0 AS {quoted(identifier(RECORDS))}), "
        f"v.{value} FROM {cells.source} AS c CROSS JOIN (VALUES {listed}) AS v({place}, {value}))"
    )
    return Cells(cells.table, source, np.zeros(cells.size * category.size, dtype=np.int64), {})


def rectangle(chosen: Indices, number: int) -> Rectangle | None:
    """Return places as a rectangle of cells and values, of which there are `number`; None if they are none.

    >>> rectangle(np.array([0, 1, 4, 5]), 4)
    Rectangle(cells=array([0, 1]), values=frozenset({0, 1}))
    """
    cells, values = np.unique(chosen // number), np.unique(chosen % number)
    if len(cells) * len(values) != len(chosen):
        return None
    return Rectangle(cells, frozenset(values.tolist()))
