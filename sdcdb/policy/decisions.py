"""The lines of a policy that wait for its owner: `sdcdb init` marks them CHECK, with what is to be decided."""

import re
from collections.abc import Iterator

MARK = re.compile(r"#.*\bCHECK(:| the domain)")
MOST_NAMED = 12


def open_decisions(text: str) -> list[int]:
    """Return the numbers of the lines that are marked.

    >>> open_decisions("a: quasi  # CHECK: by its name\\n# every line marked CHECK is one\\nb: quasi")
    [1]
    """
    return [number for number, line in enumerate(text.splitlines(), 1) if MARK.search(line)]


def said_of(lines: tuple[int, ...]) -> Iterator[str]:
    """Say that lines wait for a decision, if some do."""
    if len(lines) == 1:
        yield f"line {lines[0]} is still marked CHECK: decide what it asks, and take the mark out"
    elif lines:
        listed = ", ".join(map(str, lines[:MOST_NAMED])) + (", ..." if len(lines) > MOST_NAMED else "")
        yield f"{len(lines)} lines are still marked CHECK ({listed}): decide what they ask, and take the marks out"
