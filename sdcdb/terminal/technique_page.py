"""The manual of techniques, made from their docstrings. Run as a module it writes docs/techniques.md."""

import inspect
from pathlib import Path
from typing import Any

from sdcdb.fields.strict import described, written
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import Technique

HEAD = """\
# Techniques

Made from the docstrings of `sdcdb/techniques` by `make docs`; do not edit. A view of the policy names a method for
each column, `salary: {method: normal, sd: 10%}`, or for its records, `rows: {method: sampling, size: 10%}`.
`sdcdb techniques NAME` prints a page of this manual.

Whatever the technique: the same record gets the same noise at every read; another method, or other parameters, draw
apart; NULL stays NULL; identifiers never leave, nor do confidential columns to which nothing was done.
"""


def manual() -> str:
    """Return all pages as Markdown."""
    rows = [f"| [`{name}`](#{name}) | {t.kind} | {t.summary} |" for name, t in TECHNIQUES.items()]
    index = "\n".join(["| method | for | what it does |", "|---|---|---|", *rows])
    return "\n".join([HEAD, index, "", *(page(technique) for technique in TECHNIQUES.values())])


def page(technique: Technique) -> str:
    """Return one technique's page as Markdown."""
    text = inspect.cleandoc(technique.params.__doc__ or "")
    said = described(technique.params)
    rows = [
        f"| `{name}` | {_default(field)} | {' '.join(said.get(name, '').split())} |"
        for name, field in written(technique.params).items()
        if name != "method"
    ]
    parameters = "\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]) if rows else ""
    return f"## {technique.name}\n\n{text}\n\n{parameters}\n"


def _default(field: Any) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    return "-" if value is None or value == () else f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    Path("docs/techniques.md").write_text(manual(), encoding="utf-8")
