"""What a statement takes over from those before it in the session: numbers of rows, messages, settings, last values."""

import re

_FUNCTIONS = (
    r"FOUND_ROWS|ROW_COUNT|ROWCOUNT_BIG|LAST_INSERT_ID|SCOPE_IDENTITY|IDENT_CURRENT|LASTVAL|CURRVAL|CURRENT_SETTING|"
    r"CHANGES|TOTAL_CHANGES|PG_LAST_NOTICE|ERROR_MESSAGE|ERROR_NUMBER"
)
_CARRIES = re.compile(
    rf"\b({_FUNCTIONS})\s*\(|@@\s*(ROWCOUNT|ERROR|IDENTITY|LAST_INSERT_ID|WARNING_COUNT|ERROR_COUNT)\b|"
    r"\bGET\s+(CURRENT\s+|STACKED\s+)?DIAGNOSTICS\b|"
    r"^\s*SHOW\s+((SESSION|GLOBAL|LOCAL)\s+)?(WARNINGS|ERRORS|STATUS|PROFILES?|COUNT|ALL)\b|"
    r"^\s*SHOW\s+\"?\w+\"?\.|^\s*PRAGMA\s+last_profiling_output\b",
    re.IGNORECASE,
)
LEFT = "repeats what an earlier statement of the session left, which may be confidential"
NOTHING_LEFT = "repeats what earlier statements of the session left, and they left nothing that is not accounted for"


def carries(sql: str) -> bool:
    """Tell whether a statement shows something that earlier ones of its session left.

    >>> carries("SELECT FOUND_ROWS()"), carries("show warnings"), carries("SHOW app.last"), carries("SHOW TABLES")
    (True, True, True, False)
    """
    return _CARRIES.search(sql) is not None
