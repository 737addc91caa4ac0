"""decisions/index.md: the list of all decisions."""

from sdcdb.manual.checkout import DOCS
from sdcdb.manual.page import Page


def _listed() -> str:
    lines = []
    for file in sorted((DOCS / "decisions").glob("[0-9]*.md")):
        number, _, title = file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").partition(". ")
        lines.append(f"- {number} [{title}]({file.name})")
    return "\n".join(lines)


PAGE = Page("decisions/index.md", {"decisions": _listed})
