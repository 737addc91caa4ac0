"""`sdcdb datasets`."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer
from rich.console import Console

from sdcdb.cli.arguments import SeedOption
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table


def datasets(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The data set to create. Default: list them all.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="The DuckDB file to create.")
    ] = None,
    rows: Annotated[int | None, typer.Option("--rows", "-n", help="The number of records.")] = None,
    seed: SeedOption = 1,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """List the data sets that come with sdcdb, or create one in a new database file."""
    out = Output(as_json, quiet)
    if name is None:
        _list(out)
    else:
        _create(out, name, output or Path(f"{name}.duckdb"), rows, seed)


def _list(out: Output) -> None:
    from sdcdb.datasets import DATASETS

    data = [
        {"name": d.name, "tables": list(d.tables), "rows": d.rows, "title": d.title, "source": d.source}
        for d in DATASETS.values()
    ]

    def draw(console: Console) -> None:
        rows = [(d["name"], d["title"], d["source"]) for d in data]
        console.print(table("Data sets", ("name", "what", "source"), rows))

    out.result(data, draw)
    out.note("\nCreate one: sdcdb datasets staff --rows 100000 -o staff.duckdb")


def _create(out: Output, name: str, file: Path, rows: int | None, seed: int) -> None:
    from sdcdb.connection.atomic_file import new_database
    from sdcdb.datasets import DATASETS
    from sdcdb.datasets import create as create_tables
    from sdcdb.errors import DatabaseError, choices

    if name not in DATASETS:
        raise DatabaseError(f"there is no data set {name!r}; {choices(name, DATASETS)}")
    with new_database(file) as con, out.working(f"creating {name}", con):
        dataset = create_tables(con, name, rows, seed)
        counts = {t: con.execute(f"SELECT count(*) FROM {t}").fetchall()[0][0] for t in dataset.tables}
    data = {"file": str(file), "dataset": name, "seed": seed, "tables": counts}

    def draw(console: Console) -> None:
        console.print(table(f"Created {file}", ("table", "records"), counts.items()))

    out.result(data, draw)
    out.note(f"\nNext: sdcdb init {quote(str(file))}")
