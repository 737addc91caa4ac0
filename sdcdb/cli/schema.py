"""`sdcdb schema`."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from sdcdb.cli.arguments import ForceOption


def schema(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of stdout.")] = None,
    force: ForceOption = False,
) -> None:
    """Print the JSON Schema of the policy, so that editors can complete and check it.

    In VS Code and other editors with a YAML language server, put this at the top of the policy:

    # yaml-language-server: $schema=policy.schema.json
    """
    from sdcdb.schemas import read_schema

    text = json.dumps(read_schema("policy"), indent=2) + "\n"
    if output:
        from sdcdb.connection.atomic_file import written_whole

        with written_whole(output, replace=force) as part:
            part.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
