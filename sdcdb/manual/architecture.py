"""explanation/architecture.md: the layers, as the import contract in pyproject.toml has them."""

import ast
import tomllib
from pathlib import Path

from sdcdb.manual.checkout import ROOT
from sdcdb.manual.page import Page, first_sentence, table


def _layers(container: str) -> str:
    """Return a table of the layers of one package, the highest first, with what each holds."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = [each["layers"] for each in contracts if each.get("containers") == [container]]
    rows = [
        (str(number), f"`{name}`", _said(container, name))
        for number, layer in enumerate(layers, start=1)
        for name in layer.split(" | ")
    ]
    return table(("layer", "package", "what it holds"), rows)


def _said(container: str, name: str) -> str:
    """Return the first sentence of a package's or module's docstring, without importing it."""
    folder = ROOT.joinpath(*container.split("."))
    file = folder / name / "__init__.py" if (folder / name).is_dir() else (folder / name).with_suffix(".py")
    return first_sentence(_docstring(file)).rstrip(".")


def _docstring(file: Path) -> str | None:
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))


PAGE = Page(
    "explanation/architecture.md",
    {"layers": lambda: _layers("sdcdb"), "gateway-layers": lambda: _layers("sdcdb.gateway")},
)
