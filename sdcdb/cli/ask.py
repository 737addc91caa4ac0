"""`sdcdb ask`."""

import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from sdcdb.cli.arguments import DatabaseArgument, PolicyOption
from sdcdb.cli.asking import MemoryOption, SecondsOption, UserOption, cancellable, opened, user_name
from sdcdb.errors import Denied, SdcdbError
from sdcdb.lazy import uncollected
from sdcdb.terminal.output import JsonOption, Output, QuietOption

if TYPE_CHECKING:
    from sdcdb.gateway.answer import Answer
    from sdcdb.gateway.rules.verdict import Verdict

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_REAL = re.compile(r"-?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?")
_WORDS: dict[str, Any] = {"null": None, "true": True, "false": False}


def ask(
    db: DatabaseArgument,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SQL statement, or - to read it from stdin.")],
    user: UserOption = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="N=VALUE", help="The value of $1, $2, ... or of $name. Repeatable."),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the verdict without running the query.")] = False,
    estimate: Annotated[
        bool | None,
        typer.Option("--estimate/--exact", help="Whether to estimate what is denied. Default: as the policy says."),
    ] = None,
    as_json: JsonOption = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")] = False,
    policy: PolicyOption = None,
    seconds: SecondsOption = None,
    memory: MemoryOption = None,
    quiet: QuietOption = False,
) -> None:
    """Ask one question and get the exact answer, or a denial that says why. Exit code 1: denied."""
    with uncollected():
        from sdcdb.gateway.reading.statement import privacy_question

    if as_json and as_csv:
        raise SdcdbError("--json and --csv cannot be combined: choose one")
    out = Output(as_json, quiet)
    text = sys.stdin.read() if sql == "-" else sql
    values, who = parameters(param or []), user_name(user)
    behind = privacy_question(text)
    with opened(db, policy, out, seconds=seconds, memory=memory) as gateway, cancellable(out, gateway) as waiting:
        if explain or behind is not None:
            asked = text if behind is None else behind
            _tell(out, waiting.for_(lambda: gateway.explain(asked, values, who)))
            return
        try:
            answer = waiting.for_(lambda: gateway.ask(text, values, who, estimate=estimate))
        except Denied as refusal:
            _refuse(out, refusal)
    _print(out, answer, text, as_csv=as_csv)


def parameters(given: list[str]) -> list[Any] | dict[str, Any] | None:
    """Read `1=F` or `sex=F`. Numbers, true, false and null are read as such; text 'in quotes' stays text.

    >>> parameters(["1=30", "2='30'", "3=007"]), parameters(["sex=F"])
    ([30, '30', '007'], {'sex': 'F'})
    """
    found: dict[str, Any] = {}
    for each in given:
        name, sign, value = each.partition("=")
        name = name.strip().removeprefix("$")
        if not sign or not name:
            raise SdcdbError(f"--param {each!r}: write 1=VALUE or name=VALUE")
        if name in found:
            raise SdcdbError(f"--param sets {name!r} twice: set each parameter once")
        found[name] = _value(value)
    numbered = [name for name in found if name.isdigit()]
    if not numbered:
        return found or None
    wanted = [str(n) for n in range(1, len(found) + 1)]
    if sorted(found) != sorted(wanted):
        raise SdcdbError(f"number the parameters 1, 2, ... without a gap, or name them all; got: {', '.join(found)}")
    return [found[name] for name in wanted]


def _value(text: str) -> Any:
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) and not re.match(r"-?0[0-9]", text) else text


def _tell(out: Output, verdict: "Verdict") -> None:
    from sdcdb.terminal.answer_table import draw_verdict
    from sdcdb.terminal.values import json_text

    if out.as_json:
        sys.stdout.write(json_text({"verdict": asdict(verdict)}) + "\n")
    else:
        draw_verdict(out.console, verdict)
    if not verdict.answered:
        raise typer.Exit(1)


def _refuse(out: Output, refusal: Denied) -> NoReturn:
    from sdcdb.errors import Unsupported
    from sdcdb.gateway.rules.verdict import Verdict
    from sdcdb.terminal.answer_table import denial

    if out.as_json:
        kind: Literal["unsupported", "deny"] = "unsupported" if isinstance(refusal, Unsupported) else "deny"
        _tell(out, Verdict(kind, refusal.rule, refusal.reason, refusal.hint))
    out.notes.print(denial(refusal))
    raise typer.Exit(1)


def _print(out: Output, answer: "Answer", sql: str, *, as_csv: bool) -> None:
    from sdcdb.terminal.answer_table import draw_answer, suppression
    from sdcdb.terminal.suppressed import hidden
    from sdcdb.terminal.values import csv_text, json_text

    gone = hidden(answer, sql)
    if out.as_json:
        data = {
            "columns": answer.columns,
            "types": answer.types,
            "rows": answer.rows,
            "suppressed": sorted(gone),
            "merged": answer.merged,
            "estimated": answer.estimated,
            "errors": answer.errors,
            "verdict": asdict(answer.verdict),
        }
        sys.stdout.write(json_text(data) + "\n")
    elif as_csv:
        sys.stdout.write(csv_text(answer.columns, answer.rows, gone))
        note = suppression(answer)
        if note is not None and not out.quiet:
            out.notes.print(note)
    else:
        draw_answer(out.console, out.console, answer, gone)
