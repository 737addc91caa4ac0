"""The part of a comparison page about patterns: two trees side by side, accuracies, and entropies by known columns."""

from collections.abc import Callable

from sdcdb.assess.patterns import Patterns
from sdcdb.pages.comparison_charts import entropies
from sdcdb.pages.plots import figures
from sdcdb.pages.theme import escape, table
from sdcdb.trees.tree import Tree

TYPES = {
    "A": "the same rule in both trees",
    "B": "the same except for numeric constants, alone or combined with other rules",
    "C": "a different rule on columns that the original tree also tests",
    "D": "tests a column that the original tree never tests",
}


def patterns(found: Patterns) -> list[str]:
    """Return the part about what a classifier finds."""
    target = escape(found.target)
    header = ("classifier, trained on", "own data", "original", "held out")
    rows = [
        (name, *("-" if share is None else f"{share:.1%}" for share in (each.own, each.original, each.testing)))
        for name, each in found.accuracies.items()
    ]
    parts = [f"<h2>Rules that predict {target}, before and after</h2>", _trees(found)]
    parts += ["<h2>Accuracy of classifiers</h2>", table(header, rows)]
    if found.entropies:
        known = [(each.known, each.record, each.class_) for each in found.entropies]
        parts += [
            f"<h2>What an intruder after {target} is unsure of, with the tree's help</h2>",
            "<p>Averages over records and over choices of columns, by how many columns the intruder knows.</p>",
            figures([entropies(known, "record", f"class: {found.target}")]),
        ]
    if found.security:
        parts.append(f"<p>{escape(found.security.words())}</p>")
    return parts


def _trees(found: Patterns) -> str:
    """Return both trees as lists of rules; rules that match are marked, and name each other."""
    types = {rule.leaf: rule for rule in found.similarity.rules}
    matched: dict[int, tuple[str, int]] = {}
    for rule in found.similarity.rules:
        if rule.original is not None and rule.type in "AB":
            matched.setdefault(rule.original, (rule.type, rule.leaf))

    def before(leaf: int) -> tuple[str, str]:
        kind, other = matched.get(leaf, ("", -1))
        return kind, f"{kind}: found again as rule {other + 1}" if kind else "not found again"

    def after(leaf: int) -> tuple[str, str]:
        rule = types[leaf]
        same = f": rule {rule.original + 1}" if rule.original is not None and rule.type in "AB" else ""
        return rule.type, f"{rule.type}{same}, {rule.share:.1%} of records"

    key = "".join(f"<li class={kind}><b>{kind}</b> {text}</li>" for kind, text in TYPES.items())
    shares = ", ".join(f"type {kind} {share:.1%}" for kind, share in found.similarity.shares.items())
    return (
        f"<p>The trees are <strong>{found.similarity.verdict}</strong>; records by type of rule: {shares}.</p>"
        f"<ol class='rules key soft'>{key}</ol>"
        f"<div class=grid><div><h3>Before</h3>{_rules(found.original, before)}</div>"
        f"<div><h3>After</h3>{_rules(found.perturbed, after)}</div></div>"
    )


def _rules(tree: Tree, mark: Callable[[int], tuple[str, str]]) -> str:
    items = []
    for leaf, rule in zip(tree.leaves(), tree.rules(), strict=True):
        kind, words = mark(leaf.number)
        tests = " and ".join(condition.text() for condition in rule) or "always"
        label = tree.classes[leaf.majority] if tree.classes else ""
        items.append(
            f"<li class='{kind}'>{escape(tests)} &rarr; <strong>{escape(label)}</strong> "
            f"<span class=soft>({leaf.total:,.0f} records; {words})</span></li>"
        )
    return f"<ol class=rules>{''.join(items)}</ol>"
