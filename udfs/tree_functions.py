"""Decision trees from SQL: the leaves, the leaf of each record, and how similar two trees are."""

from typing import TYPE_CHECKING

from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DataError, choices
from sdcdb.udfs.rows import Field, fields, select_rows
from sdcdb.udfs.table_function import REQUIRED, TABLE, Call, Parameter, TableFunction

if TYPE_CHECKING:
    from sdcdb.trees.table import TrainingTable
    from sdcdb.trees.tree import Tree

CLASS = Parameter("class", "the column that the tree predicts", REQUIRED)
ATTRIBUTES = Parameter("attributes", "the columns that it may test, such as ['age']; left out, all that it can use")
MIN_CASES = Parameter("min_cases", "the least records in at least two branches of a split", 2)
CONFIDENCE = Parameter("confidence", "the confidence of pruning, above 0 and up to 0.5: lower prunes more", 0.25)
LEARNER = Parameter("learner", "'c45' or 'cart'", "c45")
GROWING = (ATTRIBUTES, MIN_CASES, CONFIDENCE, LEARNER)


def grown(call: Call, target: str, table: str = "tbl") -> "Tree":
    """Grow the tree that predicts a column."""
    return grown_from(call, read(call, target, table))


def read(call: Call, target: str, table: str = "tbl") -> "TrainingTable":
    """Read what a tree is grown from; a large table is sampled."""
    from sdcdb.connection.training_table import read_training_table

    relation = call.relations[table]
    given = call.names("attributes")
    attributes = None if given is None else [relation.own(name) for name in given]
    return read_training_table(call.cursor, call.reading(table), attributes, relation.own(call[target]))


def grown_from(call: Call, training: "TrainingTable") -> "Tree":
    """Grow a tree from what was read."""
    learner = call["learner"]
    if learner == "cart":
        from sdcdb.trees.cart import grow_cart

        return grow_cart(training, min_cases=call.whole("min_cases"))
    if learner != "c45":
        raise DataError(f"no learner {learner!r}; {choices(str(learner), ['c45', 'cart'])}")
    from sdcdb.trees.c45 import grow

    return grow(training, min_cases=call.whole("min_cases"), confidence=call.number("confidence"))


def _rule(tree: "Tree", leaf: int) -> list[str]:
    return [condition.text() for condition in tree.rules()[leaf]]


def _tree(call: Call) -> str:
    tree = grown(call, "class")
    rows = [
        (
            leaf.number,
            _rule(tree, leaf.number),
            tree.classes[leaf.majority] if tree.classes else None,
            leaf.total,
            dict(zip(tree.classes, map(float, leaf.counts), strict=True)),
            list(tree.siblings(leaf.number)),
            sorted(tree.influential(leaf.number)),
            sorted(tree.innocent(leaf.number)),
        )
        for leaf in tree.leaves()
    ]
    listed = "leaf BIGINT, rule VARCHAR[], class VARCHAR, records DOUBLE"
    more = "siblings BIGINT[], influential VARCHAR[], innocent VARCHAR[]"
    return select_rows((*fields(listed), COUNTS, *fields(more)), rows)


def _tree_leaf(call: Call) -> str:
    from sdcdb.engines.dialect import Binding
    from sdcdb.engines.duckdb import DuckDBDialect
    from sdcdb.engines.expressions import TABLE as ROW
    from sdcdb.engines.expressions import Row
    from sdcdb.engines.tree_expression import leaf_expression

    tree = grown(call, "class")
    leaf = DuckDBDialect().bound(leaf_expression(tree, Row({})), Binding("", "", {}))
    source = exp.alias_(call.table.reference, ROW, table=True, quoted=True)
    name = "leaf" if "leaf" not in {column.casefold() for column in call.table.columns} else "leaf_1"
    return f"SELECT {ROW}.*, {quoted(leaf)} AS {quoted(identifier(name))} FROM {quoted(source)}"


def _tree_similarity(call: Call) -> str:
    from sdcdb.measures.tree_similarity import compare_trees

    original, perturbed = grown(call, "class"), grown(call, "class", "perturbed")
    found = compare_trees(original, perturbed)
    rows = [
        (rule.leaf, _rule(perturbed, rule.leaf), rule.type, rule.share, rule.original, found.verdict, found.stated)
        for rule in found.rules
    ]
    listed = "leaf BIGINT, rule VARCHAR[], type VARCHAR, share DOUBLE, original BIGINT, verdict VARCHAR, stated BOOLEAN"
    return select_rows(fields(listed), rows)


COUNTS = Field("counts", "MAP(VARCHAR, DOUBLE)")

TREE_FUNCTIONS = (
    TableFunction(
        "sdc_tree",
        "Grow a decision tree, and show its leaves: rule, class, records, siblings, influential and innocent columns.",
        (TABLE, CLASS, *GROWING),
        _tree,
        "FROM sdc_tree('staff', 'dept')",
    ),
    TableFunction(
        "sdc_tree_leaf",
        "Grow a decision tree, and show every record with the number of its leaf.",
        (TABLE, CLASS, *GROWING),
        _tree_leaf,
        "FROM sdc_tree_leaf('staff', 'dept')",
    ),
    TableFunction(
        "sdc_tree_similarity",
        "Compare the trees of two tables rule by rule: types A to D and the verdict of the thesis (7.3).",
        (
            TABLE,
            Parameter("perturbed", "the table or view whose tree is compared with it", REQUIRED),
            CLASS,
            *GROWING,
        ),
        _tree_similarity,
        "FROM sdc_tree_similarity('staff', 'noisy', 'dept')",
        ("tbl", "perturbed"),
    ),
)
