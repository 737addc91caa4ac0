"""A category of which all counts are public: whether they may be, and what that rests on.

Sums by a confidential category tell how many of each cell have a value, because cells have means of their own (decision
072). Where those numbers are public, such a sum tells nothing more about the category: records of a cell cannot be told
apart, so whatever is answered, the belief that one of them has a value is the public share of their cell. The category
then chooses and groups like a quasi-identifier, and numbers are audited as if everybody knew everybody's value.

So the table of counts must be safe by itself. It is looked at before anything is asked, by its owner's wish: in every
combination of the quasi-identifiers the share of each sensitive value must be one that an exact count could have. The
table must not change either: two tables of counts would tell of those who came between them.
"""

from collections.abc import Iterator, Mapping, Sequence

import duckdb

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DatabaseError
from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.inference.categories.counting import Caps
from sdcdb.gateway.inference.categories.plausible import highest, lowest
from sdcdb.gateway.ledger.entry import VersionEntry
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Category, Restricted
from sdcdb.gateway.tables.cell_text import common_text

Ratios = Mapping[str, tuple[float, ...]]
SHOWN = 5


def must_be_publishable(con: duckdb.DuckDBPyConnection, table: Restricted, ratios: Ratios) -> None:
    """Refuse counts that are declared public and would tell too much of somebody."""
    for name, category in table.published.items():
        if (why := why_not_public(con, table, category, ratios.get(name, ()))) is not None:
            raise DatabaseError(f"the counts of {table.name}.{name} {why}")


def why_not_public(
    con: duckdb.DuckDBPyConnection, table: Restricted, category: Category, ratios: tuple[float, ...] = ()
) -> str | None:
    """Say why the counts of a category cannot be public, and what to do; None if they can."""
    found = list(telling_counts(con, table, category, ratios))
    if not found:
        return None
    more = f"; and so in {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"cannot be public: {'; '.join(found[:SHOWN])}{more}. {coarser(table)}, or leave `counts: public` out"


def coarser(table: Restricted) -> str:
    """Say what would make counts tell less."""
    return f"Make {', '.join(table.told_by) or 'the table'} coarser"


def must_be_static(table: Restricted, version: str, before: Sequence[VersionEntry]) -> None:
    """Refuse a changed table whose counts are public, or were answered before it changed and are to be public now."""
    if table.published and any(each.version != version for each in before):
        raise DatabaseError(
            f"{table.name} has changed, and the counts of {', '.join(table.published)} are public: two tables of "
            "counts would tell of those who came, left or changed between them. Put the table back, or leave "
            "`counts: public` out; `sdcdb refresh --as-new REASON` begins anew with records of other people"
        )


def telling_counts(
    con: duckdb.DuckDBPyConnection, table: Restricted, category: Category, ratios: tuple[float, ...] = ()
) -> Iterator[str]:
    """Yield the combinations of quasi-identifiers whose counts would tell too much of somebody, in words."""
    value = f"CAST({quoted(identifier(category.name))} AS VARCHAR)"
    shown = [f"coalesce(any_value(CAST({quoted(identifier(name))} AS VARCHAR)), 'NULL')" for name in table.told_by]
    text = f"encode({common_text(table.told_by)})"  # collations make no difference
    rows = con.execute(
        f"SELECT {text} AS t, {value} AS v, count(*) AS n, [{', '.join(shown)}]::VARCHAR[] AS g "
        f"FROM {source_of(table)} GROUP BY t, v ORDER BY t, v"
    ).fetchall()
    groups: dict[bytes, dict[str | None, int]] = {}
    named: dict[bytes, str] = {}
    for key, each, number, group in rows:
        groups.setdefault(key, {})[each] = number
        named[key] = ", ".join(f"{name} {own}" for name, own in zip(table.told_by, group, strict=True))
    caps = Caps(table.limits.max_belief, likelihood=ratios)
    for key, counts in groups.items():
        where = f" where {named[key]}" if named[key] else ""
        if (why := _telling(counts, category, caps, table.limits.min_set)) is not None:
            yield f"{why}{where}"


def _telling(counts: Mapping[str | None, int], category: Category, caps: Caps, least: int) -> str | None:
    """Say what the counts of one combination tell too surely, or nothing."""
    size, public = sum(counts.values()), category.public
    if unnamed := [each for each in counts if each not in public.values]:
        return f"`known` does not name {NULL if unnamed[0] is None else repr(unnamed[0])}, which somebody has,"
    if size < least:
        return f"there are {size} people, fewer than {least},"
    have = {value: counts.get(public.values[value], 0) for value in public.sensitive}
    for value, count in have.items():
        if count > highest(size, caps.of(value)[0]):
            return f"{count} of {size} people have {public.values[value]!r}"
    for value, count in have.items():
        if count < lowest(size, public.shares[value], caps.of(value)[0]):
            return f"only {count} of {size} people have {public.values[value]!r}"
    return None
