"""Types of rules and verdicts: the thesis's own examples, section 7.3."""

import math

import pytest

from sdcdb.errors import DataError
from sdcdb.measures.tree_similarity import compare_trees, judge
from sdcdb.trees.table import Attribute
from sdcdb.trees.tree import CategorySplit, Leaf, Node, NumberSplit, Tree

S = ("s1", "s2", "s3")
ATTRIBUTES = (*(Attribute(name, "number", whole=True) for name in "PQR"), Attribute("S", "category", S))


def number(attribute: str, threshold: float, left: Node, right: Node) -> NumberSplit:
    return NumberSplit(attribute=attribute, threshold=threshold, left=left, right=right, default="left")


def by_s(*children: Node) -> CategorySplit:
    return CategorySplit(attribute="S", values=S, children=children, default=0)


def leaf(label: int, records: float = 10) -> Leaf:
    return Leaf(number=-1, counts=(records, 0.0) if label == 1 else (0.0, records), majority=label - 1)


def tree(root: Node) -> Tree:
    """Number the leaves of a tree."""
    count = iter(range(100))

    def numbered(node: Node) -> Node:
        if isinstance(node, Leaf):
            return node.model_copy(update={"number": next(count)})
        if isinstance(node, NumberSplit):
            return node.model_copy(update={"left": numbered(node.left), "right": numbered(node.right)})
        assert isinstance(node, CategorySplit)
        return node.model_copy(update={"children": tuple(map(numbered, node.children))})

    return Tree(target="C", classes=("c1", "c2"), attributes=ATTRIBUTES, root=numbered(root))


def thesis(p: float = 5, q: float = 2) -> NumberSplit:
    """Return the five original rules, R_o(5) first: P <= 5 => c2, then by Q and S."""
    return number("P", p, leaf(2), number("Q", q, by_s(leaf(1), leaf(2), leaf(1)), leaf(2)))


ORIGINAL = tree(thesis())


def types(perturbed: Node) -> str:
    return "".join(rule.type for rule in compare_trees(ORIGINAL, tree(perturbed)).rules)


def test_the_same_rule_is_type_a() -> None:
    comparison = compare_trees(ORIGINAL, tree(thesis()))
    assert types(thesis()) == "AAAAA"
    assert comparison.pairs == tuple((n, n) for n in range(5))
    assert (comparison.verdict, comparison.stated) == ("exactly same", True)


def test_other_constants_of_a_number_make_type_b() -> None:  # R_p(2): P > 6 and Q <= 2 and S = s1 => c1
    assert types(thesis(p=6)) == "BBBBB"


def test_rules_that_combine_to_an_original_one_are_type_b() -> None:  # R_p(21) and R_p(22)
    split = number("P", 6, leaf(2), number("Q", 4, by_s(leaf(1), leaf(2), leaf(1)), by_s(leaf(2), leaf(2), leaf(2))))
    assert types(split) == "BBBBBBB"


def test_rules_that_do_not_cover_all_values_do_not_combine() -> None:
    split = number("P", 5, leaf(2), number("Q", 2, by_s(leaf(1), leaf(2), leaf(1)), by_s(leaf(2), leaf(2), leaf(1))))
    assert types(split) == "AAAACCC"


def test_neighbouring_ranges_combine_too() -> None:
    split = number("P", 5, number("P", 3, leaf(2), leaf(2)), number("Q", 2, by_s(leaf(1), leaf(2), leaf(1)), leaf(2)))
    assert types(split) == "BBAAAA"


def test_the_same_tests_with_another_class_are_type_c() -> None:
    assert types(number("P", 5, leaf(1), number("Q", 2, by_s(leaf(1), leaf(2), leaf(1)), leaf(2)))) == "CAAAA"


def test_a_total_innocent_attribute_makes_type_d() -> None:  # R_p(3): P > 8 and Q <= 2 and R < 3 => c1
    split = number("P", 8, leaf(2), number("Q", 2, number("R", 2, leaf(1), leaf(2)), leaf(2)))
    assert types(split) == "BDDB"


def test_the_order_of_tests_does_not_matter() -> None:
    turned = number("Q", 2, number("P", 5, leaf(2), by_s(leaf(1), leaf(2), leaf(1))), number("P", 5, leaf(2), leaf(2)))
    comparison = compare_trees(ORIGINAL, tree(turned))
    assert [rule.type for rule in comparison.rules] == ["B", "A", "A", "A", "B", "A"]
    assert comparison.rules[0].original == 0  # with the other half of Q it is P <= 5 => c2


def test_weights_are_shares_of_records() -> None:
    perturbed = number("P", 5, leaf(2, 90), number("R", 2, leaf(1, 6), leaf(2, 4)))
    comparison = compare_trees(ORIGINAL, tree(perturbed))
    assert comparison.shares == pytest.approx({"A": 0.9, "B": 0, "C": 0, "D": 0.1})
    assert comparison.verdict == "dissimilar"
    assert not comparison.stated
    again = compare_trees(ORIGINAL, tree(perturbed), weights=[98, 1, 1])
    assert again.shares["A"] == pytest.approx(0.98)
    assert again.verdict == "very similar"


@pytest.mark.parametrize(
    ("same", "unlike", "verdict", "stated"),
    [
        (1.0, 0.0, "exactly same", True),
        (0.6, 0.049, "very similar", True),
        (0.599, 0.049, "similar", True),
        (0.151, 0.0, "similar", True),
        (0.15, 0.0, "dissimilar", False),
        (0.6, 0.05, "dissimilar", False),
        (0.09, 0.11, "dissimilar", True),
        (0.0, 0.0, "dissimilar", False),
    ],
)
def test_the_verdict_is_by_the_shares(same: float, unlike: float, verdict: str, stated: bool) -> None:  # noqa: FBT001
    assert judge(same, unlike) == (verdict, stated)


def test_a_tree_without_rules_shares_nothing() -> None:
    comparison = compare_trees(ORIGINAL, tree(leaf(2)))
    assert [rule.type for rule in comparison.rules] == ["C"]
    assert math.isclose(sum(comparison.shares.values()), 1)


def test_trees_of_different_classes_are_refused() -> None:
    other = Tree(target="D", classes=(), attributes=(), root=Leaf(number=0, counts=(), majority=0))
    with pytest.raises(DataError, match="compare trees of the same class"):
        compare_trees(ORIGINAL, other)
    with pytest.raises(DataError, match="one weight"):
        compare_trees(ORIGINAL, ORIGINAL, weights=[1.0])
