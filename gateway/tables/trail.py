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
from sdcdb.gateway.ledger.packing import pack_digests, unpack_digests

Ints = NDArray[np.int64]

NEW, GONE = -1, -1


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
        numbers = unpack_digests(text)
        if len(numbers) % 3:
            raise LedgerError("a version in the ledger cannot be read: run `sdcdb ledger verify`")
        return cls(*numbers.reshape(3, -1))

    def pack(self) -> str:
        """Write moves as the ledger keeps them."""
        return pack_digests(np.concatenate([self.classes, self.cells, self.records]))

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
    """The audit's columns over a number of views: the size of each class, and the classes in each view's cells."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.views: list[list[list[int]]] = []
        self.whole = True  # whether a view's cells are the classes themselves
        self._holding: list[list[list[int]]] = []  # for each class, the cells of all views that hold it

    def begin(self, counts: Sequence[int]) -> None:
        """Take in a first view, whose cells are classes."""
        cells = [[number] for number in range(len(counts))]
        self.counts, self.views, self._holding = list(counts), [cells], [[cell] for cell in cells]

    def leave_out(self, cells: int) -> None:
        """Take in a view of so many cells that holds nobody."""
        self.whole = False
        self.views.append([[] for _ in range(cells)])

    def repeat(self) -> None:
        """Take in a view that is as the last one."""
        self.views.append(self.views[-1])

    def follow(self, moves: Moves, cells: int) -> None:
        """Take in a further view of so many cells."""
        self.whole = False
        view: list[list[int]] = [[] for _ in range(cells)]
        made = moves.numbered(len(self.counts)).tolist()
        rows = zip(moves.classes.tolist(), moves.cells.tolist(), moves.records.tolist(), made, strict=True)
        for source, into, records, number in rows:
            if number == len(self.counts):
                self.counts.append(records)
                self._holding.append([])
                for cell in self._holding[source] if source != NEW else ():
                    cell.append(number)
                    self._holding[number].append(cell)
            else:
                self.counts[number] = records
            if into != GONE:
                view[into].append(number)
        for cell in view:
            for number in cell:
                self._holding[number].append(cell)
        self.views.append(view)

    def array(self) -> Ints:
        """Return the number of values of every class."""
        return np.array(self.counts, dtype=np.int64)

    def spread(self, flags: NDArray[np.bool_], view: int = -1) -> NDArray[np.bool_]:
        """Turn flags of a view's cells into flags of the classes."""
        if self.whole:
            return flags
        spread = np.zeros(len(self.counts), dtype=np.bool_)
        for cell in np.flatnonzero(flags):
            spread[self.views[view][cell]] = True
        return spread
