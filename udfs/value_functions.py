"""Which values of a table go together, from SQL: chi-square, the similarities of VICUS, DETECTIVE and CACTUS.

A missing value is no category: it is left out of every count, as in the Python functions that these call.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sdcdb.errors import DataError
from sdcdb.udfs.rows import as_text, fields, select_rows
from sdcdb.udfs.table_function import REQUIRED, TABLE, Call, Parameter, TableFunction
from sdcdb.udfs.tree_functions import ATTRIBUTES, CONFIDENCE, LEARNER, MIN_CASES, grown

if TYPE_CHECKING:
    from sdcdb.similarity.detective import ValueCluster

FEW = 100  # different values of a column that counts as a category by default
COLUMNS = Parameter("columns", "the categories, such as ['dept', 'sex']; left out, all columns with 2 to 100 values")


def _categories(call: Call, name: str) -> list[str]:
    """Return the columns to look at: those named, or all with few values."""
    from sdcdb.connection.profile import profile

    chosen = call.names("columns")
    if chosen is None:
        found = profile(call.cursor, name)
        chosen = [column.name for column in found.columns if 1 < column.distinct <= FEW and not column.unique]
    if len(chosen) < 2:
        raise DataError(f"{call.table.given!r} has fewer than two columns to compare: name them, columns := ['a', 'b']")
    return chosen


_CHI = (
    "first VARCHAR, second VARCHAR, records BIGINT, chi_square DOUBLE, likelihood_ratio DOUBLE, df BIGINT, "
    "p_value DOUBLE, likelihood_p_value DOUBLE, cramers_v DOUBLE, share_expected_over_5 DOUBLE, "
    "least_expected DOUBLE, large_sample BOOLEAN"
)


def _chi_square(call: Call) -> str:
    from sdcdb.measures.associations import pairs
    from sdcdb.similarity.cooccurrence import cooccurrence

    name = call.reading()
    columns = _categories(call, name)
    found = cooccurrence(call.cursor, name, columns)
    every = pairs(found.counts, [len(values) for values in found.categories])
    rows = [(columns[pair.first], columns[pair.second], *asdict(pair.association).values()) for pair in every]
    return select_rows(fields(_CHI), rows)


def _similarity(call: Call) -> str:
    from sdcdb.similarity.similarity import similarity

    name = call.reading()
    c1 = call.number("c1")
    found = similarity(call.cursor, name, _categories(call, name), call.number("threshold"), c1, 1 - c1, call["graph"])
    rows = [
        (
            column,
            as_text(value),
            as_text(other),
            *(float(each.to_numpy()[i, j]) for each in (s.direct, s.transitive, s.total)),
        )
        for column, s in found.items()
        for i, value in enumerate(s.total.index)
        for j, other in enumerate(s.total.columns)
        if i < j
    ]
    shown = "column VARCHAR, value VARCHAR, other VARCHAR, direct DOUBLE, transitive DOUBLE, total DOUBLE"
    return select_rows(fields(shown), rows)


def _detective(call: Call) -> str:
    from sdcdb.similarity.detective import detect

    found = detect(grown(call, "column"))

    def shown(kind: str, cluster: "ValueCluster") -> list[tuple[Any, ...]]:
        where = list(cluster.leaves), list(cluster.rule), cluster.records
        return [(kind, *where, pair.first, pair.second, pair.similarity) for pair in cluster.pairs]

    rows = [row for each in found.within for row in shown("within a leaf", each)]
    rows += [row for each in found.among for row in shown("among siblings", each)]
    listed = (
        "cluster VARCHAR, leaves BIGINT[], rule VARCHAR[], records DOUBLE, value VARCHAR, other VARCHAR, "
        "similarity DOUBLE"
    )
    return select_rows(fields(listed), rows)


def _ex_detective(call: Call) -> str:
    from sdcdb.connection.training_table import read_training_table
    from sdcdb.similarity.detective import record_clusters

    given = call["categories"]
    weights = dict.fromkeys(given, 1.0) if isinstance(given, list) else given
    if not isinstance(weights, dict) or not all(isinstance(each, int | float) for each in weights.values()):
        raise DataError("categories must be a list of columns, or a struct of weights, such as {'sex': 1, 'town': 0.5}")
    chosen = {call.table.own(name): float(weight) for name, weight in weights.items()}
    numbers = call.names("numbers") or []
    name, target = call.reading(), next(iter(chosen))
    training = read_training_table(call.cursor, name, None, target)
    known = [attribute.name for attribute in training.attributes]
    if extra := [each for each in (*chosen, *numbers) if each not in known]:  # left out as keys, or for many values
        training = read_training_table(call.cursor, name, [*known, *extra], target)
    for each in numbers:
        if next(attribute.kind for attribute in training.attributes if attribute.name == each) != "number":
            raise DataError(f"{each!r} is no number: numbers are what k-means can take the mean of")
    found = record_clusters(
        training, chosen, numbers, call.whole("clusters"), call.whole("smallest"), call.whole("seed")
    )
    rows = [(number, size, list(found.leaves[number])) for number, size in enumerate(found.sizes)]
    alone = int((found.labels < 0).sum())
    return select_rows(
        fields("cluster BIGINT, records BIGINT, leaves BIGINT[]"), rows + [(None, alone, [])] * (alone > 0)
    )


def _cactus(call: Call) -> str:
    from sdcdb.connection.identifiers import identifier, quoted, table_reference
    from sdcdb.similarity.cactus import cactus

    name = call.reading()
    columns = _categories(call, name)
    listed = ", ".join(f"CAST({quoted(identifier(column))} AS VARCHAR)" for column in columns)
    records = call.cursor.execute(f"SELECT {listed} FROM {quoted(table_reference(name))}").fetchall()
    values = list(zip(*records, strict=True)) or [()] * len(columns)
    found = cactus(dict(zip(columns, values, strict=True)), call.number("factor"))
    rows: list[tuple[Any, ...]] = [
        ("similar", None, column, list(pair)) for column, pairs in found.similar.items() for pair in pairs
    ]
    rows += [
        ("cluster", number, column, list(each))
        for number, cluster in enumerate(found.clusters, start=1)
        for column, each in cluster.items()
    ]
    return select_rows(fields("kind VARCHAR, cluster BIGINT, column VARCHAR, values VARCHAR[]"), rows)


VALUE_FUNCTIONS = (
    TableFunction(
        "sdc_chi_square",
        "Test whether columns are independent, two by two: Pearson's chi-square and the likelihood ratio (VICUS 3.2).",
        (TABLE, COLUMNS),
        _chi_square,
        "FROM sdc_chi_square('staff', columns := ['dept', 'town'])",
    ),
    TableFunction(
        "sdc_similarity",
        "Measure how similar two values of a column are: S', S'' and S of VICUS (eqs. 1 and 2, Algorithm 1).",
        (
            TABLE,
            COLUMNS,
            Parameter("threshold", "T: values of other columns that are more similar than this count as the same", 0.4),
            Parameter("c1", "the weight of S' in S; S'' gets the rest", 0.6),
            Parameter("graph", "'simple' records that values occur together, 'multi' counts how often", "simple"),
        ),
        _similarity,
        "FROM sdc_similarity('staff', columns := ['dept', 'town'])",
    ),
    TableFunction(
        "sdc_detective",
        "Cluster the values of a category by a tree that predicts it (DETECTIVE, thesis 6.3).",
        (TABLE, Parameter("column", "the category whose values are clustered", REQUIRED), ATTRIBUTES, MIN_CASES,
         CONFIDENCE, LEARNER),
        _detective,
        "FROM sdc_detective('staff', 'dept')",
    ),
    TableFunction(
        "sdc_ex_detective",
        "Cluster the records by the leaves of their categories' trees, and by numbers (EX-DETECTIVE, thesis 6.4).",
        (
            TABLE,
            Parameter("categories", "columns, or weights from 0 to 1: ['dept'], or {'dept': 1, 'town': 0.5}", REQUIRED),
            Parameter("numbers", "numbers that split the clusters by k-means, such as ['pay']"),
            Parameter("clusters", "the most clusters that numbers make of one", 3),
            Parameter("smallest", "the least records of a cluster", 2),
            Parameter("seed", "the seed of k-means", 0),
        ),
        _ex_detective,
        "FROM sdc_ex_detective('staff', ['dept', 'town'], numbers := ['pay'])",
    ),
    TableFunction(
        "sdc_cactus",
        "Find similar values and clusters by strong connections (CACTUS, Ganti et al. 1999).",
        (TABLE, COLUMNS, Parameter("factor", "how much more often than by chance values occur together", 1.5)),
        _cactus,
        "FROM sdc_cactus('staff', columns := ['dept', 'town'])",
    ),
)  # fmt: skip
