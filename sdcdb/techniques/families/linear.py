"""Numbers perturbed together by a linear rule, for the whole table or for each leaf: GADP and EGADP.

Fitting queries sample moments of values and draws, and `families.gadp` turns them into the constants of the rule. Only
records without NULLs count; a NULL is replaced by the mean of its leaf where another column needs it.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from pydantic import Field
from sqlglot import exp

from sdcdb.engines.expressions import Row, bigint, double, item, number, once, real
from sdcdb.errors import DataError
from sdcdb.fields.strict import Strict
from sdcdb.techniques.families.gadp import Floats, Moments, rule
from sdcdb.techniques.families.leaf_noise import leaf_range
from sdcdb.techniques.families.leaves import TreeParams, column_named, grown, leaf, over_rows, present
from sdcdb.techniques.families.numbers import Boundary, NumberShape, clip
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Source
from sdcdb.trees.tree import Tree

Rows = tuple[tuple[float, ...], ...]
CROWD = 10  # records: the moments of fewer tell their values, to somebody who knows the others at least


class LinearParams(TreeParams):
    """The parameters that GADP, C-GADP and EGADP share."""

    given: tuple[str, ...] = ()
    """Numeric columns that stay as they are, and whose correlations with the perturbed ones are kept too."""
    proximity: float = Field(default=0.0, ge=0, lt=1)
    """How much of the original value is kept: its correlation with what is published, besides the `given` columns."""
    per_leaf: bool = False
    """Perturb the records of each leaf of a tree separately, inside the ranges of the leaf. Needs `class`."""
    class_: str | None = Field(default=None, alias="class")
    """The class that the tree predicts."""


class LeafRule(Strict):
    """The rule of one leaf, or of the table: rows for the perturbed columns; inputs are these and the given ones."""

    means: tuple[float, ...]
    intercept: tuple[float, ...]
    inputs: Rows
    noise: Rows
    lows: tuple[float | None, ...]
    highs: tuple[float | None, ...]


class FittedLinear(Fitted):
    """Perturbed columns as linear combinations of values and draws."""

    given: tuple[str, ...]
    shapes: tuple[NumberShape, ...]
    tree: Tree | None
    rules: tuple[LeafRule, ...]

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the constants that differ among leaves, by leaf."""
        return {name: values for name, values in self._constants().items() if len(set(values)) > 1}

    def _constants(self) -> dict[str, tuple[float, ...]]:
        made: dict[str, tuple[float, ...]] = {}
        for j, column in enumerate(self.columns):
            made[f"{column} intercept"] = tuple(own.intercept[j] for own in self.rules)
            for i, other in enumerate((*self.columns, *self.given)):
                made[f"{column} of {other}"] = tuple(own.inputs[j][i] for own in self.rules)
            for i, other in enumerate(self.columns):
                made[f"{column} draw {other}"] = tuple(own.noise[j][i] for own in self.rules)
            for name, ends in (
                ("low", [own.lows[j] for own in self.rules]),
                ("high", [r.highs[j] for r in self.rules]),
            ):
                if any(end is not None for end in ends):
                    made[f"{column} {name}"] = tuple(0.0 if end is None else end for end in ends)
        for i, other in enumerate((*self.columns, *self.given)):
            made[f"mean of {other}"] = tuple(own.means[i] for own in self.rules)
        return made

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return intercept + inputs + noise, inside the range of the leaf and in the shape of the column."""
        constants = self._constants()
        at = bigint(leaf(self.tree, row)) + number(1) if self.tree else number(1)

        def of(name: str) -> exp.Expr | None:
            values = constants[name]
            if len(set(values)) > 1:
                return item(name, at.copy())
            return real(values[0]) if values[0] else None

        return {
            column: self._made(row, column, shape, of) for column, shape in zip(self.columns, self.shapes, strict=True)
        }

    def _made(self, row: Row, column: str, shape: NumberShape, of: Any) -> exp.Expr:
        value: exp.Expr = of(f"{column} intercept") or real(0.0)
        for other in (*self.columns, *self.given):
            if (part := of(f"{column} of {other}")) is not None:
                own = double(row.value(other))
                if other != column:  # where the column itself is NULL the view publishes NULL
                    own = exp.Coalesce(this=own, expressions=[of(f"mean of {other}") or real(0.0)])
                value = exp.Add(this=value, expression=exp.Mul(this=part, expression=own))
        for other in self.columns:
            if (part := of(f"{column} draw {other}")) is not None:
                value = exp.Add(this=value, expression=exp.Mul(this=part, expression=normal(row, other)))
        return shaped(shape, exp.Paren(this=value), of, column, self._constants())

    def random(self) -> bool:
        """Without variance there is no noise."""
        return any(part for own in self.rules for parts in own.noise for part in parts)


def normal(row: Row, column: str) -> exp.Expr:
    """Return the column's standard normal number, computed once for all columns that it enters."""
    return once(f"normal {row.place(column)}", row.normal(column))


def shaped(shape: NumberShape, value: exp.Expr, of: Any, column: str, names: Mapping[str, Any]) -> exp.Expr:
    """Clip a value to the ends of its leaf, if any, and give it the shape of the column.

    It is rounded before: a number beside the end of a leaf must not be rounded into the next one.
    """
    if f"{column} low" in names:
        zero = real(0.0)
        if shape.grain is not None:
            value, shape = shape.fit(value, BOUNDARY), shape.model_copy(update={"grain": None})
        value = clip(value, of(f"{column} low") or zero, of(f"{column} high") or zero.copy())
    return shape.fit(exp.Paren(this=value), BOUNDARY)


