"""Lists on their way in: PostgreSQL's arrays as text, `{1,2,NULL}`, and in binary, of one dimension or several."""

import re
import struct
from collections.abc import Callable
from typing import Any

_TOKEN = re.compile(
    r'\s*(?:(?P<open>\{)|(?P<close>\})|(?P<comma>,)|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^{}",\s]+))\s*'
)
_MOST_DIMENSIONS = 6  # as in PostgreSQL


def text_list(text: str, decode: Callable[[str], Any]) -> list[Any]:
    """Read a list that is written as text.

    >>> text_list('{1,NULL,"a, b"}', str), text_list("{{1,2},{3,4}}", int), text_list("{}", int)
    (['1', None, 'a, b'], [[1, 2], [3, 4]], [])
    """
    open_lists: list[list[Any]] = []
    done: list[Any] | None = None
    at, expecting = 0, True
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or done is not None:
            raise ValueError("not a list")
        at = token.end()
        match token.lastgroup:
            case "open" if expecting and len(open_lists) < _MOST_DIMENSIONS:
                open_lists.append([])
                continue
            case "close" if open_lists and (not expecting or not open_lists[-1]):
                value: Any = open_lists.pop()
                if not open_lists:
                    done = value
                    continue
            case "comma" if open_lists and not expecting:
                expecting = True
                continue
            case "quoted" if open_lists and expecting:
                value = decode(re.sub(r"\\(.)", r"\1", token["quoted"], flags=re.DOTALL))
            case "plain" if open_lists and expecting:
                value = None if token["plain"].upper() == "NULL" else decode(token["plain"])
            case _:
                raise ValueError("not a list")
        open_lists[-1].append(value)
        expecting = False
    if done is None:
        raise ValueError("not a list")
    return done


def binary_list(value: bytes, element: int, decode: Callable[[bytes], Any]) -> list[Any]:
    """Read a list that is written in binary."""
    dimensions, _, kind = struct.unpack_from("!iiI", value)
    if not 0 <= dimensions <= _MOST_DIMENSIONS or (dimensions and kind != element):
        raise ValueError("not a list of these")
    counts = [struct.unpack_from("!i", value, 12 + 8 * each)[0] for each in range(dimensions)]
    if any(not 0 <= count <= len(value) for count in counts):
        raise ValueError("an impossible length")
    at = 12 + 8 * dimensions

    def read(depth: int) -> list[Any]:
        nonlocal at
        found: list[Any] = []
        for _ in range(counts[depth]):
            if depth + 1 < len(counts):
                found.append(read(depth + 1))
                continue
            (size,) = struct.unpack_from("!i", value, at)
            at += 4
            if size > len(value) - at:
                raise ValueError("too short")
            found.append(None if size < 0 else decode(value[at : at + size]))
            at += max(size, 0)
        return found

    found = read(0) if counts and all(counts) else []
    if at != len(value):
        raise ValueError("too long")
    return found
