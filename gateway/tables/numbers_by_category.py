"""Whether numbers by a category, such as AVG(cost) GROUP BY diagnosis, can be answered: for the owner, before any are.

They are where the counts of the category are public (decision 072). Whether they may be follows from the data, so
`sdcdb check` says it to the owner, and `init` proposes it; an analyst is told the way only.
"""

from collections.abc import Iterator, Sequence

import duckdb

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import Problem
from sdcdb.gateway.references import source_of, with_references
from sdcdb.gateway.relations import Category, Restricted, relations
from sdcdb.gateway.tables.public_counts import Ratios, coarser, telling_counts
from sdcdb.policy.load import Document, dotted, parse_document
from sdcdb.policy.models import Policy

SHOWN = 2


def say_numbers_by(con: duckdb.DuckDBPyConnection, document: Document) -> Iterator[Problem]:
    """Say of each category of a table with confidential numbers whether numbers by it are answered, and why not.

    For a policy that fits the database.
    """
    if all(column.category is None for table in document.policy.tables.values() for column in table.columns.values()):
        return
    from sdcdb.gateway.tables.foretelling import Foretelling

    known, policy = with_references(relations(con, document.policy), document.policy), document.policy
    views = Foretelling(con, known, policy)
    for table in known.restricted():
        if not table.confidential:
            continue
        ratios = views.ratios(table)
        for category in (*table.categories.values(), *table.published.values()):
            path = ("tables", table.name, "columns", category.name)
            said = f"numbers by it, such as AVG({next(iter(table.confidential))}) GROUP BY {category.name}, are "
            said += _said(con, table, category, policy, ratios)
            yield Problem(dotted(path), said, document.line(path), "note")


def _said(con: duckdb.DuckDBPyConnection, table: Restricted, category: Category, policy: Policy, ratios: Ratios) -> str:
    if category.name in table.published:
        return "answered where the audit of the numbers allows: its counts are public"
    bar = next(policy.tables[table.name].bars_to_publishing(category.name), None)
    if bar is None and _linked_elsewhere(table, policy):
        bar = "cannot be public where columns are linked with another table"
    if bar is not None:
        return f"denied: its counts {bar}"
    why = why_telling(con, table, category, ratios.get(category.name, ()))
    if why is not None:
        return f"denied: its counts cannot be public, since {why}. {coarser(table)}"
    return (
        "denied, and could be answered: its counts tell nobody too much in any combination of "
        f"{', '.join(table.told_by) or 'the whole table'}. If they may be known, and the table does not change, write "
        "`counts: public`"
    )


def _linked_elsewhere(table: Restricted, policy: Policy) -> bool:
    groups = [{name for name, _ in group} for group in policy.linked_columns()]
    return any(table.name in names and len(names) > 1 for names in groups)


def why_telling(
    con: duckdb.DuckDBPyConnection, table: Restricted, category: Category, ratios: tuple[float, ...] = ()
) -> str | None:
    """Say where the counts of a category tell too much of somebody; None if nowhere."""
    small = _too_small(con, table)
    if small:
        listed = ", ".join(table.told_by)
        return f"some combinations of {listed} have fewer than {table.limits.min_set} people ({small:,} of them)"
    found = list(telling_counts(con, table, category, ratios))
    more = f"; and so in {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return "; ".join(found[:SHOWN]) + more if found else None


def _too_small(con: duckdb.DuckDBPyConnection, table: Restricted) -> int:
    """Count the combinations of too few people: there may be millions, so they are not looked at one by one."""
    listed = ", ".join(quoted(identifier(name)) for name in table.told_by)
    if not listed:
        return 0
    row = con.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM {source_of(table)} GROUP BY {listed} HAVING count(*) < $1)",
        [table.limits.min_set],
    ).fetchone()
    return int((row or (0,))[0])


def publishable(
    con: duckdb.DuckDBPyConnection, table: str, key: str, quasi: Sequence[str], category: str, shares: str
) -> bool:
    """Tell whether the counts of a category with these shares could be public; names and shares as in a policy."""
    columns = "".join(f"      {name}: quasi\n" for name in quasi)
    identified = f"      {key}: identifier\n" if key != "rowid" else ""
    text = (
        f"version: 1\ntables:\n  {table}:\n    key: {key}\n    columns:\n{identified}{columns}"
        f"      {category}: {{role: confidential, known: {shares}}}\n    restrict: {{}}\n"
    )
    found = relations(con, parse_document(text).policy).restricted()
    return all(why_telling(con, each, own) is None for each in found for own in each.categories.values())
