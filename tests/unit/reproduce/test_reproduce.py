"""The scripts that hold sdcdb against the papers: Table 2 of VICUS always, the others where the papers' data is."""

import os
import subprocess
from pathlib import Path

import pytest
from support.command import run_script
from support.paths import ROOT

DATA = os.environ.get("SDCDB_DATA")
NEEDS_DATA = [
    "thesis_class.py",
    "thesis_framework.py",
    "thesis_risk.py",
    "vicus_mushroom.py",
    "vicus_scan.py",
    "vicus_figures.py",
    "ean.py",
    "cae_acs.py",
    "c45_weka.py",
]


def run(script: str, *options: str, data: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "SDCDB_DATA"}
    if data is not None:
        environment["SDCDB_DATA"] = data
    return run_script(ROOT / "reproduce" / script, *options, cwd=ROOT, environment=environment)


def test_table_2_of_vicus_has_three_cells_that_differ_in_the_last_digit() -> None:
    from vicus_table2 import cells

    found = cells()
    different = {(cell.measure, cell.row, cell.column): str(cell) for cell in found if not cell.same}
    assert len(found) == 3 * 36
    assert different == {
        ("S'", 6, 5): "**0.516** (printed 0.515)",
        ("S", 5, 6): "**0.662** (printed 0.663)",
        ("S", 6, 5): "**0.662** (printed 0.663)",
    }


@pytest.mark.parametrize("script", NEEDS_DATA)
@pytest.mark.parametrize("data", [None, "no such folder"])
def test_without_data_a_script_says_so_in_one_line(script: str, data: str | None) -> None:
    done = run(script, data=data)
    assert (done.returncode, len(done.stdout.splitlines()), done.stderr) == (0, 1, "")
    assert "nothing was run" in done.stdout


@pytest.mark.parametrize("script", NEEDS_DATA)
def test_data_without_column_names_is_refused(script: str, tmp_path: Path) -> None:
    for name in ("boston.csv", "wbc.csv", "adult.data", "agaricus-lepiota.data", "acs2012.csv"):
        (tmp_path / name).write_text("p,x,s,n\n", encoding="utf-8")
    done = run(script, data=str(tmp_path))
    assert done.returncode == 1
    assert "must begin with a line of column names" in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(DATA is None, reason="the papers' data is not here: set SDCDB_DATA to its folder")
@pytest.mark.parametrize("script", NEEDS_DATA)
def test_the_script_agrees_with_its_paper_where_it_says_so(script: str) -> None:
    done = run(script, "--quick", data=DATA)
    assert done.returncode == 0, done.stderr
