"""Rules as sets of constraints: what a leaf's path requires of each attribute, and how rules combine."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sdcdb.trees.tree import Condition, Tree

Interval = tuple[float, float]  # above the first, up to the second
Constraint = frozenset[str] | Interval
Constraints = frozenset[tuple[str, Constraint]]


@dataclass(frozen=True)
class Rule:
    """What a rule requires of each attribute, the class it predicts, and the leaves it covers."""

    constraints: Constraints
    label: str
    leaves: frozenset[int]

    def without(self, attribute: str) -> Constraints:
        """Return the constraints of all other attributes."""
        return frozenset(pair for pair in self.constraints if pair[0] != attribute)


def rules_of(tree: Tree) -> list[Rule]:
    """Return the rules of a tree, in order of its leaves."""
    values = {attribute.name: frozenset(attribute.values) for attribute in tree.attributes}
    return [
        Rule(_constraints(path, values), tree.classes[leaf.majority] if tree.classes else "", frozenset([leaf.number]))
        for leaf, path in zip(tree.leaves(), tree.paths(), strict=True)
    ]


def _constraints(path: Iterable[Condition], values: Mapping[str, frozenset[str]]) -> Constraints:
    numbers: dict[str, Interval] = {}
    categories: dict[str, frozenset[str]] = {}
    for test in path:
        if test.kind == "number":
            low, high = numbers.get(test.attribute, (-math.inf, math.inf))
            numbers[test.attribute] = max(low, test.low), min(high, test.high)
        else:
            own = frozenset([test.value or ""])
            before = categories.get(test.attribute, values[test.attribute])
            categories[test.attribute] = before - own if test.negated else own
    return frozenset([*numbers.items(), *categories.items()])


def combinations(rules: Iterable[Rule], domains: Mapping[str, frozenset[str]]) -> Iterator[Rule]:
    """Yield what rules of one class that differ in one attribute only combine to."""
    groups: dict[tuple[str, str, Constraints], list[tuple[Constraint, Rule]]] = defaultdict(list)
    for rule in rules:
        for attribute, constraint in rule.constraints:
            groups[attribute, rule.label, rule.without(attribute)].append((constraint, rule))
    for (attribute, label, rest), members in groups.items():
        for constraint, leaves in _unions(members):
            whole = domains[attribute] <= constraint if isinstance(constraint, frozenset) else not _ends(constraint)
            yield Rule(rest if whole else rest | {(attribute, constraint)}, label, leaves)


def _ends(interval: Interval) -> bool:
    return any(math.isfinite(end) for end in interval)


def _unions(members: Sequence[tuple[Constraint, Rule]]) -> Iterator[tuple[Constraint, frozenset[int]]]:
    """Yield the union of all sets, and of each run of intervals that follow on one another."""
    sets = [(constraint, rule) for constraint, rule in members if isinstance(constraint, frozenset)]
    if len(sets) > 1:
        union = frozenset[str]().union(*(values for values, _ in sets))
        yield union, frozenset[int]().union(*(rule.leaves for _, rule in sets))
    intervals = sorted(
        ((constraint, rule.leaves) for constraint, rule in members if not isinstance(constraint, frozenset)),
        key=lambda pair: (pair[0], sorted(pair[1])),
    )
    run: tuple[Interval, frozenset[int]] | None = None
    for (low, high), leaves in intervals:
        if run is not None and low <= run[0][1]:
            run = (run[0][0], max(run[0][1], high)), run[1] | leaves
            yield run
        else:
            run = (low, high), leaves
