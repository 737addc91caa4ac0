"""`sdcdb similarity`."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, ForceOption, listed
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

SHOWN = 5  # most similar pairs of each column shown in the terminal


def similarity(
    db: DatabaseArgument,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table.")],
    columns: Annotated[
        str | None,
        typer.Option("--columns", metavar="COLUMNS", help="Categories to compare. Default: all with few values."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Draw a colour map: .svg, .png, .pdf or .html")
    ] = None,
    threshold: Annotated[float, typer.Option("--threshold", "-T", help="The threshold T of S''.")] = 0.4,
    c1: Annotated[float, typer.Option(help="The weight of S'; S'' gets the rest.")] = 0.6,
    graph: Annotated[
        Literal["simple", "multi"], typer.Option(help="Record whether values occur together, or count how often.")
    ] = "simple",
    force: ForceOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show which values of a table's categories are similar (VICUS), as numbers or as a colour map."""
    from sdcdb.connection.connect import connect
    from sdcdb.connection.profile import profile
    from sdcdb.errors import SdcdbError
    from sdcdb.similarity.similarity import similarity as measure

    out = Output(as_json, quiet)
    if output is not None:
        from sdcdb.pages.plots import check_format

        check_format(output, replace=force)
    with connect(db, read_only=True) as con, out.working("counting", con):
        found_table = profile(con, name)
        few = [c.name for c in found_table.columns if 1 < c.distinct <= 100 and not c.unique]
        chosen = listed(columns) or few
        if not chosen:
            raise SdcdbError(f"{name!r} has no column with few values: name some with --columns")
        found = measure(con, name, chosen, threshold, c1, 1 - c1, graph)
    frames = {column: each.total for column, each in found.items()}
    data = {
        column: {"values": [str(v) for v in frame.index], "total": frame.to_numpy().round(6).tolist()}
        for column, frame in frames.items()
    }

    def draw(console: Console) -> None:
        for column, frame in frames.items():
            values, matrix = list(frame.index), frame.to_numpy()
            pairs = [
                (str(values[i]), str(values[j]), float(matrix[i, j]))
                for i in range(len(values))
                for j in range(i + 1, len(values))
            ]
            best = sorted(pairs, key=lambda pair: -pair[2])[:SHOWN]
            console.print(table(f"Most similar in {column}", ("value", "and", "S"), best))
            console.print()

    out.result(data, draw)
    if output is not None:
        from sdcdb.pages.plots import save
        from sdcdb.pages.similarity_chart import similarity_chart

        save(similarity_chart(frames, f"Similarity of values in {name}"), output, replace=force)
        out.note(f"Drew {output}")
