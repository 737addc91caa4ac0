"""The demo: the commands a newcomer would type, run one after another in a new folder."""

import os
import shlex
from collections.abc import Callable
from contextlib import suppress
from importlib.resources import files
from itertools import count
from pathlib import Path

import typer

import sdcdb
from sdcdb.cli.ask import ask
from sdcdb.cli.check import check
from sdcdb.cli.compare import compare
from sdcdb.cli.datasets import datasets
from sdcdb.cli.measure import measure
from sdcdb.cli.protect import protect
from sdcdb.cli.release import release
from sdcdb.cli.status import status
from sdcdb.errors import SdcdbError
from sdcdb.terminal.output import Output, table

MADE_UP = "made-up people"
KNOWN = "sex,dept,education"

SQL = """\
SELECT dept, count(*) AS records, sdc_cae(list(salary), sdc_normalise(list(1))) AS cae
FROM staff WHERE age = 64 AND sex = 'F' GROUP BY dept ORDER BY cae LIMIT 3"""

ASKED = (
    "SELECT COUNT(*) AS people, ROUND(AVG(salary)) AS mean FROM staff WHERE sex = 'F' AND age BETWEEN 30 AND 40",
    "SELECT campus, ROUND(AVG(salary)) AS mean FROM staff JOIN dept_dim USING (dept) GROUP BY campus ORDER BY campus",
)
RARE = """\
SELECT name, sex, age, dept FROM staff
QUALIFY count(*) OVER (PARTITION BY sex, age, dept) = 1 AND count(*) OVER (PARTITION BY dept) >= 50
ORDER BY abs(age - 60), id LIMIT 1"""

NEXT = """\
Try next, in {folder}:
  sdcdb measure staff.duckdb staff --known sex,age,dept --plot more.html   what if the intruder knows the age?
  sdcdb show staff.duckdb staff_public                                     the view in words
  sdcdb compare staff.duckdb staff_public --html report.html               what stays useful, and what it reveals
  sdcdb techniques vicus                                                   what VICUS does
  sdcdb shell staff.duckdb                                                 ask your own questions; \\? for help
  sdcdb init staff.duckdb -o -                                             a policy drafted from the data
  sdcdb check staff.duckdb                                                 after editing staff.policy.yaml
  sdcdb datasets                                                           other data to try
  sdcdb --help
Serve such a company to many, with psql and a web console:
  sdcdb serve --demo"""


def run_demo(folder: Path | None, rows: int, seed: int, out: Output) -> None:
    """Create the folder, the database and its policy, measure it, and say what to try next."""
    place = new_folder(folder)
    before = Path.cwd()
    os.chdir(place)
    try:
        _tour(out, rows, seed)
    finally:
        os.chdir(before)
    out.console.print("\n" + NEXT.format(folder=place), markup=False)


def _tour(out: Output, rows: int, seed: int) -> None:
    staff, policy = Path("staff.duckdb"), Path("staff.policy.yaml")
    _step(out, "The staff of a company, whose salaries must stay confidential.")
    _run(out, f"sdcdb datasets staff --rows {rows} --seed {seed} -o {staff}",
         lambda: datasets("staff", staff, rows, seed, quiet=True))  # fmt: skip
    _step(out, f"The policy says what each column is and which limits apply: {policy}")
    text = files("sdcdb.cli").joinpath("demo.policy.yaml").read_text(encoding="utf-8")
    if "SDCDB_SECRET" not in os.environ:  # nobody would keep a random secret, and the view could not be fitted again
        text = text.replace("env:SDCDB_SECRET", "keyfile")
    policy.write_text(text, encoding="utf-8")
    _run(out, f"sdcdb check {staff}", lambda: check(staff, quiet=True))
    _step(out, f"What can somebody learn who knows a colleague's {KNOWN.replace(',', ', ')}?")
    _run(out, f"sdcdb measure {staff} staff --known {KNOWN} --plot exposure.svg",
         lambda: measure(staff, "staff", KNOWN, worst=3, plot=_plot_file(out), quiet=out.quiet))  # fmt: skip
    _step(out, "A protected view: departments and salaries perturbed in the database, the same at every read.")
    _run(out, f"sdcdb protect {staff}", lambda: protect(staff, quiet=True))
    _run(out, f"sdcdb compare {staff} staff_public", lambda: compare(staff, "staff_public", quiet=True))
    _step(out, "It is below the floors for a release: people can be found. These are made up, so the risk is accepted.")
    _run(out, f'sdcdb release {staff} staff_public -o staff_public.parquet --accept-risk "{MADE_UP}"',
         lambda: release(staff, "staff_public", Path("staff_public.parquet"), MADE_UP, quiet=True))  # fmt: skip
    _analyst(out, staff)
    _step(out, "The measures in SQL, on any DuckDB connection after sdcdb.register(con):")
    _run_sql(out, staff)


def _analyst(out: Output, staff: Path) -> None:
    """Show honest questions answered, and an attack on one person stopped."""
    _step(out, "An analyst asks about the staff table itself, and gets exact answers.")
    for question in ASKED:
        _ask(out, staff, question)
    with sdcdb.open(staff, read_only=True) as database:
        rare = database.con.execute(RARE).fetchone()
    if rare is not None:
        name, sex, age, dept = rare
        them = "her" if sex == "F" else "him"
        who = f"the only {'woman' if sex == 'F' else 'man'} of {age} in {dept}"
        _step(out, f"{name} is {who}. Two sums, one of them without {them}, would reveal the salary.")
        _ask(out, staff, f"SELECT SUM(salary) AS total FROM staff WHERE dept = '{dept}'")
        _ask(out, staff, f"SELECT SUM(salary) FROM staff WHERE dept = '{dept}' AND NOT (sex = '{sex}' AND age = {age})")
    _step(out, "How much do all answers reveal together?")
    _run(out, f"sdcdb status {staff}", lambda: status(staff, quiet=True))


def _ask(out: Output, staff: Path, question: str) -> None:
    out.console.print(f'$ sdcdb ask {staff} "{question}" --user analyst1', style="cyan", markup=False)
    with suppress(typer.Exit):  # the demo wants to show a denial
        ask(staff, question, "analyst1", quiet=True)


def _run_sql(out: Output, staff: Path) -> None:
    out.console.print(SQL, style="cyan", markup=False)
    with sdcdb.open(staff, read_only=True) as database:
        rows = database.con.execute(SQL).fetchall()
    out.console.print(
        table("", ("dept", "records", "H(0)", "area"), [(d, n, cae["h0"], cae["area"]) for d, n, cae in rows])
    )


def _plot_file(out: Output) -> Path | None:
    from sdcdb.pages.plots import check_format

    file = Path("exposure.svg")
    try:
        check_format(file)
    except SdcdbError as missing:
        out.note(f"(no picture: {missing})")
        return None
    return file


def new_folder(folder: Path | None) -> Path:
    """Create the folder named, or one that is free."""
    candidates = [folder] if folder else (Path("sdcdb-demo" + (f"-{n}" if n > 1 else "")) for n in count(1))
    for candidate in candidates:
        try:
            candidate.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as problem:
            raise SdcdbError(f"cannot create the folder {candidate}: {problem.strerror}") from None
        return candidate
    raise SdcdbError(f"{folder} already exists: name a new folder")


def _step(out: Output, what: str) -> None:
    out.console.print(f"\n{what}", style="bold", markup=False)


def _run(out: Output, line: str, command: Callable[[], None]) -> None:
    out.console.print("$ " + shlex.join(shlex.split(line)), style="cyan", markup=False)
    command()
