"""Texts that a server may have read otherwise than a parser does here: they are not understood.

Quotes, comments and escapes differ between servers and between their settings. Where two readings are possible, one of
them may hide the name of a restricted table from this side.
"""

import re
import unicodedata

_ESCAPED_NAME = re.compile(r"\b[uU]&(\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*')(\s*UESCAPE\s*'[^']*')?", re.IGNORECASE)
_CODE = re.compile(r"\\(?:\+([0-9A-Fa-f]{6})|([0-9A-Fa-f]{4})|(\\))")
_PART = re.compile(
    r"""
    (?P<escape>(?<![\w$])[eE]'(?:[^'\\]|''|\\.)*')
  | (?P<text>'(?:[^']|'')*')
  | (?P<name>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[(?:[^\]]|\]\])*\])
  | (?P<dollar>\$(?P<tag>(?:[A-Za-z_][\w]*)?)\$.*?\$(?P=tag)\$)
  | (?P<block>/\*)
  | (?P<line>--[^\n]*)
    """,
    re.VERBOSE | re.DOTALL,
)
_BACKSLASH = {"mysql", "mariadb", "bigquery", "databricks", "spark", "hive", "snowflake", "clickhouse"}


QUOTED_TEXTS = frozenset({"mysql", "mariadb", "databricks", "spark"})
"""Dialects in which double quotes make a text, or a name, as the server or the session was set."""


def quoted_name(sql: str, names: frozenset[str]) -> str | None:
    """Return one of some folded names that stands in double quotes.

    >>> quoted_name('SELECT "Salary" FROM staff', frozenset({"salary"}))
    'Salary'
    """
    quoted = (found["name"][1:-1] for found in _PART.finditer(sql) if found["name"] and found["name"].startswith('"'))
    return next((name for name in quoted if name.lower() in names), None)


def decoded(sql: str) -> str | None:
    """Write Unicode escapes as the characters they stand for; None where another escape sign is declared.

    >>> decoded(r'SELECT U&"s\\0061lary" FROM U&"st\\+000061ff"')
    'SELECT "salary" FROM "staff"'
    """
    strange = False

    def put(found: re.Match[str]) -> str:
        nonlocal strange
        if found[2]:
            strange = True
        return _CODE.sub(lambda code: "\\" if code[3] else chr(int(code[1] or code[2], 16)), found[1])

    try:
        text = _ESCAPED_NAME.sub(put, sql)
    except (ValueError, OverflowError):
        return None
    return None if strange else text


def doubt(sql: str, dialect: str) -> str | None:
    """Return why a text can be read in two ways, or None.

    >>> doubt("SELECT /*! salary FROM staff */ 1", "mysql")
    'has a comment that the server executes'
    >>> doubt("SELECT 'it''s' -- fine", "postgres") is None
    True
    """
    at = 0
    while at < len(sql):
        found = _PART.search(sql, at)
        outside = sql[at : found.start() if found else len(sql)]
        why = _outside(outside, dialect)
        if why:
            return why
        if found is None:
            return None
        why, at = _inside(sql, found, dialect)
        if why:
            return why
    return None


def _outside(text: str, dialect: str) -> str | None:
    if any(sign in text for sign in "'\"`"):
        return "has a quote that is never closed"
    for character in text:
        kind = unicodedata.category(character)
        if kind in ("Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp") and character not in " \t\r\n":
            return "has invisible characters outside of quotes"
    if "\r" in text.replace("\r\n", ""):
        return "has line ends that servers read differently"
    if "#" in text and dialect in ("mysql", "mariadb") and "\n" in text.partition("#")[2]:
        return None if _hash_comments_only(text) else "has a # that servers read differently"
    return None


def _hash_comments_only(text: str) -> bool:
    """Tell whether everything from each # to its line's end is plain words: a comment, whoever reads it."""
    return all(not re.search(r"/\*|\*/", part) for part in re.findall(r"#([^\n]*)", text))


def _inside(sql: str, found: re.Match[str], dialect: str) -> tuple[str | None, int]:
    text, end = found.group(), found.end()
    if found["block"]:
        return _block(sql, found.start())
    if found["line"]:
        if dialect in ("mysql", "mariadb") and not re.match(r"--(\s|$)", text):
            return "has -- without a space, which MySQL does not take for a comment", end
        return ("has line ends that servers read differently" if "\r" in text.rstrip("\r") else None), end
    if found["text"] and "\\'" in text and dialect not in _BACKSLASH:
        return "has a backslash before a quote, which servers read differently", end
    if found["text"] and dialect in _BACKSLASH and "\\" in text:
        return _with_backslashes(sql, found.start())
    if found["name"] and text.startswith("[") and dialect != "tsql":
        return None, found.start() + 1  # a subscript or a list
    if found["name"] and text.startswith('"') and dialect in ("mysql", "mariadb") and "\\" in text:
        return "has a backslash before a quote, which servers read differently", end
    return None, end


def _with_backslashes(sql: str, start: int) -> tuple[str | None, int]:
    whole = re.compile(r"'(?:[^'\\]|''|\\.)*'", re.DOTALL).match(sql, start)
    plain = re.compile(r"'(?:[^']|'')*'", re.DOTALL).match(sql, start)
    if whole is None or plain is None or whole.end() != plain.end():
        return "has a backslash before a quote, which servers read differently", len(sql)
    return None, whole.end()


def _block(sql: str, start: int) -> tuple[str | None, int]:
    if sql.startswith(("/*!", "/*M!"), start):
        return "has a comment that the server executes", len(sql)
    first = sql.find("*/", start + 2)
    if first < 0:
        return "has a comment that is never closed", len(sql)
    if "/*" in sql[start + 2 : first]:
        return "has a comment inside a comment, which servers read differently", len(sql)
    if "\x00" in sql[start:first]:
        return "has invisible characters outside of quotes", len(sql)
    return None, first + 2
