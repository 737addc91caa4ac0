"""The documentation is tested: every command and code block runs, every link leads somewhere, generated pages are new.

Blocks of a page run in order, in one folder of their own:

- `bash`: each line is run and must succeed.
- `console`: lines that begin with `$ ` are run, with those that begin with `> ` behind them; the lines below must be in
  what was printed, `...` skips any.
- `python`: run by itself.
- `sql`: run where the `sdc_*` functions are; on the pages in ASKED, asked through the gateway of staff.duckdb.
- `yaml` that begins with `version:` is read as a policy.
- any block with a title is first written to the file of that name.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support import command
from support.paths import ROOT

import sdcdb
from sdcdb.errors import PolicyError
from sdcdb.manual.page import Page, fill
from sdcdb.manual.pages import PAGES as GENERATED
from sdcdb.manual.picture import PICTURE, draw
from sdcdb.policy.load import parse_document
from sdcdb.shell.split import split

DOCS = ROOT / "docs"
MANUAL = sorted(page for page in DOCS.rglob("*.md") if page.parent.name not in {"decisions", "results"})
READ = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
LINKING = [*READ, ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
DATA = {"public-data.md": ("adult.data", "acs2012.csv")}  # pages, and files of public data that they walk through
ASKED = {"questions.md", "read-a-denial.md"}
PUBLIC = {"sdcdb"}
PUBLIC |= {f"sdcdb.{name}" for name in ("datasets", "evaluate", "gateway", "measures", "trees", "udfs", "views")}
PUBLIC |= {"sdcdb.gateway.inference"}


@dataclass(frozen=True)
class Block:
    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    fences = re.findall(
        r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```', page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    return [Block(*found) for found in fences]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def lines(block: Block) -> Iterator[str]:
    for line in block.text.splitlines():
        wanted = re.sub(r"\s+#.*", "", line).strip()
        if wanted:
            yield wanted


PLAIN = re.compile(
    r"""(?:echo\ "(?P<said>[^"]*)"\ \|\ )?      # what it reads
        (?P<call>sdcdb\ (?:"[^"]*"|[^"|<>])*?)     # the command itself
        (?:\ >\ (?P<file>\S+))?                   # where its result goes
        (?P<either>\ \|\|\ echo\ "?[\w\ ]+"?)?    # either outcome is fine
    """,
    re.VERBOSE,
)


def run(line: str, folder: Path) -> tuple[int, str]:
    """Run one line as a reader would; `make` and `pip install` are not, inside a test.

    A line that hardly needs a shell is run without one, by a process that has sdcdb loaded: these tests are many.
    """
    plain = PLAIN.fullmatch(line)
    if plain is not None and "$(" not in line:
        words = shlex.split(plain["call"].replace("\\$", "$"))[1:]
        found = command.run(*words, cwd=folder, code=None, stdin=plain["said"] or "")
        if plain["file"]:
            (folder / plain["file"]).write_text(found.stdout, encoding="utf-8")
        return 0 if plain["either"] and found.returncode == 1 else found.returncode, found.stdout + found.stderr
    where = folder
    if line.startswith("make "):
        line, where = line.replace("make ", "make --dry-run ", 1), ROOT
    elif line in {"pip install .", 'pip install ".[plot]"'}:
        line, where = "test -f pyproject.toml", ROOT  # test_wheel.py installs
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S602 - the documentation's own lines
        line, shell=True, cwd=where, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def console(text: str, folder: Path) -> None:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        first, *others = part.splitlines()
        more = list(takewhile(lambda each: each.startswith("> "), others))
        line = "\n".join([first, *(each.removeprefix("> ") for each in more)])
        code, printed = run(line, folder)
        assert code in {0, 1}, f"{line}\n{printed}"
        rest = iter([each.rstrip() for each in printed.splitlines()])
        for each in others[len(more) :]:
            assert each == "..." or each.rstrip() in rest, f"{line}\ndid not print\n{each}\nbut\n{printed}"


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


def sql(block: Block, page: Path, folder: Path, con: duckdb.DuckDBPyConnection) -> None:
    if page.name in ASKED:
        asked(block.text, folder)
    elif not block.title:
        con.execute(block.text).fetchall()


def marked(page: Path) -> Any:
    """Leave pages that take long to the soak."""
    return pytest.param(page, marks=[pytest.mark.soak] if page.name in DATA else [], id=name_of(page))


@pytest.mark.parametrize("page", [marked(page) for page in [*READ, *MANUAL] if blocks(page)])
def test_every_block_of_a_page_runs_in_order(page: Path, tmp_path: Path) -> None:
    folder = Path(os.environ.get("SDCDB_DATA", ""))
    for name in DATA.get(page.name, ()):
        if not os.environ.get("SDCDB_DATA") or not (folder / name).is_file():
            pytest.skip(f"{page.name} needs public data: set SDCDB_DATA to a folder with {name}")
    con = sdcdb.register(duckdb.connect())
    for block in blocks(page):
        if block.title:
            (tmp_path / block.title).write_text(block.text, encoding="utf-8")
        if block.language == "bash":
            for line in lines(block):
                code, printed = run(line, tmp_path)
                assert code == 0, f"{line}\n{printed}"
        elif block.language == "console":
            console(block.text, tmp_path)
        elif block.language == "python":
            command.run(cwd=tmp_path, python=block.text)
        elif block.language == "sql":
            sql(block, page, tmp_path, con)
        elif block.language == "yaml":
            if block.text.startswith("version:"):
                parse_document(block.text, page.name)
        else:
            assert block.language == "text", f"{page.name} has a block in {block.language or 'no language'}"
    con.close()


@pytest.mark.parametrize("page", GENERATED, ids=lambda page: page.path)
def test_generated_sections_are_what_the_code_writes(page: Page) -> None:
    committed = (DOCS / page.path).read_text(encoding="utf-8")
    assert fill(committed, page.sections) == committed, "run: make docs"


def test_the_picture_of_the_readme_is_what_the_gateway_does() -> None:
    assert (DOCS / PICTURE).read_text(encoding="utf-8") == draw(), "run: make docs"


def test_pictures_load_nothing_from_elsewhere() -> None:
    for picture in (DOCS / "images").glob("*.svg"):
        text = re.sub(r'xmlns(:\w+)?="[^"]+"', "", picture.read_text(encoding="utf-8"))
        assert not re.findall(r"https?://", text), picture.name


def test_the_manual_shows_an_error_as_it_is_printed() -> None:
    page = blocks(DOCS / "reference" / "policy.md")
    good = next(block.text for block in page if block.language == "yaml")
    (shown,) = [block.text for block in page if block.language == "text"]
    with pytest.raises(PolicyError) as caught:
        parse_document(good.replace("sex: quasi", "sex: quassi"))
    assert caught.value.problems[0].message in " ".join(shown.split())


def headings(page: Path) -> set[str]:
    """Return the anchors of a page, as MkDocs and GitHub make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


