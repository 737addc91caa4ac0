"""Techniques that ask a tree: each leaf keeps what its technique promises to keep.

The secret is fixed, so a test that passes once passes always. Where a number is held against an expectation, the
tolerance is four standard errors, of one run.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.protecting import fixed_secret, protected

from sdcdb.connection.training_table import read_training_table
from sdcdb.errors import DataError, PolicyError
from sdcdb.policy.governed import Governed
from sdcdb.policy.load import parse_document
from sdcdb.techniques.capt import FittedCapt, chances
from sdcdb.techniques.families.leaf_class import expected_changes, printed_changes
from sdcdb.techniques.linfapt import FittedLinfapt
from sdcdb.techniques.rpt import FittedRpt
from sdcdb.trees.c45 import grow
from sdcdb.trees.table import TrainingTable
from sdcdb.views.protect import Protected

N = 20_000
OWN = {"attributes": ("age", "pay", "city", "sex", "risk")}
ROLES: dict[str, Any] = {
    "id": "identifier",
    "n": "public",
    "age": {"role": "quasi", "domain": [17, 90]},
    "pay": {"role": "quasi", "domain": [0, 100]},
    "city": "quasi",
    "sex": "quasi",
    "risk": "class",
}
# Risk follows from age, pay and city, but for one record in ten; sex goes with nothing, city with age.
TABLE = f"""
    SELECT i AS id, i AS n, age::INTEGER AS age, pay, city, ['f', 'm'][1 + (hash(i, 5) % 2)::INTEGER] AS sex,
        CASE WHEN hash(i, 6) % 10 = 0 THEN ['high', 'low', 'mid'][1 + (hash(i, 7) % 3)::INTEGER]
            WHEN age > 50 THEN if(pay > 40, 'low', 'high') ELSE if(city = 'Ulm', 'mid', 'low') END AS risk
    FROM (SELECT i, 17 + hash(i, 1) % 74 AS age, (hash(i, 2) % 10000) / 100e0 AS pay,
        CASE WHEN hash(i, 3) % 5 = 0 THEN 'Ulm' WHEN 17 + hash(i, 1) % 74 > 60 THEN 'Bonn'
            ELSE ['Kiel', 'Jena'][1 + (hash(i, 4) % 2)::INTEGER] END AS city FROM range({N}) AS r(i))
