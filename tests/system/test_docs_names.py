"""Every name of the code that the documentation mentions exists: modules, functions, classes and their attributes."""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from support.paths import ROOT

import sdcdb

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMED = re.compile(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)(?:\([^`]*\))?`")
HOMES = ("sdcdb", "sdcdb.measures", "sdcdb.measures.tree_similarity", "sdcdb.trees", "sdcdb.gateway", "sdcdb.views",
         "sdcdb.techniques.families.transition")  # fmt: skip
ENDINGS = (".py", ".md", ".json", ".yaml", ".toml", ".sql", ".html")


def classes() -> dict[str, type]:
    """Return the public classes by name; the manual also writes their objects, such as `gateway.ask`."""
    found: dict[str, type] = {}
    for home in HOMES:
        module = importlib.import_module(home)
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        found |= {name: each for name in names if inspect.isclass(each := getattr(module, name))}
    return found


CLASSES = classes()
OBJECTS = {name.casefold(): CLASSES[name] for name in sdcdb.__all__ if name in CLASSES}


def attribute(owner: Any, name: str) -> Any:
    """Return an attribute of a module or class, or of the objects of a class."""
    if hasattr(owner, name):
        return getattr(owner, name)
    fields = {field for each in getattr(owner, "__mro__", ()) for field in vars(each).get("__annotations__", {})}
    if name in fields:
        return None
    raise AttributeError(f"{owner} has no {name!r}")


def resolve(text: str) -> bool:
    """Look a dotted name up; return whether it is a name of ours at all, and fail where it leads nowhere."""
    if text.startswith("gateway.") and (ROOT / text.replace(".", "/")).exists():  # a folder, not a gateway
        return True
    first, *rest = text.split(".")
    owner: Any = CLASSES.get(first) or OBJECTS.get(first)
    if first == "sdcdb":
        owner, path = sdcdb, "sdcdb"
        while rest:
            path += f".{rest[0]}"
            try:
                owner = importlib.import_module(path)
            except ModuleNotFoundError:
                break
            rest.pop(0)
    if owner is None:
        return False
    for name in rest:
        owner = attribute(owner, name)
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_of_the_code_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in sorted({name for name in NAMED.findall(text) if not name.endswith(ENDINGS)}):
        resolve(name)


def test_a_name_that_does_not_exist_is_found() -> None:
    assert resolve("TreeComparison.stated")
    assert resolve("sdcdb.measures.compare_trees")
    assert not resolve("staff.duckdb")
    for wrong in ("TreeComparison.strict", "sdcdb.measures.no_such_name", "gateway.no_such_method"):
        with pytest.raises(AttributeError):
            resolve(wrong)
