"""pgAudit's lines: `AUDIT: SESSION,statement,substatement,class,command,object type,object,sql,parameters`."""

import csv
import io
from dataclasses import dataclass

PREFIX = "AUDIT: "
SAME = "<previously logged>"


@dataclass(frozen=True)
class Audited:
    """One line of pgAudit. `statement` numbers the statement within its session; OBJECT lines repeat it.

    `kind` is READ, WRITE, FUNCTION, ...
    """

    statement: tuple[str, str]
    kind: str
    command: str
    sql: str
    values: tuple[str, ...] | None
    """Parameter values; None when they are not logged."""


def audited(message: str) -> Audited | None:
    """Read a message of pgAudit; None when it is something else, or broken."""
    if not message.startswith(PREFIX):
        return None
    try:
        (fields,) = csv.reader(io.StringIO(message[len(PREFIX) :], newline=""), strict=True)
    except (csv.Error, ValueError):
        return None
    if len(fields) < 8 or fields[0] not in ("SESSION", "OBJECT"):
        return None
    return Audited(
        (fields[1], fields[2]), fields[3], fields[4], fields[7], _values(fields[8] if len(fields) > 8 else "")
    )


def _values(text: str) -> tuple[str, ...] | None:
    """Split the parameters, a CSV list inside a CSV field. `<none>`: there are none; `<not logged>`: unknown."""
    if text == "<none>":
        return ()
    if text in ("", "<not logged>", SAME):
        return None
    try:
        (values,) = csv.reader(io.StringIO(text, newline=""), strict=True)
    except (csv.Error, ValueError):
        return None
    return tuple(values)