@pytest.mark.parametrize("page", LINKING, ids=name_of)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        found = (page.parent / path).resolve() if path else page
        assert found.exists(), f"{name_of(page)} links to {target}"
        assert DOCS not in page.parents or DOCS in found.parents, f"{target} leaves the site"
        assert not anchor or anchor in headings(found), f"{name_of(page)} links to {target}"


@pytest.mark.parametrize("page", [*READ, *MANUAL], ids=name_of)
def test_documentation_imports_public_names_only(page: Path) -> None:
    text = "\n".join(block.text for block in blocks(page) if block.language == "python")
    imported = re.findall(r"^\s*(?:from|import) (sdcdb[\w.]*)", text, flags=re.MULTILINE)
    assert [name for name in imported if name not in PUBLIC] == []


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"([\w/-]+\.md)", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert {str(page.relative_to(DOCS)) for page in MANUAL} <= listed


@pytest.mark.parametrize("page", ["benchmarks.md", "reproductions.md"])
def test_the_tables_of_results_are_the_committed_ones(page: str) -> None:
    script = "import sys; sys.path.insert(0, 'benchmarks'); import record"
    script += f"; (page,) = [page.read_text(encoding='utf-8') for page in record.PAGES if page.name == {page!r}]"
    script += "; assert record.with_tables(page) == page"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)


def test_decisions_are_numbered_without_gaps() -> None:
    numbers = [int(file.name[:3]) for file in sorted((DOCS / "decisions").glob("[0-9]*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))
    for file in (DOCS / "decisions").glob("[0-9]*.md"):
        assert file.read_text(encoding="utf-8").startswith(f"# {file.name[:3]}. "), file.name
