"""Counts by a confidential category: which category a block counts by, and what may be computed then.

Inside counts of itself, a category may choose and group as a quasi-identifier does: `GROUP BY ward, diagnosis`, `WHERE
diagnosis = 'flu'`, `FILTER (WHERE diagnosis IN (...))`, `AVG((diagnosis = 'flu')::INT)`. What comes out is made of
counts of records by its values. Anything else would let it choose the records of other aggregates. Where a person has
several records and one value in all of them, it is the people who are counted.
"""

from collections.abc import Iterable, Sequence

from sqlglot import exp

from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.aggregate import Measure
from sdcdb.gateway.reading.reserved import CELLS
from sdcdb.gateway.relations import Restricted


def category_of(
    table: Restricted, chosen: Iterable[exp.Expr | None], joined: Iterable[exp.Expr], measures: Sequence[Measure]
) -> str | None:
    """Return the category that a block counts by, or None; refuse what is no count by one category.

    `chosen` are the conditions and groups of the block, `joined` those of its joins.
    """
    inside = [part for m in measures for part in (m.condition, m.chosen, m.expression)]
    named = {name: None for tree in (*chosen, *inside) for name in _categories(tree, table)}
    if any(_categories(tree, table) for tree in joined):
        raise Unsupported("a confidential category joins tables", "a condition on it in WHERE, and COUNT(*)")
    if len(named) > 1:
        raise Unsupported(
            f"two confidential categories at once: {' and '.join(repr(name) for name in named)}", "count by one of them"
        )
    category = next(iter(named), None)
    if category is None:
        return None
    for measure in measures:
        if measure.confidential is not None:
            raise _no_numbers(table, category, measure.confidential)
        if table.person is not None and category in table.constant and measure.kind != "people":
            raise Unsupported(
                f"{category!r} is one value for each person, and counts of records would tell who has how many",
                f"COUNT(DISTINCT {table.person})",
            )
        if measure.kind == "people" and table.person is not None and category not in table.constant:
            raise Unsupported(
                f"one person can have several values of {category!r}, so people are not counted by it",
                f"COUNT(*); or `constant: [{category}]` in the policy, if nobody has several",
            )
        if measure.kind not in {"rows", "sum", "people"} or (measure.kind == "people" and table.person is None):
            raise Unsupported(
                f"{measure.kind.replace('_', ' ').upper()} beside a condition on the confidential {category!r}",
                "COUNT(*), shares such as AVG((column = 'value')::INT)",
            )
    return category


def _no_numbers(table: Restricted, category: str, number: str) -> Unsupported:
    """Say why a number is not added up by a category, and what the owner could declare."""
    possible = table.person is None and not table.published and table.limits.refresh != "auto"
    return Unsupported(
        f"{category!r} is confidential: it cannot choose the records of which {number!r} is added up, because such a "
        "sum also tells in which groups they are",
        f"COUNT(*) by {category}, {number} by other columns, both from the protected view"
        + (
            f"; or the owner declares `counts: public` for {category}, and `sdcdb check` says whether its counts may be"
            if possible
            else ""
        ),
    )


def _categories(tree: exp.Expr | None, table: Restricted) -> list[str]:
    if tree is None or not table.categories:
        return []
    return [c.name for c in tree.find_all(exp.Column) if c.table == CELLS and c.name in table.categories]
