"""`sdcdb detective`."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, listed
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    from sdcdb.similarity.detective import Detection, ValueCluster

SHOWN = 6  # pairs of each cluster shown in the terminal


def detective(
    db: DatabaseArgument,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table.")],
    attribute: Annotated[str, typer.Option("--attribute", "-a", help="The category whose values are clustered.")],
    columns: Annotated[
        str | None,
        typer.Option("--columns", metavar="COLUMNS", help="Columns the tree may test. Default: all it can use."),
    ] = None,
    min_cases: Annotated[
        int, typer.Option(help="The least number of records in at least two branches of a split.")
    ] = 2,
    confidence: Annotated[float, typer.Option(help="The confidence level of pruning.")] = 0.25,
    learner: Annotated[Literal["c45", "cart"], typer.Option(help="Which learner grows the tree.")] = "c45",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Show which values of a category are similar, and among which records (DETECTIVE)."""
    from sdcdb.connection.connect import connect
    from sdcdb.connection.training_table import read_training_table
    from sdcdb.similarity.detective import detect

    out = Output(as_json, quiet)
    with connect(db, read_only=True) as con, out.working("growing a tree", con):
        training = read_training_table(con, name, listed(columns) or None, attribute)
        if learner == "cart":
            from sdcdb.trees.cart import grow_cart

            tree = grow_cart(training, min_cases=min_cases)
        else:
            from sdcdb.trees.c45 import grow

            tree = grow(training, min_cases=min_cases, confidence=confidence)
    found = detect(tree)
    out.result(_data(found), lambda console: _draw(console, found))


def _data(found: "Detection") -> dict[str, Any]:
    def cluster(each: "ValueCluster") -> dict[str, Any]:
        return {
            "leaves": list(each.leaves),
            "rule": list(each.rule),
            "counts": dict(each.counts),
            "pairs": [{"values": [pair.first, pair.second], "similarity": pair.similarity} for pair in each.pairs],
        }

    return {
        "attribute": found.column,
        "unrelated": found.unrelated,
        "leaves": len(found.tree.leaves()),
        "within_leaves": [cluster(each) for each in found.within],
        "among_siblings": [cluster(each) for each in found.among],
    }


def _draw(console: Console, found: "Detection") -> None:
    if found.unrelated:
        console.print(f"no other column predicts {found.column}: its tree is a single leaf", markup=False)
        return
    if not found.within and not found.among:
        console.print(
            f"every leaf and every group of sibling leaves has a single value of {found.column}", markup=False
        )
    for kind, clusters in (("Within leaf", found.within), ("Among sibling leaves", found.among)):
        for each in clusters:
            where = " and ".join(each.rule) or "all records"
            counts = ", ".join(f"{value} {count:,.10g}" for value, count in each.counts)
            numbers = ", ".join(str(number) for number in each.leaves)
            console.print(f"{kind} {numbers}: {where}", markup=False)
            console.print(f"  {counts}", markup=False)
            rows = [(pair.first, pair.second, pair.similarity) for pair in each.pairs[:SHOWN]]
            console.print(table("", ("value", "and", "similarity"), rows))
            console.print()
