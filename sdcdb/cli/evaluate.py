"""`sdcdb evaluate`."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, ForceOption, PolicyOption, SeedOption, listed
from sdcdb.errors import SdcdbError
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    from sdcdb.evaluate.experiment import Experiment
    from sdcdb.evaluate.summary import Line
    from sdcdb.policy.models import Table

TECHNIQUES_HELP = (
    "A technique with its amounts: sampling:5%,50% or normal:sd=10%+boundary=clip. Repeatable. "
    "Default, without --restriction and --noise: those of the CAE paper."
)
KNOWN_HELP = "Columns an intruder may know. Default: the policy's quasi-identifiers, or else all other columns."


def evaluate(
    db: DatabaseArgument,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table to release.")],
    confidential: Annotated[
        str | None,
        typer.Option(
            "--confidential", "-c", metavar="COLUMN", help="The confidential column. Default: the policy's first."
        ),
    ] = None,
    techniques: Annotated[
        list[str] | None, typer.Option("--techniques", "-t", metavar="NAME:AMOUNTS", help=TECHNIQUES_HELP)
    ] = None,
    restriction: Annotated[
        str | None,
        typer.Option("--restriction", metavar="SIZES", help="Sizes of query sets for sliding sums: 2,4,8,16,32."),
    ] = None,
    noise: Annotated[
        str | None, typer.Option("--noise", metavar="SHARES", help="The paper's binomial noise: 5%,10%,20%.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="The number of releases per setting.")] = 30,
    known: Annotated[str | None, typer.Option("--known", "-k", metavar="COLUMNS", help=KNOWN_HELP)] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="LOW,HIGH", help="The public domain. Default: from the policy.")
    ] = None,
    step: Annotated[
        float | None, typer.Option("--step", help="Round values to this grid. Default: a grid of at most 50 values.")
    ] = None,
    records: Annotated[int, typer.Option("--records", min=1, help="The most records to use.")] = 10_000,
    prior: Annotated[
        Literal["uniform", "empirical"],
        typer.Option("--prior", help="What an intruder believes before a noisy release."),
    ] = "uniform",
    average: Annotated[
        Literal["values", "records"],
        typer.Option("--average", help="Count each combination of known values once, as in the paper, or each record."),
    ] = "values",
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw a picture: .svg, .png, .pdf or .html")
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="FILE", help="Keep results in this file, and resume from it if it exists."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="The number of processes. Default: one per core.")
    ] = None,
    force: ForceOption = False,
    policy: PolicyOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare techniques: how uncertain an intruder remains, by what the intruder knows and by utility."""
    from sdcdb.connection.prompt_end import ending_promptly

    out = Output(as_json, quiet)
    kept = (
        f"finished runs are in {resume}; run the same command again to resume" if resume else "--resume FILE keeps runs"
    )
    # From here on, as libraries that are being loaded may swallow KeyboardInterrupt, and compiled code turns it into
    # another error: then the watcher ends this instead.
    with ending_promptly(f"stopped; {kept}") as said:
        try:
            from sdcdb.connection.atomic_file import refuse_target
            from sdcdb.connection.interrupts import deferred

            if plot is not None:
                from sdcdb.pages.plots import check_format

                check_format(plot, replace=force)
            if resume is not None:
                refuse_target(resume, replace=True)
            if seed < 0:
                raise SdcdbError("--seed must be 0 or greater")
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
            with deferred(), out.progress("releasing") as progress:
                lines = run(experiment, resume, jobs or os.cpu_count() or 1, average, progress)
            data = experiment.describe() | {
                "runs": runs,
                "average": average,
                "techniques": [each.plain() for each in lines],
            }
            out.result(data, lambda console: _draw(console, experiment, lines))
            if plot is not None:
                from sdcdb.pages.evaluation_chart import chart
                from sdcdb.pages.plots import save

                title = f"What remains uncertain about {experiment.confidential}"
                save(chart(lines, experiment.confidential, title), plot, replace=force)
                out.note(f"\nDrew {plot}")
        except KeyboardInterrupt:
            said.set()
            out.note(f"stopped; {kept}")
            raise


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
        raise SdcdbError("no confidential column: name one with --confidential, or in the policy")
    return secret


def _pair(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise SdcdbError(f"--domain {text}: write two numbers, for example 0,250000") from None
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