BOUNDARY: Boundary = "clip"


def shapes_for(columns: tuple[ColumnSpec, ...], rules: tuple[LeafRule, ...]) -> tuple[NumberShape, ...]:
    """Return the shapes in which columns may be published, by the least noise that any leaf has."""
    shapes = []
    for j, column in enumerate(columns):
        sizes = [size for own in rules if (size := math.hypot(*own.noise[j])) > 0]
        shapes.append(NumberShape.of(column).for_noise(min(sizes, default=0.0)))
    return tuple(shapes)


def fit_rules(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: LinearParams, *, exact: bool
) -> tuple[tuple[str, ...], Tree | None, tuple[LeafRule, ...]]:
    """Grow the tree where asked, and derive the rule of each leaf from its moments."""
    given = given_columns(engine, table, columns, params)
    tree = tree_of(engine, table, params)
    return given, tree, rules_of(engine, table, columns, given, tree, params.proximity, exact=exact)


def given_columns(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: LinearParams
) -> tuple[str, ...]:
    """Return the given columns by their names in the table, after checking them."""
    from sdcdb.connection.profile import column_types
    from sdcdb.connection.training_table import numeric

    types = column_types(engine.con, table.name)
    given = tuple(column_named(table, name) for name in params.given)
    for name in given:
        if not numeric(types[name]) or name in {column.name for column in columns}:
            raise DataError(f"given: {name!r} must be a numeric column that stays as it is")
    return given


def tree_of(engine: Engine, table: Source, params: LinearParams) -> Tree | None:
    """Grow the tree that `per_leaf` asks for."""
    if params.per_leaf != (params.class_ is not None):
        raise DataError(f"{params.method!r}: per_leaf: true and class belong together: set both, or neither")
    return grown(engine, table, params.class_, params) if params.class_ is not None else None


def rules_of(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], given: tuple[str, ...], tree: Tree | None,
    proximity: float, *, exact: bool,
) -> tuple[LeafRule, ...]:  # fmt: skip
    """Return the rule of each leaf. A leaf with fewer than `CROWD` complete records has the rule of the whole table.

    What is drawn from the moments of two records lies on the line through both, and with exact moments it is both.
    """
    names = [column.name for column in columns]
    found = dict(leaf_moments(engine, table, names, list(given), tree))
    rules = []
    for at in range(len(tree.leaves()) if tree else 1):
        here = found.get(at) or found[None]
        made = rule(here, len(names), proximity, exact=exact and at in found)
        ends = [leaf_ends(tree, at, column) for column in columns]
        rules.append(
            LeafRule(
                means=steady(here.mean[: len(names) + len(given)]),
                intercept=steady(made.intercept),
                inputs=tuple(map(steady, made.inputs)),
                noise=tuple(map(steady, made.noise)),
                lows=tuple(low for low, _ in ends),
                highs=tuple(high for _, high in ends),
            )
        )
    return tuple(rules)


def leaf_ends(tree: Tree | None, at: int, column: ColumnSpec) -> tuple[float | None, float | None]:
    """Return the ends of a column in a leaf; None where there is only the domain, which the shape knows."""
    if tree is None or column.name not in tree.tested():
        return None, None
    domain = column.domain or (-1e300, 1e300)
    shape = NumberShape.of(column)
    if column.domain is None and shape.step is not None:
        low, high = tree.ranges(at, column.name, domain)  # there is no first grid point to count from
        return max(domain[0], np.floor(low / shape.step + 1e-9) * shape.step + shape.step), min(domain[1], high)
    return leaf_range(tree, at, column.name, shape, domain)


def leaf_moments(
    engine: Engine, table: Source, names: list[str], given: list[str], tree: Tree | None
) -> Iterator[tuple[int | None, Moments]]:
    """Yield the moments of each leaf that has a crowd of complete records, and of all records under None."""
    row = table.row
    values = {f"x{n}": double(row.value(name)) for n, name in enumerate([*names, *given])}
    values |= {f"z{n}": normal(row, name) for n, name in enumerate(names)}
    inner = over_rows(
        engine, table, {"leaf": leaf(tree, row) if tree else number(0)} | values,
        [present(row.value(name)) for name in [*names, *given]],
    )  # fmt: skip
    pairs = list(combinations_with_replacement(values, 2))
    wanted = ["count(*)", *(f"avg({name})" for name in values), *(f"covar_samp({a}, {b})" for a, b in pairs)]
    rows = engine.query(
        f"SELECT leaf, {', '.join(wanted)} FROM ({inner}) GROUP BY GROUPING SETS ((), (leaf)) ORDER BY leaf"
    )
    size = len(values)
    places = {name: n for n, name in enumerate(values)}
    for at, count, *numbers in rows:
        covariance = np.zeros((size, size))
        if count >= 2:
            for (a, b), value in zip(pairs, numbers[size:], strict=True):
                covariance[places[a], places[b]] = covariance[places[b], places[a]] = value
        mean = np.array([0.0 if value is None else value for value in numbers[:size]])
        if not (np.isfinite(covariance).all() and np.isfinite(mean).all()):
            raise DataError(f"the covariances of {', '.join(names)} are too large for a DOUBLE: use another unit")
        if at is None or count >= CROWD:
            yield at, Moments(mean, covariance)


def steady(values: Floats) -> tuple[float, ...]:
    """Round to 13 digits: threads sum in any order, and a refit must not differ in the last digits."""
    return tuple(float(f"{value:.13g}") for value in values)
