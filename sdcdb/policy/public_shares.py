"""A histogram that the owner of a column could declare public: few bins, many people in each, rounded shares."""

import math
from itertools import pairwise

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import ColumnProfile
from sdcdb.errors import counted
from sdcdb.fields.histogram import Bin, Histogram

SMALLEST = 400  # people, of whom shares can be told at all
FEWEST = 20  # people in a bin
LEAST = 0.005  # of all people, in a bin
POINT = 0.1  # of all people have a value that stands by itself
POINTS = 3
CUTS = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99)
SMALL = 0.05  # smaller shares are rounded to half a percent, others to whole ones
DIGITS = 2  # of a cut that count


def propose_known(
    con: duckdb.DuckDBPyConnection, table: str, column: ColumnProfile, domain: tuple[float, float], step: float | None
) -> Histogram | None:
    """Return a coarse histogram of a column; None for a table too small to have one."""
    people = column.rows - column.nulls - column.odd
    if people < SMALLEST or column.distinct < 2:
        return None
    source, value = quoted(table_reference(table)), quoted(identifier(column.name))
    finite = f"{value} IS NOT NULL AND isfinite({value}::DOUBLE)"
    common = con.execute(
        f"SELECT {value}::DOUBLE AS v, count(*) AS n FROM {source} WHERE {finite} GROUP BY v "
        f"HAVING n >= ? OR v = ? AND n >= ? ORDER BY n DESC, v LIMIT {POINTS}",  # many at the top: it is cut off there
        [max(FEWEST, POINT * people), column.high, max(FEWEST, LEAST * people)],
    ).fetchall()
    points = sorted((float(at), int(number)) for at, number in common)
    others = " AND ".join([finite, *(f"{value}::DOUBLE <> {at!r}" for at, _ in points)])
    row = con.execute(f"SELECT quantile_disc({value}::DOUBLE, {list(CUTS)!r}) FROM {source} WHERE {others}").fetchone()
    edges = _edges(row[0] if row and row[0] else [], domain, step, [at for at, _ in points])
    listed = f"SELECT {', '.join(_counted(value, low, high, domain) for low, high in edges)} FROM {source}"
    numbers = con.execute(f"{listed} WHERE {others}").fetchone() or () if edges else ()
    ranges = _merged([(low, high, int(n)) for (low, high), n in zip(edges, numbers, strict=True)], people)
    return _rounded([*((at, at, n) for at, n in points), *ranges], people)


def _edges(
    cuts: list[float], domain: tuple[float, float], step: float | None, points: list[float]
) -> list[tuple[float, float]]:
    low, high = domain
    if low in points and step:
        low += step  # the least value stands by itself
    inner = sorted({_round(cut) for cut in cuts if low < _round(cut) < high})
    ends = [low, *inner, high]
    return [(a, b) for a, b in pairwise(ends) if a < b]


def _round(number: float) -> float:
    if number == 0:
        return 0.0
    return round(number, DIGITS - 1 - math.floor(math.log10(abs(number))))


def _counted(value: str, low: float, high: float, domain: tuple[float, float]) -> str:
    last = "<=" if high == domain[1] else "<"
    return f"count(*) FILTER (WHERE {value}::DOUBLE >= {low!r} AND {value}::DOUBLE {last} {high!r})"


def _merged(ranges: list[tuple[float, float, int]], people: int) -> list[tuple[float, float, int]]:
    """Put ranges that hold too few people together with a neighbour."""
    least = max(FEWEST, LEAST * people)
    found: list[tuple[float, float, int]] = []
    for low, high, number in ranges:
        if found and (number < least or found[-1][2] < least):
            found[-1] = (found[-1][0], high, found[-1][2] + number)
        else:
            found.append((low, high, number))
    return found


def _rounded(counts: list[tuple[float, float, int]], people: int) -> Histogram | None:
    """Round to shares in percent that add up to 100: what is missing goes to the largest one."""
    shares = [_percent(number / people) for _, _, number in counts]
    if not any(shares):
        return None
    shares[shares.index(max(shares))] += 100 - sum(shares)
    kept = [Bin(low, high, share / 100) for (low, high, _), share in zip(counts, shares, strict=True) if share > 0]
    return Histogram(tuple(sorted(kept, key=lambda each: (each.low, each.high))))


def _percent(share: float) -> float:
    return max(0.5, round(200 * share) / 2) if 0 < share < SMALL else float(round(100 * share))


def written(found: Histogram) -> str:
    """Return a histogram as a policy writes it.

    >>> written(Histogram((Bin(0, 0, 0.9), Bin(1, 5000, 0.1))))
    '{0: 90%, 1 to 5000: 10%}'
    """
    return f"{{{', '.join(_text(each) for each in found.bins)}}}"


def _text(each: Bin) -> str:
    where = f"{each.low:.12g}" if each.point else f"{each.low:.12g} to {each.high:.12g}"
    return f"{where}: {100 * each.share:.4g}%"


def said_of(found: Histogram) -> str:
    """Say how coarse it is."""
    return f"{counted(len(found.bins), 'bin')}, at least {FEWEST} people in each"
