"""How similar two decision trees are, rule by rule: types A to D and the verdict of the thesis (2007), section 7.3.

A rule is the path to a leaf, its tests of one number merged, and the class that the leaf predicts; the order
of tests does not matter. A rule of the perturbed tree is of

* type A where the original tree has the same rule;
* type B where an original rule differs in the constants of numbers only, or where several perturbed rules that differ
  in one attribute only combine to such a rule;
* type D where it tests an attribute that the original tree tests nowhere (a total innocent one);
* type C otherwise.

A rule's weight is the share of the perturbed records that follow it. The thesis leaves open the type of a rule that
tests a total innocent attribute and yet combines with others to an original rule: here it is D, because the definition
of D has no exception.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sdcdb.errors import DataError
from sdcdb.trees.rules import Constraint, Constraints, Rule, combinations, rules_of
from sdcdb.trees.tree import Tree

RuleType = Literal["A", "B", "C", "D"]
Verdict = Literal["exactly same", "very similar", "similar", "dissimilar"]
MOST_ROUNDS = 8  # of combining: each takes one attribute out of a rule, or widens it


@dataclass(frozen=True)
class RuleMatch:
    """A perturbed rule: its leaf, its type, its share of the records, and the original leaf that it matches, if any."""

    leaf: int
    type: RuleType
    share: float
    original: int | None


@dataclass(frozen=True)
class TreeComparison:
    """Every rule of the perturbed tree with its type, the shares of the types, and the verdict.

    Section 6.6 has only three types. What it calls type C, and counts against a tree, is type D here: its example tests
    an attribute that no original rule tests, and pruned forms of rules do not count. `stated` says whether the
    thesis covers the case: a tree between "similar" and "dissimilar", such as one of type C rules only, has
    no verdict there, and counts as dissimilar here.
    """

    rules: tuple[RuleMatch, ...]
    shares: Mapping[RuleType, float]
    verdict: Verdict
    stated: bool

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Perturbed and original leaves that match."""
        return tuple((rule.leaf, rule.original) for rule in self.rules if rule.original is not None)


def compare_trees(original: Tree, perturbed: Tree, weights: Sequence[float] | None = None) -> TreeComparison:
    """Match the rules of a perturbed tree with those of the original.

    `weights` are the records of each leaf of the perturbed tree; by default, those that it was grown from.
    """
    if original.target != perturbed.target:
        raise DataError(
            f"the trees predict {original.target!r} and {perturbed.target!r}: compare trees of the same class"
        )
    counts = [leaf.total for leaf in perturbed.leaves()] if weights is None else list(map(float, weights))
    if len(counts) != len(perturbed.leaves()) or any(not count >= 0 for count in counts):
        raise DataError(f"pass one weight, zero or more, for each of the {len(perturbed.leaves())} leaves")
    total = math.fsum(counts)
    here, there = rules_of(perturbed), rules_of(original)
    innocent = _attributes(perturbed) - original.tested()
    same = {(rule.constraints, rule.label): rule for rule in there}
    combined = _combined_matches(here, there, perturbed)
    matches = []
    for number, rule in enumerate(here):
        share = counts[number] / total if total > 0 else 0.0
        matches.append(_match(number, rule, share, (same, there, combined, innocent)))
    shares: dict[RuleType, float] = {
        kind: math.fsum(match.share for match in matches if match.type == kind) for kind in ("A", "B", "C", "D")
    }
    verdict, stated = judge(shares["A"], shares["D"])
    return TreeComparison(tuple(matches), shares, verdict, stated)


def judge(same: float, unlike: float) -> tuple[Verdict, bool]:
    """Return the verdict by the share of type A rules and that of dissimilar ones, and whether the thesis states it."""
    if same >= 1 - 1e-9:
        return "exactly same", True
    if same >= 0.6 and unlike < 0.05:
        return "very similar", True
    if same > 0.15 and unlike < 0.05:
        return "similar", True
    return "dissimilar", unlike > 0.1 and same < 0.1


_Known = tuple[Mapping[tuple[Constraints, str], Rule], Sequence[Rule], Mapping[int, int], frozenset[str]]


def _match(number: int, rule: Rule, share: float, known: _Known) -> RuleMatch:
    same, there, combined, innocent = known
    if any(attribute in innocent for attribute, _ in rule.constraints):
        return RuleMatch(number, "D", share, None)
    equal = same.get((rule.constraints, rule.label))
    if equal is not None:
        return RuleMatch(number, "A", share, min(equal.leaves))
    near = _nearest(rule, there)
    if near is not None or number in combined:
        return RuleMatch(number, "B", share, near if near is not None else combined[number])
    return RuleMatch(number, "C", share, None)


def _nearest(rule: Rule, others: Iterable[Rule]) -> int | None:
    """Return the leaf of the rule that differs in constants of numbers only, and least; None where there is none."""
    mine = dict(rule.constraints)
    best, least = None, math.inf
    for other in others:
        theirs = dict(other.constraints)
        if other.label != rule.label or theirs.keys() != mine.keys():
            continue
        if all(_alike(mine[name], theirs[name]) for name in mine):
            apart = math.fsum(_apart(mine[name], theirs[name]) for name in mine)
            if apart < least:
                best, least = min(other.leaves), apart
    return best


def _alike(mine: Constraint, theirs: Constraint) -> bool:
    if isinstance(mine, frozenset) or isinstance(theirs, frozenset):
        return mine == theirs
    return [math.isinf(end) for end in mine] == [math.isinf(end) for end in theirs]


def _apart(mine: Constraint, theirs: Constraint) -> float:
    if isinstance(mine, frozenset) or isinstance(theirs, frozenset):
        return 0.0
    ends = [(a, b) for a, b in zip(mine, theirs, strict=True) if math.isfinite(a) and math.isfinite(b)]
    return math.fsum(abs(a - b) / (abs(a) + abs(b) or 1.0) for a, b in ends)


def _combined_matches(here: Sequence[Rule], there: Sequence[Rule], perturbed: Tree) -> dict[int, int]:
    """Return, for leaves whose rules combine to one that matches an original rule, that rule's leaf."""
    domains = {attribute.name: frozenset(attribute.values) for attribute in perturbed.attributes}
    matched: dict[int, int] = {}
    known = set(here)
    fresh = known
    for _ in range(MOST_ROUNDS):
        fresh = {rule for rule in combinations(known, domains) if rule not in known}
        if not fresh:
            break
        for rule in sorted(fresh, key=lambda rule: sorted(rule.leaves)):
            near = _nearest(rule, there)
            if near is not None:
                for leaf in rule.leaves:
                    matched.setdefault(leaf, near)
        known = known | fresh
    return matched


def _attributes(tree: Tree) -> frozenset[str]:
    return frozenset(attribute.name for attribute in tree.attributes)
