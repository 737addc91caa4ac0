"""`sdcdb evaluate`, as somebody runs it who has to choose a technique: also interrupted, and gone on with."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sdcdb.cli.main import app
from sdcdb.connection.atomic_file import new_database
from sdcdb.datasets.creation import create
from sdcdb.errors import SdcdbError

EVALUATE = [sys.executable, "-m", "sdcdb", "evaluate", "staff.duckdb", "staff"]
KNOWN = ["--confidential", "salary", "--known", "sex,dept,education", "--domain", "0,250000", "--step", "10000"]
PAPER = ["--techniques", "sampling:10%,50%", "--restriction", "2,8", "--noise", "20%"]


def run(folder: Path, *arguments: str) -> Result:
    command = ["evaluate", str(folder / "staff.duckdb"), "staff", *arguments]
    return CliRunner().invoke(app, command, env={"NO_COLOR": "1", "COLUMNS": "160"})


def run_json(folder: Path, *arguments: str) -> Any:
    done = run(folder, *arguments, "--json")
    assert done.exit_code == 0, done.exception
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    with new_database(folder / "staff.duckdb") as con:
        create(con, "staff", rows=300)
    return folder


def test_privacy_is_shown_by_technique_and_by_what_is_known(staff: Path) -> None:
    done = run(staff, *KNOWN, *PAPER, "--runs", "2", "--jobs", "1", "--plot", str(staff / "picture.svg"))
    assert done.exit_code == 0, done.exception
    assert "salary has 26 values from 0 to 250000; an intruder may know sex, dept, education" in done.stdout
    assert "H(0), bits, by known attributes: mean of 2 releases" in done.stdout
    assert "sampling:50%" in done.stdout
    assert "picture.svg" in done.stderr
    picture = (staff / "picture.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    for words in ("sampling", "restriction", "noise", "known attributes", "utility falls to the right"):
        assert words in picture


def test_processes_do_not_change_the_result_and_all_kinds_of_techniques_can_be_named(staff: Path) -> None:
    techniques = ["-t", "normal:sd=10% microaggregation:3", "-t", "swapping:20%", "-t", "sampling:50%"]
    asked = [*KNOWN, *techniques, "--runs", "2", "--seed", "5"]
    one, two = run_json(staff, *asked, "--jobs", "1"), run_json(staff, *asked, "--jobs", "2")
    assert one == two
    assert [(each["technique"], each["amount"]) for each in one["techniques"]] == [
        ("normal", "sd=10%"),
        ("microaggregation", "k=3"),
        ("swapping", "range=20%"),
        ("sampling", "50%"),
    ]
    assert [point["known"] for point in one["techniques"][0]["points"]] == [0, 1, 2, 3]
    assert (one["seed"], one["records"], one["average"]) == (5, 300, "values")


def test_an_interrupted_evaluation_goes_on_where_it_stopped(staff: Path) -> None:
    file = staff / "runs.jsonl"
    asked = [*KNOWN, *PAPER, "--resume", str(file)]
    command = [*EVALUATE, *asked, "--runs", "2000", "--jobs", "2"]
    started = subprocess.Popen(
        command, cwd=staff, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        deadline = time.monotonic() + 100
        while not file.exists() or file.read_bytes().count(b"\n") < 8:
            assert time.monotonic() < deadline
            assert started.poll() is None, started.communicate()
            time.sleep(0.05)
        os.killpg(started.pid, signal.SIGINT)  # as a terminal does: every process of the group
        _, said = started.communicate(timeout=60)
    finally:
        if started.poll() is None:
            started.kill()
    assert started.returncode == 130, said
    assert f"finished runs are in {file}" in said
    assert "Traceback" not in said
    kept = file.read_bytes()
    assert kept.endswith(b"\n")
    assert run_json(staff, *asked, "--runs", "4", "--jobs", "1") == run_json(
        staff, *KNOWN, *PAPER, "--runs", "4", "--jobs", "1"
    )
    assert file.read_bytes().startswith(kept)


# Seconds after the first word: importing, starting workers, in compiled code.
@pytest.mark.parametrize(
    ("jobs", "moments"),
    [("1", (0.0, 2.3)), ("2", (0.4, 2.3)), *(pytest.param(n, (0.0, 0.4, 2.3), marks=pytest.mark.soak) for n in "12")],
)
def test_ctrl_c_ends_it_at_once_at_any_moment(staff: Path, jobs: str, moments: tuple[float, ...]) -> None:
    for moment in moments:
        command = [*EVALUATE, *KNOWN[:4], *PAPER, "--runs", "2000", "--jobs", jobs]
        started = subprocess.Popen(
            command, cwd=staff, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            assert started.stderr is not None
            while "is rounded to steps" not in (line := started.stderr.readline()):
                assert line, "ended before it began"
            time.sleep(moment)
            pressed = time.monotonic()
            os.killpg(started.pid, signal.SIGINT)
            _, said = started.communicate(timeout=60)
            took = time.monotonic() - pressed
        finally:
            if started.poll() is None:
                started.kill()
        assert (started.returncode, "stopped" in said, "Traceback" in said) == (130, True, False), said
        assert took < 30, f"{took:.1f} s after {moment} s"  # half a second on a quiet machine
        _wait_until_gone(started.pid)


def _wait_until_gone(group: int) -> None:
    """Wait for the last process of a group: workers are killed, and Python's own helper ends by itself."""
    deadline = time.monotonic() + 60
    while any(_lives(stat, group) for stat in Path("/proc").glob("[0-9]*/stat")):
        assert time.monotonic() < deadline, "a worker is left"
        time.sleep(0.05)


