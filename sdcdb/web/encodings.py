"""An answer as JSON, CSV or an Arrow stream, whichever the client accepts."""

import io
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow as pa
from starlette.responses import JSONResponse, Response

from sdcdb.gateway.answer import Answer
from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.terminal.suppressed import hidden
from sdcdb.terminal.values import csv_text, plain

JSON, CSV, ARROW = "application/json", "text/csv", "application/vnd.apache.arrow.stream"
OFFERED = (JSON, CSV, ARROW)


def chosen(accept: str) -> str | None:
    """Return the offered type that an Accept header prefers, or None if it wants none of them.

    >>> chosen("text/csv;q=0.5, application/vnd.apache.arrow.stream"), chosen("*/*"), chosen("image/png")
    ('application/vnd.apache.arrow.stream', 'application/json', None)
    """
    best, weight = None, 0.0
    for part in (accept or "*/*").split(","):
        name, *parameters = (each.strip().lower() for each in part.split(";"))
        for offer in OFFERED:
            if name in (offer, "*/*", offer.split("/")[0] + "/*") and (found := _weight(parameters)) > weight:
                best, weight = offer, found
                break
    return best


def _weight(parameters: list[str]) -> float:
    for each in parameters:
        if each.startswith("q="):
            try:
                return min(max(float(each[2:]), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0


def encoded(answer: Answer, sql: str, kind: str) -> Response:
    """Return an answer in one of the offered types. What was suppressed is null, `*` in CSV."""
    if kind == CSV:
        text = csv_text(answer.columns, answer.rows, hidden(answer, sql))
        return Response(text, media_type="text/csv", headers=_suppressed(answer))
    if kind == ARROW:
        return Response(_arrow(answer), media_type=ARROW, headers=_suppressed(answer))
    body = {
        "columns": [{"name": name, "type": kind} for name, kind in zip(answer.columns, answer.types, strict=True)],
        "rows": [[plain(value) for value in row] for row in answer.rows],
        "verdict": verdict_data(answer.verdict),
        "merged": list(answer.merged),
        "estimated": answer.estimated,
        "errors": [list(row) for row in answer.errors],
    }
    return JSONResponse(body)


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain values."""
    return {
        "kind": verdict.kind,
        "rule": verdict.rule,
        "reason": verdict.reason,
        "hint": verdict.hint,
        "suppressed": verdict.suppressed,
        "changes": {
            column: {"before": asdict(change.before), "after": asdict(change.after)}
            for column, change in verdict.changes.items()
        },
    }


def _suppressed(answer: Answer) -> Mapping[str, str]:
    return {"X-Sdcdb-Verdict": answer.verdict.kind, "X-Sdcdb-Suppressed": str(answer.verdict.suppressed)}


def _arrow(answer: Answer) -> bytes:
    table, sink = _table(answer), io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _table(answer: Answer) -> pa.Table:
    """Return the rows as Arrow; a column that Arrow cannot hold as it is becomes text."""
    columns = []
    for at in range(len(answer.columns)):
        values = [row[at] for row in answer.rows]
        try:
            columns.append(pa.array(values))
        except (pa.ArrowException, OverflowError, TypeError):
            columns.append(pa.array([None if value is None else str(value) for value in values], pa.string()))
    return pa.Table.from_arrays(columns, names=list(answer.columns))
