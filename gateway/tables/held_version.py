"""A version of a table as the ledger keeps it: its cells without names and values; a keyed digest stands for those."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Any, Self

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.entry import VersionEntry
from sdcdb.gateway.ledger.packing import pack_json, unpack_json
from sdcdb.gateway.tables.cells import Cells


@dataclass(frozen=True)
class VersionCells:
    """The cells of one version for one confidential column: the number of values of each, and one digest of all."""

    counts: Sequence[int]
    digest: int


@dataclass(frozen=True)
class HeldVersion:
    """How many cells a version has, and the cells of each confidential column by the name that it had."""

    fingerprint: str
    size: int
    columns: Mapping[str, VersionCells]
    named: Mapping[str, str]

    @classmethod
    def of(cls, entry: VersionEntry) -> Self:
        """Read a version from the ledger. Older ones name their cells and have a digest for each."""
        held = unpack_json(entry.cells)
        try:
            size = len(held["keys"]) if "keys" in held else int(held["size"])
            columns = {name: VersionCells(each["counts"], _digest(each)) for name, each in held["columns"].items()}
            return cls(entry.version, size, columns, entry.named)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LedgerError("a version in the ledger cannot be read: run `sdcdb ledger verify`") from None

    @classmethod
    def of_cells(cls, cells: Cells) -> Self:
        """Return the version that a table is in now."""
        columns = {name: VersionCells(each.counts.tolist(), each.digest) for name, each in cells.held.items()}
        return cls("", cells.size, columns, {})

    def digest(self, column: str) -> tuple[int, int] | None:
        """Return what a column is known by, whatever its name: how many values it has, and their digest."""
        found = self.columns.get(column)
        return None if found is None else (sum(found.counts), found.digest)


def _digest(column: Mapping[str, Any]) -> int:
    if "digests" in column:
        return reduce(xor, (int(digest, 16) for digest in column["digests"]), 0)
    return int(column["digest"], 16)


def names_over_versions(column: str, versions: Sequence[HeldVersion]) -> list[str]:
    """Return the name that a column of today had in each version.

    A version says which columns had another name before. Where it does not, and the records stayed the same, a column
    is recognised by its digest.
    """
    names: list[str] = []
    for now, before in zip([None, *reversed(versions)], reversed(versions), strict=False):
        if now is not None and column in now.named:
            column = now.named[column]
        elif now is not None and now.fingerprint == before.fingerprint and now.digest(column) != before.digest(column):
            column = next((name for name in before.columns if before.digest(name) == now.digest(column)), column)
        names.append(column)
    return names[::-1]


def pack_version(cells: Cells) -> str:
    """Write the cells of a version as the ledger keeps them."""
    columns = {
        name: {"counts": held.counts.tolist(), "digest": f"{held.digest:x}"} for name, held in cells.held.items()
    }
    return pack_json({"size": cells.size, "columns": columns})
