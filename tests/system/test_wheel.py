"""What is installed is what we test: the wheel holds every package and data file, and runs in a clean environment."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from support.house import installed_files
from support.paths import ROOT


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
    assert names == set(installed_files())


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
