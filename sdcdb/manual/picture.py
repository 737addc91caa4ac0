"""images/gateway.svg: a session at the prompt in which the gateway stops a difference attack.

The output is the real one, drawn by the shell's own code; only the prompt and the statements are put in by hand. The
SVG names fonts that readers have and loads nothing.
"""

import io
import re
import tempfile
from pathlib import Path

from rich.color import parse_rgb_hex
from rich.console import Console
from rich.syntax import Syntax
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import sdcdb
from sdcdb.datasets import create
from sdcdb.policy.load import parse_document
from sdcdb.shell.cancellable import Waiting
from sdcdb.shell.session import Session

PICTURE = "images/gateway.svg"
WIDTH = 74
NAME = "staff"
POLICY = """\
version: 1
tables:
  staff:
    key: id
    columns: {id: identifier, name: identifier, sex: quasi, age: quasi, dept: quasi, education: quasi,
              salary: {role: confidential, domain: [0, 300000], step: 1}}
    restrict: {min_set: 10}
  dept_dim: public
"""
SESSION = (
    ("# Ann knows that one colleague in Engineering is a woman of 60.", ""),
    ("", "SELECT SUM(salary) AS total FROM staff WHERE dept = 'Engineering';"),
    ("# Exact. Now the same without her: the difference is what she earns.", ""),
    ("", "SELECT SUM(salary) AS total FROM staff\nWHERE dept = 'Engineering' AND NOT (sex = 'F' AND age = 60);"),
    ("# A safe question about the same people is answered.", ""),
    (
        "",
        "SELECT sex, COUNT(*) AS people, AVG(salary)::INT AS mean\nFROM staff WHERE dept = 'Engineering' GROUP BY sex;",
    ),
)
DARK = ("111827", "f87171", "6ee7b7", "fcd34d", "93c5fd", "d8b4fe", "67e8f9", "e5e7eb")  # from black to white
BRIGHT = ("94a3b8", "fca5a5", "a7f3d0", "fde68a", "bfdbfe", "e9d5ff", "a5f3fc", "ffffff")
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def _theme() -> TerminalTheme:
    dark, bright = ([_colour(each) for each in colours] for colours in (DARK, BRIGHT))
    return TerminalTheme(dark[0], dark[7], dark, bright)


def _colour(written: str) -> tuple[int, int, int]:
    red, green, blue = parse_rgb_hex(written)
    return red, green, blue


def draw() -> str:
    """Play the session on a new database, and return the picture."""
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{NAME}.duckdb"
        with sdcdb.open(file, create=True) as new:
            create(new.con, "staff", rows=2000, seed=1)
        policy = parse_document(POLICY).policy
        with sdcdb.open(file, policy, read_only=True) as database, database.gateway() as gateway:
            session = Session(gateway, "ann", console, console, Waiting(Console(file=io.StringIO())))
            console.print(Text(f"$ sdcdb shell {NAME}.duckdb --user ann", style="bold white"))
            for remark, statement in SESSION:
                _typed(console, remark, statement)
                if statement:
                    session.run(statement)
    return _without_fonts(console.export_svg(title="sdcdb", theme=_theme(), unique_id="sdcdb", font_aspect_ratio=0.6))


def _typed(console: Console, remark: str, statement: str) -> None:
    if remark:
        console.print(Text(f"\n{remark}", style="italic bright_black"))
        return
    coloured = Syntax(statement, "sql", theme="ansi_dark").highlight(statement)
    for number, line in enumerate(coloured.split("\n", allow_blank=False)):
        prompt = f"{NAME}> " if number == 0 else "...> ".rjust(len(NAME) + 2)
        console.print(Text.assemble((prompt, "bold cyan"), line), soft_wrap=True)


def _without_fonts(svg: str) -> str:
    """Return the picture with fonts of the reader's machine instead of some from the web."""
    svg = re.sub(r"\s*@font-face \{.*?\}\n", "\n", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;]+;", f"font-family: {FONT};", svg)
    svg = svg.replace("<!-- Generated with Rich https://www.textualize.io -->", "")
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"
