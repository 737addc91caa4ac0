"""`sdcdb evaluate`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption, SeedOption, listed
from sdcdb.errors import SdcdbError
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    from sdcdb.evaluate.experiment import Experiment
    from sdcdb.evaluate.summary import Line
    from sdcdb.policy.models import Table

TECHNIQUES_HELP = (
    "A technique with its amounts: sampling:5%,50% or normal:sd=10%+boundary=clip. May be given several "
    "times. With none of --techniques, --restriction, --noise: the CAE paper's."
)
KNOWN_HELP = "Columns that an intruder may know. Default: the policy's quasi-identifiers, else all others."


def evaluate(
    db: DatabaseArgument,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table to release.")],
    confidential: Annotated[
        str | None, typer.Option("--confidential", "-c", metavar="COLUMN", help="Default: the policy's first.")
    ] = None,
    techniques: Annotated[
        list[str] | None, typer.Option("--techniques", "-t", metavar="NAME:AMOUNTS", help=TECHNIQUES_HELP)
    ] = None,
    restriction: Annotated[
        str | None, typer.Option("--restriction", metavar="SIZES", help="Query set sizes of sliding sums: 2,4,8,16,32.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option("--noise", metavar="SHARES", help="The paper's binomial noise: 5%,10%,20%.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Releases of each setting.")] = 30,
    known: Annotated[str | None, typer.Option("--known", "-k", metavar="COLUMNS", help=KNOWN_HELP)] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="LOW,HIGH", help="The public domain. Default: the policy's.")
    ] = None,
    step: Annotated[
        float | None, typer.Option("--step", help="Values are rounded to this grid. Default: at most 50 values.")
    ] = None,
    records: Annotated[int, typer.Option("--records", min=1, help="Use at most this many records.")] = 10_000,
    prior: Annotated[
        Literal["uniform", "empirical"],
        typer.Option("--prior", help="What an intruder believes before a noisy release."),
    ] = "uniform",
    average: Annotated[
        Literal["values", "records"],
        typer.Option("--average", help="Count every combination of known values once, as the paper, or every record."),
    ] = "values",
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw a picture: .svg, .png, .pdf or .html")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FILE", help="Keep results in this file, and go on from what it holds."),
    ] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Processes. Default: one per core.")] = None,
    policy: PolicyOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare techniques: what an intruder is left unsure of, by what is known and by utility."""
    out = Output(as_json, quiet)
    if plot is not None:
        from sdcdb.pages.plots import check_format

        check_format(plot)
    if seed < 0:
        raise SdcdbError(f"--seed {seed}: give a number from 0 on")
    import sdcdb
    from sdcdb.evaluate.experiment import Experiment, settings_of
    from sdcdb.evaluate.experiment import evaluate as run
    from sdcdb.evaluate.source import Wanted, read

    settings = settings_of(_texts(techniques, restriction, noise))
    with sdcdb.open(db, policy, read_only=True) as database, out.working("reading", database.con):
        declared = database.policy.tables.get(name) if database.policy else None
        secret = _confidential(declared, confidential)
        wanted = Wanted(name, secret, tuple(listed(known)), _pair(domain), step, records, seed)
        population, notes = read(database.con, wanted, declared)
    for text in notes:
        out.note(text)
    experiment = Experiment(name, secret, population, settings, runs, seed, prior)
    with out.progress("releasing") as progress:
        try:
            lines = run(experiment, resume, jobs or os.cpu_count() or 1, average, progress)
        except KeyboardInterrupt:
            kept = f"finished runs are in {resume}: the same command goes on" if resume else "--resume FILE keeps runs"
            out.note(f"stopped; {kept}")
            raise
    data = experiment.describe() | {"runs": runs, "average": average, "techniques": [each.plain() for each in lines]}
    out.result(data, lambda console: _draw(console, experiment, lines))
    if plot is not None:
        from sdcdb.pages.evaluation_chart import chart
        from sdcdb.pages.plots import save

        save(chart(lines, experiment.confidential, f"What remains uncertain about {experiment.confidential}"), plot)
        out.note(f"\nDrew {plot}")


def _texts(techniques: list[str] | None, restriction: str | None, noise: str | None) -> list[str]:
    """Return all settings in one form: `name:amounts`."""
    from sdcdb.evaluate.settings import PAPER

    texts = [text for option in techniques or [] for text in option.split()]
    texts += [f"restriction:{restriction}"] if restriction is not None else []
    texts += [f"noise:{noise}"] if noise is not None else []
    return texts or list(PAPER)


def _confidential(declared: "Table | None", given: str | None) -> str:
    from sdcdb.policy.models import Role

    secret = given or next(iter(declared.named(Role.CONFIDENTIAL) if declared else []), None)
    if secret is None:
        raise SdcdbError("which column is confidential? Give --confidential salary, or a policy that says so")
    return secret


def _pair(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise SdcdbError(f"--domain {text}: give two numbers, such as 0,250000") from None
    return low, high


def _draw(console: Console, experiment: "Experiment", lines: "list[Line]") -> None:
    grid, names = experiment.population.grid, experiment.population.names
    console.print(
        f"{experiment.table}: {len(experiment.population.positions):,} records; {experiment.confidential} has "
        f"{grid.size} values from {grid.low:g} to {grid.high:g}; an intruder may know {', '.join(names) or 'nothing'}",
        markup=False,
    )
    header = ("technique", "utility", *map(str, range(len(names) + 1)))
    measures = (("h0", "H(0), bits"), ("area", f"area, bits x {experiment.confidential}"))
    for measure, title in measures:
        rows = [
            (f"{line.technique}:{line.amount}", line.utility, *(getattr(point, measure) for point in line.points))
            for line in lines
        ]
        console.print()
        console.print(table(f"{title}, by known attributes: mean of {experiment.runs} releases", header, rows))
