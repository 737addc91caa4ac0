"""What can be asked about, in words. Names and types are no secret; identifiers are not among them."""

from collections.abc import Iterator

from sdcdb.connection.identifiers import table_reference
from sdcdb.errors import SdcdbError, choices
from sdcdb.gateway.relations import Confidential, Relation, Relations, Restricted

_USES = {
    "restricted": "aggregates of confidential columns; conditions and groups on the others",
    "public": "anything",
    "protected": "anything: its values are perturbed",
}


def listing(relations: Relations) -> list[tuple[str, str, str]]:
    """Return name, kind and use of everything that can be named."""
    return [(relation.name, relation.kind, _USES[relation.kind]) for relation in relations.all]


def describe(relations: Relations, name: str) -> list[tuple[str, str, str]]:
    """Return name, type and use of every column of a table or view."""
    wanted = table_reference(name) if name.strip('". ') else None
    relation = relations.find(wanted.db, wanted.name) if wanted is not None else None
    if relation is None:
        raise SdcdbError(f"there is no table {name!r}; {choices(name, [each.name for each in relations.all])}")
    return list(_columns(relation))


def _columns(relation: Relation) -> Iterator[tuple[str, str, str]]:
    for column, kind in relation.columns.items():
        if not isinstance(relation, Restricted):
            use = "anything"
        elif column in relation.confidential:
            use = f"{', '.join(relation.limits.aggregates)}; values {_range(relation.confidential[column])}"
        else:
            use = "conditions, groups, aggregates"
        yield column, kind, use


def _range(column: Confidential) -> str:
    steps = f" in steps of {column.step:,g}" if column.step else ""
    return f"{column.low:,.12g} to {column.high:,.12g}{steps}"
