"""Holding what a policy declares public of a column against the data."""

import math
from collections.abc import Iterator

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.errors import counted
from sdcdb.fields.histogram import Bin, Histogram

SIGMAS = 4.0  # a difference that chance does not explain
POINTS = 0.05  # in shares: the difference that a declaration may have in a common bin
TIMES = 2.0  # the factor that it may be wrong by in a rare one
MEAN = 0.25  # of the mean itself


def far_off(
    con: duckdb.DuckDBPyConnection, table: str, column: str, declared: Histogram
) -> Iterator[tuple[Bin | None, str]]:
    """Yield the bins whose share is far from the declared one, and what is wrong with all of them (None).

    A share is far off if chance does not explain the difference (4 standard errors), and it is above 5 points, or
    above twice or below half of what was declared.
    """
    value, source = f"{quoted(identifier(column))}::DOUBLE", quoted(table_reference(table))
    parts = [f"count(*) FILTER (WHERE {_inside(value, each, declared)})" for each in declared.bins]
    row = con.execute(f"SELECT {', '.join(parts)}, count({value}), avg({value}), stddev_pop({value}) FROM {source}")
    *numbers, people, mean, deviation = row.fetchone() or ()
    if not people:
        return
    for each, number in zip(declared.bins, numbers, strict=True):
        share = number / people
        if far_from(share, each.share, people):
            yield each, f"{100 * share:.3g}% of the people are there, {100 * each.share:.3g}% are declared"
    if outside := people - sum(numbers):
        yield None, f"{counted(outside, 'value')} lie in none of the ranges: their sums would look impossible"
    by_shares = sum(each.share * (each.low + each.high) / 2 for each in declared.bins)
    if abs(by_shares - mean) > max(SIGMAS * deviation / math.sqrt(people), MEAN * abs(mean)):
        yield None, f"the mean would be {by_shares:,.4g}, and it is {mean:,.4g}: cut wide ranges where values crowd"


def far_from(share: float, declared: float, people: int) -> bool:
    """Tell whether a share is further from the declared one than chance explains, and by much."""
    error = math.sqrt(max(declared * (1 - declared), 1 / people) / people)
    apart = abs(share - declared)
    much = apart > POINTS or share > TIMES * declared or share < declared / TIMES
    return apart > SIGMAS * error and much


def _inside(value: str, wanted: Bin, declared: Histogram) -> str:
    """Return the condition of a bin. A value that has a share of its own is in no range; ends belong above."""
    if wanted.point:
        return f"{value} = {wanted.low!r}"
    continues = any(not other.point and other.low == wanted.high for other in declared.bins)
    apart = [f"{value} <> {other.low!r}" for other in declared.bins if other.point]
    return " AND ".join([f"{value} >= {wanted.low!r}", f"{value} {'<' if continues else '<='} {wanted.high!r}", *apart])
