"""All techniques: every file of this folder that defines TECHNIQUE."""

from importlib import import_module
from pkgutil import iter_modules

import sdcdb.techniques
from sdcdb.techniques.technique import Technique


def _find() -> dict[str, Technique]:
    modules = (import_module(f"sdcdb.techniques.{found.name}") for found in iter_modules(sdcdb.techniques.__path__))
    found = [module.TECHNIQUE for module in modules if hasattr(module, "TECHNIQUE")]
    return {technique.name: technique for technique in sorted(found, key=lambda technique: technique.name)}


TECHNIQUES: dict[str, Technique] = _find()
