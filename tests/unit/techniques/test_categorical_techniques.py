"""PRAM and Warner in SQL: the same draws as in Python, the right frequencies, and estimates without bias."""

import hashlib
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy.stats import chisquare
from support import protecting
from support.protecting import fixed_secret

from sdcdb.engines.expressions import Bits
from sdcdb.errors import DataError
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.views.protect import Protected
from sdcdb.views.secret import Secret

SECRET = "a secret for these tests, long enough"  # noqa: S105
ROWS = 60_000


_secret = fixed_secret(SECRET)


def protected(columns: dict[str, Any], select: str) -> tuple[duckdb.DuckDBPyConnection, Protected]:
    roles = {"id": "identifier", **dict.fromkeys(columns, "quasi")}
    database, made = protecting.protected(select, roles, {"columns": columns}, table="t", name="v")
    return database.con, made


def cut(bits: Bits, key: int) -> int:
    """Compute a draw as the manual says, without any of our code: bit 0 is the last one of the first half."""
    subkey = Secret(SECRET.encode()).subkey("t")
    digest = hashlib.sha256(f"{subkey}:bits {bits.first // 256}:{key}".encode()).hexdigest()
    half = digest[:32] if bits.first % 256 < 128 else digest[32:]
    return int(half, 16) >> (bits.first % 128) & ((1 << bits.width) - 1)


WORDS = "SELECT i AS id, ['red', 'green', 'blue', 'grey'][1 + i % 4] AS word FROM range(1, 60001) t(i)"
FOUR = {"word": {"method": "warner", "p": 0.55}}


def test_sql_draws_what_python_draws() -> None:
    con, made = protected(FOUR, WORDS)
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedTransition)
    values = fitted.shape.values
    before = [values.index(word) for (word,) in con.execute("SELECT word FROM t ORDER BY id").fetchall()]
    bits = made.plan.lanes[f"{fitted.scope}:word"]
    assert isinstance(bits, Bits)
    assert bits.width == fitted.bits == 16
    draws = [cut(bits, key) for key in range(1, 2001)]
    expected = [values[i] for i in fitted.transition().sample(before[:2000], draws, 16)]
    assert [word for (word,) in con.execute("SELECT word FROM v LIMIT 2000").fetchall()] == expected


def test_frequencies_are_those_of_the_matrix() -> None:
    con, made = protected(FOUR, WORDS)
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedTransition)
    con.execute("CREATE TABLE seen AS SELECT row_number() OVER () AS id, word FROM v")
    for i, word in enumerate(fitted.shape.values):
        sql = "SELECT s.word, count(*) FROM t JOIN seen s USING (id) WHERE t.word = ? GROUP BY ALL ORDER BY 1"
        counts = np.array([n for _, n in con.execute(sql, [word]).fetchall()])
        assert chisquare(counts, counts.sum() * np.array(fitted.matrix[i])).pvalue > 1e-4  # one in 10,000, 4 tests


def test_the_original_shares_are_estimated_without_bias() -> None:
    con, made = protected(
        {"flag": {"method": "warner", "p": 0.7}}, "SELECT i AS id, i % 10 < 3 AS flag FROM range(1, 60001) t(i)"
    )
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedTransition)
    observed = dict(con.execute("SELECT flag::VARCHAR, count(*) FROM v GROUP BY ALL").fetchall())
    estimate = fitted.transition().estimate([observed[value] for value in fitted.shape.values])
    # Warner's variance: n p (1 - p) / (2p - 1)^2; five standard deviations
    assert estimate[fitted.shape.values.index("true")] == pytest.approx(18_000, abs=5 * (ROWS * 0.21) ** 0.5 / 0.4)


def test_a_value_that_fitting_has_not_seen_becomes_null() -> None:
    con, _ = protected(FOUR, WORDS)
    con.execute("INSERT INTO t VALUES (99999, 'new')")
    assert con.execute("SELECT count(*) FROM v WHERE word IS NULL").fetchall() == [(1,)]


def test_pram_refuses_values_without_a_row_unless_told() -> None:
    matrix = {"red": {"red": 1.0}}
    with pytest.raises(DataError, match="no row for 'blue'"):
        protected({"word": {"method": "pram", "matrix": matrix}}, WORDS)


def test_pram_refuses_rows_that_do_not_sum_to_one() -> None:
    matrix = {word: {word: 0.9} for word in ("red", "green", "blue", "grey")}
    with pytest.raises(DataError, match=r"sums to 0\.9"):
        protected({"word": {"method": "pram", "matrix": matrix}}, WORDS)


def test_pram_may_introduce_a_new_value() -> None:
    matrix = {"red": {"violet": 1.0}}
    con, _ = protected({"word": {"method": "pram", "matrix": matrix, "others": "keep"}}, WORDS)
    counts = dict(con.execute("SELECT word, count(*) FROM v GROUP BY ALL").fetchall())
    assert counts == {"violet": 15_000, "green": 15_000, "blue": 15_000, "grey": 15_000}


def test_two_columns_change_independently() -> None:
    con, _ = protected(
        {name: {"method": "warner", "p": 0.5} for name in ("a", "b")},
        "SELECT i AS id, 'x' || i % 2 AS a, 'x' || i % 2 AS b FROM range(1, 60001) t(i)",
    )
    kept = con.execute("""
        SELECT avg((v.a = t.a)::INT), avg((v.b = t.b)::INT), corr((v.a = t.a)::INT, (v.b = t.b)::INT)
        FROM (SELECT row_number() OVER () AS id, a, b FROM v) v JOIN t USING (id)
    """).fetchall()[0]
    assert kept[:2] == pytest.approx((0.5, 0.5), abs=5 * 0.5 / ROWS**0.5)
    assert abs(kept[2]) < 5 / ROWS**0.5


def test_the_matrix_of_few_values_is_the_one_that_the_view_applies() -> None:
    _, made = protected(FOUR, WORDS)
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedTransition)
    shares = np.array(fitted.matrix) * 2**16
    assert (shares == shares.round()).all()
    assert np.abs(fitted.matrix - np.where(np.eye(4), 0.55, 0.15)).max() < 2**-16
    tables = fitted.transition().alias(16)
    drawn = fitted.transition().sample(np.zeros(2**16, np.int64), np.arange(2**16), 16)
    assert tables.bits == 16
    assert np.bincount(drawn).tolist() == shares[0].tolist()


def test_a_column_of_many_values_has_a_draw_of_32_bits() -> None:
    _, made = protected(
        {"word": {"method": "warner", "p": 0.5}}, "SELECT i AS id, 'w' || i % 65 AS word FROM range(650) t(i)"
    )
    (fitted,) = made.plan.fitted
    assert isinstance(fitted, FittedTransition)
    assert fitted.bits == 32
