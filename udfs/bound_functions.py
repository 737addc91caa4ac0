"""What answered sums say about one record, from SQL: bounds from a table of queries."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.errors import DataError
from sdcdb.udfs.rows import fields, select_rows
from sdcdb.udfs.table_function import REQUIRED, Call, Parameter, TableFunction

LOW = Parameter("low", "the least value that the public knows to be possible", REQUIRED)
HIGH = Parameter("high", "the greatest value", REQUIRED)
STEP = Parameter("step", "the grid that values lie on, from the least: 1 for whole numbers; left out, any number")
OFF = 1e-6  # of a step: answers are rounded
MOST = 4_000_000  # pairs of queries and records that a linear programme is written for


def _read(call: Call, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Read some columns of the table of queries, none of them NULL."""
    name = call.reading()
    listed = [quoted(identifier(call.table.own(column))) for column in columns]
    rows = call.cursor.execute(
        f"SELECT {', '.join(listed)} FROM {quoted(table_reference(name))} ORDER BY {', '.join(listed)}"
    ).fetchall()
    if any(value is None for row in rows for value in row):
        raise DataError(f"{call.table.given!r} has a NULL in {', '.join(columns)}: leave such queries out")
    return rows


def _number(call: Call, column: str, value: Any) -> float:
    """Return a number of the table of queries."""
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool) and np.isfinite(float(value)):
        return float(value)
    raise DataError(f"{column} of {call.table.given!r} must be a number, not {value!r}")


def _whole(call: Call, column: str, value: Any) -> int:
    number = _number(call, column, value)
    if number != int(number):
        raise DataError(f"{column} of {call.table.given!r} must be a whole number, not {value!r}")
    return int(number)


def _restriction_bounds(call: Call) -> str:
    from sdcdb.measures.ranges import range_bounds

    n, low, high = call.whole("records"), call.number("low"), call.number("high")
    step = None if call["step"] is None else call.number("step")
    rows = _read(call, ("first_record", "last_record", "answer"))
    starts = [_whole(call, "first_record", row[0]) - 1 for row in rows]
    ends = [_whole(call, "last_record", row[1]) for row in rows]
    for start, end in zip(starts, ends, strict=True):
        if not 0 <= start < end <= n:
            raise DataError(
                f"{call.table.given!r} has a query about records {start + 1} to {end}: there are records 1 to {n}, and "
                "the first one comes first"
            )
    answers = [_number(call, "answer", row[2]) for row in rows]
    lower, upper = range_bounds(starts, ends, answers, n, low, high, step)
    chances = [None] * n if step is None else (1 / (np.floor((upper - lower) / step + 1e-9) + 1)).tolist()
    found = zip(range(1, n + 1), lower.tolist(), upper.tolist(), chances, strict=True)
    return select_rows(fields("record BIGINT, lower DOUBLE, upper DOUBLE, p DOUBLE"), found)


def _bounds(call: Call) -> str:
    from sdcdb.gateway.inference import bounds

    rows = _read(call, ("query", "record", "answer"))
    queries = {query: n for n, query in enumerate(dict.fromkeys(row[0] for row in rows))}
    records = {record: n for n, record in enumerate(dict.fromkeys(row[1] for row in rows))}
    if len(queries) * len(records) > MOST:
        raise DataError(f"{len(queries):,} queries about {len(records):,} records: {MOST:,} pairs at most")
    sets, answers = np.zeros((len(queries), len(records)), np.bool_), np.full(len(queries), np.nan)
    for query, record, given in rows:
        at, answer = queries[query], _number(call, "answer", given)
        if not np.isnan(answers[at]) and answers[at] != answer:
            raise DataError(f"the query {query} has two answers, {answers[at]:g} and {answer:g}: give it one")
        sets[at, records[record]], answers[at] = True, answer
    step, low = None if call["step"] is None else call.number("step"), call.number("low")
    if step is not None:
        _refuse_off_grid(list(queries), answers, sets.sum(axis=1), low, step)
    lower, upper = bounds(sets, answers, low, call.number("high"), step)
    found = [
        (str(each), *ends, ends[1] - ends[0])
        for each, ends in zip(records, zip(lower, upper, strict=True), strict=True)
    ]
    return select_rows(fields("record VARCHAR, lower DOUBLE, upper DOUBLE, width DOUBLE"), found)


def _refuse_off_grid(queries: list[Any], answers: Any, sizes: Any, low: float, step: float) -> None:
    """Refuse an answer that no values on the grid add up to."""
    if not (step > 0 and np.isfinite([low, step]).all()):
        raise DataError(f"a grid from {low:g} in steps of {step:g}: the first must be finite and the step above 0")
    steps = (answers - sizes * low) / step
    for query, answer, size, off in zip(queries, answers, sizes, np.abs(steps - np.round(steps)), strict=True):
        if off > OFF:
            raise DataError(
                f"the answer {answer:g} of query {query} is not possible for {size} values of {low:g}, {low + step:g}, "
                "...: check the step"
            )


BOUND_FUNCTIONS = (
    TableFunction(
        "sdc_restriction_bounds",
        "Bound every record by sums over ranges of records, exactly: L, U, and p of each value between (CAE, Alg. 2).",
        (
            Parameter(
                "tbl", "a table of queries with columns first_record and last_record, from 1, and answer", REQUIRED
            ),
            Parameter("records", "the number of records", REQUIRED),
            LOW,
            HIGH,
            STEP,
        ),
        _restriction_bounds,
        "FROM sdc_restriction_bounds('ranges', 4, 0, 40, step := 1)",
    ),
    TableFunction(
        "sdc_bounds",
        "Bound every record by sums over sets of records, by linear programmes.",
        (
            Parameter(
                "tbl", "a table with a row for each query and record in its set: query, record, answer", REQUIRED
            ),
            LOW,
            HIGH,
            STEP,
        ),
        _bounds,
        "FROM sdc_bounds('sets', 0, 4)",
    ),
)
