"""Statements that failed. Failing is an answer where a confidential value decides it, and its message may carry one.

A statement revealed nothing only if it failed before it read anything: for its syntax, its names or missing rights.
Such a message names nothing but what the statement itself contains.
"""

import re

from sdcdb.auditor.reading.fact import Account, Outcome, harmless, not_understood

_BEFORE = r"(?:(?:ERROR|FATAL|Msg\s[\d,\s\w]+|\d+\s\(\w+\)|[\w.]*Exception|[\w.]*Error)\s*:?\s*)*"
_VERBS = "(?:select|insert|update|delete|execute|show view)"
_THINGS = "(?:relation|table|column|function|operator|schema|type|role|database|cursor|prepared statement)"
_ABOUT_THE_TEXT = (
    r"permission denied\b",
    "must be owner of",
    "access denied",
    rf"(?:the )?{_VERBS} permission was denied",
    rf"{_VERBS} command denied",
    "syntax error",
    r"unterminated (?:quoted|/\*)",
    "you have an error in your sql syntax",
    "incorrect syntax near",
    "(?:parser|binder|catalog|permission) error",
    rf"{_THINGS}\b.*\b(?:does not|do not|doesn't) exist",
    "unknown (?:column|table|database)",
    "invalid (?:object|column) name",
    "column .* must appear in the group by",
    "aggregate functions? (?:calls )?(?:are|cannot)",
    "column reference .* is ambiguous",
    "missing from-clause",
    "subquery (?:in from )?must",
    "current transaction is aborted",
    "password authentication failed",
    "no database selected",
    "cannot execute .* in a read-only transaction",
    "remaining connection slots",
    "too many connections",
)
_EARLY = re.compile(f"{_BEFORE}(?:{'|'.join(_ABOUT_THE_TEXT)})", re.IGNORECASE | re.DOTALL)
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'|`([^`]*)`")
_NUMBER = re.compile(r"\d{2,}(?:\.\d+)?")
_PLACE = re.compile(r"\bat character \d+|\bline:? \d+|\bcol(?:umn)?:? \d+|Msg \d+, Level \d+, State \d+(?:, Line \d+)?|"
                    r"\(\d+\)|^\d+|SQLSTATE\S*|\[\d+\]", re.IGNORECASE)  # fmt: skip
_RUNS_TEXT = re.compile(
    r"\b(DO|CALL|EXEC|EXECUTE|RAISE|RAISERROR|THROW|SIGNAL|error|sp_executesql|query|query_table|query_to_xml|dblink\w*|"
    r"regclass|regproc|regtype|to_regclass)\b",
    re.IGNORECASE,
)


def failed(sql: str, error: str, would: Account) -> Account:
    """Account for a statement that failed; `would` is its account had it succeeded."""
    if would.outcome is Outcome.HARMLESS:
        return harmless("failed, and would have shown nothing confidential")
    if failed_early(sql, error):
        return harmless("failed before it read anything")
    return not_understood("failed while it read a restricted table: whether and how it failed can show a value")


def failed_early(sql: str, error: str) -> bool:
    """Tell whether an error is about the statement's text, names or rights, and carries nothing else.

    >>> failed_early("SELECT salary FROM staff", "permission denied for table staff")
    True
    >>> failed_early("SELECT salary::text::regclass FROM staff", 'relation "84000" does not exist')
    False
    """
    if _EARLY.match(error.strip()) is None or _RUNS_TEXT.search(sql):
        return False
    text = sql.casefold()
    said = [part for found in _QUOTED.findall(error) for part in found if part]
    bare = re.sub(r"\s+", " ", text)
    if any(part.casefold() not in text and part.casefold().split(".")[-1] not in bare for part in said):
        return False
    rest = _PLACE.sub(" ", _QUOTED.sub(" ", error))
    return all(number in text for number in _NUMBER.findall(rest))
