"""COPY (SELECT ...) TO STDOUT: the options, and the rows as text, CSV or PostgreSQL's binary form."""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from sdcdb.gateway.server.postgres.messages import message
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.results import Result

_COPY = re.compile(r"COPY\s*\((?P<query>.*)\)\s*TO\s+STDOUT\b\s*(?P<options>.*)", re.IGNORECASE | re.DOTALL)
_OPTION = re.compile(r"""([A-Za-z_]+)(?:\s+('(?:[^']|'')*'|"[a-z]+"|[A-Za-z_0-9]+|\*))?""")
_SIGNATURE = b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)
_ESCAPES = {8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 92: "\\\\"}


@dataclass(frozen=True)
class Copy:
    """What to copy, and how."""

    query: str
    form: str = "text"
    delimiter: str = "\t"
    null: str = "\\N"
    header: bool = False
    quote: str = '"'
    escape: str = '"'

    @property
    def binary(self) -> bool:
        """Whether the rows go out in binary."""
        return self.form == "binary"


def read_copy(statement: str) -> Copy:
    """Read the statement, or say what is answered instead."""
    found = _COPY.fullmatch(statement.strip())
    if found is None:
        raise Refusal("0A000", "only COPY (SELECT ...) TO STDOUT is answered", hint="put the SELECT in parentheses")
    options = _options(found.group("options"))
    form = options.pop("format", "text").lower()
    if form not in {"text", "csv", "binary"}:
        raise Refusal("22023", "the format of COPY is text, csv or binary")
    plain = {"delimiter": "," if form == "csv" else "\t", "null": "" if form == "csv" else "\\N"}
    for name in ("delimiter", "null", "quote", "escape"):
        if name in options:
            plain[name] = options.pop(name)
    header = options.pop("header", "false").lower() in {"true", "on", "1", ""}
    options.pop("encoding", None)
    if options or (form == "binary" and (header or len(plain) > 2)):
        raise Refusal(
            "0A000", "this option of COPY is not answered", hint="FORMAT, DELIMITER, NULL, HEADER, QUOTE, ESCAPE"
        )
    if any(len(plain.get(name, ".")) != 1 for name in ("delimiter", "quote", "escape")) or len(plain["null"]) > 100:
        raise Refusal("22023", "a delimiter, quote or escape of COPY is one character")
    escape = plain.pop("escape", plain.get("quote", '"'))
    return Copy(found.group("query"), form, header=header, escape=escape, **plain)


def _options(text: str) -> dict[str, str]:
    """Read `WITH (FORMAT csv, HEADER)`, and the older `WITH CSV HEADER`, `BINARY`."""
    inside = re.sub(r"^\s*WITH\b", "", text.strip(), flags=re.IGNORECASE).strip()
    found: dict[str, str] = {}
    if inside.startswith("(") and inside.endswith(")"):
        for name, value in _OPTION.findall(inside[1:-1]):
            found[name.lower()] = _plain(value)
        return found
    words = _OPTION.findall(inside)
    for name, value in words:
        word = name.lower()
        if word in {"csv", "binary", "text"}:
            found["format"] = word
            if value:  # `CSV HEADER`: the second word is an option, too
                found[value.lower()] = ""
        else:
            found[word] = _plain(value)
    return found


def _plain(value: str) -> str:
    return value[1:-1].replace("''", "'") if value.startswith("'") else value.strip('"')


def copy_rows(copy: Copy, result: Result) -> Iterator[bytes]:
    """Yield the messages that carry the rows."""
    if copy.binary:
        yield from _binary(result)
        return
    encoders = result.encoders()
    write = _csv if copy.form == "csv" else _text
    if copy.header:
        yield _line(copy.delimiter.join(write(name, copy) for name in result.columns or ()))
    for row in result.rows:
        values = (
            None if value is None else encode(value).decode() for value, encode in zip(row, encoders, strict=True)
        )
        yield _line(copy.delimiter.join(copy.null if value is None else write(value, copy) for value in values))


def _line(text: str) -> bytes:
    return message(b"d", text.encode() + b"\n")


def _text(value: str, copy: Copy) -> str:
    escaped = value.translate(_ESCAPES)
    return escaped if copy.delimiter == "\t" else escaped.replace(copy.delimiter, "\\" + copy.delimiter)


def _csv(value: str, copy: Copy) -> str:
    special = {copy.delimiter, copy.quote, "\n", "\r"}
    if value in {copy.null, "\\."} or not special.isdisjoint(value):
        escaped = value.replace(copy.escape, copy.escape * 2) if copy.escape != copy.quote else value
        return copy.quote + escaped.replace(copy.quote, copy.escape + copy.quote) + copy.quote
    return value


def _binary(result: Result) -> Iterator[bytes]:
    encoders = result.encoders([1])
    ahead = _SIGNATURE  # in one message with the first row, as PostgreSQL sends it
    for row in result.rows:
        parts = [ahead, struct.pack("!h", len(row))]
        ahead = b""
        for value, encode in zip(row, encoders, strict=True):
            if value is None:
                parts.append(b"\xff\xff\xff\xff")
            else:
                packed = encode(value)
                parts.append(struct.pack("!i", len(packed)) + packed)
        yield message(b"d", b"".join(parts))
    yield message(b"d", ahead + b"\xff\xff")
