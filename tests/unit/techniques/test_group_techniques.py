"""EAN, AN, swapping, microaggregation and suppression, through `protect` on real tables.

The secret is fixed, so every chi-square below has one value for ever; a p-value of 0.001 is the tolerance.
"""

import doctest
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.stats import chi2_contingency, chisquare
from support.protecting import fixed_secret, policy_of

import sdcdb
from sdcdb.database import Database
from sdcdb.errors import DataError
from sdcdb.policy.models import Policy
from sdcdb.techniques import microaggregation
from sdcdb.techniques.ean import verify
from sdcdb.techniques.microaggregation import Floats, blocks, mdav, one_column
from sdcdb.views.protect import protect

TOLERANCE = 0.001
OCCUPATIONS = [f"o{n}" for n in range(14)]


_secret = fixed_secret("a secret for tests of groups")


def people(select: str, columns: dict[str, Any], view: dict[str, Any], key: str = "id") -> Database:
    """Make a table `people` and its protected view `published`; columns without a role are public."""
    database = sdcdb.open(":memory:")
    database.con.execute(f"CREATE TABLE people AS {select}")
    found = [name for name, *_ in database.con.execute("DESCRIBE people").fetchall()]
    roles = {name: columns.get(name, "identifier" if name == key else "public") for name in found}
    database.policy = policy(roles, view, key)
    protect(database)
    return database


def policy(roles: dict[str, Any], view: dict[str, Any], key: str = "id") -> Policy:
    return policy_of(roles, {"columns": view}, table="people", name="published", key=key)


def pairs(database: Database, column: str, more: str = "") -> list[tuple[Any, ...]]:
    """Return the true value and the published one of every record, by way of the public column `n`."""
    query = f"SELECT r.{column}, v.{column}{more} FROM people r JOIN published v USING (n) ORDER BY n"
    return database.con.execute(query).fetchall()


def categories(size: int) -> dict[str, list[str]]:
    return {f"c{n}": OCCUPATIONS[n::size] for n in range(size)}


def workers(view: dict[str, Any], rows: int = 6_000) -> Database:
    quasi = ", ".join(f"i % {n + 2} AS q{n}" for n in range(7))
    select = f"SELECT i AS id, i AS n, 'o' || ((i * i) % 14) AS occupation, {quasi} FROM range({rows}) AS r(i)"
    return people(select, {}, {"occupation": view})


def uniform(counts: Counter[Any], size: int) -> bool:
    return len(counts) == size and bool(chisquare(list(counts.values())).pvalue > TOLERANCE)


# EAN


@pytest.mark.parametrize(("size", "loss"), [(3, 0.083), (5, 0.1), (7, 0.107), (10, 0.1125)])
def test_ean_has_the_diversity_and_the_losses_of_the_paper(size: int, loss: float) -> None:
    database = workers({"method": "ean", "categories": categories(size)}, rows=500)
    assert verify(database.con, "published", "occupation", categories(size)) == 0
    quasi = [f"q{n}" for n in range(7)]
    records, least, _, _, found = database.con.execute(
        "FROM sdc_ean_loss('published', 'occupation', ?)", [quasi]
    ).fetchall()[0]
    assert (records, least) == (500, size)
    assert found == pytest.approx(loss, abs=5e-4)
    assert all(true in values for true, values in pairs(database, "occupation"))


def test_verify_counts_lists_that_break_the_definition() -> None:
    with sdcdb.open(":memory:") as database:
        database.con.execute(
            "CREATE TABLE published AS SELECT * FROM (VALUES (['o0', 'o1']), (['o1', 'o0']), (['o0', 'o2']), "
            "(['o0']), (['o0', 'nowhere']), (['o0', 'o1', 'o3']), ([]), (NULL), (['o0', NULL])) AS v(occupation)"
        )
        assert verify(database.con, "published", "occupation", categories(2)) == 6
        with pytest.raises(DataError, match="no column of lists"):
            verify(database.con, "published", "age", categories(2))


