"""`known`: what an owner declares public of a confidential column."""

import duckdb
import pytest

from sdcdb.datasets import create
from sdcdb.errors import PolicyError
from sdcdb.fields.amount import parse_floor
from sdcdb.fields.histogram import Bin, Histogram, histogram
from sdcdb.policy.draft import draft_policy
from sdcdb.policy.load import parse_document
from sdcdb.policy.models import Column
from sdcdb.policy.public_shares import FEWEST
from sdcdb.views.check import check

POLICY = """\
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      gain:
        role: confidential
        domain: [0, 100000]
        step: 1
        known:
          0: 92%
          1-5000: 5%
          5000 to 99999: 3%
"""


@pytest.fixture
def people() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE people AS SELECT i AS id, CASE WHEN i % 100 < 92 THEN 0 WHEN i % 100 < 97 THEN i % 4999 + 1 "
        "ELSE i * 7919 % 94999 + 5000 END AS gain FROM range(20000) t(i)"
    )
    return con


def column(text: str = POLICY) -> Column:
    return parse_document(text).policy.tables["people"].columns["gain"]


def test_points_and_ranges_are_read_in_the_order_of_values() -> None:
    found = column().histogram
    assert found == Histogram((Bin(0, 0, 0.92), Bin(1, 5000, 0.05), Bin(5000, 99999, 0.03)))
    assert str(found) == "0: 92%, 1 to 5,000: 5%, 5,000 to 99,999: 3%"


def test_negative_values_and_fractions() -> None:
    found = histogram({"-5--1": "25%", "0.5": "50%", "-1 to 1e3": "25%"})
    assert [(each.low, each.high) for each in found.bins] == [(-5, -1), (-1, 1000), (0.5, 0.5)]


def test_a_mistake_is_told_at_its_own_line() -> None:
    with pytest.raises(PolicyError) as problem:
        parse_document(POLICY.replace("5000 to 99999", "5000 to 999999"), "p.yaml")
    assert "p.yaml:14:" in str(problem.value)


def test_check_agrees_with_what_is_so_and_says_what_is_far_off(people: duckdb.DuckDBPyConnection) -> None:
    assert check(people, parse_document(POLICY)) == []
    assert check(people, parse_document(POLICY.replace("92%", "91%").replace("5%", "6%"))) == []
    wrong = POLICY.replace("92%", "60%").replace("5%", "37%")
    found = {problem.field.rsplit(".", 1)[-1]: problem for problem in check(people, parse_document(wrong))}
    assert set(found) == {"0", "1-5000", "known"}
    assert "92% of the people are there, 60% are declared" in found["0"].message
    assert (found["0"].line, found["0"].severity) == (12, "warning")
    assert "the mean would be" in found["known"].message


def test_check_finds_a_rare_range_that_is_wrong_by_a_factor(people: duckdb.DuckDBPyConnection) -> None:
    rare = POLICY.replace("1-5000: 5%", "1-5000: 7.6%").replace("99999: 3%", "99999: 0.4%")
    assert any("0.4% are declared" in problem.message for problem in check(people, parse_document(rare)))


def test_check_finds_values_in_no_range(people: duckdb.DuckDBPyConnection) -> None:
    gap = POLICY.replace("5000 to 99999", "50000 to 99999")
    assert any("lie in none of the ranges" in problem.message for problem in check(people, parse_document(gap)))


@pytest.mark.parametrize("rows", [500, 5000])
def test_init_proposes_shares_that_fit_and_hold_many_people(rows: int) -> None:
    con = duckdb.connect()
    create(con, "staff", rows=rows, seed=3)
    text = draft_policy(con, "staff.duckdb")
    assert parse_document(text).policy.tables["staff"].columns["salary"].known is None, "publishing is for the owner"
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if "known:" in line)
    accepted = [*lines[: at - 2], lines[at].replace("# ", "", 1), *lines[at + 1 :]]
    policy = parse_document("\n".join(accepted))
    shares = policy.policy.tables["staff"].columns["salary"].histogram
    assert shares is not None
    assert len(shares.bins) >= 4
    for each in shares.bins:
        (number,) = con.execute(
            "SELECT count(*) FROM staff WHERE salary BETWEEN ? AND ?", [each.low, each.high]
        ).fetchone() or (0,)
        assert number >= FEWEST
    assert [problem for problem in check(con, policy) if "known" in problem.field] == []


def test_nothing_is_proposed_for_few_people() -> None:
    con = duckdb.connect()
    create(con, "staff", rows=300)
    assert "known" not in draft_policy(con, "staff.duckdb")


def test_a_floor_may_be_a_share_of_the_spread() -> None:
    floor = parse_floor("10% of spread")
    assert str(floor) == "10% of spread"
    assert floor.of(100_000, 20_000) == 2_000
    assert parse_floor("10%").of(100_000, 20_000) == 10_000
