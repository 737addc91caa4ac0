"""The measures in SQL: each agrees with the Python function behind it, and with the papers' worked numbers."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.connection.training_table import read_training_table
from sdcdb.datasets import create
from sdcdb.gateway.inference import bounds
from sdcdb.measures import PerturbedTable, compare_trees, entropy_profile, pairs, range_bounds
from sdcdb.measures.reidentification import Draw
from sdcdb.similarity.cactus import cactus
from sdcdb.similarity.cooccurrence import cooccurrence
from sdcdb.similarity.detective import detect, record_clusters
from sdcdb.similarity.similarity import similarity
from sdcdb.trees.c45 import grow
from sdcdb.views import catalogue

STAFF = """
    CREATE TABLE staff AS SELECT i AS id, ['flu', 'cold', 'gout'][1 + i % 3] AS illness,
        CASE WHEN i % 3 = 0 OR i % 5 = 0 THEN 'north' WHEN i % 11 > 0 THEN 'south' END AS region,
        20 + (i * 7) % 50 AS age FROM range(400) r(i)
"""


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with sdcdb.register(duckdb.connect()) as connection:
        create(connection, "bank")
        connection.execute(STAFF)
        options = "{'columns': ['illness', 'region'], 'k1': 5, 'k2': 20, 'key': 'id', 'seed': 7, 'publish': ['age']}"
        connection.execute(f"SELECT sdc_create_view('public', 'vicus', 'staff', {options})")
        yield connection


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return con.execute(sql).fetchall()


def told(con: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    result = con.execute(sql)
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def test_similarity_is_that_of_the_paper_and_of_python(con: duckdb.DuckDBPyConnection) -> None:
    """VICUS, Table 2: Mr Brown and Mr White have nothing in common but similar products, advisors and branches."""
    columns = ["client", "branch", "product", "advisor"]
    asked = f"FROM sdc_similarity('bank', columns := {columns}) WHERE \"column\" = 'client'"
    found = {frozenset(row[1:3]): row[3:] for row in rows(con, asked)}
    assert found[frozenset(["Mr M. Brown", "Mr K. White"])] == pytest.approx((0.0, 1.0, 0.4), abs=5e-4)
    assert found[frozenset(["Mr M. Brown", "Mr J. Black"])][2] == pytest.approx(0.465, abs=5e-4)
    expected = similarity(con, "bank", columns)["client"]
    for one, other in map(tuple, found):
        assert found[frozenset([one, other])][0] == pytest.approx(expected.direct.loc[one, other])
        assert found[frozenset([one, other])][2] == pytest.approx(expected.total.loc[one, other])


def test_chi_square_of_a_table_of_pairs_and_of_lists(con: duckdb.DuckDBPyConnection) -> None:
    counts = cooccurrence(con, "staff", ["illness", "region", "age"])
    expected = pairs(counts.counts, [len(values) for values in counts.categories])
    found = told(con, "FROM sdc_chi_square('staff', columns := ['illness', 'region', 'age'])")
    assert [row["chi_square"] for row in found] == pytest.approx([each.association.chi_square for each in expected])
    assert [row["p_value"] for row in found] == pytest.approx([each.association.p_value for each in expected])
    ((of_lists,),) = rows(con, "SELECT sdc_chi_square(list(illness), list(region)) FROM staff")
    first = {name: found[0][name] for name in of_lists}
    assert of_lists == pytest.approx(first)
    four = "(VALUES (1, 1, 10), (1, 2, 20), (2, 1, 30), (2, 2, 40)) v(a, b, n)"
    con.execute(f"CREATE OR REPLACE TEMP TABLE two AS SELECT a, b FROM {four}, range(n)")
    ((known,),) = rows(con, "SELECT sdc_chi_square(list(a), list(b)) FROM two")
    assert (known["chi_square"], known["likelihood_ratio"]) == pytest.approx((0.7937, 0.8043), abs=5e-5)


def test_trees_leaves_and_their_similarity(con: duckdb.DuckDBPyConnection) -> None:
    training = read_training_table(con, "staff", ["region", "age"], "illness")
    tree = grow(training, min_cases=10)
    asked = "('staff', 'illness', attributes := ['region', 'age'], min_cases := 10)"
    found = told(con, f"FROM sdc_tree{asked}")
    assert [row["records"] for row in found] == [leaf.total for leaf in tree.leaves()]
    assert [row["rule"] for row in found] == [[each.text() for each in rule] for rule in tree.rules()]
    assert [row["siblings"] for row in found] == [list(tree.siblings(leaf.number)) for leaf in tree.leaves()]
    leaves = [leaf for (leaf,) in rows(con, f"SELECT leaf FROM sdc_tree_leaf{asked} ORDER BY id")]
    assert leaves == tree.apply(training).tolist()
    con.execute("CREATE OR REPLACE TABLE changed AS SELECT * REPLACE ((age * 3) % 50 AS age) FROM staff")
    other = grow(read_training_table(con, "changed", ["region", "age"], "illness"), min_cases=10)
    compared = compare_trees(tree, other)
    types = told(con, "FROM sdc_tree_similarity('staff', 'changed'" + asked.removeprefix("('staff'"))
    assert [(row["type"], row["share"], row["original"]) for row in types] == [
        (rule.type, rule.share, rule.original) for rule in compared.rules
    ]
    assert {row["verdict"] for row in types} == {compared.verdict}
    same = told(con, "FROM sdc_tree_similarity('staff', 'staff'" + asked.removeprefix("('staff'"))
    assert {(row["type"], row["verdict"]) for row in same} == {("A", "exactly same")}


def test_detective_ex_detective_and_cactus(con: duckdb.DuckDBPyConnection) -> None:
    found = detect(grow(read_training_table(con, "staff", None, "region")))
    listed = told(con, "FROM sdc_detective('staff', 'region')")
    assert [(row["value"], row["other"], row["similarity"]) for row in listed] == [
        (pair.first, pair.second, pair.similarity) for each in (*found.within, *found.among) for pair in each.pairs
    ]
    clusters = record_clusters(read_training_table(con, "staff", None, "illness"), {"illness": 1, "region": 0.5})
    sizes = rows(con, "SELECT records FROM sdc_ex_detective('staff', {'illness': 1, 'region': 0.5}) WHERE cluster >= 0")
    assert tuple(size for (size,) in sizes) == clusters.sizes
    illness, region = zip(*rows(con, "SELECT illness, region FROM staff"), strict=True)
    similar = cactus({"illness": illness, "region": region}).similar
    shown = told(con, "FROM sdc_cactus('staff', columns := ['illness', 'region']) WHERE kind = 'similar'")
    assert [(row["column"], tuple(row["values"])) for row in shown] == [
        (name, pair) for name, every in similar.items() for pair in every
    ]
    assert shown


def test_bounds_of_ranges_and_of_sets(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE ranges (first_record INTEGER, last_record INTEGER, answer DOUBLE)")
    con.execute("INSERT INTO ranges VALUES (1, 2, 30), (2, 3, 50)")
    found = rows(con, "FROM sdc_restriction_bounds('ranges', 4, 0, 40, step := 10)")
    low, high = range_bounds([0, 1], [2, 3], [30, 50], n=4, low=0, high=40, step=10)
    assert [row[1:3] for row in found] == list(zip(low.tolist(), high.tolist(), strict=True))
    assert [row[3] for row in found] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 5])
    con.execute("CREATE OR REPLACE TABLE sets (query VARCHAR, record VARCHAR, answer DECIMAL(4, 1))")
    con.execute("INSERT INTO sets VALUES ('q', 'a', 6), ('q', 'b', 6), ('r', 'b', 3.5)")
    asked = rows(con, "FROM sdc_bounds('sets', 0, 4)")
    lower, upper = bounds([[True, True], [False, True]], [6, 3.5], 0, 4)
    assert [row[:3] for row in asked] == [(name, *ends) for name, *ends in zip("ab", lower, upper, strict=True)]


def test_beliefs_and_security(con: duckdb.DuckDBPyConnection) -> None:
    """The CAE paper's three p_i, and the thesis's example of security (8.1): two of 21 records below 2.45."""
    domain = "[10, 20, 30, 40]"
    ((sampled, bounded),) = rows(
        con,
        f"""
        SELECT sdc_sampling_belief([20, 20, 30], 4, {domain}), sdc_restriction_belief([10, 20], [40, 30], {domain})
    """,
    )
    assert sampled == pytest.approx([0.0625, 0.5625, 0.3125, 0.0625])
    assert bounded == pytest.approx([0.125, 0.375, 0.375, 0.125])
    likelihood = "[[0.75, 0.25], [0.25, 0.75]]"
    assert rows(con, f"SELECT sdc_noise_belief([1, 2], {likelihood})") == [([0.5, 0.5],)]
    assert rows(con, f"SELECT sdc_noise_belief([1], {likelihood}, prior := [1, 3])") == [([0.5, 0.5],)]
    people = "(SELECT CASE i WHEN 0 THEN 1.0 WHEN 1 THEN 2.4 ELSE 3.0 END AS h FROM range(21) r(i))"
    ((many,),) = rows(con, f"SELECT sdc_security(list(h), 2.45, 0.05) FROM {people}")
    assert (many["below"], many["secure"]) == (pytest.approx(2 / 21), False)


def test_the_matrix_of_a_view_and_what_follows_from_it(con: duckdb.DuckDBPyConnection) -> None:
    plan = catalogue.entry(con, "public").plan
    matrix = next(each for each in plan.fitted if each.columns == ("illness",)).transition()  # type: ignore[attr-defined]
    found = rows(con, "SELECT probability FROM sdc_transition_matrix('public', 'illness')")
    assert [p for (p,) in found] == pytest.approx(matrix.matrix.ravel().tolist())
    counts = [dict(rows(con, "SELECT illness, count(*) FROM staff GROUP BY ALL"))[value] for value in matrix.values]
    for prior, weights in (("uniform", None), ("empirical", counts)):
        believed = rows(con, f"SELECT probability FROM sdc_posterior('public', 'illness', prior := '{prior}')")
        assert [p for (p,) in believed] == pytest.approx(matrix.posterior(weights).ravel().tolist())
    estimated = told(con, "FROM sdc_estimate('public', 'illness')")
    assert sum(row["observed"] for row in estimated) == 400
    expected = matrix.estimate([row["observed"] for row in estimated])
    assert [row["estimate"] for row in estimated] == pytest.approx(expected)
    assert all(abs(row["estimate"] - counts[n]) < 5 * row["standard_error"] for n, row in enumerate(estimated))


def test_standard_errors_are_those_of_repeated_perturbation() -> None:
    """4,000 draws: the standard deviation of estimates lies within 5% of the mean standard error (sd of it 1.1%)."""
    from sdcdb.techniques.families.transition import warner

    matrix, rng = warner(["a", "b", "c"], 0.6), np.random.default_rng(1)
    originals = [300, 150, 50]
    estimates, errors = [], []
    for _ in range(4_000):
        observed = sum(rng.multinomial(n, row) for n, row in zip(originals, matrix.matrix, strict=True))
        estimates.append(matrix.estimate(observed))
        errors.append(matrix.standard_errors(observed))
    assert np.mean(errors, axis=0) == pytest.approx(np.std(estimates, axis=0), rel=0.05)
    assert np.mean(estimates, axis=0) == pytest.approx(originals, abs=float(5 * np.std(estimates) / math.sqrt(4_000)))


@pytest.mark.parametrize("prior", ["uniform", "empirical"])
def test_entropies_are_those_of_algorithm_2(con: duckdb.DuckDBPyConnection, prior: str) -> None:
    asked = f"('public', 'illness', columns := ['region'], prior := '{prior}')"
    ((known, _, targets, mean, least, said),) = rows(con, f"FROM sdc_confidential_entropy{asked}")
    plan = catalogue.entry(con, "public").plan
    matrices = {each.columns[0]: each.transition() for each in plan.fitted}  # type: ignore[attr-defined]
    names = ["illness", "region"]

    def codes(table: str) -> list[list[int]]:
        whole = rows(con, f"SELECT illness, region FROM {table} WHERE region IS NOT NULL")
        return [[matrices[name].values.index(value) for name, value in zip(names, row, strict=True)] for row in whole]

    original = codes("staff")
    counts = np.bincount([row[0] for row in original]) if prior == "empirical" else None
    table = PerturbedTable.of(codes("public"), [matrices[name].matrix for name in names], 0, counts)
    (expected,) = entropy_profile(table, original, Draw(10, min(500, len(original)), 0))
    assert (known, targets, said) == (1, len(original), prior)
    assert (mean, least) == pytest.approx((expected.confidential, expected.least_confidential))
    ((record, smallest),) = rows(con, f"SELECT mean, least FROM sdc_record_entropy{asked}")
    assert (record, smallest) == pytest.approx((expected.record, expected.least_record))


def test_measures_see_views_and_refuse_what_they_cannot_see(con: duckdb.DuckDBPyConnection) -> None:
    con.execute('CREATE OR REPLACE VIEW "öld ""ones""" AS FROM staff WHERE age > 30')
    assert con.execute("FROM sdc_tree(?, 'illness')", ['"öld ""ones"""']).fetchall()
    con.execute("BEGIN; DELETE FROM staff WHERE id = 3")
    with pytest.raises(duckdb.Error, match="not committed"):
        rows(con, "FROM sdc_chi_square('staff', columns := ['illness', 'region'])")
    con.execute("ROLLBACK")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("sdc_chi_square('staff', columns := ['illness'])", "fewer than two columns"),
        ("sdc_chi_square('staff', columns := 'illness')", "a list of names"),
        ("sdc_similarity('staff', threshold := 2)", "from 0 to 1"),
        ("sdc_similarity('staff', threshold := 'x')", "threshold must be a number"),
        ("sdc_similarity('staff', graph := 'x')", "no graph 'x'"),
        ("sdc_tree('staff', 'nobody')", "no column 'nobody'"),
        ("sdc_tree('staff', 'illness', learner := 'id3')", "no learner 'id3'"),
        ("sdc_tree('staff', 'illness', min_cases := 2.5)", "whole number"),
        ("sdc_tree('staff', NULL)", "class is missing"),
        ("sdc_tree_similarity('staff', 'nowhere', 'illness')", "no table or view 'nowhere'"),
        ("sdc_ex_detective('staff', 7)", "a list of columns, or a struct of weights"),
        ("sdc_transition_matrix('staff', 'illness')", "no protected view 'staff'"),
        ("sdc_transition_matrix('public', 'age')", "no transition matrix; those that have: illness"),
        ("sdc_posterior('public', 'illness', prior := 'mine')", "'uniform' or 'empirical'"),
        ("sdc_compare('public')", "a database in memory has no policy beside it"),
        ("sdc_bounds('staff', 0, 1)", "has no column 'query'"),
        ("sdc_bounds('twice', 0, 1)", "two answers"),
        ("sdc_bounds('missing', 0, 1)", "has a NULL"),
    ],
)
def test_mistakes_are_told(con: duckdb.DuckDBPyConnection, call: str, says: str) -> None:
    con.execute("CREATE OR REPLACE TABLE twice AS FROM (VALUES (1, 1, 1), (1, 2, 2)) v(query, record, answer)")
    con.execute("CREATE OR REPLACE TABLE missing AS FROM (VALUES (1, 1, NULL)) v(query, record, answer)")
    with pytest.raises(duckdb.Error, match=says):
        rows(con, f"FROM {call}")


