"""The documentation is tested: every command and code block of the README, the manual and CONTRIBUTING runs."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, STDOUT

import duckdb
import pytest

import sdcdb
from sdcdb.errors import PolicyError
from sdcdb.policy.load import parse_document
from sdcdb.shell.split import split
from sdcdb.terminal.technique_page import manual

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@dataclass(frozen=True)
class Block:
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    fences = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [Block(language, text) for language, text in fences]


def commands(block: Block) -> Iterator[str]:
    for line in block.text.splitlines():
        command = re.sub(r"\s+#.*", "", line).strip()
        if command:
            yield command


def shell(command: str, folder: Path) -> None:
    """Run one line as a reader would; `make` and `pip install` only as far as they can go inside a test."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    where = folder
    if command.startswith("make "):
        command, where = command.replace("make ", "make --dry-run ", 1), ROOT
    elif command.startswith("pip install"):
        command, where = command.replace("install", "install --quiet --dry-run --no-deps", 1), ROOT
    done = subprocess.run(  # noqa: S602 - the documentation's own lines
        command, shell=True, cwd=where, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


def python(text: str, folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{text}\n{done.stderr}"


def sql(text: str, con: duckdb.DuckDBPyConnection) -> None:
    con.execute(text).fetchall()


def asked(text: str, folder: Path) -> None:
    """Ask statements through the gateway; one that begins with `-- denied: rule` must be denied by that rule."""
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as db, db.gateway() as gateway:
        for statement in split(text).statements:
            wanted = re.match(r"-- denied: (\w+)", statement)
            if wanted:
                with pytest.raises(sdcdb.Denied) as caught:
                    gateway.ask(statement)
                assert caught.value.rule == wanted[1], statement
            else:
                assert gateway.ask(statement).rows, statement


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_a_page_runs_in_order(page: Path, tmp_path: Path) -> None:
    con = sdcdb.register(duckdb.connect())
    for block in blocks(page):
        if block.language == "bash":
            for command in commands(block):
                shell(command, tmp_path)
        elif block.language == "python":
            python(block.text, tmp_path)
        elif block.language == "sql" and page.name == "gateway.md":
            asked(block.text, tmp_path)
        elif block.language == "sql":
            sql(block.text, con)
        elif block.language == "yaml":
            if block.text.startswith("version:"):
                parse_document(block.text, page.name)
        else:
            assert block.language == "text", f"{page.name} has a block in {block.language or 'no language'}"
    con.close()


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    demo = [sys.executable, "-m", "sdcdb", "demo"]
    done = subprocess.run(demo, cwd=tmp_path, env=environment, stdout=PIPE, stderr=STDOUT, text=True, check=True)
    shown = "".join(block.text for block in blocks(ROOT / "README.md") if block.language == "text")
    lines = {line.rstrip() for line in done.stdout.splitlines()}
    assert [line for line in shown.splitlines() if line.rstrip() not in lines] == []


def test_the_manual_shows_an_error_as_it_is_printed() -> None:
    page = blocks(ROOT / "docs" / "policy.md")
    good = next(block.text for block in page if block.language == "yaml")
    (shown,) = [block.text for block in page if block.language == "text"]
    with pytest.raises(PolicyError) as caught:
        parse_document(good.replace("sex: quasi", "sex: quassi"))
    assert caught.value.problems[0].message in " ".join(shown.split())


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", ["benchmarks.md", "reproduce.md"])
def test_the_benchmark_tables_are_the_committed_results(page: str) -> None:
    script = "import sys; sys.path.insert(0, 'benchmarks'); import record"
    script += f"; (page,) = [page.read_text(encoding='utf-8') for page in record.PAGES if page.name == {page!r}]"
    script += "; assert record.with_tables(page) == page"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_the_manual_of_techniques_is_in_step() -> None:
    assert (ROOT / "docs" / "techniques.md").read_text(encoding="utf-8") == manual(), "run: make docs"


def test_every_sql_function_is_in_the_manual() -> None:
    page = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("measures.md", "sql.md"))
    macros = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "udfs" / "macros").glob("*.sql"))
    from sdcdb.udfs.scalars import SCALARS

    names = set(re.findall(r"MACRO (sdc_\w+)", macros)) | {scalar.name for scalar in SCALARS}
    assert [name for name in names if f"`{name}(" not in page and f"{name}(" not in page] == []
