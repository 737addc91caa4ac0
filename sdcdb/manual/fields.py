"""The fields of a model as a table: what may be written, the default, and what it means."""

import re
from enum import Enum
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel

from sdcdb.fields.amount import Amount
from sdcdb.fields.strict import described, written
from sdcdb.manual.page import table


def fields_table(model: type[BaseModel]) -> str:
    """Return a table of a model's fields: what may be written, the default, and what it means."""
    said = described(model)
    rows = [
        (f"`{name}`", _allowed(field.annotation), _default(field), said.get(name, ""))
        for name, field in written(model).items()
    ]
    return table(("field", "allowed", "default", "meaning"), rows)


def _allowed(kind: Any) -> str:
    """Say in a few words what a field takes.

    >>> _allowed(Literal["all", "user"]), _allowed(dict[str, tuple[str, ...]]), _allowed(int | None)
    ('`all`, `user`', 'mapping of names to lists of text', 'whole number')
    """
    if get_origin(kind) is Annotated:
        return _allowed(get_args(kind)[0])
    if kind is Any:  # what is loaded when a policy first has one (`policy/methods.py`)
        return "a method"
    if isinstance(kind, type) and get_origin(kind) is None:
        return _plain(kind)
    origin, arguments = get_origin(kind), [each for each in get_args(kind) if each is not NoneType]
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin is dict:
        return f"mapping of names to {_several(arguments[1])}"
    if origin is tuple:
        return f"list of {_several(arguments[0])}" if ... in arguments else "`[min, max]`"
    words = dict.fromkeys(_allowed(each) for each in arguments)
    return "number" if set(words) == {"whole number", "number"} else " or ".join(words)


def _plain(kind: type) -> str:
    if issubclass(kind, Enum):
        return ", ".join(f"`{each.value}`" for each in kind)
    if issubclass(kind, BaseModel):
        return "mapping"
    return _WORDS[kind]


def _several(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        words: list[str] = re.findall(r"[A-Z][a-z]*", kind.__name__)
        return f"{words[-1].lower()}s"
    return _allowed(kind).replace("a method", "methods").replace("list of", "lists of")


_WORDS: dict[type, str] = {
    int: "whole number",
    float: "number",
    bool: "`true`, `false`",
    str: "text",
    Amount: "number, or share such as `10%`",
}


def _default(field: Any) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ((), {}):
        return "none"
    if isinstance(value, BaseModel):
        return "[defaults](#defaults)"
    if isinstance(value, tuple):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