def test_an_empty_table_has_an_answer_or_an_error_that_says_so(con: duckdb.DuckDBPyConnection) -> None:
    con.execute("CREATE OR REPLACE TABLE none AS FROM staff LIMIT 0")
    tested = "SELECT chi_square, df FROM sdc_chi_square('none', columns := ['illness', 'region'])"
    assert rows(con, tested) == [(0.0, 0)]
    assert rows(con, "SELECT records FROM sdc_tree('none', 'illness')") == [(0.0,)]
    assert rows(con, "FROM sdc_similarity('none', columns := ['illness', 'region'])") == []
    assert rows(con, "FROM sdc_tree_leaf('none', 'illness')") == []


def test_explain_says_what_the_gateway_says(tmp_path: Path) -> None:
    policy = """
        version: 1
        tables:
          staff:
            key: id
            columns: {id: identifier, illness: quasi, region: quasi, age: {role: confidential, domain: [0, 99]}}
            restrict: {min_set: 5}
    """
    (tmp_path / "s.policy.yaml").write_text(policy)
    with sdcdb.register(duckdb.connect(str(tmp_path / "s.duckdb"))) as con:
        con.execute(STAFF)
        ask = "SELECT sdc_explain(?, user := 'ann')"
        asked = ("SELECT avg(age) FROM staff", "SELECT age FROM staff")
        allowed, denied = (con.execute(ask, [text]).fetchall()[0][0] for text in asked)
    assert allowed == {"verdict": "allow", "rule": None, "reason": "", "hint": ""}
    assert (denied["verdict"], denied["rule"]) == ("unsupported", "shape")
    assert "confidential" in denied["reason"]


