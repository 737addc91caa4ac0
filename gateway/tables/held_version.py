"""A version of a table as the ledger keeps it: its cells without their values, which keyed digests stand for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Self

from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.entry import VersionEntry
from sdcdb.gateway.ledger.packing import pack_json, unpack_json
from sdcdb.gateway.tables.cells import Cells


@dataclass(frozen=True)
class VersionCells:
    """The cells of one version for one confidential column: key, number of values, and the XOR of their digests."""

    keys: Sequence[str]
    counts: Sequence[int]
    digests: Sequence[int]


@dataclass(frozen=True)
class HeldVersion:
    """The cells' keys, and the cells of each confidential column by the name that it had."""

    fingerprint: str
    keys: Sequence[str]
    columns: Mapping[str, VersionCells]
    named: Mapping[str, str]

    @classmethod
    def of(cls, entry: VersionEntry) -> Self:
        """Read a version from the ledger."""
        held = unpack_json(entry.cells)
        try:
            columns = {
                name: VersionCells(held["keys"], each["counts"], [int(digest, 16) for digest in each["digests"]])
                for name, each in held["columns"].items()
            }
            return cls(entry.version, held["keys"], columns, entry.named)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise LedgerError("a version in the ledger cannot be read: run `sdcdb ledger verify`") from None

    @classmethod
    def of_cells(cls, cells: Cells) -> Self:
        """Return the version that a table is in now."""
        keys = [""] * cells.size
        columns = {n: VersionCells(keys, each.counts.tolist(), each.digests) for n, each in cells.held.items()}
        return cls("", keys, columns, {})

    def cells(self, column: str) -> VersionCells:
        """Return the cells of a column; one that was not there then had no values."""
        nothing = [0] * len(self.keys)
        return self.columns.get(column) or VersionCells(self.keys, nothing, nothing)

    def digest(self, column: str) -> tuple[int, int] | None:
        """Return what a column is known by, whatever its name: how many values it has, and their digest."""
        found = self.columns.get(column)
        return None if found is None else (sum(found.counts), reduce(xor, found.digests, 0))


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


def pack_version(cells: Cells, keys: Sequence[str]) -> str:
    """Write the cells of a version as the ledger keeps them."""
    columns = {
        name: {"counts": totals.counts.tolist(), "digests": [f"{digest:x}" for digest in totals.digests]}
        for name, totals in cells.held.items()
    }
    return pack_json({"keys": list(keys), "columns": columns})
