"""The file beside the ledger in which a table's newest version is kept record by record, as keyed digests.

The ledger keeps how many records went from where to where; who they were is needed at the next refresh only. For each
confidential column, a record takes 32 bytes: a digest of key and value and its class (12), one of quasi-identifiers and
value (8), one of the key and the class of the person (12). Where the policy names a person, it takes 16 more: a digest
of whose record it is, for the value and for the key; where changes are counted by a quasi-identifier, 8. Records that
left are kept, without the 8 bytes: they may come back. The file is named by its own digest, which the ledger keeps:
another file is not believed.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.ledger.disk import failed, write_new
from sdcdb.gateway.tables.owned import Owned, Persons
from sdcdb.gateway.tables.trail import Ints, Trail

_OWNED = ("values", "people", "other", "same")


@dataclass(frozen=True, eq=False)
class Followed:
    """One confidential column: its values and its people as they were followed, and what its newest records look like.

    The trail of values takes a changed value for a new unknown; that of people takes it for the same: who knows by how
    much it changed still learns of it. `owned` says whose they are, where the policy names a person.
    """

    values: Trail
    people: Trail
    alike: Ints
    owned: Owned | None = None
    groups: Ints | None = None
    """What the newest records have in the quasi-identifier by which changes are counted, as digests."""


def record_path(ledger: Path, name: str) -> Path:
    """Return the file of this name."""
    return ledger.with_name(f"{ledger.name}.records-{name}")


def write_records(ledger: Path, columns: Mapping[str, Followed]) -> str:
    """Write the columns to a file beside the ledger, durably; return its name."""
    arrays: dict[str, NDArray[Any]] = {"names": np.frombuffer(json.dumps(list(columns)).encode(), dtype=np.uint8)}
    for n, each in enumerate(columns.values()):
        for kind, trail in (("values", each.values), ("people", each.people)):
            arrays[f"{n} {kind} digests"] = trail.digests
            arrays[f"{n} {kind} classes"] = trail.classes.astype(np.int32)
            arrays[f"{n} {kind} number"] = np.array(trail.number)
        arrays[f"{n} alike"] = each.alike
        if each.groups is not None:
            arrays[f"{n} groups"] = each.groups
        if each.owned is not None:
            persons = each.owned.persons
            parts = (each.owned.values, each.owned.people, persons.other, persons.same)
            arrays |= {f"{n} owned {name}": part for name, part in zip(_OWNED, parts, strict=True)}
    held = io.BytesIO()
    np.savez(held, **arrays)  # type: ignore[arg-type]  # the library's stub takes its own option for one of the names
    name = hashlib.sha256(held.getvalue()).hexdigest()[:32]
    path = record_path(ledger, name)
    try:
        if not path.exists():
            write_new(path, held.getvalue())
    except OSError as problem:
        raise failed("write the records of a table to", path, problem) from None
    return name


def read_followed(ledger: Path, name: str) -> dict[str, Followed] | None:
    """Read the file of this name; None if there is none, or another one in its place."""
    try:
        held = record_path(ledger, name).read_bytes()
    except OSError:
        return None
    if not name or hashlib.sha256(held).hexdigest()[:32] != name:
        return None
    with np.load(io.BytesIO(held), allow_pickle=False) as arrays:

        def trail(n: int, kind: str) -> Trail:
            digests, classes = arrays[f"{n} {kind} digests"], arrays[f"{n} {kind} classes"].astype(np.int64)
            return Trail(digests, classes, int(arrays[f"{n} {kind} number"]))

        def owned(n: int) -> Owned | None:
            if f"{n} owned values" not in arrays:
                return None
            values, people, other, same = (arrays[f"{n} owned {name}"] for name in _OWNED)
            return Owned(values, people, Persons(other, same))

        names = json.loads(arrays["names"].tobytes())
        return {
            each: Followed(
                trail(n, "values"),
                trail(n, "people"),
                arrays[f"{n} alike"],
                owned(n),
                arrays.get(f"{n} groups"),
            )
            for n, each in enumerate(names)
        }
