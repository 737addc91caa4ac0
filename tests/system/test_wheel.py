"""What is installed is what we test: the wheel holds every package and data file, and runs in a clean environment."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from email import message_from_bytes
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.house import FOLDERS, installed_files
from support.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build from a copy: in the repository, setuptools would also pack what an earlier build left behind."""
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, source / folder, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, source)
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_every_file_and_nothing_generic(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == set(installed_files())


def declared(wheel: Path) -> dict[str, Distribution]:
    """Return the installed distributions that the wheel asks for, itself and by way of others; no extras."""
    with zipfile.ZipFile(wheel) as opened:
        (metadata,) = [name for name in opened.namelist() if name.endswith(".dist-info/METADATA")]
        asked = message_from_bytes(opened.read(metadata)).get_all("Requires-Dist")
    left, found = [Requirement(each) for each in asked or []], {}
    while left:
        wanted = left.pop()
        if wanted.name not in found and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
            found[wanted.name] = distribution(wanted.name)
            assert wanted.specifier.contains(found[wanted.name].version, prereleases=True), wanted
            left += [Requirement(each) for each in found[wanted.name].requires or []]
    return found


def link(found: Distribution, folder: Path) -> None:
    """Put a distribution that is installed here into another environment."""
    for top in {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}:
        if not (folder / top).exists():  # two distributions may share a namespace
            (folder / top).symlink_to(Path(str(found.locate_file(top))).resolve())


@pytest.mark.slow
def test_the_demo_runs_from_the_wheel_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    """The environment holds the wheel and what it declares, linked from here: unpacking that anew takes a minute."""
    venv.create(tmp_path / "clean", with_pip=False)
    python = tmp_path / "clean" / "bin" / "python"
    (packages,) = (tmp_path / "clean" / "lib").glob("python*/site-packages")
    for each in declared(wheel).values():
        link(each, packages)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    install = ["install", "--quiet", "--no-deps", "--no-index", "--no-compile", str(wheel)]
    subprocess.run([*pip, *install], check=True, capture_output=True, env=alone)
    demo = [str(python.with_name("sdcdb")), "demo", "there", "--rows", "300"]
    # Without compiling: numba has no machine code for these files yet, and making it takes longer than all the rest.
    interpreted = alone | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(demo, cwd=tmp_path, check=True, capture_output=True, text=True, env=interpreted)
    assert "fits the database" in done.stdout
    assert "pip install 'sdcdb[plot]'" in done.stderr  # without the extra, the picture is left out with a word
    assert (tmp_path / "there" / "staff.duckdb").exists()
