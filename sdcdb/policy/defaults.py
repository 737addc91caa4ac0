"""The data files of this folder, for the code to refer to: `defaults.yaml`, `words.yaml`, `person_names.yaml`."""

from importlib.resources import files
from typing import Any

from ruamel.yaml import YAML


def load_data(name: str) -> Any:
    """Read one of the data files."""
    return YAML(typ="safe", pure=True).load(files(__package__).joinpath(name).read_text(encoding="utf-8"))


DEFAULTS: dict[str, dict[str, Any]] = load_data("defaults.yaml")