"""


_secret = fixed_secret("tree-techniques-0123456789abcdef")


def publish(view: dict[str, Any], table: str = TABLE) -> tuple[pd.DataFrame, Protected, Governed]:
    """Protect the table and return the view with its originals, `before` and after, in the order of the key."""
    database, made = protected(table, ROLES, view)
    both = database.con.execute(
        "SELECT b.age AS age0, b.pay AS pay0, b.city AS city0, b.risk AS risk0, y.* "
        "FROM x AS b JOIN y USING (n) ORDER BY n"
    ).df()
    return both, made, database


def counts_by_leaf(made: Protected, database: Governed) -> tuple[Any, Any]:
    """Return the class counts of each leaf before and after."""
    (fitted,) = [each for each in made.plan.fitted if isinstance(each, FittedRpt)]
    tree = fitted.tree
    wanted = [attribute.name for attribute in tree.attributes]
    before = read_training_table(database.con, "x", wanted, "risk")
    database.con.execute("CREATE TABLE mixed AS SELECT x.* REPLACE (y.risk AS risk) FROM x JOIN y USING (n)")
    after = read_training_table(database.con, "mixed", wanted, "risk")
    size = len(tree.leaves())
    return tuple(  # type: ignore[return-value]  # of two
        np.bincount(tree.apply(half) * 3 + half.labels(), minlength=3 * size).reshape(size, 3)
        for half in (before, after)
    )


def test_rpt_keeps_the_classes_of_every_leaf_exactly() -> None:
    _, made, database = publish({"columns": {"risk": {"method": "rpt", "min_cases": 50, **OWN}}})
    before, after = counts_by_leaf(made, database)
    assert len(before) > 3
    assert after.tolist() == before.tolist()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"method": "rpt"}, expected_changes),
        ({"method": "ppt"}, expected_changes),
        ({"method": "alpt", "changes": "as_rpt"}, expected_changes),
        ({"method": "alpt"}, printed_changes),
    ],
)
def test_the_expected_number_of_changes_is_that_of_eq_4_1(asked: dict[str, Any], expected: Any) -> None:
    both, _, database = publish({"columns": {"risk": {**asked, "min_cases": 50, **OWN}}})
    tree = publish({"columns": {"risk": {"method": "rpt", "min_cases": 50, **OWN}}})[1].plan.fitted[0].tree  # type: ignore[attr-defined]
    found = leaf_counts_of(database, tree)
    changed = int((both["risk"] != both["risk0"]).sum())
    assert changed == pytest.approx(expected(found), abs=4 * np.sqrt(N * 0.1 * 0.9))


def leaf_counts_of(database: Governed, tree: Any) -> Any:
    half = read_training_table(database.con, "x", [a.name for a in tree.attributes], "risk")
    size = len(tree.leaves())
    return np.bincount(tree.apply(half) * 3 + half.labels(), minlength=3 * size).reshape(size, 3)


def test_eq_4_1() -> None:
    assert expected_changes(np.array([[32, 1], [248, 0]])) == pytest.approx(2 * 32 * 1 / 33)


def test_linfapt_keeps_every_record_in_its_leaf_and_linnapt_leaves_the_rest() -> None:
    asked = {"class": "risk", "min_cases": 50, **OWN}
    columns = {name: {"method": "linfapt", **asked} for name in ("age", "pay")}
    both, made, database = publish({"columns": columns})
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedLinfapt)
    names = [attribute.name for attribute in fitted.tree.attributes]
    database.con.execute("CREATE TABLE sorted AS FROM x ORDER BY n; CREATE TABLE shown AS FROM y ORDER BY n")
    leaves = [fitted.tree.apply(read_training_table(database.con, name, names, "risk")) for name in ("sorted", "shown")]
    assert (leaves[0] == leaves[1]).all()
    assert (both["age"] != both["age0"]).mean() > 0.3
    innocent = np.array(["pay" in fitted.tree.innocent(leaf) for leaf in leaves[0]])
    assert (both["pay"] == both["pay0"])[innocent].all()
    other, _, _ = publish({"columns": {name: {"method": "linnapt", **asked} for name in ("age", "pay")}})
    assert (other["pay"] != other["pay0"])[innocent].all()
    assert (other["pay"] == other["pay0"])[~innocent].all()
    assert other["pay"].between(0, 100).all()


def test_framework_keeps_the_rules_and_their_counts() -> None:
    both, made, database = publish({"all": {"method": "framework", "class": "risk", "min_cases": 50, **OWN}})
    kinds = {column: each.technique for each in made.plan.fitted for column in each.columns}
    assert {kinds[name] for name in ("age", "pay")} == {"framework"}
    assert (kinds["city"], kinds["risk"]) == ("capt", "rpt")
    changed = {name: float((both[name] != both[f"{name}0"]).mean()) for name in ("age", "pay", "city", "risk")}
    assert all(share > 0.02 for share in changed.values())
    before, after = counts_by_leaf(made, database)
    assert after.tolist() == before.tolist()


def test_extended_framework_keeps_correlations_better_than_the_framework() -> None:
    shaped = TABLE.replace(
        "(hash(i, 2) % 10000) / 100e0 AS pay", "least(99, (hash(i, 1) % 74) + (hash(i, 2) % 300) / 10e0) AS pay"
    )
    before = None
    after = {}
    for method in ("framework", "extended_framework", "random_framework"):
        both, _, _ = publish({"all": {"method": method, "class": "risk", "min_cases": 50, **OWN}}, shaped)
        before = np.corrcoef(both["age0"], both["pay0"])[0, 1]
        after[method] = abs(np.corrcoef(both["age"], both["pay"])[0, 1] - before)
    assert after["extended_framework"] < after["framework"] <= after["random_framework"] + 0.05


def test_egadp_is_exact_on_twenty_records_in_the_database() -> None:
    rows = (
        "SELECT i AS id, i AS n, 30 AS age, 20 + (hash(i, 1) % 100) / 10e0 AS pay, 'c' AS city, 's' AS sex, "
        "'r' AS risk FROM range(20) r(i)"
    )
    roles = ROLES | {"pay": "quasi", "age": "quasi", "extra": "quasi"}
    select = f"SELECT *, pay * 3 + (hash(id, 9) % 100) / 7e0 AS extra FROM ({rows})"
    database, _ = protected(select, roles, {"columns": {name: {"method": "egadp"} for name in ("pay", "extra")}})
    moments = "SELECT avg(pay), avg(extra), var_samp(pay), var_samp(extra), covar_samp(pay, extra) FROM "
    before, after = (database.con.execute(moments + name).fetchone() for name in ("x", "y"))
    assert after == pytest.approx(before, rel=1e-9)
    assert database.con.execute("SELECT count(*) FROM x JOIN y USING (pay)").fetchone() == (0,)


def test_cgadp_keeps_a_skewed_marginal() -> None:
    skewed = TABLE.replace(
        "(hash(i, 2) % 10000) / 100e0 AS pay",
        "if(hash(i, 2) % 10 < 7, 0, 100 * pow((hash(i, 3) % 1000) / 1000, 4)) AS pay",
    )
    both, _, _ = publish({"columns": {name: {"method": "cgadp"} for name in ("age", "pay")}}, skewed)
    assert (both["pay"] == 0).mean() == pytest.approx((both["pay0"] == 0).mean(), abs=0.02)
    for share in (0.75, 0.9, 0.99):  # as many are below the original's quantile, within four standard errors
        below = (both["pay"] <= both["pay0"].quantile(share)).mean()
        assert below == pytest.approx(share, abs=4 * (share * (1 - share) / len(both)) ** 0.5)


def test_capt_draws_within_leaves_and_from_siblings() -> None:
    tree = grow(
        TrainingTable.of(
            {"a": ["x"] * 40 + ["y"] * 40 + ["z"] * 20, "c": ["p"] * 30 + ["q"] * 10 + ["q"] * 40 + ["r"] * 20}, "c"
        )
    )
    counts = np.array([leaf.counts for leaf in tree.leaves()])
    assert counts.tolist() == [[30, 10, 0], [0, 40, 0], [0, 0, 20]]
    wanted = np.array([[0.8 * 0.75, 0.8 * 0.25 + 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    assert chances(tree, counts, 0.2, "equal") == pytest.approx(wanted)
    by_size = chances(tree, counts, 0.3, "proportional")
    assert by_size[0].tolist() == pytest.approx([0.7 * 0.75, 0.7 * 0.25 + 0.3 * 40 / 60, 0.3 * 20 / 60])


def test_capt_keeps_the_frequencies_of_leaves() -> None:
    both, made, _ = publish({"columns": {"city": {"method": "capt", "p": 0.0, "min_cases": 100, **OWN}}})
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedCapt)
    shares = (both["city"].value_counts(normalize=True) - both["city0"].value_counts(normalize=True)).abs()
    assert shares.max() < 4 * np.sqrt(0.25 / N)


def test_the_policy_writes_class_and_says_so() -> None:
    text = """
version: 1
tables:
  x:
    key: id
    columns: {id: identifier, age: quasi, risk: class}
    protect:
      y: {columns: {age: {method: linnapt, clas: risk}}}
"""
    with pytest.raises(PolicyError) as problem:
        parse_document(text, "p.yaml")
    assert "class, method" in str(problem.value) or "did you mean 'class'" in str(problem.value)
    assert "class: is required: The class: the column that a classifier predicts." in str(problem.value)


def test_a_number_without_a_domain_is_an_error() -> None:
    view = {"columns": {"pay": {"method": "linnapt", "class": "risk"}}}
    with pytest.raises(DataError, match="give it the publicly known range"):
        protected(TABLE, ROLES | {"pay": "quasi"}, view)


def test_per_leaf_needs_a_class() -> None:
    with pytest.raises(DataError, match="belong together"):
        publish({"columns": {"pay": {"method": "gadp", "per_leaf": True}}})
