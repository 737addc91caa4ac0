"""How records of a table's versions hang together: the audit's columns, and which of them each version's cells hold.

Answers about yesterday's table and answers about today's tell of the same people, but for those who came, left or got
another value. A cell that is unchanged between two versions keeps its columns. A cell that changed keeps a column for
the records that stayed, loses one for those that left and gains one for those that came. How many did is not stored
anywhere, so the fewest that explain the change are assumed: the fewer, the closer a difference points at one person.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class VersionCells:
    """The cells of one version for one confidential column: key, number of values, and a digest of the values."""

    keys: Sequence[str]
    counts: Sequence[int]
    digests: Sequence[str]


@dataclass
class Layout:
    """The audit's columns over all versions so far."""

    counts: list[int] = field(default_factory=list)
    versions: list[list[list[int]]] = field(default_factory=list)
    _last: VersionCells | None = None

    def add(self, version: VersionCells) -> None:
        """Take in the next version of the table."""
        held: dict[str, tuple[int, str, list[int]]] = {}
        if self._last is not None:
            held = {
                key: (count, digest, columns)
                for key, count, digest, columns in zip(
                    self._last.keys, self._last.counts, self._last.digests, self.versions[-1], strict=True
                )
            }
        cells = zip(version.keys, version.counts, version.digests, strict=True)
        found = [self._columns(held.get(key), count, digest) for key, count, digest in cells]
        self.versions.append(found)
        self._last = version

    def _columns(self, held: tuple[int, str, list[int]] | None, count: int, digest: str) -> list[int]:
        if held is None:
            return [self._new(count)]
        before, old_digest, columns = held
        if (before, old_digest) == (count, digest):
            return list(columns)
        changed = int(before == count and count > 0)
        kept = self._without(list(columns), max(before - count, 0) + changed)
        came = max(count - before, 0) + changed
        return [*kept, self._new(came)] if came else kept

    def _without(self, columns: list[int], leaving: int) -> list[int]:
        """Split records that left from the largest columns; earlier versions keep both parts."""
        for column in sorted(columns, key=lambda c: -self.counts[c]):
            part = min(leaving, self.counts[column])
            if part:
                self.counts[column] -= part
                gone = self._new(part)
                for version in self.versions:
                    for cell in version:
                        if column in cell:
                            cell.append(gone)
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
