"""One record of the ledger, and the exact bytes that stand for it.

A line is `{"n":1,"time":"...","kind":"...",...,"prev":"...","hash":"..."}`. Its hash is the SHA-256 of the same line
without the hash field: of `{"n":1,...,"prev":"..."}`. The bytes themselves are hashed, so checking needs no parsing and
no second serialisation, and there is no byte in a line that may change unnoticed. Lines are ASCII: everything else,
control characters too, is escaped.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from sdcdb.errors import InternalError

GENESIS = "0" * 64  # what the first record names as the one before it
RESERVED = ("n", "time", "prev", "hash")
_SEAL = len(',"hash":""}\n') + 64


@dataclass(frozen=True)
class Record:
    """One entry of the ledger. `entry` is what was appended, its kind included."""

    number: int
    time: datetime
    kind: str
    entry: Mapping[str, Any]
    prev: str
    hash: str


def serialised(entry: Mapping[str, Any]) -> str:
    """Return an entry as JSON fields without the braces, its kind first."""
    kind = entry.get("kind")
    if not isinstance(kind, str) or not kind:
        raise InternalError("an entry of the ledger needs a kind, such as 'question'")
    if taken := [name for name in RESERVED if name in entry]:
        raise InternalError(f"an entry of the ledger may not have the fields {taken}: the ledger writes them")
    try:
        text = json.dumps({"kind": kind, **entry}, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError) as problem:
        raise InternalError(f"an entry of the ledger must be plain JSON: {problem}") from problem
    return text[1:-1]


def line_of(number: int, fields: str, prev: str) -> tuple[bytes, str]:
    """Return the line of a record with these fields, written now, and its hash."""
    now = datetime.now(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    return seal(f'{{"n":{number},"time":"{now}Z",{fields},"prev":"{prev}"')


def seal(text: str) -> tuple[bytes, str]:
    """Close a JSON object that lacks its last brace with the hash of itself; return the line and the hash."""
    body = text.encode("ascii")
    found = sha256(body + b"}").hexdigest()
    return b'%b,"hash":"%b"}\n' % (body, found.encode()), found


def own_hash(line: bytes) -> str:
    """Return the hash that a line must carry, whatever it carries."""
    digest = sha256(memoryview(line)[:-_SEAL])
    digest.update(b"}")
    return digest.hexdigest()


def follows(line: bytes, number: int, prev: str) -> str | None:
    """Return the hash of a line, if it is whole, unchanged, and the record of this number after `prev`; else None."""
    found = own_hash(line)
    end = f',"prev":"{prev}","hash":"{found}"}}\n'.encode()
    return found if line.endswith(end) and line.startswith(b'{"n":%d,"time":"' % number) else None


def why_not(line: bytes, number: int, prev: str) -> str:
    """Say in words why a line is not the record of this number after `prev`."""
    if not line.endswith(b"\n"):
        return "it ends in the middle of a record"
    try:
        fields = json.loads(line)
        carried, before, found = fields["n"], fields["prev"], fields["hash"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return "it is not a record: it was changed, or something else wrote to the file"
    if found != own_hash(line):
        return "the record was changed: its content does not fit its hash"
    if carried != number:
        return f"it holds record {carried} where record {number} belongs: lines were removed, added or swapped"
    if before != prev:
        return "it does not follow the record before it: that one, or this one, was replaced"
    return "the record was written in another form than the ledger's: something else wrote to the file"


def parsed(line: bytes) -> Record:
    """Read a line that `follows` has accepted."""
    fields: dict[str, Any] = json.loads(line)
    number, time, prev, found = (fields.pop(name) for name in RESERVED)
    return Record(number, datetime.fromisoformat(time), fields["kind"], MappingProxyType(fields), prev, found)
