"""reference/cli.md: every command with its arguments and options, from the command line itself."""

from typing import Any

from typer.main import get_command

from sdcdb.cli.main import PANELS, app
from sdcdb.manual.page import Page, table

ALWAYS = {"help", "install_completion", "show_completion"}


def _panels() -> str:
    """Return the commands, those of one reader together."""
    commands, parts = _commands(), []
    for panel, listed in PANELS.items():
        names = [each.__name__ for each in listed] + (["ledger"] if panel == "For the auditor" else [])
        rows = [(f"[`{name}`](#sdcdb-{name})", _help(commands[name])) for name in names]
        parts.append(f"**{panel}**\n\n{table(('command', 'what it does'), rows)}")
    return "\n\n".join(parts)


def _help(command: Any) -> str:
    return " ".join((command.help or "").split())


def _commands() -> dict[str, Any]:
    found: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]  # the app is a group
    return found


def _every_command() -> str:
    order = [each.__name__ for listed in PANELS.values() for each in listed]
    order.insert(order.index("techniques"), "ledger")
    commands = _commands()
    return "\n\n".join(_section(name, commands[name], 2) for name in order)


def _section(name: str, command: Any, level: int) -> str:
    """Return one command: what it does, how it is called, its arguments and options; then its subcommands."""
    parts = [f"{'#' * level} sdcdb {name}", _help(command)]
    children: dict[str, Any] = getattr(command, "commands", {})
    if children:
        return "\n\n".join([*parts, *(_section(f"{name} {each}", children[each], level + 1) for each in children)])
    given = [each for each in command.params if each.name not in ALWAYS and not getattr(each, "hidden", False)]
    arguments = [each for each in given if each.param_type_name == "argument"]
    options = [each for each in given if each.param_type_name == "option"]
    called = [_named(each) if each.required else f"[{_named(each)}]" for each in arguments]
    parts.append(f"```text\nsdcdb {' '.join([name, *called, *(['[OPTIONS]'] if options else [])])}\n```")
    rows = [(f"`{_named(each)}`", "", each.help or "") for each in arguments]
    rows += [(_spelled(each), _default(each), each.help or "") for each in options]
    return "\n\n".join([*parts, table(("argument or option", "default", "meaning"), rows)])


def _named(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _spelled(option: Any) -> str:
    short_first = sorted(option.opts, key=len)
    number = isinstance(option.default, int | float)
    value = "" if option.is_flag else f" {option.metavar or ('N' if number else 'VALUE')}"
    return f"`{', '.join(short_first)}{value}`"


def _default(option: Any) -> str:
    value = option.default
    return "" if option.is_flag or value is None or value in ("", ()) or callable(value) else f"`{value}`"


PAGE = Page("reference/cli.md", {"by-reader": _panels, "commands": _every_command})
