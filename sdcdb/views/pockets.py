"""Homogeneous pockets: groups in which too many have a sensitive value, found before anything is asked.

An exact count in such a group would tell of everybody in it. At question time nobody looks at the truth, so the remedy
is the owner's: to put the group together with a neighbour at least as large, in which the value is as rare as
elsewhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference

FEWEST = 5  # people of a group
MOST_SHOWN = 20


@dataclass(frozen=True)
class Pocket:
    """A group of one quasi-identifier in which too many have a value, and a neighbour to put it together with."""

    column: str
    group: str
    value: str
    people: int
    share: float
    neighbour: str | None

    def __str__(self) -> str:
        remedy = (
            f"put it together with {self.neighbour}, at least as large as it is"
            if self.neighbour is not None
            else "make the column coarser"
        )
        return (
            f"{100 * self.share:.0f}% of the {self.people} people whose {self.column} is {self.group!r} have "
            f"{self.value!r}: a count would tell of each of them; {remedy}"
        )


def find_pockets(
    con: duckdb.DuckDBPyConnection, table: str, category: str, quasi: list[str], sensitive: list[str], cap: float
) -> Iterator[Pocket]:
    """Yield the pockets of a category by each quasi-identifier, the largest first."""
    source, value = quoted(table_reference(table)), f"CAST({quoted(identifier(category))} AS VARCHAR)"
    for column in quasi:
        group = f"CAST({quoted(identifier(column))} AS VARCHAR)"
        raw = quoted(identifier(column))
        rows = con.execute(
            f"SELECT g, v, n, sum(n) OVER (PARTITION BY g) AS people FROM (SELECT coalesce({group}, 'NULL') AS g, "
            f"{value} AS v, count(*) AS n FROM {source} GROUP BY ALL) ORDER BY people DESC, g, n DESC"
        ).fetchall()
        kind = str(con.execute(f"SELECT {raw} FROM {source} LIMIT 0").description[0][1])
        ordered: list[str] = []
        if not kind.startswith(("VARCHAR", "BOOLEAN", "ENUM")):
            listed = f"SELECT DISTINCT {raw} AS x FROM {source} WHERE {raw} IS NOT NULL ORDER BY x"
            ordered = [text for (text,) in con.execute(f"SELECT CAST(x AS VARCHAR) FROM ({listed})").fetchall()]
        place = {g: n for n, g in enumerate(ordered)}
        sizes = {g: int(people) for g, _, _, people in rows}
        counts = {(g, v): int(n) for g, v, n, _ in rows}
        for g, v, n, people in rows:
            if v in sensitive and people >= FEWEST and n > cap * (people - 1):
                if g in place:
                    beside = _beside(place[g], v, ordered, sizes, counts, cap)
                else:
                    beside = _neighbour(g, v, sizes, counts, cap)
                yield Pocket(column, g, v, int(people), n / people, beside)


def _neighbour(
    group: str, value: str, sizes: dict[str, int], counts: dict[tuple[str, str], int], cap: float
) -> str | None:
    """Return the smallest group that is at least as large, and with which the value is common no more."""
    have = counts[group, value]
    fits = [
        (size, other)
        for other, size in sizes.items()
        if other != group
        and size >= sizes[group]
        and have + counts.get((other, value), 0) <= cap * (size + sizes[group] - 1)
    ]
    return repr(min(fits)[1]) if fits else None


def _beside(
    own: int, value: str, ordered: list[str], sizes: dict[str, int], counts: dict[tuple[str, str], int], cap: float
) -> str | None:
    """Return what stands next to a group of numbers or dates: one after the other, until they are enough."""
    first = last = own
    size, have = sizes[ordered[own]], counts[ordered[own], value]
    least = 2 * size
    while size < least or have > cap * (size - 1):
        below, above = (n if 0 <= n < len(ordered) else None for n in (first - 1, last + 1))
        if below is None and above is None:
            return None
        near = below is not None and (above is None or own - below < above - own)
        number = below if near and below is not None else above
        if number is None:
            return None
        first, last = min(first, number), max(last, number)
        size, have = size + sizes[ordered[number]], have + counts.get((ordered[number], value), 0)
    others = [ordered[n] for n in (first, last) if n != own]
    return repr(others[0]) if last - first == 1 else f"what is from {ordered[first]!r} to {ordered[last]!r}"
