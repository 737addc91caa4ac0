"""The parts of a tree: leaves, three kinds of splits, and the tests of their branches."""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import Field

from sdcdb.fields.strict import Strict
from sdcdb.trees.table import AttributeKind


class Leaf(Strict):
    """A leaf: the records of each class that it was grown from, and the class that it predicts.

    Counts are not always integers: a record with a missing value is divided among branches. A branch that no record
    took has counts of zero and predicts the majority of its parent.
    """

    node: Literal["leaf"] = "leaf"
    number: int
    counts: tuple[float, ...]
    majority: int

    @property
    def total(self) -> float:
        """The number of records."""
        return math.fsum(self.counts)

    @property
    def minority(self) -> tuple[int, ...]:
        """The other classes among its records."""
        return tuple(code for code, count in enumerate(self.counts) if count > 0 and code != self.majority)

    @property
    def errors(self) -> float:
        """The number of records of other classes."""
        return self.total - self.counts[self.majority] if self.counts else 0.0


class CategorySplit(Strict):
    """One branch for each value of a category. A missing or unseen value takes the branch at position `default`."""

    node: Literal["category"] = "category"
    attribute: str
    values: tuple[str, ...]
    children: tuple["Node", ...]
    default: int

    def branches(self) -> tuple["Node", ...]:
        """Return the children in order."""
        return self.children


class NumberSplit(Strict):
    """Two branches: left for numbers up to the threshold. A missing number takes the side `default`."""

    node: Literal["number"] = "number"
    attribute: str
    threshold: float
    left: "Node"
    right: "Node"
    default: Literal["left", "right"]

    def branches(self) -> tuple["Node", ...]:
        """Return left and right."""
        return self.left, self.right


class ValueSplit(Strict):
    """Two branches: `yes` for one value of a category, `no` for all others, missing and unseen ones too (CART)."""

    node: Literal["value"] = "value"
    attribute: str
    value: str
    yes: "Node"
    no: "Node"

    def branches(self) -> tuple["Node", ...]:
        """Return yes and no."""
        return self.yes, self.no


Split = CategorySplit | NumberSplit | ValueSplit
Node = Annotated[Leaf | CategorySplit | NumberSplit | ValueSplit, Field(discriminator="node")]


@dataclass(frozen=True)
class Condition:
    """One test on the path to a leaf: a category has `value`, or a number is above `low` and at most `high`.

    A `negated` one is about a category that has another value.
    """

    attribute: str
    kind: AttributeKind
    value: str | None = None
    low: float = -math.inf
    high: float = math.inf
    negated: bool = False

    def text(self) -> str:
        """Write it for people."""
        if self.kind == "category":
            return f"{self.attribute} {'<>' if self.negated else '='} {self.value}"
        if math.isinf(self.low):
            return f"{self.attribute} <= {self.high:.12g}"
        if math.isinf(self.high):
            return f"{self.attribute} > {self.low:.12g}"
        return f"{self.low:.12g} < {self.attribute} <= {self.high:.12g}"


def conditions(node: Split) -> tuple[Condition, ...]:
    """Return the test of each branch."""
    if isinstance(node, CategorySplit):
        return tuple(Condition(node.attribute, "category", value) for value in node.values)
    if isinstance(node, ValueSplit):
        return tuple(Condition(node.attribute, "category", node.value, negated=no) for no in (False, True))
    return (
        Condition(node.attribute, "number", high=node.threshold),
        Condition(node.attribute, "number", low=node.threshold),
    )


def drawn_together(path: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """Return a path with the tests of one number merged, in order of first test."""
    merged: dict[tuple[str, str | None], Condition] = {}
    for condition in path:
        key = condition.attribute, condition.value
        before = merged.get(key, condition)
        low, high = max(before.low, condition.low), min(before.high, condition.high)
        merged[key] = replace(condition, low=low, high=high)
    return tuple(merged.values())
