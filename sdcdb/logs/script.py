"""Plain SQL scripts: statements, with `-- user: NAME` and `-- time: STAMP` on separate lines."""

import re
from collections.abc import Iterator

from sdcdb.logs.clock import parse_time
from sdcdb.logs.record import LoggedQuery, Place
from sdcdb.logs.source import LONGEST, Source
from sdcdb.logs.splitter import Splitter, said, statements
from sdcdb.logs.tally import Fate

_ABOUT = re.compile(r"--\s*(user|time)\s*[:=]\s*(.+?)\s*$", re.IGNORECASE)
KEPT = 2_000  # characters of a statement that has no end


def read_script(source: Source, dialect: str = "duckdb") -> Iterator[LoggedQuery]:
    """Yield the statements of a script. `-- user: NAME` and `-- time: STAMP` on lines of their own say who and when.

    A script is always read from its start, since those lines apply to what follows; a place counts statements.
    """
    splitter, text, first, last, found = Splitter(dialect), list[str](), 0, 0, 0
    about: dict[str, str] = {}

    def query(number: int, *, cut: bool = False) -> LoggedQuery:
        sql, time = "".join(text).strip(), parse_time(about.get("time"))
        return LoggedQuery(
            number, time, about.get("user"), sql[:KEPT] if cut else sql, None, source.name, dialect,
            cut=cut, after=Place(last, found),
        )  # fmt: skip

    for line in source.lines(Place()):
        last = line.number
        given = None if splitter.inside else _ABOUT.match(line.text.strip())
        if given:
            about[given[1].lower()] = given[2]
            source.tally.add(Fate.OTHER)
            continue
        ended, start, whole = False, 0, line.text + "\n"
        for end in splitter.ends(whole):
            text.append(whole[start:end].rstrip().removesuffix(";") if whole[end - 1] == ";" else "")
            if said("".join(text), dialect):
                found, ended = found + 1, True
                if found > source.start.offset:
                    yield query(first or line.number)
            text, start, first = [], end, 0
        source.tally.add(Fate.STATEMENT if ended else Fate.CONTINUED if whole.strip() else Fate.OTHER)
        if whole[start:].strip():
            first = first or line.number
            text.append(whole[start:])
        if text and sum(map(len, text)) > LONGEST:
            source.report(first, "a statement that never ends: what follows in it was not read")
            yield query(first, cut=True)
            splitter, text, first = Splitter(dialect), [], 0
    if source.patient:
        return  # the statement may go on
    if splitter.inside:
        what = "a comment" if splitter.inside == "/*" else "a quoted text"
        source.report(first, f"the file ends inside {what} that is opened from here on")
        found += 1
        if found > source.start.offset:
            yield query(first, cut=True)
    elif said("".join(text), dialect):
        found += 1
        if found > source.start.offset:
            yield query(first)


__all__ = ["read_script", "said", "statements"]
