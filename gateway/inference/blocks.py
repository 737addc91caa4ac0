"""Cells that no question has told apart, and of which the same is foretold, as one: the audit costs what is asked.

A block is to the audit what a cell is: records of which it knows the same. A question that cuts blocks makes more of
them (`Growth`), and from then on they stay apart. So verdicts are those of an audit of cells.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.algebra.columns_of_cells import Partition, totals_of
from sdcdb.gateway.inference.algebra.growth import CAME, Growth
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.people import People

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each cell; the records of the cells, whose they are, and what is foretold of them."""

    partition: Partition
    cells: Ints
    people_of_cells: People | None
    forecast_of_cells: Forecast | None

    @classmethod
    def whole(cls, cells: Ints, people: People | None, forecast: Forecast | None) -> "Blocks":
        """Begin with as few blocks as there are different forecasts."""
        partition = Partition.whole(len(cells))
        if forecast is not None:
            partition, _ = partition.split(forecast.place)
        return cls(partition, cells, people, forecast)

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return self.partition.number

    @property
    def fine(self) -> bool:
        """Whether every cell is a block."""
        return self.number == len(self.cells)

    @cached_property
    def records(self) -> Ints:
        """The records of each block."""
        return totals_of(self.partition.labels, self.cells, self.number)

    @cached_property
    def people(self) -> People | None:
        """Whose the records of each block are."""
        if self.people_of_cells is None:
            return None
        return self.people_of_cells.together(self.partition.labels, self.number)

    @property
    def forecast(self) -> Forecast | None:
        """What is foretold of the records of each block."""
        return None if self.forecast_of_cells is None else self.forecast_of_cells.of(self.partition.first)

    def flags(self, cells: Flags) -> Flags:
        """Turn flags of cells into flags of blocks, for a set that cuts none."""
        return np.ascontiguousarray(cells[self.partition.first])

    def row(self, cells: Flags | Ints) -> Flags | Ints:
        """Turn flags or weights of cells into those of blocks, for a row that cuts none."""
        return cells[self.partition.first]

    def cut(self, sets: Iterable[Flags | Ints]) -> tuple["Blocks", Growth] | None:
        """Return the blocks that no set cuts; None if these are such."""
        return self._split(self.partition, sets, self)

    def apart(self) -> tuple["Blocks", Growth] | None:
        """Return every cell as a block; None if it is one."""
        return None if self.fine else self._split(self.partition, [np.arange(len(self.cells))], self)

    def follow(self, here: Growth, people: People | None, forecast: Forecast | None) -> tuple["Blocks", Growth]:
        """Return the blocks in the table's next version, of which the cells are given."""
        partition = self.partition.grown(here)
        now = Blocks(partition, here.counts, people, forecast)
        places = [] if forecast is None else [forecast.place]
        found = self._split(partition, places, now)
        if found is not None:
            return found
        came = np.full(partition.number - self.number, CAME, dtype=np.int64)
        return now, Growth(self.number, now.records, came)

    def _split(
        self, partition: Partition, rows: Iterable[Flags | Ints], now: "Blocks"
    ) -> tuple["Blocks", Growth] | None:
        before, whole = self.number, partition.number
        origins = [np.full(whole - before, CAME, dtype=np.int64)]
        known = np.concatenate([np.arange(before), *origins])
        for row in rows:
            partition, parents = partition.split(row)
            origins.append(known[parents])
            known = np.concatenate([known, origins[-1]])
        if partition.number == whole:
            return None
        found = replace(now, partition=partition)
        return found, Growth(before, found.records, np.concatenate(origins))
