"""Keys of several columns: from the policy to views and answers, with odd names, NULLs and repetitions."""

from itertools import product
from typing import Any

import duckdb
import pytest
from support.protecting import ENVIRONMENT, fixed_secret

from sdcdb.connection.identifiers import quoted
from sdcdb.connection.profile import column_types
from sdcdb.connection.record_key import key_expression, key_sql
from sdcdb.database import Database
from sdcdb.errors import DatabaseError, PolicyError, SdcdbError
from sdcdb.policy.load import parse_document
from sdcdb.views.check import check
from sdcdb.views.protect import protect

_secret = fixed_secret("0123456789abcdef0123456789")
PARTS = ('the "who"', "day")
RECORDS = (
    'SELECT chr((97 + i % 26)::INTEGER) || (i // 26) % 5 AS "the ""who""", DATE \'2020-01-01\' + (i // 130)::INTEGER '
    "AS day, ['f', 'm'][1 + i % 2] AS sex, (i * 7919) % 1999 AS pay FROM range(780) r(i)"
)


def policy_text(key: str, *, more: str = "") -> str:
    return f"""
version: 1
tables:
  t:
    key: {key}
    columns:
      'the "who"': identifier
      day: identifier
      sex: quasi
      pay: {{role: confidential, domain: [0, 2000], step: 1}}
      {more}
    restrict: {{}}
    protect:
      swapped: {{secret: "env:{ENVIRONMENT}", columns: {{pay: {{method: swapping, range: 20%}}}}}}
      noisy:
        secret: "env:{ENVIRONMENT}"
        rows: {{method: kanonymity, k: 5}}
        columns: {{pay: {{method: normal, sd: 10%}}}}
"""


def opened(text: str, select: str = RECORDS) -> Database:
    database = Database(None, duckdb.connect(), parse_document(text).policy)
    database.con.execute(f"CREATE TABLE t AS {select}")
    return database


def test_no_two_combinations_have_one_key_and_null_has_none() -> None:
    texts = [*("".join(t) for n in range(4) for t in product("1:", repeat=n)), None]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE p AS SELECT unnest(?::VARCHAR[]) AS v", [texts])
        whole = key_sql(("a", "b"), "x")
        ((pairs, different, none),) = con.execute(
            f"SELECT count(*), count(DISTINCT {whole}), count(*) FILTER ({whole} IS NULL) "
            "FROM (SELECT p.v AS a, q.v AS b FROM p, p AS q) AS x"
        ).fetchall()
    assert (pairs, different, none) == (16**2, 15**2, 31)
    assert quoted(key_expression(PARTS, "x")) == key_sql(PARTS, "x")


def test_views_publish_what_they_would_with_the_same_key_in_one_column() -> None:
    two = opened(policy_text("['the \"who\"', day]"))
    one = opened(policy_text("k", more="k: identifier"), f"SELECT *, {key_sql(PARTS)} AS k FROM ({RECORDS})")
    for database in (one, two):
        assert len(protect(database)) == 2
    for view in ("swapped", "noisy"):
        rows: list[Any] = [each.con.execute(f"FROM {view} ORDER BY ALL").fetchall() for each in (one, two)]
        assert rows[0] == rows[1]
        assert len(rows[0]) == 780
    changed = two.con.execute("SELECT pay FROM swapped EXCEPT ALL SELECT pay FROM t").fetchall()
    assert not changed, "swapping keeps every count"
    two.con.execute("INSERT INTO t VALUES (NULL, DATE '2024-01-01', 'f', 77)")
    with pytest.raises(duckdb.Error, match="a record has no key"):
        two.con.execute("SELECT pay FROM noisy").fetchall()


@pytest.mark.parametrize(
    ("added", "says"),
    [
        ("'a0', DATE '2020-01-01', 'f', 5", "are not unique together: 1 record with the key of another"),
        ("'zz', NULL, 'f', 5", "'day' is NULL in 1 of 781 records: every record needs a whole key"),
    ],
)
def test_parts_that_are_missing_and_combinations_that_repeat_are_refused(added: str, says: str) -> None:
    text = policy_text("['the \"who\"', day]")
    database = opened(text)
    assert not [each for each in check(database.con, parse_document(text)) if each.severity == "error"]
    database.con.execute(f"INSERT INTO t VALUES ({added})")
    assert any(says in each.message for each in check(database.con, parse_document(text)))
    with pytest.raises(SdcdbError):
        protect(database)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("[sex, day, pay]", "is confidential and in the key"),
        ("[sex, sex]", "names 'sex' twice"),
        ("[sex]", "is the key, so its role must be identifier"),
        (
            "[day, sexx]",
            "'sexx' is not a column of this table; allowed: the \"who\", day, sex, pay; did you mean 'sex'",
        ),
        ("[]", "must be the name of a column, or a list of names"),
        ("[1, 2]", "must be the name of a column, or a list of names"),
    ],
)
def test_keys_that_make_no_sense_are_refused(key: str, says: str) -> None:
    with pytest.raises(PolicyError, match=says):
        parse_document(policy_text(key))


def test_one_part_of_a_key_is_an_identifier_at_least() -> None:
    text = policy_text("[sex, day]").replace("day: identifier", "day: quasi")
    with pytest.raises(PolicyError, match="at least one of its columns must be identifier"):
        parse_document(text)


def test_questions_are_answered_by_people_where_the_key_has_two_columns() -> None:
    database = opened(policy_text("['the \"who\"', day]"))
    with database.gateway() as gateway:
        answer = gateway.ask("SELECT sex, count(*), sum(pay) FROM t GROUP BY sex ORDER BY sex")
        right = database.con.execute("SELECT sex, count(*), sum(pay) FROM t GROUP BY sex ORDER BY sex").fetchall()
        assert [tuple(row) for row in answer.rows] == right


def test_a_table_of_another_database_is_refused_with_what_to_do() -> None:
    with duckdb.connect() as con, pytest.raises(DatabaseError, match="run sdcdb on that file, or copy the table here"):
        column_types(con, "other.main.x")
