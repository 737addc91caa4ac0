"""How a report names records, analysts and statements: as they are, or under pseudonyms that identify nobody."""

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DataError, choices

_LITERAL = re.compile(
    r"\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|[eEnNxXbB]?'(?:[^'\\]|''|\\.)*'|(?<![\w.$])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b",
    re.DOTALL,
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)


class Naming:
    """Names of records and people, and texts of statements. With a key, all are pseudonyms, valid within one report."""

    def __init__(self, snapshot: Snapshot, key: bytes | None = None, show: Sequence[str] = ()) -> None:
        self._key = key
        self._snapshot = snapshot
        self._shown = {} if key is not None else {name: _shown(snapshot, name, show) for name in snapshot.tables}
        if show and key is None and not any(self._shown.values()):
            there = sorted({column for table in snapshot.tables.values() for column in table.table.columns})
            raise DataError(f"--show {', '.join(show)}: no audited table has such a column; {choices(show[0], there)}")

    def record(self, table: str, cell: int) -> str:
        """Name a record, or the records of a cell where the table is audited by cells."""
        audited = self._snapshot.tables[table]
        if self._key is not None:
            return f"record {self._digest(f'{table} {cell}')}"
        name = audited.names[cell] if audited.by_record else f"one of: {audited.names[cell]}"
        more = self._shown[table].get(cell)
        return f"{name} ({more})" if more else name

    def records(self, table: str) -> Mapping[int, str]:
        """Name the records of a table on demand."""
        return _Lazily(self, table)

    def person(self, user: str) -> str:
        """Name an analyst or a pool of them."""
        fixed = ("everybody", "(unknown)")
        return user if self._key is None or user in fixed else f"analyst {self._digest(user)[:6]}"

    def patient(self, table: str, name: str) -> str:
        """Name a person whose records a table holds."""
        return name if self._key is None else f"person {self._digest(f'{table} {name}')}"

    def statement(self, sql: str) -> str:
        """Show a statement on one line; under pseudonyms without its values and comments."""
        if self._key is None:
            return " ".join(sql.split())
        return " ".join(_LITERAL.sub("?", _COMMENT.sub(" ", sql)).split())

    def problem(self, text: str) -> str:
        """Show what is wrong with a log; under pseudonyms without what it quotes."""
        return text if self._key is None else re.sub(r"'[^']*'|\"[^\"]*\"", "?", text)

    def _digest(self, text: str) -> str:
        return blake2b(text.encode(), key=self._key or b"", digest_size=5).hexdigest()


def _shown(snapshot: Snapshot, table: str, columns: Sequence[str]) -> dict[int, str]:
    """Return the chosen columns of each record, by its number, where the table is audited by record."""
    audited = snapshot.tables[table]
    folded = {name.casefold(): name for name in audited.table.quasi}
    chosen = [folded[name.casefold()] for name in columns if name.casefold() in folded]
    if not chosen or not audited.by_record:
        return {}
    listed = ", ".join(quoted(identifier(name)) for name in chosen)
    rows = snapshot.rows_of(audited, listed)
    return {cell: ", ".join(str(value) for value in row) for cell, row in enumerate(rows)}


class _Lazily(dict[int, str]):
    """Names of cells, made when they are looked up."""

    def __init__(self, naming: Naming, table: str) -> None:
        super().__init__()
        self._naming, self._table = naming, table

    def __missing__(self, cell: int) -> str:
        return self._naming.record(self._table, cell)
