"""What nobody expected is a denial; the owner's log says where, and repeats no value."""

import logging
from typing import Any

import pytest
from support.stages import Stages

from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.lobby.lobby import Lobby


def fails(*_: Any, **__: Any) -> Any:
    raise KeyError("771000000 is a secret")


def test_a_bug_of_ours_is_denied_and_logged_without_data(
    stage: Stages, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    gateway = stage(100).gateway
    monkeypatch.setattr(Lobby, "run", fails)
    with caplog.at_level(logging.ERROR), pytest.raises(Denied) as refusal:
        gateway.ask("SELECT COUNT(*) FROM staff")
    assert refusal.value.rule == "error"
    assert "KeyError" in caplog.text
    assert "test_unexpected.py" in caplog.text
    assert "secret" not in caplog.text + str(refusal.value)


DEEP = 3_000
STRANGE: list[Any] = [
    *(None, 5, b"SELECT 1", [], "\ud800", "SELECT '\ud800'", "SELECT \0", "\ufeff", "SELECT '\0'", "$", "'", '"', "/*"),
    "SELECT " + "(" * DEEP + "1" + ")" * DEEP,
    "SELECT COUNT(*) FROM staff WHERE " + "NOT " * DEEP + "age > 3",
    "SELECT COUNT(*) FROM staff WHERE " + " AND ".join(["age > 3"] * DEEP),
    "SELECT COUNT(*) FROM staff WHERE age IN (" + "1, " * DEEP + "1)",
    "SELECT COUNT(*) FROM staff WHERE age > " + " + ".join(["1"] * DEEP),
    "SELECT COUNT(*) FROM " + "(SELECT * FROM " * 300 + "staff" + ")" * 300,
    "SELECT " + "abs(" * 900 + "1" + ")" * 900,
    "SELECT COUNT(*) FROM staff WHERE age > " + "abs(" * 150 + "age" + ")" * 150,
    " UNION ALL ".join(["SELECT COUNT(*) FROM staff"] * 200),
    "SELECT '290309-12-22 (BC)'::DATE, 'infinity'::DATE, '-infinity'::TIMESTAMP",
    "SELECT '290309-12-22 (BC)'::TIMESTAMP, interval '99999999 days', interval '-178956970 years'",
    "SELECT COUNT(*) FROM staff WHERE DATE '290309-12-22 (BC)' < DATE 'infinity'",
    "SELECT DATE '290309-12-22 (BC)' AS d, COUNT(*) FROM staff GROUP BY d",
    "SELECT timestamptz '2020-01-01', now(), '12:00+05'::TIMETZ, uuid(), '101'::BIT, 'nan'::DOUBLE",
    "SELECT COUNT(*) FROM staff WHERE age > 1e400 OR age < -1e-400",
    "SELECT COUNT(*) FROM staff WHERE age < " + "9" * 400,
    "SELECT SUM(salary * " + "9" * 60 + ") FROM staff",
    "SELECT MAX(age::TINYINT * 100::TINYINT) FROM staff",
    "SELECT dept.staff.age.x.y FROM staff",
]


def hint_of(gateway: Gateway, sql: Any) -> str:
    try:
        gateway.ask(sql, user="\ud800")
    except Denied as refusal:
        return refusal.hint
    return "answered"


def test_nothing_but_an_answer_or_a_denial_comes_out(stage: Stages) -> None:
    gateway = stage(60).gateway
    for sql in STRANGE:
        assert hint_of(gateway, sql), sql
        assert gateway.explain(sql).kind in {"allow", "deny", "unsupported", "suppress"}
    assert gateway.ask("SELECT COUNT(*) FROM staff").rows == ((60,),)


DATES = (
    "ALTER TABLE staff ALTER COLUMN age TYPE DATE USING "
    "CASE WHEN age > 40 THEN DATE '290309-12-22 (BC)' ELSE DATE 'infinity' END"
)


def test_a_table_may_hold_any_date(stage: Stages) -> None:
    set_up = stage(60, also=DATES)
    assert set_up.gateway.ask("SELECT COUNT(*) FROM staff WHERE age IS NOT NULL").rows == ((60,),)
    for sql in ("SELECT age, COUNT(*) FROM staff GROUP BY age ORDER BY age", "SELECT MIN(age), MAX(age) FROM staff"):
        assert list(set_up.gateway.ask(sql).rows) == set_up.plain(sql)
    assert hint_of(set_up.gateway, "SELECT year(age), COUNT(*) FROM staff GROUP BY 1")
