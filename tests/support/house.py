"""The source tree as it lies on the disk, under the names that it is installed by."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support.paths import ROOT

# Folder -> where it is installed. sdcdb/gateway and its like are links for static tools and are not walked.
FOLDERS = {"sdcdb": "sdcdb", "gateway": "sdcdb/gateway", "schemas": "sdcdb/schemas", "udfs": "sdcdb/udfs"}


def _walk() -> Iterator[tuple[str, Path]]:
    for folder, inside in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            linked = any(part.is_symlink() for part in path.parents)
            if path.is_file() and not linked and "__pycache__" not in path.parts:
                yield f"{inside}/{path.relative_to(ROOT / folder).as_posix()}", path


@cache
def installed_files() -> dict[str, Path]:
    """Return every file of the four folders by the path that it must have in the wheel."""
    return dict(_walk())


def packages() -> dict[str, Path]:
    """Return the folder of every package by its import name."""
    return {
        name.rsplit("/", 1)[0].replace("/", "."): path.parent
        for name, path in installed_files().items()
        if path.name == "__init__.py"
    }


@cache
def modules() -> dict[str, Path]:
    """Return the file of every module and package by its import name."""
    found = {}
    for name, path in installed_files().items():
        if path.suffix == ".py":
            found[name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")] = path
    return found
