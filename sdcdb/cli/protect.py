"""`sdcdb protect`."""

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    from sdcdb.assess.gate import Standing
    from sdcdb.database import Database


def stand_of(database: "Database", view: str) -> "Standing | None":
    """Measure a view against the floors for a release; None where it has no records."""
    from sdcdb.errors import SdcdbError

    try:
        return database.standing(view)
    except SdcdbError:
        return None


def protect(
    db: DatabaseArgument,
    views: Annotated[list[str] | None, typer.Option("--view", "-v", help="Only this view. Repeatable.")] = None,
    materialise: Annotated[bool, typer.Option("--materialise", help="Create tables instead of views.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the SQL with keys blanked out, and change nothing.")
    ] = False,
    policy: PolicyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Fit the techniques of the policy and create its protected views: all of them, or none."""
    import sdcdb
    from sdcdb.terminal.standing import draw_standing
    from sdcdb.views.protect import protect as create
    from sdcdb.views.secret import redacted

    out = Output(as_json, quiet)
    with sdcdb.open(db, policy) as database, out.working("checking the policy", database.con) as say:

        def progress(view: str, number: int, total: int) -> None:
            say(f"fitting {view}" + (f" ({number + 1} of {total})" if total > 1 else ""))

        made = create(database, views, materialise=materialise, dry_run=dry_run, progress=progress)
        tables = database.policy.tables if database.policy else {}
        hidden = {
            each.plan.view: [name for name in tables[each.plan.table].columns if name not in each.plan.columns]
            for each in made
        }
        standing = {}
        for each in () if dry_run else made:
            say(f"measuring {each.plan.view}")
            standing[each.plan.view] = stand_of(database, each.plan.view)
    kind = "table" if materialise else "view"
    data = [
        {"view": each.plan.view, "table": each.plan.table, "kind": kind, "columns": list(each.plan.columns)}
        | {"not_published": hidden[each.plan.view]}
        | {"changes": {name: text for name, text in each.plan.words().items() if text != "as it is"}}
        | ({"sql": redacted(each.sql)} if dry_run else {})
        | ({"release_gate": found.data()} if (found := standing.get(each.plan.view)) else {})
        for each in made
    ]

    def draw(console: Console) -> None:
        for each in made:
            if dry_run:
                console.print(redacted(each.sql) + ";", markup=False)
            else:
                changes = [(name or "(records)", text) for name, text in each.plan.words().items()]
                if hidden[each.plan.view]:
                    changes.append(("(not published)", ", ".join(hidden[each.plan.view])))
                title = f"Created the {kind} {each.plan.view} of {each.plan.table}"
                console.print(table(title, ("column", "what happens to it"), changes))
                if found := standing[each.plan.view]:
                    console.print()
                    draw_standing(console, found)

    out.result(data, draw)
    if not dry_run and made:
        out.note(f"\nNext: sdcdb compare {quote(str(db))} {quote(made[0].plan.view)}")
