"""Insert logged parameter values for `$1` or `?`, so that a statement says what was asked."""

import re
from collections.abc import Sequence

_TOKEN = re.compile(
    r"""
    (?P<text>[eE]?'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*`)
  | (?P<dollar>(?P<tag>\$(?:[A-Za-z_]\w*)?\$).*?(?P=tag))
  | (?P<comment>--[^\n]* | /\*.*?\*/)
  | (?P<number>(?<![\w$])\$(?P<n>\d+))
  | (?P<mark>(?<![?|&@])\?(?![?|&@]))
    """,
    re.VERBOSE | re.DOTALL,
)
_PARAMETER = re.compile(r"\$(\d+) = (NULL|'(?:[^']|'')*'(?:\.\.\.)?)(?:, |$)")


def bound(sql: str, values: Sequence[str | None]) -> tuple[str, bool]:
    """Return the statement with its parameters inserted as quoted texts, and whether any has no value.

    Engines cast a quoted text to the type they expect in its place, as they did with the parameter.

    >>> bound("select 1 from t where a = $1 and b = '$2' and c = $2", ["it's", None])
    ("select 1 from t where a = 'it''s' and b = '$2' and c = NULL", False)
    """
    open_marks = 0
    position = 0

    def put(found: re.Match[str]) -> str:
        nonlocal open_marks, position
        if found["number"]:
            index = int(found["n"]) - 1
        elif found["mark"]:
            index, position = position, position + 1
        else:
            return found.group()
        if not 0 <= index < len(values):
            open_marks += 1
            return found.group()
        value = values[index]
        return "NULL" if value is None else "'" + value.replace("'", "''") + "'"

    text = _TOKEN.sub(put, sql)
    return text, open_marks > 0


def parameters(detail: str) -> list[str | None] | None:
    """Read PostgreSQL's `parameters: $1 = '40', $2 = NULL` (since 16 also `Parameters:`); None if it is not that.

    A value that the server truncated ends in dots; it is left out, so that the parameter stays unbound.

    >>> parameters("parameters: $1 = 'it''s', $2 = NULL")
    ["it's", None]
    """
    if not re.match(r"[Pp]arameters: \$", detail):
        return None
    values: list[str | None] = []
    for number, value in _PARAMETER.findall(detail):
        if int(number) != len(values) + 1 or value.endswith("..."):
            return values
        values.append(None if value == "NULL" else value[1:-1].replace("''", "'"))
    return values


def executed(call: str, prepared: str) -> tuple[str, bool] | None:
    """Insert the arguments of `EXECUTE name(a, b)` into the body of its `PREPARE name(types) AS body`.

    >>> executed("execute q('it''s', 30)", "prepare q(text, int) as select 1 where a = $1 and b > $2;")
    ("select 1 where a = 'it''s' and b > '30'", False)
    """
    body = re.match(
        r"\s*PREPARE\s+(?:\"[^\"]+\"|\w+)\s*(?:\([^)]*\))?\s*AS\s+(.*)", prepared, re.IGNORECASE | re.DOTALL
    )
    given = re.match(r"\s*EXECUTE\s+(?:\"[^\"]+\"|\w+)\s*(?:\((.*)\))?\s*;?\s*$", call, re.IGNORECASE | re.DOTALL)
    if body is None or given is None:
        return None
    values = _arguments(given[1] or "")
    return None if values is None else bound(body[1].rstrip().rstrip(";"), values)


def _arguments(text: str) -> list[str | None] | None:
    """Return literal arguments; None when one of them is an expression, whose value is not in the log."""
    values: list[str | None] = []
    literal = re.compile(
        r"\s*(?:('(?:[^']|'')*')(?:::\w+)?|([+-]?[\d.]+(?:[eE][+-]?\d+)?)|(NULL|TRUE|FALSE))\s*(,|$)", re.I
    )
    at = 0
    while at < len(text):
        found = literal.match(text, at)
        if found is None:
            return None
        quoted, number, word, _ = found.groups()
        if quoted:
            values.append(quoted[1:-1].replace("''", "'"))
        else:
            values.append(number or (None if word.upper() == "NULL" else word.lower()))
        at = found.end()
    return values
