"""Following records from version to version: who stayed, came, left, moved, or has another value, known exactly.

A *view* is a version of a table: it puts each record into a cell, or leaves it out. Records that were in the same cell
of every view so far form a *class*: no question that was ever asked told them apart, so the audit needs one unknown for
them. A further view splits classes. `Moves` say how: how many records of which class went into which cell. They need no
names and are kept in the ledger. A `Trail` knows the class of every record, by a keyed digest; it is needed for the
next view only, and kept in a file beside the ledger (`record_file`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import LedgerError
from sdcdb.gateway.inference.algebra.growth import CAME, Growth
from sdcdb.gateway.ledger.packing import pack_steps, unpack_digests, unpack_steps

Ints = NDArray[np.int64]

NEW, GONE = CAME, -1
_STEPS = "~"  # begins moves that are written as the steps from number to number


@dataclass(frozen=True, eq=False)
class Moves:
    """How many records went from which class (`NEW`: they came) into which cell (`GONE`: they left), in order."""

    classes: Ints
    cells: Ints
    records: Ints

    @classmethod
    def of(cls, classes: Ints, cells: Ints) -> Self:
        """Count the moves of single records."""
        wide = int(cells.max(initial=0)) + 2
        pairs, records = np.unique((classes + 1) * wide + cells + 1, return_counts=True)
        return cls(pairs // wide - 1, pairs % wide - 1, records.astype(np.int64))

    @classmethod
    def unpack(cls, text: str) -> Self:
        """Read moves from the ledger."""
        steps = text.startswith(_STEPS)
        numbers = unpack_steps(text.removeprefix(_STEPS)) if steps else unpack_digests(text)
        if len(numbers) % 3:
            raise LedgerError("a version in the ledger cannot be read: run `sdcdb ledger verify`")
        parts = numbers.reshape(3, -1)
        return cls(*(np.cumsum(parts, axis=1) if steps else parts))

    def pack(self) -> str:
        """Write moves as the ledger keeps them."""
        steps = [np.diff(each, prepend=0) for each in (self.classes, self.cells, self.records)]
        return _STEPS + pack_steps(np.concatenate(steps))

    def numbered(self, before: int) -> Ints:
        """Return the class that each move makes, `before` being the number of classes so far.

        The first part of a class keeps its number; the other parts, and those who came, get new ones.

        >>> Moves.of(np.array([0, 0, 1, NEW]), np.array([3, 4, 4, 4])).numbered(2).tolist()
        [2, 0, 3, 1]
        """
        kept = (self.classes != NEW) & np.append(True, np.diff(self.classes) != 0)[: len(self.classes)]
        found = self.classes.copy()
        found[~kept] = before + np.arange(np.count_nonzero(~kept))
        return found


@dataclass(frozen=True, eq=False)
class Trail:
    """The class of every record that any view held, by its digest; `number` is how many classes there are."""

    digests: Ints
    classes: Ints
    number: int

    @classmethod
    def first(cls, digests: Ints, cells: Ints, number: int) -> Self:
        """Begin with a view of so many cells: each is a class."""
        order = np.argsort(digests, kind="stable")
        return cls(digests[order], cells[order], number)

    def follow(self, digests: Ints, cells: Ints) -> tuple["Trail", Moves]:
        """Take in a further view: the cell of every record that it holds."""
        there, at = self.find(digests)
        source = np.full(len(digests), NEW, dtype=np.int64)
        source[there] = self.classes[at[there]]
        left = np.ones(len(self.digests), dtype=np.bool_)
        left[at[there]] = False
        classes = np.concatenate([source, self.classes[left]])
        into = np.concatenate([cells, np.full(int(left.sum()), GONE, dtype=np.int64)])
        moves = Moves.of(classes, into)
        made = moves.numbered(self.number)
        place = _place(moves, classes, into)
        all_digests = np.concatenate([digests, self.digests[left]])
        order = np.argsort(all_digests, kind="stable")
        number = self.number + int((made >= self.number).sum())
        return Trail(all_digests[order], made[place][order], number), moves

    def find(self, digests: Ints) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Tell which records were there before, and where."""
        if not len(self.digests):
            return np.zeros(len(digests), dtype=np.bool_), np.zeros(len(digests), dtype=np.intp)
        at = np.minimum(np.searchsorted(self.digests, digests), len(self.digests) - 1)
        return self.digests[at] == digests, at

    def known(self, digests: Ints) -> NDArray[np.bool_]:
        """Tell which records were ever there."""
        return self.find(digests)[0]


