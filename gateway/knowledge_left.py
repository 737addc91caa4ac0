"""How much is known by now, and how much room is left before a limit is reached."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, log, log2
from pathlib import Path
from typing import TYPE_CHECKING

from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.relations import Confidential, Restricted

if TYPE_CHECKING:
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.policy.models import Policy


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


@dataclass(frozen=True)
class Asked:
    """What one user asked so far: answered in full, answered with groups suppressed, denied."""

    user: str
    answered: int
    suppressed: int
    denied: int


def known(gateway: "Gateway", policy: "Policy", user: str | None = None) -> list[Known]:
    """Return what is known of every column, to every pool of users or to the one that a user belongs to."""
    tables = {table.name: table for table in gateway.relations.restricted()}
    own = {"all", f"user {user}", f"group {policy.group_of(user or '')}"}
    return [
        _known(tables[name], pool, tables[name].confidential[column], score)
        for name, pools in gateway.status().items()
        for pool, columns in pools.items()
        if user is None or pool in own
        for column, score in columns.items()
    ]


def changed(gateway: "Gateway") -> list[str]:
    """Return the restricted tables that are not what earlier answers were about, and wait for `sdcdb refresh`."""
    from sdcdb.connection.identifiers import quoted, table_reference

    tables = [table.name for table in gateway.relations.restricted()]
    return [
        name for name in tables
        if gateway.explain(f"SELECT count(*) FROM {quoted(table_reference(name))}").rule == "version"
    ]  # fmt: skip


def asked(ledger: Path, user: str | None = None) -> list[Asked]:
    """Count the questions in a ledger by user, and by verdict."""
    from sdcdb.gateway.ledger.read import records
    from sdcdb.gateway.ledger.rows import row

    counts: dict[str, dict[str, int]] = {}
    for record in records(ledger) if ledger.exists() else ():
        entry = row(record)
        if entry.kind == "question" and (user is None or entry.user == user):
            kind = "denied" if entry.refused else "suppressed" if entry.verdict == "suppress" else "answered"
            mine = counts.setdefault(entry.user or "-", {"answered": 0, "suppressed": 0, "denied": 0})
            mine[kind] += 1
    return [Asked(name, **found) for name, found in sorted(counts.items())]


def _known(table: Restricted, pool: str, column: Confidential, score: Score) -> Known:
    width = column.high - column.low
    room = min(_rooms(table, column, score))
    numbers = (score.interval, score.interval / width, score.h0, score.area)
    return Known(table.name, pool, column.name, *numbers, score.closest, min(max(room, 0.0), 1.0))


def _rooms(table: Restricted, column: Confidential, score: Score) -> Iterator[float]:
    """Yield, per limit that is set, the part that is left of the way from knowing the domain only to the limit.

    Somebody who knows nothing but a domain of n values has H(0) = log2 n, and an area near width / ln 2: the
    integral of log2(width / eps).
    """
    width, limits = column.high - column.low, table.limits
    yield _left(score.interval, width, limits.min_interval.of(width))
    values = width / column.step + 1 if column.step else inf
    if limits.min_h0 > 0 and values < inf:
        yield _left(score.h0, log2(values), limits.min_h0)
    if limits.min_area > 0:
        yield _left(score.area, width / log(2), limits.min_area)


def _left(now: float, start: float, limit: float) -> float:
    return (now - limit) / (start - limit) if start > limit else 0.0
