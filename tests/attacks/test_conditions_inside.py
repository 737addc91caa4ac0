"""A condition inside an aggregate: whatever narrows the records that a number is about is a query set like WHERE's.

The victim is the only person of 70, in a department of her own. Asked with WHERE, a set with nobody but her in it is
too small. Each of these spells the same set in another way.
"""

import pytest
from support.stages import Stage, Stages

from sdcdb.errors import Denied

HER = "age = 70"
COUNTS = [  # each is 1 in plain DuckDB
    f"COUNT(CASE WHEN {HER} THEN 1 END)",
    f"COUNT(CASE WHEN NOT ({HER}) THEN NULL ELSE 1 END)",
    "COUNT(CASE age WHEN 70 THEN 1 END)",
    f"COUNT(IF({HER}, 1, NULL))",
    "COUNT(NULLIF(age = 70, false))",
    "COUNT(nullif(age // 70, 0))",
    "COUNT(TRY_CAST(CASE WHEN age = 70 THEN '1' ELSE 'x' END AS INTEGER))",
    "COUNT(*) - COUNT(NULLIF(age, 70))",
    "COUNT(*) - COUNT(CASE WHEN age < 70 THEN dept END)",
    f"COUNT_IF({HER})",
    f"COUNT(*) FILTER (WHERE {HER})",
    f"SUM(({HER})::INT)",
    f"SUM(CAST({HER} AS DOUBLE))",
    f"SUM(CASE WHEN {HER} THEN 1 ELSE 0 END)",
    f"SUM(IF({HER}, 1, 0))",
    "SUM(COALESCE(NULLIF(age < 70, true)::INT + 1, 0))",
    "SUM(age // 70)",
    "SUM(greatest(age, 69) - 69)",
    "-SUM(least(69 - age, 0))",
    "SUM(sign(greatest(age - 69, 0)))",
    f"AVG(({HER})::INT) * COUNT(*)",
    f"AVG(CASE WHEN {HER} THEN 1.0 ELSE 0 END) * COUNT(*)",
    f"SUM(length(CASE WHEN {HER} THEN 'x' ELSE '' END))",
    f"COUNT(DISTINCT {HER}) - 1",
    f"COUNT(DISTINCT CASE WHEN {HER} THEN 1 END)",
    f"SUM(DISTINCT ({HER})::INT)",
    f"MAX(({HER})::INT)",
    "1 - MIN((age < 70)::INT)",
    "SUM(CASE WHEN dept = 'Works' THEN 1 WHEN dept = 'Sales' THEN 100000 ELSE 0 END) % 100000",
    "SUM(CASE WHEN age = 70 THEN 100000 ELSE age END) // 100000",
]
ATTRIBUTES = [  # what kind of person she is
    (f"MIN(CASE WHEN {HER} THEN dept END)", "Works"),
    (f"MAX(IF({HER}, education, NULL))", "Doctorate"),
    (f"MIN(dept) FILTER (WHERE {HER})", "Works"),
    ("MAX(dept)", "Works"),
    ("MAX(age)", 70),
    ("MAX(age || sex)", "70F"),
    ("-MIN(-age)", 70),
    ("MAX(age * 2) // 2", 70),
    ("MAX(substring(dept, 1, 5))", "Works"),
    (f"MAX(CASE WHEN {HER} THEN sex ELSE '' END)", "F"),
    (f"COUNT(DISTINCT CASE WHEN {HER} THEN age END) * 70", 70),
    (f"SUM(CASE WHEN {HER} THEN length(dept) ELSE 0 END) + 65", 70),
]


def shows(set_up: Stage, expression: str, value: object, tail: str = "") -> bool:
    sql = f"SELECT {expression} FROM staff{tail}"
    try:
        return any(row[0] == value for row in set_up.gateway.ask(sql).rows)
    except Denied:
        return False


@pytest.mark.parametrize("tail", ["", " WHERE age > 40", " WHERE sex = 'F'"])
def test_no_spelling_counts_one_person(stage: Stages, tail: str) -> None:
    set_up = stage(120)
    for expression in COUNTS:
        rows = set_up.plain(f"SELECT {expression} FROM staff{tail}")
        assert rows
        assert rows[0][0] == 1, expression
        assert not shows(set_up, expression, 1, tail), expression


def test_no_spelling_tells_an_attribute_of_one_person(stage: Stages) -> None:
    set_up = stage(120)
    for expression, value in ATTRIBUTES:
        assert set_up.plain(f"SELECT {expression} FROM staff") == [(value,)]
        assert not shows(set_up, expression, value), expression


def test_a_sum_over_few_values_counts_those_who_have_each(stage: Stages) -> None:
    """30 n30 + 70 n70 and n30 + n70 give n70, without a condition in the aggregate."""
    set_up = stage(120, also="UPDATE staff SET age = 30 WHERE age BETWEEN 28 AND 40")
    for expression in ("SUM(age)", "AVG(age)", "SUM(age * 2 + 1)", "COUNT(DISTINCT age)"):
        sql = f"SELECT COUNT(*), {expression} FROM staff WHERE age IN (30, 70)"
        with pytest.raises(Denied) as refusal:
            set_up.gateway.ask(sql)
        assert refusal.value.rule == "size", sql


