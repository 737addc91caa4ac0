"""reference/python.md: the public API, from signatures and docstrings."""

import inspect
import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from pydantic import BaseModel

import sdcdb
from sdcdb.manual.page import Page, first_sentence, table

FUNCTIONS = ("open", "register", "load_policy")
CLASSES = ("Database", "Gateway", "Answer", "Verdict", "Policy", "Plan", "Comparison", "Audit")
MODULES = ("sdcdb.datasets", "sdcdb.evaluate", "sdcdb.gateway", "sdcdb.gateway.inference", "sdcdb.trees", "sdcdb.udfs")


class _Written:
    """An annotation that prints as a reader would write it: no module names, no quotes."""

    def __init__(self, annotation: Any) -> None:
        text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
        self._text = re.sub(r"\b(?:\w+\.)+(?=\w)", "", re.sub(r"['\"]", "", text)).replace("NoneType", "None")

    def __repr__(self) -> str:
        return self._text


def signature(function: Any) -> str:
    """Return a signature as a reader writes the call.

    >>> signature(sdcdb.register)
    '(con: DuckDBPyConnection) -> DuckDBPyConnection'
    """
    found = inspect.signature(function)
    parameters = [
        each if each.annotation is each.empty else each.replace(annotation=_Written(each.annotation))
        for name, each in found.parameters.items()
        if name != "self"
    ]
    returned = found.return_annotation
    result = returned if returned is found.empty else _Written(returned)
    return str(found.replace(parameters=parameters, return_annotation=result))


def _functions() -> str:
    parts = []
    for name in FUNCTIONS:
        function = getattr(sdcdb, name)
        parts.append(f"### sdcdb.{name}\n\n`{name}{signature(function)}`\n\n{inspect.getdoc(function)}")
    return "\n\n".join(parts)


def _classes() -> str:
    return "\n\n".join(_class(getattr(sdcdb, name)) for name in CLASSES)


def _class(kind: type) -> str:
    rows = [*_fields(kind), *_members(kind)]
    return "\n\n".join([f"### sdcdb.{kind.__name__}", inspect.getdoc(kind) or "", table(("member", "meaning"), rows)])


def _fields(kind: type) -> Iterable[tuple[str, str]]:
    if is_dataclass(kind):
        names = [each.name for each in fields(kind)]
    elif issubclass(kind, BaseModel):
        names = list(kind.model_fields)
    else:
        return
    yield ", ".join(f"`{name}`" for name in names), "fields"


def _members(kind: type) -> Iterable[tuple[str, str]]:
    """Yield the public methods and properties, those of our own base classes too, with what they do."""
    seen: set[str] = set()
    for base in kind.__mro__:
        if not base.__module__.startswith("sdcdb."):
            continue
        for name, member in vars(base).items():
            method = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if name.startswith("_") or name in seen:
                continue
            if isinstance(method, property):
                yield f"`{name}`", first_sentence(method.__doc__)
            elif inspect.isfunction(method) and method.__doc__:
                yield f"`{name}{signature(method)}`", first_sentence(method.__doc__)
            seen.add(name)


def _modules() -> str:
    parts = []
    for name in MODULES:
        module = import_module(name)
        rows = [(f"`{each}`", _summary(getattr(module, each))) for each in module.__all__]
        parts.append(f"### {name}\n\n{first_sentence(module.__doc__)}\n\n{table(('name', 'what it is'), rows)}")
    return "\n\n".join(parts)


def _summary(thing: Any) -> str:
    documented = inspect.isfunction(thing) or inspect.isclass(thing)
    return first_sentence(inspect.getdoc(thing)) if documented else "A mapping by name."


PAGE = Page("reference/python.md", {"functions": _functions, "classes": _classes, "modules": _modules})
