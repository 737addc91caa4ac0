"""What can be queried, in words. Names and types are not secret; identifiers are left out."""

from collections.abc import Iterator

from sdcdb.connection.identifiers import table_reference
from sdcdb.errors import SdcdbError, choices
from sdcdb.gateway.relations import Confidential, Relation, Relations, Restricted

_USES = {
    "restricted": "aggregates of confidential columns; conditions and GROUP BY on the others",
    "public": "anything",
    "protected": "any query: its values are perturbed",
}


def listing(relations: Relations) -> list[tuple[str, str, str]]:
    """Return the name, kind and use of every table and view that can be queried."""
    return [(relation.name, relation.kind, _USES[relation.kind]) for relation in relations.all]


def describe(relations: Relations, name: str) -> list[tuple[str, str, str]]:
    """Return the name, type and use of every column of a table or view."""
    wanted = table_reference(name) if name.strip('". ') else None
    relation = relations.find(wanted.db, wanted.name) if wanted is not None else None
    if relation is None:
        raise SdcdbError(f"no table {name!r}; {choices(name, [each.name for each in relations.all])}")
    return list(_columns(relation))


def _columns(relation: Relation) -> Iterator[tuple[str, str, str]]:
    for column, kind in relation.columns.items():
        if not isinstance(relation, Restricted):
            use = "anything"
        elif column in relation.confidential:
            use = f"{', '.join(relation.limits.aggregates)}; values {_range(relation.confidential[column])}"
        elif column in relation.categories:
            use = f"COUNT(*) by its values, shares; known: {relation.categories[column].public}"
        elif column in relation.published:
            use = f"its counts are public; conditions, GROUP BY, aggregates; known: {relation.published[column].public}"
        else:
            use = "conditions, GROUP BY, aggregates"
        yield column, kind, use


def _range(column: Confidential) -> str:
    steps = f" in steps of {column.step:,g}" if column.step else ""
    known = f"; known: {column.known}" if column.known is not None else ""
    return f"{column.low:,.12g} to {column.high:,.12g}{steps}{known}"
