"""All techniques: every file of this folder that defines TECHNIQUE. They are loaded when one is first looked for."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pkgutil import iter_modules

import sdcdb.techniques
from sdcdb.techniques.technique import Technique


class Registry(Mapping[str, Technique]):
    """The techniques by their names, in order."""

    @cached_property
    def _all(self) -> dict[str, Technique]:
        modules = (import_module(f"sdcdb.techniques.{found.name}") for found in iter_modules(sdcdb.techniques.__path__))
        found = [module.TECHNIQUE for module in modules if hasattr(module, "TECHNIQUE")]
        return {technique.name: technique for technique in sorted(found, key=lambda technique: technique.name)}

    def __getitem__(self, name: str) -> Technique:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


TECHNIQUES = Registry()
