"""A tree's rules as text for people."""

from sdcdb.trees.nodes import Leaf
from sdcdb.trees.tree import Tree


def rules_text(tree: Tree) -> str:
    """Return a heading, and for each leaf its rule, its records by class, its siblings and what it tests."""
    leaves = tree.leaves()
    lines = [heading(tree), f"total innocent attributes: {_named(tree, tree.total_innocent())}"]
    for leaf, rule in zip(leaves, tree.rules(), strict=True):
        tests = " and ".join(condition.text() for condition in rule) or "always"
        near = ", ".join(map(str, tree.siblings(leaf.number))) or "none"
        tested = f"influential: {_named(tree, tree.influential(leaf.number))}"
        innocent = f"innocent: {_named(tree, tree.innocent(leaf.number))}"
        lines += ["", f"leaf {leaf.number}: {tests}", f"  => {outcome(tree, leaf)}"]
        lines += [f"  siblings: {near}; {tested}; {innocent}"]
    return "\n".join(lines)


def heading(tree: Tree) -> str:
    """Say what the tree predicts, and how large it is."""
    records, leaves = sum(leaf.total for leaf in tree.leaves()), len(tree.leaves())
    wrong = sum(leaf.errors for leaf in tree.leaves())
    right = f", {1 - wrong / records:.2%} of them right" if records else ""
    size = f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}, depth {tree.depth()}"
    return f"{tree.target}: {size}, grown from {amount(records)} records{right}"


def outcome(tree: Tree, leaf: Leaf) -> str:
    """Return the class that a leaf predicts, and its records: the majority class first, then the others by number."""
    if not tree.classes:
        return "nothing: no record had a class"
    name = tree.classes[leaf.majority]
    if not leaf.total:
        return f"{name}: no records"
    minority = sorted(leaf.minority, key=lambda code: -leaf.counts[code])
    others = ", ".join(f"{tree.classes[code]} {amount(leaf.counts[code])}" for code in minority)
    return f"{name}: {amount(leaf.counts[leaf.majority])} of {amount(leaf.total)} records" + (
        f" (others: {others})" if others else ""
    )


def amount(records: float) -> str:
    """Write a number of records; shares of records with one decimal."""
    return f"{records:,.0f}" if abs(records - round(records)) < 0.05 else f"{records:,.1f}"


def _named(tree: Tree, names: frozenset[str]) -> str:
    """Return attributes in the order of the table."""
    return ", ".join(attribute.name for attribute in tree.attributes if attribute.name in names) or "none"
