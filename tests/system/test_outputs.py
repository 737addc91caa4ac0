"""Whatever a command writes: never over a file without --force, never into a device or through a link."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import duckdb
import pytest
from support.in_process import Run
from support.staff_policy import staff_policy
from typer.models import OptionInfo

from sdcdb.cli.main import app
from sdcdb.connection.atomic_file import written_whole
from sdcdb.errors import DatabaseError

POLICY = staff_policy((10_000, 250_000), "min_set: 5", quasi=("sex", "age", "dept"), public="places")
ROWS = """
    CREATE TABLE staff AS
    SELECT i AS id, 'Person ' || i AS name, if(i % 2 = 0, 'F', 'M') AS sex, 20 + i % 5 AS age,
        'D' || i % 3 AS dept, i + 40000 AS salary
    FROM range(60) t(i);
    CREATE TABLE places AS SELECT 'D1' AS dept, 'Kiel' AS place;
"""
# Every option that names a file to write, with a command that would write it, and a name that it would take.
WRITING = {
    ("audit", "--html"): (["audit", "s.duckdb", "--log", "log.sql"], "out.html"),
    ("audit", "--sarif"): (["audit", "s.duckdb", "--log", "log.sql"], "out.sarif"),
    ("compare", "--html"): (["compare", "s.duckdb", "v"], "out.html"),
    ("datasets", "--output"): (["datasets", "bank"], "out.duckdb"),
    ("evaluate", "--plot"): (["evaluate", "s.duckdb", "staff", "-t", "normal:5%", "--runs", "1"], "out.svg"),
    ("init", "--output"): (["init", "s.duckdb"], "out.yaml"),
    ("ledger export", "--output"): (["ledger", "export", "s.duckdb"], "out.csv"),
    ("measure", "--plot"): (["measure", "s.duckdb", "staff"], "out.svg"),
    ("release", "--output"): (["release", "s.duckdb", "v"], "out.csv"),
    ("schema", "--output"): (["schema"], "out.json"),
    ("similarity", "--output"): (["similarity", "s.duckdb", "staff"], "out.svg"),
    ("tree", "--output"): (["tree", "s.duckdb", "staff", "--class", "sex"], "out.txt"),
}
STATE = {("audit", "--resume"), ("evaluate", "--resume")}  # files that a command goes on with
READ = {"--policy", "--log", "--replay-with", "--config", "--tls-cert", "--tls-key"}
UNFORCED = {("datasets", "--output")}  # a database is not replaced at all
GROUPS = [(f"{each.info.name} ", each) for group in app.registered_groups if (each := group.typer_instance) is not None]
WRITTEN = [("init", "--output"), ("schema", "--output"), ("audit", "--sarif")]


def file_options() -> Iterator[tuple[str, str]]:
    """Yield every command with every option of it that takes a file."""
    for group, commands in [("", app), *GROUPS]:
        for command in commands.registered_commands:
            assert command.callback is not None
            name = group + (command.name or command.callback.__name__)
            for parameter, hint in get_type_hints(command.callback, include_extras=True).items():
                option = next((each for each in get_args(hint)[1:] if isinstance(each, OptionInfo)), None)
                if option is not None and "Path" in str(get_args(hint)[0]):
                    said = [each for each in option.param_decls or () if each.startswith("--")]
                    yield name, said[0] if said else f"--{parameter.replace('_', '-')}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as con:
        con.execute(ROWS)
    (tmp_path / "s.policy.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "log.sql").write_text("SELECT count(*) FROM staff;\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_option_that_names_a_file_is_tried_here() -> None:
    found = {each for each in file_options() if each[1] not in READ}
    assert found == set(WRITING) | STATE


@pytest.mark.parametrize("which", WRITING, ids=" ".join)
def test_what_is_there_stays(run_here: Run, folder: Path, which: tuple[str, str]) -> None:
    command, name = WRITING[which]
    out, real = folder / name, folder / "precious"
    force = () if which in UNFORCED else ("--force",)
    out.write_text("mine")
    real.write_text("mine")
    assert "already exists" in run_here(*command, which[1], out, code=2).stderr
    assert out.read_text() == "mine"
    out.unlink()
    out.symlink_to(real)
    assert "symbolic link" in run_here(*command, which[1], out, *force, code=2).stderr
    assert (real.read_text(), out.is_symlink()) == ("mine", True)
    out.unlink()
    os.mkfifo(out)
    assert "not a regular file" in run_here(*command, which[1], out, *force, code=2).stderr
    assert out.is_fifo()
    out.unlink()
    missing = folder / "nowhere" / name
    assert "no folder" in run_here(*command, which[1], missing, code=2).stderr


@pytest.mark.parametrize("which", WRITTEN, ids=" ".join)
def test_force_replaces_a_file(run_here: Run, folder: Path, which: tuple[str, str]) -> None:
    command, name = WRITING[which]
    (folder / name).write_text("old")
    run_here(*command, which[1], folder / name, "--force")
    assert (folder / name).read_text() not in {"old", ""}
    assert not list(folder.glob(".*part"))


@pytest.mark.parametrize("precious", ["s.duckdb", "s.key", "s.ledger.jsonl"])
def test_not_even_force_replaces_the_database_its_ledger_or_its_key(run_here: Run, folder: Path, precious: str) -> None:
    file = folder / precious
    if not file.exists():
        file.write_text("mine")
    before = file.read_bytes()
    assert "never replaced" in run_here("schema", "-o", file, "--force", code=2).stderr
    assert file.read_bytes() == before


@pytest.mark.parametrize("which", sorted(STATE), ids=" ".join)
def test_a_file_to_go_on_with_is_not_another_one(run_here: Run, folder: Path, which: tuple[str, str]) -> None:
    command, _ = WRITING[which[0], "--html" if which[0] == "audit" else "--plot"]
    (folder / "letter").write_text("mine")  # without the end of a line
    run_here(*command, which[1], folder / "letter", code=2)
    assert (folder / "letter").read_text() == "mine"
    (folder / "link").symlink_to(folder / "letter")
    assert "symbolic link" in run_here(*command, which[1], folder / "link", code=2).stderr


def test_a_file_that_appears_meanwhile_stays(tmp_path: Path) -> None:
    file = tmp_path / "f"
    with pytest.raises(DatabaseError, match="already exists"), written_whole(file, private=True):
        file.write_text("theirs")
    assert file.read_text() == "theirs"


def test_a_private_file_was_never_open_to_others(tmp_path: Path) -> None:
    with written_whole(tmp_path / "f", private=True) as part:
        assert part.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o600
