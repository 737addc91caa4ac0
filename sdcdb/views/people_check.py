"""Checking whose records a table holds: the person that a policy names, and the one that it seems to have forgotten."""

from collections.abc import Iterator

import duckdb

from sdcdb.connection.identifiers import fold, table_reference
from sdcdb.connection.profile import ColumnProfile, TableProfile
from sdcdb.connection.record_key import ROWID, is_key, key_words
from sdcdb.errors import DataError
from sdcdb.policy.evidence import names_person, numbers_something
from sdcdb.policy.load import FieldPath
from sdcdb.policy.models import Role, Table
from sdcdb.views.per_person import KEY_TYPES, People, among_records, broken, find_people, people_of

Finding = tuple[FieldPath, str, str]
"""A field, what is wrong with it, and how bad that is."""


def check_people(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> Iterator[Finding]:
    """Hold what the policy says of people against the data."""
    if table.person is None:
        yield from _missing(con, table, found)
        return
    if found.column(table.person) is None:
        return  # reported as a column
    try:
        people = people_of(con, table, found)
    except DataError as problem:
        yield ("person",), str(problem), "error" if table.protect else "warning"
        return
    if people is None:
        return
    for name in broken(people, table):
        place: FieldPath = ("constant", table.constant.index(name))
        yield place, f"{name!r} is not: some {people.column} has several values of it", "error"
    for view_name, view in table.protect.items():
        methods: list[tuple[FieldPath, str]] = [(("rows",), view.rows.method)] if view.rows is not None else []
        for name, params in table.methods(view).items():
            methods.append((("columns", name) if name in view.columns else ("all",), params.method))
        for inner, method in methods:
            if why := among_records(people, method):
                yield ("protect", view_name, *inner, "method"), why, "error"
    yield from _undeclared(table, people)


def _undeclared(table: Table, people: People) -> Iterator[Finding]:
    """Name the columns that are perturbed once per person because of what the data happen to say."""
    changed = {fold(name) for view in table.protect.values() for name in table.methods(view)}
    declared = {fold(name) for name in table.constant}
    alike = [name for name in sorted(people.one_value) if fold(name) in changed - declared]
    if alike and people.most > 1:
        listed = ", ".join(alike)
        once = f"each {people.column} has one value of {listed}: perturbed once per person"
        yield ("person",), f"{once}. If that is no accident, add `constant: [{listed}]`", "warning"


def _missing(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> Iterator[Finding]:
    """Say when a key does not name a person, as far as names, foreign keys and repetitions tell."""
    column = likely_person(con, table, found)
    if column is None:
        return
    named = {fold(name) for name in table.named(*(role for role in Role if role is not Role.IDENTIFIER))}
    people = find_people(con, found, column.name, [c.name for c in found.columns if fold(c.name) in named])
    if people.most < 2:
        return
    alike = ", ".join(name for name in (c.name for c in found.columns) if name in people.one_value)
    same = f"; each has one value of {alike}" if alike else ""
    several = f"{key_words(table.key or ROWID)} names a record, and {column.name!r} up to {people.most:,} of them{same}"
    add = f"If it names a person, add `person: {column.name}`: else records are counted where people should be"
    yield ("key",), f"{several}. {add}", "warning"


def likely_person(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> ColumnProfile | None:
    """Return the identifier that seems to name a person with several records, the likeliest first."""
    identifiers = {fold(name) for name in table.named(Role.IDENTIFIER) if not is_key(name, table.key)}
    repeated = [
        column
        for column in found.columns
        if fold(column.name) in identifiers
        and column.type in KEY_TYPES
        and 0 < column.distinct < column.rows - column.nulls
    ]
    refers = {fold(name) for name in table.refers}
    foreign = _foreign(con, found)
    ranks = (
        lambda column: fold(column.name) in refers,
        names_person,
        lambda column: fold(column.name) in foreign,
        lambda column: table.key != ROWID and numbers_something(column),
    )
    return next((column for likely in ranks for column in repeated if likely(column)), None)


def _foreign(con: duckdb.DuckDBPyConnection, found: TableProfile) -> set[str]:
    """Return the columns that are foreign keys by themselves."""
    own = table_reference(found.name)
    rows = con.execute(
        "SELECT constraint_column_names FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY' "
        "AND database_name = current_database() AND schema_name = ? AND table_name = ?",
        [own.db or "main", own.name],
    ).fetchall()
    return {fold(names[0]) for (names,) in rows if len(names) == 1}
