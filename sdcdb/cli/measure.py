"""`sdcdb measure`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, ForceOption, PolicyOption, listed
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    import duckdb

    from sdcdb.assess.exposure import Exposure
    from sdcdb.udfs.measurement import Measurement

KNOWN_HELP = "Columns an intruder knows, for example sex,age. Default: the policy's quasi-identifiers."


def measure(
    db: DatabaseArgument,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table to measure.")],
    known: Annotated[str | None, typer.Option("--known", "-k", metavar="COLUMNS", help=KNOWN_HELP)] = None,
    confidential: Annotated[
        str | None,
        typer.Option(
            "--confidential", "-c", metavar="COLUMN", help="The confidential column. Default: the policy's first."
        ),
    ] = None,
    worst: Annotated[int, typer.Option("--worst", min=0, help="The number of most exposed classes to show.")] = 5,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw a picture: .svg, .png, .pdf or .html")
    ] = None,
    force: ForceOption = False,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure a table: k-anonymity, l-diversity, t-closeness, uniqueness, and the CAE of a confidential column."""
    import sdcdb

    out = Output(as_json, quiet)
    if plot is not None:
        from sdcdb.pages.plots import check_format

        check_format(plot, replace=force)
    with sdcdb.open(db, policy, read_only=True) as database:
        with out.progress("measuring classes") as progress:
            found = database.measure(name, known=listed(known), confidential=confidential, progress=progress)
        out.result(_data(found, worst), lambda console: _draw(console, found, worst))
        if plot is not None:
            _plot(database.con, found.exposure, plot, replace=force)
            out.note(f"\nDrew {plot}")


def _data(found: "Measurement", worst: int) -> dict[str, Any]:
    exposed = found.exposure
    return {
        **asdict(found.question),
        **{name.replace("-", "_"): values for name, values in found.risk.items()},
        "cae": {
            "nothing_known": asdict(exposed.nothing_known),
            "h0": exposed.quantiles("h0"),
            "area": exposed.quantiles("area"),
            "most_exposed": [
                {
                    "known": dict(zip(exposed.known, each.known, strict=True)),
                    "records": each.records,
                    **asdict(each.cae),
                }
                for each in exposed.classes[:worst]
            ],
        },
    }


def _draw(console: Console, found: "Measurement", worst: int) -> None:
    release, exposed = found.risk, found.exposure
    known = ", ".join(exposed.known)
    k, diversity, t = (release[name] for name in ("k-anonymity", "l-diversity", "t-closeness"))
    rows = [
        ("records, classes", f"{k['records']:,} records in {k['classes']:,} classes with equal {known}"),
        ("k-anonymity", f"{k['k']}: the smallest class"),
        ("unique records", f"{k['unique_records']:,} ({k['unique_records'] / k['records']:.2%})"),
        (
            "l-diversity",
            f"{diversity['l_distinct']} distinct, {diversity['l_entropy']:.2f} by entropy, in the worst class",
        ),
        ("t-closeness", f"{t['t']:.3f} in the worst class, {t['mean_t']:.3f} on average"),
    ]
    console.print(table(f"Release risk of {exposed.table}", ("measure", "value"), rows))
    console.print()
    nothing = exposed.nothing_known
    rows_cae = [("knows nothing", nothing.h0, nothing.area)]
    h0, area = exposed.quantiles("h0"), exposed.quantiles("area")
    rows_cae += [(f"knows {known}: {at}", h0[at], area[at]) for at in h0]
    title = f"CAE of {exposed.confidential}: what an intruder is still unsure of"
    console.print(table(title, ("intruder", "H(0) bits", f"area bits x {exposed.confidential}"), rows_cae))
    if worst and exposed.classes:
        console.print()
        rows_worst = [(*each.known, each.records, each.cae.h0, each.cae.area) for each in exposed.classes[:worst]]
        console.print(table("Most exposed", (*exposed.known, "records", "H(0)", "area"), rows_worst))


def _plot(con: "duckdb.DuckDBPyConnection", exposed: "Exposure", file: Path, *, replace: bool) -> None:
    from sdcdb.assess.exposure import exposure_curve
    from sdcdb.pages.exposure_chart import Line, cae_chart
    from sdcdb.pages.plots import save

    known = ", ".join(exposed.known)
    lines = [
        Line("nothing known", exposure_curve(con, exposed, None)),
        Line(f"knows {known}: median record", exposure_curve(con, exposed, exposed.at(0.5))),
        Line(f"knows {known}: 5% of records are no safer than this", exposure_curve(con, exposed, exposed.at(0.05))),
    ]
    title = f"Uncertainty about {exposed.confidential} in {exposed.table}"
    save(cae_chart(lines, exposed.confidential, exposed.by_record("h0"), title), file, replace=replace)
