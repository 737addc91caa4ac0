"""Whose records a table holds, and the restricted tables that it refers to: what a policy may say about that."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sdcdb.errors import choices

if TYPE_CHECKING:
    from sdcdb.policy.models import Table

Problem = tuple[tuple[str | int, ...], str]
ROWID = "rowid"
IDENTIFIER = "identifier"


def problems_of_table(table: "Table") -> Iterator[Problem]:
    """Yield what is wrong with `person`, `constant` and `refers` of one table."""
    named: list[tuple[tuple[str, ...], str]] = [(("person",), table.person)] if table.person is not None else []
    named += [(("refers", column), column) for column in table.refers]
    for path, column in named:
        if column not in table.columns:
            yield path, f"{column!r} is not a column of this table; {choices(column, table.columns)}"
        elif table.columns[column].role.value != IDENTIFIER:
            yield ("columns", column), f"is named by {path[0]}, so its role must be identifier: it names one person"
    for number, column in enumerate(table.constant):
        place = ("constant", number)
        if table.person is None or table.person == table.key:
            yield place, "has no meaning where a record is a person: name the person column, as in `person: patient_id`"
        elif column not in table.columns:
            yield place, f"{column!r} is not a column of this table; {choices(column, table.columns)}"
        elif table.columns[column].role.value == IDENTIFIER:
            yield place, f"{column!r} is an identifier, which no view publishes: remove it here"


def problems_of_references(tables: Mapping[str, "Table"]) -> Iterator[Problem]:
    """Yield what is wrong with references between tables."""
    for name, table in tables.items():
        for column, parent in table.refers.items():
            path = ("tables", name, "refers", column)
            if parent not in tables:
                yield path, f"{parent!r} is no table of this policy; {choices(parent, tables)}"
            elif tables[parent].public:
                yield path, f"{parent!r} is public: public tables are joined without being declared"
            elif parent == name:
                yield path, "refers to its own table"
            elif isinstance(tables[parent].key, tuple):
                yield path, f"{parent!r} has a key of several columns, which one column cannot refer to: leave this out"
            elif tables[parent].key in {None, ROWID}:
                yield path, f"{parent!r} has no key column that could be referred to"
