"""reference/ledger.md: what each kind of entry holds, from the types that read and write it."""

from sdcdb.gateway.ledger.entry import FORMAT, AnsweredFact, OpenEntry, QuestionEntry, VersionEntry
from sdcdb.manual.fields import fields_table
from sdcdb.manual.page import Page


def _version() -> str:
    return f"Entries are written in **format {FORMAT}**."


PAGE = Page(
    "reference/ledger.md",
    {
        "format": _version,
        "question": lambda: fields_table(QuestionEntry),
        "fact": lambda: fields_table(AnsweredFact),
        "version": lambda: fields_table(VersionEntry),
        "open": lambda: fields_table(OpenEntry),
    },
)