def test_the_place_of_the_true_value_is_uniform_whatever_its_category() -> None:
    given = categories(5)
    home = {value: name for name, values in given.items() for value in values}
    found = pairs(workers({"method": "ean", "categories": given}), "occupation")
    places = [(home[true], values.index(true)) for true, values in found]
    assert uniform(Counter(place for _, place in places), 5)
    table = [[places.count((name, place)) for place in range(5)] for name in given if (name, 0) in places]
    assert chi2_contingency(table).pvalue > TOLERANCE


def test_all_orders_of_the_categories_are_equally_likely() -> None:
    given = categories(3)
    home = {value: name for name, values in given.items() for value in values}
    found = pairs(workers({"method": "ean", "categories": given}), "occupation")
    assert uniform(Counter(tuple(home[value] for value in values) for _, values in found), 6)


def test_decoys_are_uniform_in_their_category() -> None:
    given = categories(3)
    found = pairs(workers({"method": "ean", "categories": given}), "occupation")
    for values in given.values():
        decoys = Counter(v for true, listed in found if true not in values for v in listed if v in values)
        assert uniform(decoys, len(values))


def test_decoys_depend_on_the_true_value_through_its_category_alone() -> None:
    given = {"c0": OCCUPATIONS[:5], "c1": OCCUPATIONS[5:9], "c2": OCCUPATIONS[9:]}
    view = {"occupation": {"method": "ean", "categories": given}}
    one, other = (
        people(f"SELECT i AS id, i AS n, '{value}' AS occupation FROM range(300) AS r(i)", {}, view)
        for value in ("o0", "o4")
    )
    for (_, before), (_, after) in zip(pairs(one, "occupation"), pairs(other, "occupation"), strict=True):
        assert ["o4" if value == "o0" else value for value in before] == after


def test_ean_reads_a_file_with_a_category_on_each_line(tmp_path: Path) -> None:
    file = tmp_path / "categories.txt"
    file.write_text('o0, o1\n\n"o2",o3 \n' + ",".join(OCCUPATIONS[4:]) + "\n", encoding="utf-8")
    database = workers({"method": "ean", "file": str(file)}, rows=100)
    lines = {"1": ["o0", "o1"], "2": ["o2", "o3"], "3": OCCUPATIONS[4:]}
    assert verify(database.con, "published", "occupation", lines) == 0
    with pytest.raises(DataError, match="cannot read"):
        workers({"method": "ean", "file": str(tmp_path / "missing")})


