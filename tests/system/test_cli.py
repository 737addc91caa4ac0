"""The command line as a user runs it: a real process, real files, its output and its exit code."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from support.command import COLD, PLAIN, run, run_json

DUCKDB_CLI = Path(sys.executable).with_name("duckdb")


@dataclass(frozen=True)
class Demo:
    folder: Path
    printed: str


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    folder = tmp_path_factory.mktemp("demo")
    return Demo(folder / "sdcdb-demo", run("demo", "--rows", "2000", cwd=folder).stdout)


@pytest.fixture(scope="module")
def demo(shown: Demo) -> Path:
    return shown.folder


def test_the_demo_leaves_a_database_a_policy_and_a_picture(demo: Path) -> None:
    assert sorted(re.sub(r"-[0-9a-f]{32}$", "", file.name) for file in demo.iterdir()) == [
        "exposure.svg",
        "staff.duckdb",
        "staff.key",
        "staff.ledger.jsonl",
        "staff.ledger.jsonl.anchor",
        "staff.ledger.jsonl.lock",
        "staff.ledger.jsonl.records",
        "staff.policy.yaml",
        "staff_public.parquet",
        "staff_public.parquet.manifest.json",
    ]
    assert (demo / "exposure.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_demo_can_be_run_twice_and_never_overwrites(demo: Path) -> None:
    run("demo", "--rows", "200", cwd=demo.parent)
    assert sorted(folder.name for folder in demo.parent.iterdir()) == ["sdcdb-demo", "sdcdb-demo-2"]
    assert "name a new folder" in run("demo", "sdcdb-demo", cwd=demo.parent, code=2).stderr


def test_the_commands_that_the_demo_recommends_work(shown: Demo, tmp_path: Path) -> None:
    shutil.copytree(shown.folder, tmp_path / "sdcdb-demo")
    printed = shown.printed.split("Try next")[1]
    lines = [line.strip().split("   ")[0] for line in printed.splitlines() if line.startswith("  sdcdb ")]
    assert len(lines) >= 4
    assert lines[-1] == printed.splitlines()[-1].strip() == "sdcdb serve --demo"
    for line in lines[:-1]:  # the last does not end: tests of the server start it
        run(*line.split()[1:], cwd=tmp_path / "sdcdb-demo")


def test_the_duckdb_1_5_command_line_opens_what_we_write(demo: Path) -> None:
    sql = "SELECT count(*) FROM staff"
    done = subprocess.run(
        [DUCKDB_CLI, "-readonly", "-csv", demo / "staff.duckdb", sql], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["count_star()", "2000"]
    version = subprocess.run([DUCKDB_CLI, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith("v1.5")


def test_measure_as_json(demo: Path) -> None:
    measured = run_json("measure", "staff.duckdb", "staff", "--known", "sex,dept", cwd=demo)
    assert measured["k_anonymity"]["records"] == 2000
    assert measured["cae"]["h0"]["least"] <= measured["cae"]["h0"]["median"] <= measured["cae"]["nothing_known"]["h0"]


def test_knowing_more_leaves_less_to_be_unsure_of(demo: Path) -> None:
    means = [
        run_json("measure", "staff.duckdb", "staff", "--known", known, cwd=demo)["cae"]["h0"]["mean"]
        for known in ("sex", "sex,dept", "sex,dept,education")
    ]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "html"])
def test_pictures_in_every_format(demo: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"plot.{ending}"
    run("measure", "staff.duckdb", "staff", "--known", "sex,dept", "--plot", file, cwd=demo)
    head = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}[ending]
    assert file.read_bytes().lstrip().startswith(head)


def test_init_then_check(demo: Path, tmp_path: Path) -> None:
    policy = tmp_path / "p.yaml"
    run("init", "staff.duckdb", "-o", policy, cwd=demo)
    assert "CHECK" in policy.read_text(encoding="utf-8")
    assert run_json("check", "staff.duckdb", "--policy", policy, cwd=demo)["ok"]
    assert "--force" in run("init", "staff.duckdb", "-o", policy, cwd=demo, code=2).stderr
    run("init", "staff.duckdb", "-o", policy, "--force", "--table", "staff", cwd=demo)
    assert "dept_dim" not in policy.read_text(encoding="utf-8")
    assert run("init", "staff.duckdb", "-o", "-", cwd=demo).stdout.startswith("# A starting policy")


def test_check_finds_and_exits_with_1(demo: Path, tmp_path: Path) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text(
        (demo / "staff.policy.yaml").read_text(encoding="utf-8").replace("quasi", "quassi"), encoding="utf-8"
    )
    found = run_json("check", "staff.duckdb", "-p", policy, cwd=demo, code=1)
    assert not found["ok"]
    assert len(found["problems"]) == 4
    text = run("check", "staff.duckdb", "-p", policy, cwd=demo, code=1).stdout
    assert f"{policy}:9: error: tables.staff.columns.sex" in text
    assert text.rstrip().endswith("4 errors, 0 warnings")


def test_warnings_fail_only_when_strict(demo: Path, tmp_path: Path) -> None:
    policy = tmp_path / "p.yaml"
    policy.write_text(
        (demo / "staff.policy.yaml").read_text(encoding="utf-8").replace("  dept_dim: public\n", ""), encoding="utf-8"
    )
    assert "is not declared" in run("check", "staff.duckdb", "-p", policy, cwd=demo).stdout
    run("check", "staff.duckdb", "-p", policy, "--strict", cwd=demo, code=1)


@pytest.mark.parametrize("name", ["bank", "credit_risk", "customer_status", "staff"])
def test_every_data_set_can_be_created_and_inspected(tmp_path: Path, name: str) -> None:
    size = [] if name == "bank" else ["--rows", "300", "--seed", "5"]
    created = run_json("datasets", name, *size, "-o", "d.duckdb", cwd=tmp_path)
    assert created["tables"][name] == (7 if name == "bank" else 300)
    run("init", "d.duckdb", cwd=tmp_path)
    run("check", "d.duckdb", cwd=tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["d.duckdb", "d.policy.yaml"]


def test_data_sets_are_listed(tmp_path: Path) -> None:
    assert {d["name"] for d in run_json("datasets", cwd=tmp_path)} == {
        "bank",
        "credit_risk",
        "customer_status",
        "hospital",
        "staff",
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["datasets", "stuff"], "did you mean 'staff'"),
        (["datasets", "staff", "--rows", "0", "-o", "new.duckdb"], "it must be from 1"),
        (["datasets", "bank", "-o", "no/such/folder.duckdb"], "create it first"),
        (["datasets", "bank", "-o", "staff.duckdb"], "already exists"),
        (["measure", "staff.duckdb", "stuff", "-k", "sex", "-c", "salary"], "did you mean 'staff'"),
        (["measure", "staff.duckdb", "staff", "-k", "sexx"], "did you mean 'sex'"),
        (["measure", "staff.duckdb", "staff", "-c", "name"], "CAE needs numbers"),
        (["measure", "staff.duckdb", "staff", "--plot", "x.jpg"], "allowed endings"),
        (["measure", "staff.duckdb", "dept_dim"], "no known columns"),
        (["measure", "staff.duckdb", "staff", "-k", "salary"], "both confidential and known"),
        (["measure", "stuff.duckdb", "staff"], "did you mean 'staff.duckdb'"),
        (["check", "staff.policy.yaml"], "is not a DuckDB database"),
        (["check", "."], "is a folder"),
        (["init", "staff.duckdb", "--table", "stuff", "-o", "-"], "did you mean 'staff'"),
        (["init", "staff.duckdb", "-o", "no/such/p.yaml"], "no folder"),
        (["nonsense"], "No such command"),
        (["measure"], "Missing argument"),
    ],
)
def test_mistakes_exit_with_2_and_say_what_to_do(demo: Path, arguments: list[str], says: str) -> None:
    done = run(*arguments, cwd=demo, code=2)
    assert says in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_process_that_nothing_has_prepared_does_the_same(demo: Path) -> None:
    """The other commands here are forked from a process that has loaded everything."""
    for arguments in (["check", "staff.duckdb"], ["nonsense"], ["check", "stuff.duckdb"]):
        cold = subprocess.run(
            [*COLD, *arguments], cwd=demo, env={**os.environ, **PLAIN}, capture_output=True, text=True, check=False
        )
        warm = run(*arguments, cwd=demo, code=None)
        assert (cold.returncode, cold.stdout, cold.stderr) == (warm.returncode, warm.stdout, warm.stderr)


def test_a_corrupt_file_is_told(demo: Path, tmp_path: Path) -> None:
    broken = bytearray((demo / "staff.duckdb").read_bytes())
    broken[4096:8192] = b"\xff" * 4096
    (tmp_path / "b.duckdb").write_bytes(bytes(broken))
    assert "cannot open" in run("init", "b.duckdb", cwd=tmp_path, code=2).stderr


def test_a_locked_file_is_told(demo: Path) -> None:
    with duckdb.connect(str(demo / "staff.duckdb")):
        done = run("check", "staff.duckdb", cwd=demo, code=2)
    assert "another process has it open" in done.stderr


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)); sys.argv = sys.argv[1:];"
    )
    script += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    script += "from sdcdb.cli.main import main; main()"
    command = [sys.executable, "-c", script, "sdcdb", "datasets", "staff", "--rows", "500000", "-o", "big.duckdb"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wait", [0.6, 1.2, 2.0])
def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, wait: float) -> None:
    command = [*COLD, "datasets", "staff", "--rows", "30000000", "-o", "big.duckdb"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode in {130, -signal.SIGINT}, errors
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_libraries_load_ends_in_one_word(tmp_path: Path) -> None:
    """The library that is loading waits for the signal, so that no machine is too fast or too slow for this."""
    (tmp_path / "typer.py").write_text("import time\nprint('loading', flush=True)\ntime.sleep(60)\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen([*COLD, "--version"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "loading\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, errors) == (130, "interrupted\n")


def test_the_version_names_both_programs() -> None:
    printed = subprocess.run([*COLD, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("sdcdb 0.")
    assert duckdb.__version__ in printed


def test_help_reads_well(tmp_path: Path) -> None:
    printed = run("--help", cwd=tmp_path).stdout
    assert all(word in printed for word in ("demo", "init", "check", "measure", "datasets", "schema", "--version"))
    bare = run(cwd=tmp_path, code=2)
    assert "Usage" in bare.stdout + bare.stderr


def test_the_schema_is_printed(tmp_path: Path) -> None:
    assert json.loads(run("schema", cwd=tmp_path).stdout)["title"] == "sdcdb policy"


def test_a_closed_pipe_is_no_bug(demo: Path) -> None:
    line = f"{' '.join(COLD)} init staff.duckdb -o - | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["/bin/bash", "-c", line], cwd=demo, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_starting_is_quick_to_import() -> None:
    """`sdcdb --help` must not load the heavy libraries."""
    script = "import sys, sdcdb.cli.main; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"numba", "altair", "pandas", "sklearn", "scipy"} & set(done.stdout.split())
