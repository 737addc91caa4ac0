"""A tree's rules for a person to read."""

from sdcdb.trees.tree import Tree


def rules_text(tree: Tree) -> str:
    """Return one line for each leaf: its rule, the class it predicts, and its records by class."""
    lines = []
    for leaf, rule in zip(tree.leaves(), tree.rules(), strict=True):
        tests = " and ".join(condition.text() for condition in rule) or "always"
        predicted = tree.classes[leaf.majority] if tree.classes else "nothing"
        lines.append(
            f"leaf {leaf.number}: {tests} => {predicted} ({leaf.total:.12g} records, {leaf.errors:.12g} others)"
        )
    return "\n".join(lines)
