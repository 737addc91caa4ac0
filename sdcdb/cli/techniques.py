"""`sdcdb techniques`."""

from typing import Annotated

import typer
from rich.console import Console

from sdcdb.terminal.output import JsonOption, Output, QuietOption, table


def techniques(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The technique to explain. Default: list them all.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """List the techniques a policy can use, or print the manual of one."""
    from sdcdb.errors import SdcdbError, choices
    from sdcdb.techniques.registry import TECHNIQUES
    from sdcdb.terminal.technique_page import page

    out = Output(as_json, quiet)
    if name is None:
        data = [{"name": t.name, "for": str(t.kind), "summary": t.summary} for t in TECHNIQUES.values()]
        rows = [tuple(each.values()) for each in data]
        out.result(data, lambda console: console.print(table("Techniques", ("method", "for", "what it does"), rows)))
        return
    if name not in TECHNIQUES:
        raise SdcdbError(f"there is no technique {name!r}; {choices(name, TECHNIQUES)}")

    def draw(console: Console) -> None:
        from rich.markdown import Markdown

        console.print(Markdown(page(TECHNIQUES[name])))

    out.result({"name": name, "schema": TECHNIQUES[name].params.model_json_schema()}, draw)