def test_ean_refuses_values_without_a_category_and_hides_those_that_come_later() -> None:
    with pytest.raises(DataError, match=r"in no category: 'o1', 'o11'.*\.\.\."):
        workers({"method": "ean", "categories": {"a": ["o0"], "b": ["o4"]}})
    database = workers({"method": "ean", "categories": categories(3)}, rows=10)
    database.con.execute("INSERT INTO people BY NAME SELECT 99 AS id, 99 AS n, 'astronaut' AS occupation")
    assert database.con.execute("SELECT occupation FROM published WHERE n = 99").fetchall() == [(None,)]


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ({"method": "ean", "categories": {"a": ["o0"]}}, "at least two categories"),
        ({"method": "ean", "categories": {"a": ["o0"], "b": []}}, "'b' is empty"),
        ({"method": "ean", "categories": {"a": ["o0"], "b": ["o1", "o0"]}}, "'o0' is in 'a' and in 'b'"),
        ({"method": "ean", "categories": {"a": ["o0"], "b": ["o1"]}, "file": "f"}, "keep one of them"),
        ({"method": "ean", "categories": {"a": [None], "b": ["o1"]}}, "must be one value"),
        ({"method": "an", "l": 1}, "greater than or equal to 2"),
        ({"method": "swapping", "share": "120%"}, "up to 100%"),
        ({"method": "swapping", "share": "0%"}, "above 0%"),
        ({"method": "suppression", "replace": "other"}, "suppresses nothing"),
        ({"method": "microaggregation", "k": 1}, "greater than or equal to 2"),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(method: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        policy({"id": "identifier", "x": "quasi"}, {"x": method})


# AN


def test_an_lists_different_values_with_the_true_one_anywhere() -> None:
    found = pairs(workers({"method": "an", "l": 4}), "occupation")
    assert all(true in values and len(set(values)) == len(values) == 4 for true, values in found)
    assert uniform(Counter(values.index(true) for true, values in found), 4)


def test_an_chooses_every_set_of_others_equally_often() -> None:
    select = "SELECT i AS id, i AS n, ['a', 'b', 'c', 'd', 'e', 'f'][1 + i % 6] AS x FROM range(9000) AS r(i)"
    found = pairs(people(select, {}, {"x": {"method": "an", "l": 4}}), "x")
    for true in "abcdef":
        sets = Counter(frozenset(values) - {true} for own, values in found if own == true)
        assert uniform(sets, len(list(combinations(range(5), 3))))


def test_an_needs_a_domain_that_is_large_enough_and_complete() -> None:
    with pytest.raises(DataError, match="too few for lists of 15"):
        workers({"method": "an", "l": 15})
    with pytest.raises(DataError, match="in none of `values`"):
        workers({"method": "an", "l": 2, "values": OCCUPATIONS[:3]})
    with pytest.raises(DataError, match="cannot be a value"):
        people("SELECT 1 AS id, 1 AS n, 2 AS x", {}, {"x": {"method": "an", "l": 2, "values": ["one", 2]}})


# Swapping

STAFF = """
    SELECT i AS id, i AS n, i % 7 AS region, CASE WHEN i % 11 > 0 THEN 3 * ((i * 7919) % 3001) END AS pay
    FROM range(3001) AS r(i)
"""
PAY = {"pay": {"role": "confidential", "domain": [0, 9003]}}


def swapped(params: dict[str, Any], select: str = STAFF) -> Database:
    return people(select, PAY, {"pay": {"method": "swapping", **params}})


@pytest.mark.parametrize("params", [{"within": ["region"], "share": "40%"}, {"range": "5%", "within": ["region"]}])
def test_swapping_keeps_the_values_of_every_class(params: dict[str, Any]) -> None:
    con = swapped(params).con
    counts = "SELECT region, pay, count(*) FROM {} GROUP BY ALL ORDER BY ALL"
    assert con.execute(counts.format("people")).fetchall() == con.execute(counts.format("published")).fetchall()


def test_swapping_exchanges_with_everybody_unless_told_otherwise() -> None:
    found = pairs(swapped({}), "pay")
    assert all(before != after for before, after in found if before is not None)
    assert sum(before is None for before, _ in found) == sum(after is None for _, after in found) > 0


def test_swapping_is_an_exchange_between_two_or_at_the_end_a_round_of_three() -> None:
    taken = {before: after for before, after in pairs(swapped({"within": ["region"]}), "pay") if before is not None}
    round_of_three = [value for value in taken if taken[taken[value]] != value]
    assert len(round_of_three) <= 3 * 7
    assert all(taken[taken[taken[value]]] == value for value in round_of_three)


@pytest.mark.parametrize(("given", "apart"), [("5%", 0.05 * 2728), (40, 40), (0, 2)])
def test_rank_swapping_stays_within_the_range(given: str | float, apart: float) -> None:
    found = [pair for pair in pairs(swapped({"range": given}), "pay") if pair[0] is not None]
    rank = {value: n for n, value in enumerate(sorted(before for before, _ in found))}
    moves = [abs(rank[before] - rank[after]) for before, after in found]
    assert len(found) == 2728
    assert apart / 2 < max(moves) <= apart
    assert min(moves) > 0


@pytest.mark.parametrize("within", [[], ["region"], ["tiny"]])
def test_the_share_that_is_swapped_is_right_on_average_in_small_classes_too(within: list[str]) -> None:
    select = f"SELECT *, n // 5 AS tiny FROM ({STAFF})"
    found = pairs(swapped({"share": "30%", "within": within}, select), "pay")
    moved = sum(before != after for before, after in found if before is not None)
    assert moved / 2728 == pytest.approx(0.3, abs=0.03)


def test_a_refit_pairs_the_same_and_a_newcomer_waits_for_it() -> None:
    database = swapped({"range": "5%", "share": "50%"})
    before = pairs(database, "pay")
    protect(database)
    assert pairs(database, "pay") == before
    database.con.execute("INSERT INTO people VALUES (9999, 9999, 1, 3)")
    assert database.con.execute("SELECT pay FROM published WHERE n = 9999").fetchall() == [(None,)]


def test_swapping_works_with_rowid_as_the_key() -> None:
    select = "SELECT i AS n, i * i AS pay FROM range(100) AS r(i)"
    database = people(select, {"pay": "quasi"}, {"pay": {"method": "swapping"}}, key="rowid")
    found = pairs(database, "pay")
    assert sorted(before for before, _ in found) == sorted(after for _, after in found)
    assert all(before != after for before, after in found)


def test_swapping_says_what_it_cannot_do() -> None:
    with pytest.raises(DataError, match="did you mean 'region'"):
        swapped({"within": ["regoin"]})
    with pytest.raises(DataError, match="for numbers and dates"):
        workers({"method": "swapping", "range": "5%"})


# Microaggregation


def squares(values: Floats, groups: list[Any]) -> float:
    return float(sum(((values[group] - values[group].mean(axis=0)) ** 2).sum() for group in groups))


def slow_mdav(points: Floats, k: int) -> Iterator[list[int]]:
    """MDAV as the paper tells it, one record at a time."""
    left = list(range(len(points)))

    def take(centre: int) -> list[int]:
        near = sorted(left, key=lambda i: float(((points[i] - points[centre]) ** 2).sum()))[:k]
        left[:] = [i for i in left if i not in near]
        return sorted(near)

    while len(left) >= 2 * k:
        mean, again = points[left].mean(axis=0), len(left) >= 3 * k
        first = max(left, key=lambda i: float(((points[i] - mean) ** 2).sum()))
        yield take(first)
        if again:
            yield take(max(left, key=lambda i: float(((points[i] - points[first]) ** 2).sum())))
    yield left


def test_the_examples_of_the_module_run() -> None:
    assert doctest.testmod(microaggregation).failed == 0


def test_mdav_by_hand() -> None:
    # The mean is (4.43, 4.14). (10, 10) is farthest from it, (0, 0) farthest from that; three records are left.
    points = np.array([[0, 0], [1, 0], [10, 10], [9, 10], [4, 3], [4, 4], [3, 2]], np.float64)
    assert [group.tolist() for group in mdav(points, 2)] == [[2, 3], [0, 1], [4, 5, 6]]


@pytest.mark.parametrize(("rows", "k"), [(5, 5), (9, 5), (10, 5), (14, 5), (15, 5), (97, 3), (100, 2)])
def test_mdav_is_what_the_paper_tells(rows: int, k: int) -> None:
    points = np.random.default_rng(rows).normal(size=(rows, 3))
    assert [group.tolist() for group in mdav(points, k)] == list(slow_mdav(points, k))


@pytest.mark.parametrize(("rows", "block"), [(2, 100), (777, 100), (777, 1_000)])
def test_every_record_is_in_one_group_of_k_to_twice_k(rows: int, block: int) -> None:
    points = np.random.default_rng(1).normal(size=(rows, 2))
    groups = list(blocks(points, 2, block))
    assert sorted(np.concatenate(groups)) == list(range(rows))
    assert {len(group) for group in groups} <= {2, 3}


def partitions(size: int, k: int) -> Iterator[list[range]]:
    """Yield every way to cut a row of records into runs of k to 2k - 1."""
    if size == 0:
        yield []
    for last in range(k, min(2 * k, size + 1)):
        yield from ([*rest, range(size - last, size)] for rest in partitions(size - last, k))


@pytest.mark.parametrize(("rows", "k"), [(3, 3), (5, 3), (11, 2), (14, 3), (13, 4)])
def test_one_column_has_the_best_groups_of_all(rows: int, k: int) -> None:
    values = np.random.default_rng(rows * k).exponential(size=rows)
    found = list(one_column(values, k))
    ordered = np.sort(values)
    best = min(squares(ordered, [list(run) for run in cut]) for cut in partitions(rows, k))
    assert squares(values, found) == pytest.approx(best)
    assert sorted(np.concatenate(found)) == list(range(rows))


MEASURED = """
    SELECT i AS id, i AS n, CASE WHEN i % 10 > 0 THEN sqrt(i * 7919 % 1009) END AS x,
        CASE WHEN i % 7 > 0 THEN ln(1 + i * 104729 % 2003) END AS y, i % 100 AS "whole"
    FROM range(1000) AS r(i)
"""
FOURS = {"method": "microaggregation", "k": 4}
XY = {"x": {"role": "confidential", "domain": [0, 40]}, "y": {"role": "confidential", "domain": [0, 40]}}


def test_every_published_combination_belongs_to_k_records_and_no_raw_value_is_left() -> None:
    database = people(MEASURED, XY, {"x": FOURS, "y": FOURS})
    sizes = database.con.execute("SELECT count(*) FROM published GROUP BY x, y HAVING x + y IS NOT NULL").fetchall()
    assert {size for (size,) in sizes} <= {4, 5, 6, 7}
    for column in "xy":
        found = pairs(database, column)
        assert all((before is None) == (after is None) for before, after in found)
        kept = [(before, after) for before, after in found if before is not None]
        assert not {before for before, _ in kept} & {after for _, after in kept}
        assert sum(a for a, _ in kept) == pytest.approx(sum(b for _, b in kept))


def test_records_with_too_few_like_them_are_suppressed() -> None:
    select = "SELECT i AS id, i AS n, i AS x, CASE WHEN i > 2 THEN i END AS y FROM range(20) AS r(i)"
    database = people(select, XY, {"x": FOURS, "y": FOURS})
    database.con.execute("INSERT INTO people VALUES (99, 99, 9, 9)")  # after the fit
    hidden = database.con.execute("SELECT n, y FROM published WHERE x IS NULL ORDER BY n").fetchall()
    assert hidden == [(0, None), (1, None), (2, None), (99, None)]
    assert "3 records without a group become NULL" in protect(database, dry_run=True)[0].plan.words()["x"]


def test_means_of_whole_numbers_are_whole() -> None:
    database = people(MEASURED, XY, {"whole": {"method": "microaggregation", "k": 15}})
    found = pairs(database, "whole")
    assert all(isinstance(after, int) and abs(before - after) <= 1 for before, after in found)
    assert min(Counter(after for _, after in found).values()) >= 15


# Suppression


def test_suppression_at_random_has_its_share() -> None:
    found = pairs(workers({"method": "suppression", "share": "5%"}), "occupation")
    gone = sum(after is None for _, after in found)
    assert abs(gone - 300) < 4 * (6_000 * 0.05 * 0.95) ** 0.5
    assert all(after in {before, None} for before, after in found)


def test_listed_values_are_replaced() -> None:
    view = {"method": "suppression", "values": ["o0", "o9"], "replace": "other"}
    found = pairs(workers(view, rows=300), "occupation")
    assert all(after == ("other" if before in {"o0", "o9"} else before) for before, after in found)


def test_rare_values_are_suppressed_also_those_that_come_later() -> None:
    home = "CASE WHEN i < 4 THEN 'yurt' WHEN i < 9 THEN 'boat' ELSE 'flat' END"
    select = f"SELECT i AS id, i AS n, {home} AS home FROM range(50) AS r(i)"
    database = people(select, {}, {"home": {"method": "suppression", "rare": 5}})
    database.con.execute("INSERT INTO people SELECT 100 + i, 100 + i, 'castle' FROM range(9) AS r(i)")
    homes = database.con.execute("SELECT home, count(*) FROM published GROUP BY ALL ORDER BY ALL").fetchall()
    assert homes == [("boat", 5), ("flat", 41), (None, 13)]


def test_a_replacement_must_be_of_the_columns_type() -> None:
    with pytest.raises(DataError, match="'none' cannot be a value of 'x', which is INTEGER"):
        people("SELECT 1 AS id, 1 AS n, 2 AS x", {}, {"x": {"method": "suppression", "rare": 2, "replace": "none"}})
