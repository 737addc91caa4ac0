"""A restricted table that refers to another one by its key: the parent's quasi-identifiers as columns of the child.

A record of the child has the quasi-identifiers of its parent, under the name `parent.column`, so its cells are told
apart by them too. Whoever has no parent has NULL there, and FALSE in the column `parent known`. A parent's confidential
values stay with the parent: over a join they would be weighted by the number of its children.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.record_key import ROWID
from sdcdb.errors import DatabaseError
from sdcdb.gateway.relations import Reference, Relation, Relations, Restricted
from sdcdb.policy.models import Policy


@dataclass(frozen=True)
class Parent(Relation):
    """The parent of a child in a statement that joins both: its columns are columns of the child."""

    reference: Reference
    confidential: frozenset[str]

    @classmethod
    def of(cls, table: Restricted, reference: Reference) -> "Parent":
        """Take a restricted table as the parent of another one."""
        held = frozenset({*table.confidential, *table.categories, *table.published})
        return cls(table.name, table.kind, table.columns, reference, held)


def with_references(relations: Relations, policy: Policy) -> Relations:
    """Give tables that refer to others the quasi-identifiers of these."""
    tables = {each.name: each for each in relations.restricted()}
    found = [_extended(each, policy, tables) if isinstance(each, Restricted) else each for each in relations.all]
    return replace(relations, all=tuple(found))


def _extended(child: Restricted, policy: Policy, tables: Mapping[str, Restricted]) -> Restricted:
    references, columns, quasi = [], dict(child.columns), list(child.quasi)
    for column, name in policy.tables[child.name].refers.items():
        parent = tables.get(name)
        if parent is None:
            raise DatabaseError(f"{child.name!r} refers to {name!r}, which is not restricted: add `restrict` to it")
        if child.key == ROWID:
            raise DatabaseError(f"{child.name!r} refers to {name!r} and needs a key of its own, not {ROWID}")
        if not isinstance(parent.key, str):
            raise DatabaseError(f"{child.name!r} refers to {name!r}, whose key has several columns: give it one")
        reference = Reference(column, name, parent.key, parent.told_by)
        new = {reference.column_of(each): parent.columns[each] for each in parent.told_by} | {
            reference.known: "BOOLEAN"
        }
        taken = {fold(each) for each in columns}
        if clash := next((each for each in new if fold(each) in taken), None):
            raise DatabaseError(f"{child.name!r} has a column {clash!r}, the name of a column of {name!r} beside it")
        references.append(reference)
        columns |= new
        quasi += list(new)
    return replace(child, columns=columns, quasi=tuple(quasi), refers=tuple(references))


def source_of(table: Restricted) -> str:
    """Write the records of a table, with the quasi-identifiers of those that they refer to, as SQL."""
    name = quoted(table_reference(table.name))
    if not table.refers:
        return name
    listed, joins = ["c.*"], ""
    for n, each in enumerate(table.refers):
        parent, key = f"p{n}", quoted(identifier(each.key))
        listed += [f"{parent}.{quoted(identifier(c))} AS {quoted(identifier(each.column_of(c)))}" for c in each.quasi]
        listed.append(f"{parent}.{key} IS NOT NULL AS {quoted(identifier(each.known))}")
        target = quoted(table_reference(each.parent))
        joins += f" LEFT JOIN {target} AS {parent} ON c.{quoted(identifier(each.column))} = {parent}.{key}"
    return f"(SELECT {', '.join(listed)} FROM {name} AS c{joins})"