def test_a_value_far_from_the_others_shows_in_a_sum_of_many(stage: Stages) -> None:
    """Thirteen people of 30 to 33, and the sum is above 13 times 33: somebody is 70."""
    set_up = stage(120)
    for expression in ("SUM(age)", "AVG(age)", "SUM(age * 2 + 1)"):
        with pytest.raises(Denied) as refusal:
            set_up.gateway.ask(f"SELECT {expression} FROM staff WHERE age IN (30, 31, 32, 33, 70)")
        assert refusal.value.rule == "size"


def test_whom_a_filter_leaves_out_is_a_set_as_well_where_all_are_counted(stage: Stages) -> None:
    set_up = stage(120)
    sql = "SELECT COUNT(*), COUNT(*) FILTER (WHERE age < 70) FROM staff WHERE sex = 'F'"
    rows = set_up.plain(sql)
    assert rows
    assert rows[0][0] - rows[0][1] == 1
    with pytest.raises(Denied):
        set_up.gateway.ask(sql)


ORDINARY = [
    "SELECT SUM(CASE WHEN sex = 'F' THEN 1 ELSE 0 END), COUNT(CASE WHEN age > 40 THEN 1 END) FROM staff",
    "SELECT AVG((sex = 'F')::INT), COUNT_IF(age > 40), SUM((age > 40)::INT) FROM staff",
    "SELECT SUM(age), AVG(age), SUM(age) FILTER (WHERE sex = 'F') FROM staff",
    "SELECT sex, MIN(CASE WHEN age > 40 THEN 'older' ELSE 'younger' END) FROM staff GROUP BY sex ORDER BY sex",
]


@pytest.mark.parametrize("sql", ORDINARY)
def test_conditions_that_hold_for_many_are_answered(stage: Stages, sql: str) -> None:
    set_up = stage(120)
    rows = set_up.plain(sql)
    assert rows
    for ours, theirs in zip(set_up.gateway.ask(sql).rows, rows, strict=True):
        assert ours == pytest.approx(theirs)


NOBODY = "age = 199"
NONE_OF_THEM = [  # each is 0 in plain DuckDB: whether anybody is 199 is asked of a set of nobody
    f"COUNT_IF({NOBODY})",
    f"COUNT(*) FILTER (WHERE {NOBODY})",
    f"COUNT(CASE WHEN {NOBODY} THEN 1 END)",
    f"SUM(CASE WHEN {NOBODY} THEN 1 ELSE 0 END)",
    f"SUM(CASE WHEN NOT ({NOBODY}) THEN 0 ELSE 1 END)",
    f"SUM(IF({NOBODY}, 1, 0))",
    f"SUM(({NOBODY})::INT)",
    f"SUM({NOBODY})",
    f"AVG(({NOBODY})::INT)",
    f"AVG(CASE WHEN {NOBODY} THEN 1.0 ELSE 0 END)",
    f"MAX(({NOBODY})::INT)",
    f"MAX(CASE WHEN {NOBODY} THEN 1 ELSE 0 END)",
    "SUM(age // 199)",
]


@pytest.mark.parametrize("what", NONE_OF_THEM)
def test_a_set_of_nobody_is_denied_in_every_spelling(stage: Stages, what: str) -> None:
    set_up = stage(120)
    assert set_up.plain(f"SELECT {what} FROM staff") == [(0,)]
    with pytest.raises(Denied) as refusal:
        set_up.gateway.ask(f"SELECT {what} FROM staff")
    assert refusal.value.rule == "size"


def test_an_extreme_age_is_told_where_enough_people_share_it(stage: Stages) -> None:
    """One person is 70: no way to ask for the oldest names them, and coarser or capped ages are answered."""
    set_up = stage(240)
    plain, ask = set_up.plain, set_up.through()
    shared: dict[int, int] = dict(plain("SELECT age, COUNT(*) FROM staff GROUP BY age") or ())
    assert shared[70] == 1
    for what in (
        "MAX(age)",
        "-MIN(-age)",
        "MAX(age // 10 * 10)",
        "MAX(GREATEST(age, 65))",
        "MAX(age) FILTER (age > 60)",
    ):
        assert ask(f"SELECT {what} FROM staff") is None, what
    capped = "SELECT MAX(LEAST(age, 60)) FROM staff"
    assert ask(capped) == plain(capped)
    for low in range(25, 60, 5):
        sql = f"SELECT MAX(age) FROM staff WHERE age BETWEEN {low} AND {low + 4}"
        rows = plain(sql)
        assert rows
        assert (ask(sql) is None) == (shared[rows[0][0]] < 5), sql