def _place(moves: Moves, classes: Ints, cells: Ints) -> NDArray[np.intp]:
    """Return the number of the move that each record made."""
    wide = int(moves.cells.max(initial=0)) + 2
    keys = (moves.classes + 1) * wide + moves.cells + 1
    return np.searchsorted(keys, (classes + 1) * wide + cells + 1)


class Layout:
    """The audit's columns over a number of views: the size of each class, and its cell in each view."""

    def __init__(self) -> None:
        self.counts: Ints = np.zeros(0, dtype=np.int64)
        self.sizes: list[int] = []
        """How many cells each view has."""
        self.whole = True  # whether a view's cells are the classes themselves
        self._places: list[Ints] = []  # of each view, the cell of each class that there was when it was last looked at
        self._origins: Ints = np.zeros(0, dtype=np.int64)  # the class that each one was split off from, or NEW
        self._ends: list[int] = []  # how many classes there were after each view

    def begin(self, counts: Sequence[int]) -> None:
        """Take in a first view, whose cells are classes."""
        self.counts = np.array(counts, dtype=np.int64)
        self._origins = np.full(len(counts), NEW, dtype=np.int64)
        self._add(np.arange(len(counts), dtype=np.int64), len(counts))

    def _add(self, places: Ints, cells: int) -> None:
        self._places.append(places)
        self.sizes.append(cells)
        self._ends.append(len(self.counts))

    def copy(self) -> "Layout":
        """Return a layout that goes on by itself."""
        found = Layout()
        found.counts, found.whole, found._origins = self.counts, self.whole, self._origins
        found.sizes, found._places, found._ends = [*self.sizes], [*self._places], [*self._ends]
        return found

    def leave_out(self, cells: int) -> None:
        """Take in a view of so many cells that holds nobody."""
        self.whole = False
        self._add(np.full(len(self.counts), GONE, dtype=np.int64), cells)

    def repeat(self) -> None:
        """Take in a view that is as the last one."""
        self._add(self._places[-1], self.sizes[-1])

    def follow(self, moves: Moves, cells: int) -> None:
        """Take in a further view of so many cells."""
        self.whole = False
        before = len(self.counts)
        made = moves.numbered(before)
        fresh = made >= before
        self.counts, self._origins = (
            np.concatenate([each, np.zeros(np.count_nonzero(fresh), dtype=np.int64)])
            for each in (self.counts, self._origins)
        )
        self.counts[made], self._origins[made[fresh]] = moves.records, moves.classes[fresh]
        places = np.full(len(self.counts), GONE, dtype=np.int64)
        places[made] = moves.cells
        self._add(places, cells)

    def growth(self, before: int) -> Growth:
        """Return what became of the classes since there were so many."""
        origins = self._origins[before:].copy()
        while (later := np.flatnonzero(origins >= before)).size:
            origins[later] = self._origins[origins[later]]
        return Growth(before, self.counts, origins)

    def array(self) -> Ints:
        """Return the number of values of every class."""
        return self.counts

    def cells_of(self, view: int = -1) -> Ints:
        """Return the cell of each class in a view, or `GONE`: what was split off later was where the whole was."""
        places = self._places[view]
        known, number = len(places), len(self.counts)
        if known < number:
            places = np.concatenate([places, np.full(number - known, GONE, dtype=np.int64)])
            for end in self._ends:
                if end > known:
                    origins = self._origins[known:end]
                    places[known:end] = np.where(origins == NEW, GONE, places[origins])
                    known = end
            self._places[view] = places
        return places

    def spread(self, flags: NDArray[np.bool_], view: int = -1) -> NDArray[np.bool_]:
        """Turn flags of a view's cells into flags of the classes."""
        if self.whole:
            return flags
        return np.append(flags, False)[self.cells_of(view)]
