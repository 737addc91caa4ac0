"""reference/measures.md: every name of `sdcdb.measures`, by the module that holds it."""

import inspect
from typing import Any

import sdcdb.measures
from sdcdb.manual.page import Page, first_sentence, table


def _names() -> list[tuple[str, str, Any]]:
    """Return module, name and thing of all that is public, in the order of modules and names."""
    listed = [(name, getattr(sdcdb.measures, name)) for name in sdcdb.measures.__all__]
    return sorted((thing.__module__.rpartition(".")[2], name, thing) for name, thing in listed)


def _functions() -> str:
    rows = [(module, f"`{name}`", _said(thing)) for module, name, thing in _names() if not inspect.isclass(thing)]
    return table(("module", "function", "what it computes"), rows)


def _results() -> str:
    rows = [(module, f"`{name}`", _said(thing)) for module, name, thing in _names() if inspect.isclass(thing)]
    return table(("module", "class", "what it holds"), rows)


def _said(thing: Any) -> str:
    return first_sentence(inspect.getdoc(thing))


PAGE = Page("reference/measures.md", {"functions": _functions, "results": _results})
