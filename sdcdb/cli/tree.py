"""`sdcdb tree`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sdcdb.cli.arguments import DatabaseArgument, ForceOption, SeedOption, listed
from sdcdb.terminal.output import JsonOption, Output, QuietOption

if TYPE_CHECKING:
    from sdcdb.trees.tree import Tree


def tree(
    db: DatabaseArgument,
    name: Annotated[str, typer.Argument(metavar="TABLE", help="The table or view.")],
    target: Annotated[str, typer.Option("--class", "-c", metavar="COLUMN", help="The column to predict.")],
    attributes: Annotated[
        str | None,
        typer.Option("--attributes", "-a", metavar="COLUMNS", help="Columns the tree may test. Default: all but keys."),
    ] = None,
    min_cases: Annotated[int, typer.Option("--min-cases", min=1, help="The least number of records in a branch.")] = 2,
    confidence: Annotated[
        float,
        typer.Option("--confidence", help="Confidence of C4.5's pruning, above 0 and up to 0.5: lower prunes more."),
    ] = 0.25,
    learner: Annotated[Literal["c45", "cart"], typer.Option(help="The learner that grows the tree.")] = "c45",
    sample: Annotated[
        int, typer.Option("--sample", min=1, help="The most records to read; a larger table is sampled.")
    ] = 1_000_000,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Draw it: .svg, .png, .html, or .txt")
    ] = None,
    force: ForceOption = False,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Grow a decision tree that predicts a column, and show its rules, leaves and siblings."""
    from sdcdb.connection.connect import connect
    from sdcdb.connection.profile import column_types
    from sdcdb.connection.training_table import read_training_table

    out = Output(as_json, quiet)
    if output is not None:
        from sdcdb.pages.tree_picture import check_format

        check_format(output, replace=force)
    with connect(db, read_only=True) as con, out.working("reading", con):
        table = read_training_table(con, name, listed(attributes) or None, target, sample, seed)
        names = list(column_types(con, name))
    used = {attribute.name for attribute in table.attributes}
    left_out = [column for column in names if column not in used] if attributes is None else []
    if left_out:
        out.note(f"Left out: {', '.join(left_out)} (keys, or too many values)")
    if table.rows == sample:
        out.note(f"Grown from a sample of {sample:,} records (seed {seed})")
    if learner == "c45":
        from sdcdb.trees.c45 import grow

        with out.progress("growing") as progress:
            grown = grow(table, min_cases=min_cases, confidence=confidence, progress=progress)
    else:
        from sdcdb.trees.cart import grow_cart

        grown = grow_cart(table, min_cases=min_cases, seed=seed)
    out.result(as_data(grown), lambda console: console.print(grown.text(), markup=False))
    if output is not None:
        from sdcdb.pages.tree_picture import save

        save(grown, output, replace=force)
        out.note(f"Drew {output}")


def as_data(tree: "Tree") -> dict[str, Any]:
    """Return the tree and what is known of each leaf, for scripts."""
    leaves = [
        {
            "leaf": leaf.number,
            "rule": [condition.text() for condition in rule],
            "class": tree.classes[leaf.majority] if tree.classes else None,
            "records": dict(zip(tree.classes, leaf.counts, strict=True)),
            "siblings": list(tree.siblings(leaf.number)),
            "influential": sorted(tree.influential(leaf.number)),
            "innocent": sorted(tree.innocent(leaf.number)),
        }
        for leaf, rule in zip(tree.leaves(), tree.rules(), strict=True)
    ]
    return {
        "class": tree.target,
        "leaves": leaves,
        "total_innocent": sorted(tree.total_innocent()),
        "tree": tree.model_dump(mode="json"),
    }
