"""Load the names of a package on first use, so that importing it is fast."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module

TYPE_CHECKING = False  # as in sdcdb/__init__.py
if TYPE_CHECKING:
    from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> "Callable[[str], Any]":
    """Return the `__getattr__` of a package: each name is looked up in the module that `homes` gives for it."""

    def load(name: str) -> "Any":
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with uncollected():
            return getattr(import_module(homes[name]), name)

    return load


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage meanwhile: what modules make on loading stays, and looking through it takes a fifth of it."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
