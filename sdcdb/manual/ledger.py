"""reference/ledger.md: what each kind of entry holds, from the types that read and write it."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from sdcdb.gateway.ledger.entry import FORMAT, Entry
from sdcdb.manual.fields import fields_table
from sdcdb.manual.page import Page


def _format() -> str:
    return f"Entries are written in **format {FORMAT}**."


def _entries() -> str:
    kinds: tuple[type[BaseModel], ...] = get_args(Entry)
    parts = list(dict.fromkeys(part for kind in kinds for part in _parts(kind)))
    return "\n\n".join(
        [
            *(_section(kind, str(kind.model_fields["kind"].default)) for kind in kinds),
            *(_section(part, part.__name__) for part in parts),
        ]
    )


def _section(kind: type[BaseModel], title: str) -> str:
    return f"### {title}\n\n{inspect.getdoc(kind)}\n\n{fields_table(kind)}"


def _parts(kind: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Yield the models that an entry holds, those inside of them too."""
    for field in kind.model_fields.values():
        for inner in _models(field.annotation):
            yield inner
            yield from _parts(inner)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)


PAGE = Page("reference/ledger.md", {"format": _format, "entries": _entries})
