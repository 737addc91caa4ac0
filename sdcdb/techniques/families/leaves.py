"""Leaves in a plan: the tree that a technique grows while fitting, and the leaf of a record as an expression.

Every technique of the thesis (2007) that keeps patterns grows a tree first. The tree is part of the fit; the leaf of a
record is computed once for all columns that need it.
"""

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

from pydantic import Field
from sqlglot import exp

from sdcdb.connection.identifiers import table_reference
from sdcdb.connection.profile import INTEGERS, profile
from sdcdb.connection.training_table import MOST, numeric, read_training_table
from sdcdb.engines.expressions import TABLE, Row, number, once
from sdcdb.engines.tree_expression import leaf_expression
from sdcdb.errors import DataError, choices
from sdcdb.techniques.technique import Engine, Params, Source
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Leaf, Tree


class TreeParams(Params):
    """The parameters of the tree that a technique grows."""

    attributes: tuple[str, ...] = ()
    """The columns the tree may test. By default all that a rule can use; never an identifier."""
    min_cases: int = Field(default=2, ge=1, strict=True)
    """The smallest number of records in at least two branches of every split."""
    confidence: float = Field(default=0.25, gt=0, le=0.5)
    """The confidence of pessimistic pruning; lower values prune more."""
    learner: Literal["c45", "cart"] = "c45"
    """The learner that grows the tree: C4.5, as in the thesis, or scikit-learn's CART."""


class ClassParams(TreeParams):
    """The parameters of a technique that keeps what a tree says about a class column."""

    class_: str = Field(alias="class")
    """The class: the column that a classifier predicts."""


def grown(engine: Engine, table: Source, target: str, params: TreeParams) -> Tree:
    """Grow the tree for a class over the table, or over a sample of a large one."""
    return grown_from(engine, training_table(engine, table, target, params), params)


def training_table(engine: Engine, table: Source, target: str, params: TreeParams) -> TrainingTable:
    """Read the training data for the tree of a class; `aimed` at another category, it serves for that too."""
    name = column_named(table, target)
    attributes = [column_named(table, each) for each in params.attributes] or _testable(engine, table)
    return read_training_table(engine.con, table.name, [each for each in attributes if each != name], name)


def grown_from(engine: Engine, training: TrainingTable, params: TreeParams) -> Tree:
    """Grow the tree of a table that has been read."""
    engine.tell(f"growing the tree of {training.target}")
    if params.learner == "cart":
        from sdcdb.trees.cart import grow_cart

        return grow_cart(training, min_cases=params.min_cases)
    from sdcdb.trees.c45 import grow

    return grow(training, min_cases=params.min_cases, confidence=params.confidence)


def column_named(table: Source, name: str) -> str:
    """Return a column by its name in the table; identifiers are excluded."""
    found = next((own for own in table.columns if own.casefold() == name.casefold()), None)
    if found is None:
        raise DataError(
            f"{name!r} is not a column of {table.name!r} that a tree may use; {choices(name, table.columns)}"
        )
    return found


def _testable(engine: Engine, table: Source) -> list[str]:
    """Return the columns that a rule can use: no category with too many values, and no key."""
    found = profile(engine.con, table.name)
    names = []
    for column in found.columns:
        fractions = numeric(column.type) and column.type not in INTEGERS
        unique = found.rows > 1 and column.nulls == 0 and column.distinct == found.rows
        usable = numeric(column.type) or column.distinct <= MOST
        if column.name in table.columns and usable and (fractions or not unique):
            names.append(column.name)
    return names


def leaf(tree: Tree, row: Row) -> exp.Expr:
    """Return the number of the record's leaf, counted from 0; a view computes it once."""
    if isinstance(tree.root, Leaf):
        return number(tree.root.number)
    return once(f"leaf {_digest(tree)}", leaf_expression(tree, row))


@lru_cache(maxsize=256)
def _digest(tree: Tree) -> str:
    return f"{tree.target} {hashlib.sha256(tree.model_dump_json().encode()).hexdigest()[:12]}"


def over_rows(engine: Engine, table: Source, values: dict[str, exp.Expr], where: Iterable[exp.Expr] = ()) -> str:
    """Return a query for values of every record: columns of the table, leaves, draws and normals."""
    source = exp.alias_(table_reference(table.name), TABLE, table=True, quoted=True)
    query = exp.Select().from_(source)
    for name, value in values.items():
        query = query.select(exp.alias_(value, name, quoted=True), copy=False)
    for condition in where:
        query = query.where(condition, copy=False)
    return engine.sql(query, table)


def leaf_counts(engine: Engine, table: Source, tree: Tree, column: str) -> dict[tuple[int, str], int]:
    """Count the records of each leaf and value of a column, over the whole table; NULL is not a value."""
    value = table.row.value(column)
    inner = over_rows(
        engine, table, {"leaf": leaf(tree, table.row), "value": exp.cast(value, "VARCHAR")}, [present(value)]
    )
    rows = engine.query(f"SELECT leaf, value, count(*) FROM ({inner}) GROUP BY leaf, value ORDER BY leaf, value")
    return {(int(at), text): int(count) for at, text, count in rows}


def present(value: exp.Expr) -> exp.Expr:
    """Return the condition that a value is not NULL."""
    return exp.not_(exp.Is(this=value.copy(), expression=exp.null()))
