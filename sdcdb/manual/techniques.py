"""reference/techniques.md: every technique, from the docstring of its parameters."""

from sdcdb.manual.page import Page, table
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.terminal.technique_page import page


def _index() -> str:
    return table(
        ("method", "for", "what it does"),
        [(f"[`{name}`](#{name})", technique.kind, technique.summary) for name, technique in TECHNIQUES.items()],
    )


def _pages() -> str:
    return "\n".join(page(technique) for technique in TECHNIQUES.values())


PAGE = Page("reference/techniques.md", {"index": _index, "techniques": _pages})
