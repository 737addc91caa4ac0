"""DECLARE, FETCH, MOVE and CLOSE: a result that a session reads portion by portion, by name.

The statement runs once, when the cursor is declared, and its rows are kept. So a cursor scrolls either way, whether it
was declared so or not.
"""

import re
from dataclasses import dataclass, replace

from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.results import Result

WORDS = frozenset({"declare", "fetch", "move", "close"})
MOST = 100  # cursors of one session
_NAME = r"""(?P<name>"(?:[^"]|"")+"|[A-Za-z_][\w$]*)"""
_DECLARE = re.compile(
    rf"""DECLARE\s+{_NAME}\s+(?:(?:BINARY|ASENSITIVE|INSENSITIVE|(?:NO\s+)?SCROLL)\s+)*
         CURSOR\s+(?:(?P<hold>WITH|WITHOUT)\s+HOLD\s+)?FOR\s+(?P<query>.+)""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_FETCH = re.compile(
    rf"""(?P<verb>FETCH|MOVE)\s+
         (?:(?P<way>NEXT|PRIOR|FIRST|LAST|ABSOLUTE|RELATIVE|FORWARD|BACKWARD)\b\s*)?
         (?:(?P<count>ALL|[+-]?\d{{1,9}})\b\s*)?
         (?:(?:FROM|IN)\s+)?{_NAME}""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSE = re.compile(rf"CLOSE\s+{_NAME}", re.IGNORECASE)


@dataclass(frozen=True)
class Declared:
    """What a DECLARE says."""

    name: str
    query: str
    holds: bool


@dataclass
class Cursor:
    """A result, and the row that was read last: 0 before the first."""

    result: Result
    holds: bool
    at: int = 0


def read_declare(statement: str) -> Declared:
    """Read DECLARE, or refuse it."""
    found = _DECLARE.fullmatch(statement.strip())
    if found is None:
        raise Refusal("42601", "this DECLARE is not understood", hint="DECLARE name CURSOR FOR SELECT ...")
    return Declared(_plain(found["name"]), found["query"], (found["hold"] or "").upper() == "WITH")


class Cursors:
    """The cursors that a session holds, by name."""

    def __init__(self) -> None:
        self._open: dict[str, Cursor] = {}

    def must_be_free(self, name: str) -> None:
        """Refuse a name that is taken, and one cursor too many."""
        if name in self._open:
            raise Refusal("42P03", "there is a cursor of this name already")
        if len(self._open) >= MOST:
            raise Refusal("53000", "too many cursors", hint="CLOSE some")

    def open(self, declared: Declared, result: Result) -> Result:
        """Keep a result under its name."""
        if result.columns is None:
            raise Refusal("42601", "a cursor is for a SELECT")
        self._open[declared.name] = Cursor(replace(result, notices=()), declared.holds)
        return Result("DECLARE CURSOR", notices=result.notices)

    def find(self, name: str) -> Cursor | None:
        """Return a cursor."""
        return self._open.get(name)

    def shape(self, statement: str) -> Result | None:
        """Return the columns that a FETCH will have; None for what has none."""
        found = _FETCH.fullmatch(statement.strip())
        if found is None or found["verb"].upper() == "MOVE":
            return None
        return replace(self._named(found["name"]).result, rows=())

    def fetch(self, statement: str) -> Result:
        """Run FETCH or MOVE."""
        found = _FETCH.fullmatch(statement.strip())
        if found is None:
            raise Refusal("42601", "this FETCH is not understood", hint="FETCH FORWARD 100 FROM name")
        cursor = self._named(found["name"])
        rows = _taken(cursor, (found["way"] or "").upper(), (found["count"] or "").upper())
        if found["verb"].upper() == "MOVE":
            return Result(f"MOVE {len(rows)}")
        return replace(cursor.result, tag=f"FETCH {len(rows)}", rows=rows)

    def close(self, statement: str) -> Result:
        """Run CLOSE."""
        found = _CLOSE.fullmatch(statement.strip())
        if found is None:
            raise Refusal("42601", "this CLOSE is not understood", hint="CLOSE name, or CLOSE ALL")
        if found["name"].upper() == "ALL":
            self._open.clear()
            return Result("CLOSE CURSOR ALL")
        self._named(found["name"])
        del self._open[_plain(found["name"])]
        return Result("CLOSE CURSOR")

    def end_of_transaction(self) -> None:
        """Forget what was not declared WITH HOLD."""
        self._open = {name: cursor for name, cursor in self._open.items() if cursor.holds}

    def clear(self) -> None:
        """Forget all."""
        self._open.clear()

    def _named(self, spelt: str) -> Cursor:
        found = self._open.get(_plain(spelt))
        if found is None:
            raise Refusal("34000", "there is no cursor of this name")
        return found


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name.lower()


def _taken(cursor: Cursor, way: str, count: str) -> list[tuple[object, ...]]:
    """Return the rows that a FETCH reads, and leave the cursor where PostgreSQL would."""
    rows = cursor.result.rows
    number = len(rows) if count == "ALL" else int(count or 1)
    match way:
        case "ABSOLUTE" | "RELATIVE" | "FIRST" | "LAST" | "PRIOR":
            last = {"FIRST": 1, "LAST": len(rows), "PRIOR": cursor.at - 1, "RELATIVE": cursor.at + number}
            place = last.get(way, number if number >= 0 else len(rows) + 1 + number)
            cursor.at = max(0, min(place, len(rows) + 1))
            return list(rows[cursor.at - 1 : cursor.at]) if cursor.at else []
        case "BACKWARD":
            number = -number
    if number < 0:
        start = max(0, min(cursor.at, len(rows) + 1) - 1)
        end = max(0, start + number)
        found = list(reversed(rows[end:start]))
        cursor.at = end + 1 if len(found) == -number else 0
        return found
    found = list(rows[cursor.at : cursor.at + number])
    cursor.at = cursor.at + number if len(found) == number else len(rows) + 1
    return found
