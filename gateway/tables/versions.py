"""How records of a table's versions hang together: the audit's columns, and which of them each version's cells hold.

Answers about yesterday's table and answers about today's tell of the same people, but for those who came, left or got
another value. A cell that never changed keeps its column. Cells that changed between two versions become one *bundle*:
people may have moved among them, and whoever moved is still one person. From then on a question holds all cells of a
bundle or none, so that moves inside of it cannot be told. The bundle keeps the columns of its cells, loses one for
records that left and gains one for records that came. How many did is not stored, so the fewest that explain the change
are assumed: the fewer, the closer a difference points at one person. Digests tell whether anything changed at all: that
of a set of records is the XOR over its records, whichever cells they are in.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import xor

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.versions import separates

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class VersionCells:
    """The cells of one version for one confidential column: key, number of values, and the XOR of their digests."""

    keys: Sequence[str]
    counts: Sequence[int]
    digests: Sequence[int]

    def named(self) -> dict[str, tuple[int, int]]:
        """Return count and digest of each cell by its key."""
        return {key: (n, d) for key, n, d in zip(self.keys, self.counts, self.digests, strict=True)}


@dataclass
class Layout:
    """The audit's columns over all versions so far."""

    counts: list[int] = field(default_factory=list)
    versions: list[list[list[int]]] = field(default_factory=list)
    bundles: list[frozenset[str]] = field(default_factory=list)
    _last: VersionCells | None = None
    _columns: dict[str, list[int]] = field(default_factory=dict)

    def add(self, version: VersionCells) -> None:
        """Take in the next version of the table."""
        before = self._last.named() if self._last is not None else {}
        after = version.named()
        if self._last is None:
            self._columns = {key: [self._new(count)] for key, (count, _) in after.items()}
        else:
            changed = {key for key in {*before, *after} if before.get(key, (0, 0)) != after.get(key, (0, 0))}
            for key in after.keys() - before.keys() - changed:  # a cell without values came
                self._columns[key] = [self._new(0)]
            if changed:
                self._bundle(changed, before, after)
        self.versions.append([self._columns[key] for key in version.keys])
        self._last = version

    def _bundle(self, changed: set[str], before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> None:
        """Put the changed cells, and every bundle that they touch, into one bundle with columns of its own."""
        touched = [bundle for bundle in self.bundles if bundle & changed]
        cells = frozenset(changed).union(*touched)
        self.bundles = [bundle for bundle in self.bundles if bundle not in touched] + [cells]
        was, now = ([held[key] for key in cells if key in held] for held in (before, after))
        left, came = _moved(was, now)
        kept = self._without(sorted({c for key in cells if key in before for c in self._columns[key]}), left)
        columns = [*kept, self._new(came)] if came or not kept else kept
        for key in cells:
            self._columns[key] = columns

    def _without(self, columns: list[int], leaving: int) -> list[int]:
        """Split records that left from the largest columns; earlier versions keep both parts."""
        for column in sorted(columns, key=lambda c: -self.counts[c]):
            part = min(leaving, self.counts[column])
            if part:
                self.counts[column] -= part
                gone = self._new(part)
                for held in {id(cell): cell for version in self.versions for cell in version}.values():
                    if column in held:
                        held.append(gone)
                leaving -= part
        return columns

    def _new(self, count: int) -> int:
        self.counts.append(count)
        return len(self.counts) - 1

    def array(self) -> Counts:
        """Return the number of values of every column."""
        return np.array(self.counts, dtype=np.int64)

    def spread(self, flags: NDArray[np.bool_], version: int = -1) -> NDArray[np.bool_]:
        """Turn flags of a version's cells into flags of the columns."""
        if len(self.versions) == 1:
            return flags
        spread = np.zeros(len(self.counts), dtype=np.bool_)
        for cell in np.flatnonzero(flags):
            spread[self.versions[version][cell]] = True
        return spread

    def must_not_separate(self, flags: NDArray[np.bool_]) -> None:
        """Refuse a question about the present version that holds a part of a bundle."""
        if self._last is None or not self.bundles:
            return
        chosen = {self._last.keys[int(cell)] for cell in np.flatnonzero(flags)}
        present = set(self._last.keys)
        if separates(self.bundles, chosen, present):
            raise denied("changes")


def _moved(was: list[tuple[int, int]], now: list[tuple[int, int]]) -> tuple[int, int]:
    """Return the fewest records that can have left and come."""
    before, after = (sum(count for count, _ in held) for held in (was, now))
    same = reduce(xor, (digest for _, digest in was), 0) == reduce(xor, (digest for _, digest in now), 0)
    replaced = int(before == after and not same)
    return max(before - after, 0) + replaced, max(after - before, 0) + replaced
