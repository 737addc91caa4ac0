"""The data files of this folder, for the code to refer to: `defaults.yaml` and `words.yaml`."""

from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML


def _load(name: str) -> Any:
    return YAML(typ="safe", pure=True).load(files(__package__).joinpath(name).read_text(encoding="utf-8"))


DEFAULTS: dict[str, dict[str, Any]] = _load("defaults.yaml")


def role_words() -> dict[str, list[str]]:
    """Return the words in column names that tell a role, in the order in which they are tried."""
    words: dict[str, list[str]] = _load("words.yaml")
    return words
