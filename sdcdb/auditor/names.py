"""How a report names records and statements: as they are, or under pseudonyms that identify nobody."""

import re
import secrets
from collections.abc import Mapping
from hashlib import blake2b

from sdcdb.auditor.reading.snapshot import Snapshot

_LITERAL = re.compile(r"'(?:[^']|'')*'|(?<![\w.])\d+(?:\.\d+)?\b")
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


class Naming:
    """Names of records and texts of statements. Pseudonyms are valid within one report: their key is thrown away."""

    def __init__(self, snapshot: Snapshot, *, pseudonymise: bool) -> None:
        self._key = secrets.token_bytes(16) if pseudonymise else None
        self._snapshot = snapshot

    def record(self, table: str, cell: int) -> str:
        """Name a record, or the records of a cell where the table is audited by cells."""
        audited = self._snapshot.tables[table]
        if self._key is None:
            return audited.names[cell] if audited.by_record else f"one of: {audited.names[cell]}"
        digest = blake2b(f"{table} {cell}".encode(), key=self._key, digest_size=5).hexdigest()
        return f"record {digest}"

    def records(self, table: str) -> Mapping[int, str]:
        """Name the records of a table on demand."""
        return _Lazily(self, table)

    def statement(self, sql: str) -> str:
        """Show a statement; under pseudonyms, one that names an identifier loses its values and comments."""
        text = " ".join(sql.split())
        if self._key is None:
            return text
        text = " ".join(_COMMENT.sub(" ", sql).split())
        words = {word.casefold() for word in re.findall(r"\w+", text)}
        named = {name.casefold() for names in self._snapshot.identifiers.values() for name in names}
        return _LITERAL.sub("?", text) if words & (named | {"rowid"}) else text


class _Lazily(dict[int, str]):
    """Names of cells, made when they are looked up."""

    def __init__(self, naming: Naming, table: str) -> None:
        super().__init__()
        self._naming, self._table = naming, table

    def __missing__(self, cell: int) -> str:
        return self._naming.record(self._table, cell)