@pytest.fixture
def copied(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """A copy of the protected view, and a table of its matrices: what an analyst has who is given a release."""
    con.execute("CREATE OR REPLACE TABLE released AS FROM public")
    each = [
        f"SELECT '{name}' AS \"column\", * FROM sdc_transition_matrix('public', '{name}')"
        for name in ("illness", "region")
    ]
    con.execute(f"CREATE OR REPLACE TABLE matrices AS {' UNION ALL '.join(each)}")
    con.execute("CREATE OR REPLACE TABLE one_matrix AS FROM sdc_transition_matrix('public', 'illness')")
    return con


@pytest.mark.parametrize(
    ("name", "rest", "before"),
    [
        ("sdc_estimate", "", ""),
        ("sdc_posterior", "", ""),
        ("sdc_posterior", ", prior := 'empirical'", ", original := 'staff'"),
        ("sdc_record_entropy", ", columns := ['region'], known := 1", ", original := 'staff'"),
        ("sdc_confidential_entropy", ", columns := ['region'], prior := 'uniform'", ", original := 'staff'"),
    ],
)
def test_a_copy_with_its_matrices_measures_as_the_view_does(
    copied: duckdb.DuckDBPyConnection, name: str, rest: str, before: str
) -> None:
    expected = rows(copied, f"FROM {name}('public', 'illness'{rest})")
    assert rows(copied, f"FROM {name}('released', 'illness'{rest}, matrix := 'matrices'{before})") == expected
    if not name.endswith("entropy"):
        assert rows(copied, f"FROM {name}('released', 'illness'{rest}, matrix := 'one_matrix'{before})") == expected


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("sdc_estimate('released', 'illness')", "no protected view 'released'"),
        ("sdc_estimate('released', 'illness', matrix := 'nothing')", "no table or view 'nothing'"),
        ("sdc_estimate('released', 'illness', matrix := 'staff')", "'staff' has no column 'original'"),
        ("sdc_estimate('released', 'age', matrix := 'matrices')", "'age' of 'released' has no transition matrix"),
        ("sdc_estimate('released', 'region', matrix := 'one_matrix')", "is not in the matrix"),
        ("sdc_estimate('released', 'illness', matrix := 'twice')", "two probabilities for"),
        ("sdc_estimate('released', 'illness', matrix := 'gaps')", "has a NULL"),
        ("sdc_estimate('released', 'illness', matrix := 'half')", "row of"),
        ("sdc_posterior('released', 'illness', prior := 'empirical', matrix := 'matrices')", "name the table before"),
        ("sdc_posterior('public', 'illness', original := 'staff')", "original goes with matrix"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_matrix_is_said(copied: duckdb.DuckDBPyConnection, call: str, problem: str) -> None:
    copied.execute("CREATE OR REPLACE TABLE twice AS FROM one_matrix UNION ALL FROM one_matrix")
    copied.execute("CREATE OR REPLACE TABLE gaps AS SELECT * REPLACE (NULL::DOUBLE AS probability) FROM one_matrix")
    copied.execute("CREATE OR REPLACE TABLE half AS SELECT * REPLACE (probability / 2 AS probability) FROM one_matrix")
    with pytest.raises(duckdb.InvalidInputException, match=problem):
        copied.execute(f"FROM {call}")
