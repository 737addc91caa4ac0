"""The house as its plan says: what is installed, what is public, what is named how, and where its tests lie."""

import ast
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

import pytest
from support.house import installed_files, modules, packages
from support.paths import ROOT

import sdcdb

PUBLIC_PACKAGES = (
    "sdcdb",
    "sdcdb.datasets",
    "sdcdb.evaluate",
    "sdcdb.gateway",
    "sdcdb.gateway.inference",
    "sdcdb.measures",
    "sdcdb.trees",
)
NO_NAMES = {"common", "helper", "helpers", "misc", "stuff", "tools", "util", "utils"}


@pytest.fixture(scope="module")
def setuptools_table() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, Any] = project["tool"]["setuptools"]
    return table


def test_the_project_file_lists_every_package(setuptools_table: dict[str, Any]) -> None:
    listed = setuptools_table["packages"]
    assert listed == sorted(packages())


def test_every_folder_with_modules_is_a_package() -> None:
    assert {path.parent for path in modules().values()} == set(packages().values())


def test_the_project_file_says_where_packages_outside_sdcdb_lie(setuptools_table: dict[str, Any]) -> None:
    lie = {name: folder.relative_to(ROOT).as_posix() for name, folder in packages().items()}
    moved = {name: folder for name, folder in lie.items() if folder != name.replace(".", "/")}
    assert setuptools_table["package-dir"] == {"sdcdb": "sdcdb"} | moved


def test_data_patterns_match_every_file_that_is_not_python(setuptools_table: dict[str, Any]) -> None:
    patterns = {(name, pattern) for name, each in setuptools_table["package-data"].items() for pattern in each}
    used = set()
    for file in (PurePosixPath(name) for name in installed_files() if not name.endswith(".py")):
        home = next(str(each).replace("/", ".") for each in file.parents if str(each).replace("/", ".") in packages())
        within = file.relative_to(home.replace(".", "/"))
        matching = {
            (home, pattern)
            for package, pattern in patterns
            if package == home and len(PurePosixPath(pattern).parts) == len(within.parts) and within.match(pattern)
        }
        assert matching, f"{file} is in no wheel: name it in [tool.setuptools.package-data] of {home}"
        used |= matching
    assert patterns == used, "these patterns match no file"


def test_the_public_names_are_these() -> None:
    assert sdcdb.__all__ == [
        "Answer",
        "Audit",
        "Comparison",
        "DataError",
        "Database",
        "DatabaseError",
        "DatabaseInUse",
        "Denied",
        "Gateway",
        "InternalError",
        "LedgerError",
        "MissingExtraError",
        "Plan",
        "Policy",
        "PolicyError",
        "ReleaseRefused",
        "SdcdbError",
        "Unsupported",
        "Verdict",
        "__version__",
        "load_policy",
        "open",
        "register",
    ]


def test_every_error_class_is_public() -> None:
    errors = import_module("sdcdb.errors")
    classes = {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, Exception)}
    assert classes <= set(sdcdb.__all__)


@pytest.mark.parametrize("name", PUBLIC_PACKAGES)
def test_every_public_name_loads_and_hides_no_module(name: str) -> None:
    package = import_module(name)
    exported = package.__all__
    assert len(exported) == len(set(exported))
    for each in exported:
        assert f"{name}.{each}" not in modules(), f"{name}.{each} is a name and a module: rename the module"
        assert getattr(package, each) is not None
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = package.nothing_of_the_kind


def test_importing_sdcdb_waits_for_nothing_heavy() -> None:
    heavy = "{'duckdb', 'numpy', 'pandas', 'pyarrow', 'pydantic', 'scipy', 'sklearn', 'numba', 'sqlglot'}"
    script = f"import sys, sdcdb, sdcdb.gateway, sdcdb.measures, sdcdb.trees; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "set()\n"


def test_every_package_says_what_it_holds() -> None:
    silent = [
        name
        for name, folder in packages().items()
        if not ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_no_module_has_a_name_that_fits_anything() -> None:
    assert [name for name in modules() if name.rsplit(".", 1)[-1] in NO_NAMES] == []


def test_unit_tests_lie_where_the_source_lies() -> None:
    unit = ROOT / "tests" / "unit"
    homes = {folder.removeprefix("sdcdb.").replace(".", "/") for folder in packages()} | {"sdcdb", "reproduce"}
    folders = {path.parent.relative_to(unit).as_posix() for path in unit.rglob("test_*.py")} - {"."}
    assert folders <= homes
    assert [path.name for path in unit.glob("test_*.py")] == ["test_house.py"]


def test_test_files_have_names_of_their_own() -> None:
    """Mypy takes a file without a package by its name alone."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("*.py"))
    assert [name for name, number in names.items() if number > 1] == []


def test_the_image_is_built_from_every_package_and_no_more() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in lines
    admitted = {line[1:] for line in lines if line.startswith("!")}
    homes = {folder.relative_to(ROOT).parts[0] for folder in packages().values()}
    assert admitted == homes | {"pyproject.toml", "LICENSE", "README.md"}
