"""JSON objects of a file, one per line, spread over lines, or inside one list, each with the line it starts on."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sdcdb.logs.record import Place
from sdcdb.logs.source import LONGEST, Line, Source
from sdcdb.logs.tally import Fate

MOST_LINES = 5_000  # lines of one object; beyond them, a brace was left open
MOST_FAILURES = 20  # until objects that span lines are no longer expected
WRAPPED = ("res", "rows", "results", "data", "value", "entries", "jobs", "queries", "records", "items")
"""Where exports keep their list when they wrap it in one object."""


@dataclass(frozen=True)
class JsonObject:
    """One object, the line it starts on, how many it spans, and where the next one starts."""

    line: int
    content: dict[str, Any]
    after: Place
    lines: int = 1
    text: str = ""
    """The first line as it is in the file."""


def objects(source: Source, *, spread: bool = True, whole: bool = False) -> Iterator[JsonObject]:
    """Yield the objects. One that is broken is reported, and reading continues at its second line.

    With `spread`, an object may span lines, until the first that is on one line shows that they do not. The caller
    accounts for the lines of what is yielded: an object that shares its line with another spans none itself.
    """
    lines, waiting = source.lines(whole=whole), deque[Line]()
    failures = 0
    while (line := waiting.popleft() if waiting else next(lines, None)) is not None:
        text = line.text.strip().lstrip("\ufeff")
        if text.strip(",[]") == "":
            source.tally.add(Fate.OTHER)
            continue
        taken, found, problem = [line], *_parsed(text)
        spread = spread and found is None and failures < MOST_FAILURES
        if spread and text[0] in "[{":
            taken.extend(_rest(line, waiting, lines))
            found, _ = _parsed("\n".join(each.text for each in taken))
            if found is None and not waiting and len(taken) < MOST_LINES and source.leaves(len(taken)):
                return
            spread = True
        if found is None:
            failures += 1
            source.report(line.number, f"not JSON ({problem})", "not JSON")
            source.tally.add(Fate.PROBLEM)
            waiting.extendleft(reversed(taken[1:]))
            continue
        yield from _each(found, taken, source)


def _rest(first: Line, waiting: deque[Line], lines: Iterator[Line]) -> Iterator[Line]:
    """Yield the lines up to the one that closes what the first opens; of a list, only its first object."""
    depth, size, number = _Depth(), len(first.text), 1
    depth.take(first.text)
    outer = 1 if first.text.lstrip().startswith("[") else 0
    while depth.level > outer and number < MOST_LINES and size < LONGEST:
        more = waiting.popleft() if waiting else next(lines, None)
        if more is None:
            return
        number, size = number + 1, size + len(more.text)
        depth.take(more.text)
        yield more


def _each(found: Any, taken: list[Line], source: Source) -> Iterator[JsonObject]:
    """Yield the objects of the lines taken; those beyond the first share its lines."""
    inner = [each for each in _unwrapped(found[0]) if isinstance(each, dict)]
    if not inner:
        source.report(taken[0].number, "JSON, but not an object", "not a JSON object")
        source.tally.add(Fate.PROBLEM, len(taken))
    for position, each in enumerate(inner):
        yield JsonObject(taken[0].number, each, taken[-1].after, 0 if position else len(taken), taken[0].text)


def _unwrapped(part: Any) -> list[Any]:
    if isinstance(part, list):
        return part
    if isinstance(part, dict):
        for name in WRAPPED:
            inside = part.get(name)
            if (
                isinstance(inside, list)
                and inside
                and all(isinstance(each, dict) for each in inside)
                and len(part) <= 4
            ):
                return inside
    return [part]


def _parsed(text: str) -> tuple[list[Any] | None, str]:
    """Return the values of a text, which may begin or end in the middle of a list; or what is wrong."""
    plain = text.strip().rstrip(",").strip()
    problem = ""
    for form in (plain, plain.removeprefix("["), plain.removesuffix("]")):
        try:
            return [json.loads(form.strip().strip(","), object_pairs_hook=_once)], ""
        except (ValueError, RecursionError) as wrong:
            problem = problem or str(wrong).split(":")[0].lower()
    return None, problem


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that says two things under one name: readers differ in which they take."""
    found = dict(pairs)
    if len(found) < len(pairs) and any(found[name] != value for name, value in pairs):
        raise ValueError("a name occurs twice in one object")
    return found


class _Depth:
    """Counts the brackets that are open, outside of texts."""

    def __init__(self) -> None:
        self.level, self._text, self._escaped = 0, False, False

    def take(self, line: str) -> None:
        for sign in line:
            if self._escaped:
                self._escaped = False
            elif self._text:
                self._escaped, self._text = sign == "\\", sign != '"'
            elif sign == '"':
                self._text = True
            elif sign in "[{":
                self.level += 1
            elif sign in "]}":
                self.level -= 1
        self._text = False  # JSON has no line ends inside a text
