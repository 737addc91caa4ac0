"""The part of a comparison page about patterns: two trees side by side, accuracies, and entropies by known columns."""

import html
from typing import Any

from sdcdb.assess.patterns import Patterns
from sdcdb.trees.tree import Tree

STYLE = """
.trees { display: grid; grid-template-columns: repeat(auto-fit, minmax(22rem, 1fr)); gap: 1rem; }
.trees ol { margin: 0; padding-left: 1.6rem; font-size: .85rem; } .trees li { margin: .2rem 0; padding: .2rem .5rem;
  border-left: .3rem solid var(--line); } .trees li.A { border-color: #2e8540; } .trees li.B { border-color: #4c78a8; }
.trees li.C { border-color: #d9a400; } .trees li.D { border-color: #c0392b; } .badge { font-weight: 600; }
"""
TYPES = {
    "A": "the same rule in both trees",
    "B": "the same but for constants of numbers, or combined with others the same",
    "C": "another rule, of columns that the original tree tests too",
    "D": "tests a column that the original tree tests nowhere",
}


def trees(found: Patterns) -> str:
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

    key = "".join(f"<li class={kind}><span class=badge>{kind}</span> {text}</li>" for kind, text in TYPES.items())
    shares = ", ".join(f"type {kind} {share:.1%}" for kind, share in found.similarity.shares.items())
    return (
        f"<p>The trees are <strong>{found.similarity.verdict}</strong>; records by type of rule: {shares}.</p>"
        f"<div class=trees><div><h3>Before</h3>{_rules(found.original, before)}</div>"
        f"<div><h3>After</h3>{_rules(found.perturbed, after)}</div></div>"
        f"<div class=trees><ol class=soft style='list-style:none'>{key}</ol></div>"
    )


def _rules(tree: Tree, mark: Any) -> str:
    items = []
    for leaf, rule in zip(tree.leaves(), tree.rules(), strict=True):
        kind, words = mark(leaf.number)
        tests = " and ".join(condition.text() for condition in rule) or "always"
        label = tree.classes[leaf.majority] if tree.classes else ""
        items.append(
            f"<li class='{kind}'>{html.escape(tests)} &rarr; <strong>{html.escape(label)}</strong> "
            f"<span class=soft>({leaf.total:,.0f} records; {words})</span></li>"
        )
    return f"<ol>{''.join(items)}</ol>"


def accuracy_rows(found: Patterns) -> list[tuple[Any, ...]]:
    """Return a line for each classifier."""
    return [
        (name, *("-" if share is None else f"{share:.1%}" for share in (each.own, each.original, each.testing)))
        for name, each in found.accuracies.items()
    ]


def entropy_chart(alt: Any, found: Patterns, colours: list[str]) -> Any:
    """Draw entropies by the number of known columns."""
    rows = [
        {"known": each.known, "bits": value, "of": what}
        for each in found.entropies
        for what, value in (("record", each.record), (f"class: {found.target}", each.class_))
    ]
    return (
        alt.Chart(alt.Data(values=rows), width=420, height=240)
        .mark_line(point=True)
        .encode(
            x=alt.X("known:O", title="columns known"),
            y=alt.Y("bits:Q", title="entropy, bits"),
            color=alt.Color("of:N", title=None, scale=alt.Scale(range=colours)),
        )
    )
