"""What is installed is what we test: the wheel holds every package and data file, and runs in a clean environment."""

import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from support.paths import ROOT

FOLDERS = {"sdcdb": "sdcdb", "gateway": "sdcdb/gateway", "schemas": "sdcdb/schemas", "udfs": "sdcdb/udfs"}


def files_on_disk() -> set[str]:
    """Return every file of the four folders by the path that it must have in the wheel."""
    found = set()
    for folder, inside in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            linked = any(part.is_symlink() for part in path.parents)
            if path.is_file() and not linked and "__pycache__" not in path.parts:
                found.add(f"{inside}/{path.relative_to(ROOT / folder).as_posix()}")
    return found


def test_every_package_is_listed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    on_disk = {file.rsplit("/", 1)[0].replace("/", ".") for file in files_on_disk() if file.endswith(".py")}
    assert listed == on_disk


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", target, ROOT], check=True, capture_output=True
    )
    (built,) = target.glob("*.whl")
    return built


@pytest.mark.slow
def test_the_wheel_holds_every_file_and_nothing_generic(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == files_on_disk()


@pytest.mark.slow
def test_the_demo_runs_from_the_wheel_in_a_clean_environment(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-compile", wheel], check=True, capture_output=True)
    demo = [str(python.with_name("sdcdb")), "demo", "there", "--rows", "300"]
    done = subprocess.run(demo, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "fits the database" in done.stdout
    assert "pip install 'sdcdb[plot]'" in done.stderr  # without the extra, the picture is left out with a word
    assert (tmp_path / "there" / "staff.duckdb").exists()
