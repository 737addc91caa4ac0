"""One technique's page of the manual, made from the docstrings of its parameters."""

import inspect
from typing import Any

from sdcdb.fields.strict import described, written
from sdcdb.techniques.technique import Technique


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
