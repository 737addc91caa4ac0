"""Looking at a statement without parsing it: its words, and its parameters outside of quotes."""

import re

_PIECE = re.compile(
    r"""
    (?P<quoted>'(?:[^']|'')*' | "(?:[^"]|"")*")
  | (?P<comment>--[^\n\r]* | /\*.*?\*/)
  | (?P<parameter>\$[0-9]+)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    """,
    re.VERBOSE | re.DOTALL,
)


_NUMBERS = re.compile(r"::\s*oid\s*\[\s*\]", re.IGNORECASE)  # sqlglot does not read lists of them
_QUALIFIED = re.compile(
    r"""
    ('(?:[^']|'')*' | "(?:[^"]|"")*")
  | \bAS\s+(?P<label>select|table|user|order|group|from)(?=\s*,|\s+FROM\b)  # a label that sqlglot takes for a keyword
  | \bCOLLATE\s+(?:pg_catalog\.)?"?default"?
  | \bpg_catalog\s*\.\s*
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TIMED = re.compile(
    r"""
    ('(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n\r]* | /\*.*?\*/ | (?P<tag>\$(?:[A-Za-z_]\w*)?\$).*?(?P=tag))
  | \bTO_DATE\s*\(\s*'(?P<date>\d{4}-\d\d-\d\d)'\s*,\s*'YYYY-MM-DD'\s*\)
  | \bTO_TIMESTAMP\s*\(\s*'(?P<time>\d{4}-\d\d-\d\d\ \d\d:\d\d:\d\d(?:\.\d{1,6})?)'\s*,
      \s*'YYYY-MM-DD\ HH24:MI:SS(?:\.(?:US|MS))?'\s*\)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def spaced(sql: str) -> str:
    """Return a statement with a blank behind each parameter: sqlglot takes `$1,$2` for a dollar quote."""
    return _PIECE.sub(lambda found: found.group() + (" " if found.lastgroup == "parameter" else ""), sql)


def unqualified(sql: str) -> str:
    """Return a statement without the schema pg_catalog and its collation: every name of it is found without.

    >>> unqualified("SELECT pg_catalog.now() COLLATE pg_catalog.default, 'pg_catalog.x'")
    "SELECT now() , 'pg_catalog.x'"
    """
    return _NUMBERS.sub("::uinteger[]", _QUALIFIED.sub(_plainly, sql))


def _plainly(found: re.Match[str]) -> str:
    return f'AS "{found["label"]}"' if found["label"] else found.group(1) or ""


def dated(sql: str) -> str:
    """Return a statement with PostgreSQL's functions of constant times as constants: tools write time ranges so.

    >>> dated("SELECT to_date('2024-02-01', 'YYYY-MM-DD'), 'to_date(''2024-02-01'', ...)'")
    "SELECT DATE '2024-02-01', 'to_date(''2024-02-01'', ...)'"
    >>> dated("SELECT $a$to_date('2024-02-01', 'YYYY-MM-DD')$a$, $1")
    "SELECT $a$to_date('2024-02-01', 'YYYY-MM-DD')$a$, $1"
    """
    return _TIMED.sub(_constant, sql)


def _constant(found: re.Match[str]) -> str:
    if found["date"]:
        return f"DATE '{found['date']}'"
    return f"TIMESTAMP '{found['time']}'" if found["time"] else found.group()


def parameters(sql: str) -> int:
    """Return the greatest number of a parameter.

    >>> parameters("SELECT $1, '$3', $2")
    2
    """
    numbers = [int(found.group()[1:]) for found in _PIECE.finditer(sql) if found.lastgroup == "parameter"]
    return max((number for number in numbers if number <= 0xFFFF), default=0)


def words(sql: str) -> list[str]:
    """Return the names and keywords of a statement, in lower case; what is in double quotes counts as a name.

    >>> words("SELECT a FROM \\"B\\" -- c")
    ['select', 'a', 'from', 'b']
    """
    found = []
    for piece in _PIECE.finditer(sql):
        if piece.lastgroup == "word":
            found.append(piece.group().lower())
        elif piece.group().startswith('"'):
            found.append(piece.group()[1:-1].replace('""', '"').lower())
    return found
