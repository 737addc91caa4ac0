"""Checking a policy as its gateway would: against the database, for copies, public counts and columns alike."""

import secrets
from dataclasses import dataclass
from functools import partial

import duckdb

from sdcdb.errors import Problem
from sdcdb.gateway.relations import relations
from sdcdb.gateway.tables.recognition import Declared
from sdcdb.gateway.tables.sketch import chance_alike, sketch_columns
from sdcdb.gateway.tables.value_sketch import sketch_values
from sdcdb.policy.load import Document, dotted
from sdcdb.views.check import check


@dataclass(frozen=True)
class _Sketched:
    table: str
    sketches: dict[str, str]
    values: dict[str, str]


def check_as_gateway(con: duckdb.DuckDBPyConnection, document: Document, *, strict: bool = False) -> list[Problem]:
    """Return every misfit between policy and database; where there is no error, also what a gateway would not open."""
    found = check(con, document, strict=strict)
    if any(problem.severity == "error" for problem in found):
        return found
    return sorted(
        [
            *found,
            *find_copies(con, document),
            *find_telling_counts(con, document),
            *find_unaskable(con, document),
        ],
        key=lambda problem: problem.line or 0,
    )


def find_copies(con: duckdb.DuckDBPyConnection, document: Document) -> list[Problem]:
    """Return an error for each table that holds records of another one: the gateway would not open.

    For a policy that fits the database otherwise.
    """
    known = relations(con, document.policy)
    tables = known.restricted()
    if len(tables) < 2:
        return []
    key = secrets.token_hex(16)  # digests that nobody keeps
    sketched = [_Sketched(each.name, sketch_columns(con, each, key), sketch_values(con, each, key)) for each in tables]
    declared = Declared(known.linked, document.policy.distinct_pairs(), partial(chance_alike, con))
    paths = [(("tables", table), why) for table, why in declared.copies(sketched)]
    return [Problem(dotted(path), why, document.line(path)) for path, why in paths]


def find_telling_counts(con: duckdb.DuckDBPyConnection, document: Document) -> list[Problem]:
    """Return an error for each category of which the counts are declared public and would tell too much of somebody."""
    columns = (column for table in document.policy.tables.values() for column in table.columns.values())
    if all(column.counts == "audited" for column in columns):
        return []
    from sdcdb.gateway.references import with_references
    from sdcdb.gateway.tables.foretelling import Foretelling
    from sdcdb.gateway.tables.public_counts import why_not_public

    known = with_references(relations(con, document.policy), document.policy)
    views = Foretelling(con, known, document.policy)
    published = [(table, category) for table in known.restricted() for category in table.published.values()]
    found = []
    for table, category in published:
        if (why := why_not_public(con, table, category, views.ratios(table)[category.name])) is not None:
            path = ("tables", table.name, "columns", category.name, "counts")
            found.append(Problem(dotted(path), why, document.line(path)))
    return found


def find_unaskable(con: duckdb.DuckDBPyConnection, document: Document) -> list[Problem]:
    """Return an error for each column that says the same as another one, or the same in every record of a person."""
    found = []
    from sdcdb.gateway.references import with_references

    known = with_references(relations(con, document.policy), document.policy).restricted()
    for number, table in enumerate(known):
        if table.categories or table.person is not None:
            from sdcdb.gateway.tables.repeated_values import find_repeated
            from sdcdb.gateway.tables.twin_categories import find_twins, linked_categories

            twins = find_twins(con, table, known[:number])
            told = (*linked_categories(table, document.policy), *twins, *find_repeated(con, table))
            for column, why in told:
                path = ("tables", table.name, "columns", column)
                found.append(Problem(dotted(path), why, document.line(path)))
    return found
