"""Values of an answer as text, JSON and CSV. No value can write a control character to a terminal."""

import base64
import csv
import io
import json
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

HIDDEN = "*"
"""Shown in place of a suppressed number."""

_CONTROL_IN_JSON = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}


def escaped(text: str, kept: str = "") -> str:
    r"""Return the text with every unprintable character escaped, except those in `kept`.

    Blanks are kept, because they are part of a value; `sdcdb.terminal.printable` collapses them.

    >>> escaped("a  b\x1b[2J\n")
    'a  b\\x1b[2J\\n'
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in kept else char.encode("unicode_escape").decode() for char in text
    )


def shown(value: Any) -> str:
    """Write a value in full precision; NULL is empty."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "\\x" + value.hex()
    return escaped(value if isinstance(value, str) else str(value))


def plain(value: Any) -> Any:
    """Return a value for JSON: integers and floats as numbers, decimals and dates as exact text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [plain(inner) for inner in value]
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode("ascii")
    return str(value)


def json_text(data: Any) -> str:
    """Write JSON in ASCII, so that no value can break out of its quotes."""
    return json.dumps(plain(data), indent=2, ensure_ascii=True).translate(_CONTROL_IN_JSON)


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Any]], hidden: Collection[tuple[int, int]] = ()) -> str:
    """Write CSV: NULL is an empty field, a suppressed value a `*`. Line ends and tabs stay inside their quotes."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([escaped(name, "\n\t") for name in header])
    for n, row in enumerate(rows):
        writer.writerow(
            [
                HIDDEN if (n, at) in hidden else escaped(value, "\n\t") if isinstance(value, str) else shown(value)
                for at, value in enumerate(row)
            ]
        )
    return text.getvalue()