def _lives(stat: Path, group: int) -> bool:
    try:
        state, _, own, *_ = stat.read_text().rsplit(")", 1)[1].split()
    except OSError:  # it has ended meanwhile
        return False
    return int(own) == group and state != "Z"


def test_work_that_cannot_be_interrupted_ends_all_the_same() -> None:
    stuck = (
        "import hashlib\nfrom sdcdb.connection.prompt_end import ending_promptly\n"
        "with ending_promptly('stopped; nothing kept'):\n"
        "    print('go', flush=True)\n"
        "    hashlib.pbkdf2_hmac('sha256', b'a', b'b', 500_000_000)\n"  # minutes of compiled code
    )
    started = subprocess.Popen([sys.executable, "-c", stuck], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert started.stdout is not None
        assert started.stdout.readline() == "go\n"
        time.sleep(0.5)  # until it is inside
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=60)
    finally:
        if started.poll() is None:
            started.kill()
    assert (started.returncode, said) == (130, "stopped; nothing kept\ninterrupted\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--known", "sex"], "no confidential column"),
        (["-c", "salary", "--known", "sx"], "did you mean 'sex'"),
        (["-c", "salary", "-t", "laplace:1"], "'laplace' is not a technique"),
        (["-c", "salary", "--restriction", "3"], "even query set sizes"),
        (["-c", "salary", "--domain", "5"], "write two numbers"),
        (["-c", "salary", "--plot", "x.gif"], "cannot draw x.gif"),
        (["-c", "salary", "--seed", "-1"], "--seed must be 0"),
        (["-c", "salary", "--known", "sex", "-t", "rounding:base=7"], "rounding:base=7"),
    ],
)
def test_mistakes_are_explained(staff: Path, arguments: list[str], says: str) -> None:
    error = run(staff, *arguments, "--runs", "1", "--jobs", "1").exception
    assert isinstance(error, SdcdbError)
    assert says in str(error)


def test_the_policy_names_the_columns(staff: Path) -> None:
    assert CliRunner().invoke(app, ["init", str(staff / "staff.duckdb"), "-q"]).exit_code == 0
    found = run_json(staff, "-t", "sampling:50%", "--runs", "1", "--records", "100", "--jobs", "1")
    assert found["confidential"] == "salary"
    assert found["known"] == ["sex", "age", "dept", "education"]
    assert found["records"] == 100
