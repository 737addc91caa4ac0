"""Views of tables in which a person has several records: what is the same in all of them is perturbed once.

Noise that is drawn for each record anew is no protection for a value that a person has in all records: of twelve
perturbed copies, the most frequent one is the original, and the mean of twelve noises is nearly none. A column with one
value for each person is therefore drawn by the person, so that all copies are alike.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import duckdb
from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import TableProfile
from sdcdb.connection.record_key import ROWID, is_key
from sdcdb.engines.expressions import TABLE, Lane, Row, unfolded
from sdcdb.errors import DataError
from sdcdb.policy.models import Role, Table
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import ColumnSpec, Fitted, Params, Source

KEY_TYPES = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "HUGEINT",
    "VARCHAR",
    "UUID",
)


@dataclass(frozen=True)
class People:
    """Whose records a table holds."""

    column: str
    """The column that names the person."""
    most: int
    """The most records that one person has."""
    one_value: frozenset[str]
    """Columns with one value for each person, NULLs aside: a NULL stays NULL, so it takes no draw."""
    same: frozenset[str]
    """Those that are the same in all records of each person, NULLs included."""


def people_of(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> People | None:
    """Return whose records a table holds; None where a record is a person."""
    if table.person is None or is_key(table.person, table.key):
        return None
    column = found.column(table.person)
    if column is None or column.type not in KEY_TYPES or fold(column.name) == ROWID:
        kind = column.type if column else "missing"
        raise DataError(
            f"the person {table.person!r} of {found.name!r} is {kind}: noise needs a column of whole numbers, text or "
            f"UUIDs that is not called {ROWID}"
        )
    if column.nulls:
        raise DataError(
            f"the person {column.name!r} is NULL in {column.nulls} of {found.rows} records of {found.name!r}: every "
            "record needs one"
        )
    named = {fold(name) for name in table.named(*(role for role in Role if role is not Role.IDENTIFIER))}
    return find_people(con, found, column.name, [c.name for c in found.columns if fold(c.name) in named])


def find_people(con: duckdb.DuckDBPyConnection, found: TableProfile, person: str, columns: Sequence[str]) -> People:
    """Count the records of each person, and find the columns that are constant within each."""
    parts, tests = ["count(*) AS n"], ["max(n)"]
    for number, name in enumerate(columns):
        value = quoted(identifier(name))
        parts += [f"min({value}) AS a{number}", f"max({value}) AS b{number}", f"count({value}) AS c{number}"]
        tests += [f"bool_and(a{number} IS NOT DISTINCT FROM b{number})", f"bool_and(c{number} = 0 OR c{number} = n)"]
    source, who = quoted(table_reference(found.name)), quoted(identifier(person))
    each = f"SELECT {', '.join(parts)} FROM {source} WHERE {who} IS NOT NULL GROUP BY {who}"
    ((most, *held),) = con.execute(f"SELECT {', '.join(tests)} FROM ({each})").fetchall()
    one = [name for name, alike in zip(columns, held[::2], strict=True) if alike]
    whole = {name for name, full in zip(columns, held[1::2], strict=True) if full}
    return People(person, int(most or 0), frozenset(one), frozenset(one) & whole)


def broken(people: People, table: Table) -> list[str]:
    """Return the columns that are declared constant and are not."""
    held = {fold(name) for name in people.one_value}
    return [name for name in table.constant if fold(name) not in held]


def once_per_person(people: People | None, table: Table) -> frozenset[str]:
    """Return the columns to be perturbed once per person.

    Where nobody has a second record yet, everything is constant: then those that the policy declares.
    """
    if people is None:
        return frozenset()
    if wrong := broken(people, table):
        raise DataError(f"{wrong[0]!r} is declared constant, but some {people.column} has several values of it")
    declared = {fold(name) for name in table.constant}
    return frozenset(name for name in people.one_value if people.most > 1 or fold(name) in declared)


def among_records(people: People, method: str) -> str | None:
    """Say why a method cannot be used where people have several records, if it cannot."""
    if people.most < 2 or not TECHNIQUES[method].among_records:
        return None
    return (
        f"{method!r} takes every record for a person, and one {people.column} has {people.most:,} records: use a "
        f"method that draws noise, such as pram, normal or vicus, or protect a view with one record per {people.column}"
    )


def refuse_among_records(people: People | None, methods: Iterable[Params]) -> None:
    """Refuse methods that would put records of one person together, or choose among them."""
    for params in methods:
        if people is not None and (why := among_records(people, params.method)):
            raise DataError(why)


def fit_people(
    people: People,
    source: Source,
    theirs: Sequence[tuple[Params, ColumnSpec]],
    fit: Callable[[Source], tuple[tuple[Fitted, ...], dict[str, Lane]]],
) -> tuple[tuple[Fitted, ...], dict[str, Lane]]:
    """Fit the columns that are perturbed once per person: they look at nothing that differs between records."""
    allowed = people.same | {spec.name for _, spec in theirs}
    narrowed = replace(
        source,
        row=replace(source.row, person=True),
        person=people.column,
        columns=tuple(name for name in source.columns if name in allowed),
        quasi=tuple(name for name in source.quasi if name in allowed),
        confidential=tuple(name for name in source.confidential if name in allowed),
    )
    try:
        fitted, lanes = fit(narrowed)
    except DataError as problem:
        listed = ", ".join(sorted(spec.name for _, spec in theirs))
        raise DataError(
            f"{problem} (what each {people.column} has one value of, {listed}, is fitted by itself: a method may look "
            "at no column that differs between the records of a person)"
        ) from problem
    for each in fitted:
        refuse_varying(people, each, Row(lanes, each.scope, person=True))
    return fitted, lanes


def refuse_varying(people: People, fitted: Fitted, row: Row) -> None:
    """Refuse what would come out differently in two records of one person: then a majority counts again."""
    if fitted.joined() or fitted.condition(row) is not None:
        raise DataError(f"{fitted.technique!r} works record by record, and cannot be used once per {people.column}")
    for column, value in fitted.expressions(row).items():
        looked_at = {each.name for each in unfolded(value).find_all(exp.Column) if each.table == TABLE}
        varying = sorted(looked_at - people.same - {column})
        if varying:
            raise DataError(
                f"{column!r} has one value for each {people.column}, but {fitted.technique!r} also looks at "
                f"{', '.join(map(repr, varying))}, which differs between records: its noise could be averaged out. "
                f"Give {column!r} a method that looks at no other column, such as pram or normal"
            )
