"""Numbers of which a sum counts, and numbers that are known by a category.

The sum of a number that is about 90,000 for those who have a value and about 300 for all others says how many have it,
and no audit of counts sees the sum. The other way round, what a number is within a few euros for everybody with a
value follows from counts by it: a sum less what the counts of all of its people but one make is that one's number.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.relations import Category, Restricted
from sdcdb.gateway.tables.together import Pair

FEWEST = 5  # people with a number and a value
WITHIN = 3.29
"""From the 5% quantile to the 95% one, in standard deviations of a normal number: a few outliers hide nothing."""


@dataclass(frozen=True)
class _Group:
    """The numbers of those with a value, or without it: how many, the middle, and a standard deviation."""

    people: int
    middle: float
    spread: float


def why_telling(con: duckdb.DuckDBPyConnection, pair: Pair, category: Category, other: Restricted) -> str | None:
    """Say how a number and a category tell each other; None if they do not."""
    reach = math.sqrt(other.limits.min_set)
    for place in category.public.sensitive:
        value = category.public.values[place]
        found = _groups(con, pair, "v IS NOT DISTINCT FROM $1", [value])
        if len(found) == 2 and min(each.people for each in found) >= FEWEST:
            without, having = found
            if _within(found) * reach <= abs(having.middle - without.middle) / 2:
                said = repr(NULL if value is None else value)
                return f"sums count the {having.people:,} with {said}, who have about {having.middle:,.6g} each"
    found = [each for each in _groups(con, pair, "v", []) if each.people >= FEWEST]
    if len(found) > 1 and _between(found) > 0 and _within(found) * reach <= _between(found):
        return "the number is nearly the same for everybody with one value, so counts by it tell the number"
    return None


def _groups(con: duckdb.DuckDBPyConnection, pair: Pair, by: str, values: Sequence[str | None]) -> list[_Group]:
    """Return the numbers of people by something, in its order."""
    number = f"CAST({quoted(identifier(pair.other))} AS DOUBLE)"
    rows = con.execute(
        f"{pair.joined(number)} SELECT count(*), median(w), quantile_cont(w, 0.95) - quantile_cont(w, 0.05) "
        f"FROM (SELECT {by} AS g, w FROM pairs WHERE isfinite(w)) GROUP BY g ORDER BY g",
        list(values),
    ).fetchall()
    return [_Group(people, middle, width / WITHIN) for people, middle, width in rows]


def _within(groups: Sequence[_Group]) -> float:
    """Return how far people are from the middle of their group."""
    return math.sqrt(sum(each.people * each.spread**2 for each in groups) / sum(each.people for each in groups))


def _between(groups: Sequence[_Group]) -> float:
    """Return how far the middles of groups are from that of all, as a standard deviation over people."""
    people = sum(each.people for each in groups)
    mean = sum(each.people * each.middle for each in groups) / people
    return math.sqrt(sum(each.people * (each.middle - mean) ** 2 for each in groups) / people)
