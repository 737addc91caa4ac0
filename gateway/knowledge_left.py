"""How much is known by now, and how much room is left before a limit is reached."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log, log2

from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.relations import Confidential, Restricted


@dataclass(frozen=True)
class Known:
    """What a pool of users knows about one confidential column. `room` is 1 at the start and 0 at a limit."""

    table: str
    pool: str
    column: str
    interval: float
    share: float
    h0: float
    area: float
    closest: str
    room: float


def knowledge_left(table: Restricted, pool: str, column: str, score: Score) -> Known:
    """Put a score into the column's units, beside the limits of its table."""
    if column in table.categories:
        start, limit = 1 - max(table.categories[column].public.shares), 1 - table.limits.max_belief
        room = min(max(_left(score.interval, start, limit), 0.0), 1.0)
        return Known(table.name, pool, column, score.interval, score.interval, score.h0, 0.0, "belief", room)
    spec = table.confidential[column]
    width = spec.high - spec.low
    room = min(_rooms(table, spec, score))
    numbers = (score.interval, score.interval / width, score.h0, score.area)
    return Known(table.name, pool, column, *numbers, score.closest, min(max(room, 0.0), 1.0))


def _rooms(table: Restricted, column: Confidential, score: Score) -> Iterator[float]:
    """Yield, per limit that is set, the part that is left of the way from knowing the domain only to the limit.

    Somebody who knows nothing but a domain of n values has H(0) = log2 n, and an area near width / ln 2: the
    integral of log2(width / eps).
    """
    width, limits = column.high - column.low, table.limits
    yield _left(score.interval, width, table.limits_of(column).min_interval)
    values = width / column.step + 1 if column.step else inf
    if limits.min_h0 > 0 and values < inf:
        yield _left(score.h0, log2(values), limits.min_h0)
    if limits.min_area > 0:
        yield _left(score.area, width / log(2), limits.min_area)


def _left(now: float, start: float, limit: float) -> float:
    return (now - limit) / (start - limit) if start > limit else 0.0
