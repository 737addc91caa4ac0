"""Decision trees, grown from columns of numbers and codes, as frozen models. No SQL and no drawing here."""

from typing import TYPE_CHECKING

from sdcdb.lazy import lazily

if TYPE_CHECKING:
    from sdcdb.trees.c45 import grow
    from sdcdb.trees.cart import grow_cart
    from sdcdb.trees.nodes import CategorySplit, Leaf, NumberSplit
    from sdcdb.trees.rules import Rule, rules_of
    from sdcdb.trees.table import Attribute, TrainingTable
    from sdcdb.trees.text import rules_text
    from sdcdb.trees.tree import Tree

__all__ = [
    "Attribute",
    "CategorySplit",
    "Leaf",
    "NumberSplit",
    "Rule",
    "TrainingTable",
    "Tree",
    "grow",
    "grow_cart",
    "rules_of",
    "rules_text",
]

_HOMES = {
    "grow": "sdcdb.trees.c45",
    "grow_cart": "sdcdb.trees.cart",
    "CategorySplit": "sdcdb.trees.nodes",
    "Leaf": "sdcdb.trees.nodes",
    "NumberSplit": "sdcdb.trees.nodes",
    "Rule": "sdcdb.trees.rules",
    "rules_of": "sdcdb.trees.rules",
    "Attribute": "sdcdb.trees.table",
    "TrainingTable": "sdcdb.trees.table",
    "rules_text": "sdcdb.trees.text",
    "Tree": "sdcdb.trees.tree",
}
__getattr__ = lazily(__name__, _HOMES)
