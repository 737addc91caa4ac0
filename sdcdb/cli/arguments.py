"""Arguments that several commands take."""

from pathlib import Path
from typing import Annotated

import typer

DatabaseArgument = Annotated[Path, typer.Argument(metavar="DB", help="A DuckDB database file.")]
PolicyOption = Annotated[
    Path | None,
    typer.Option("--policy", "-p", metavar="FILE", help="The policy file. Default: the name of DB with .policy.yaml"),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
SeedOption = Annotated[int, typer.Option("--seed", help="The same seed gives the same result.")]


def listed(names: str | None) -> list[str]:
    """Split `a,b` from the command line; a name in double quotes may contain a comma.

    >>> listed('sex, "a,b"')
    ['sex', 'a,b']
    """
    import csv

    row = next(csv.reader([names or ""], skipinitialspace=True), [])
    return [name.strip() for name in row if name.strip()]
