"""A text or a number in the place of a condition: DuckDB casts it, and a cast can fail for one person only."""

import pytest
from support.stages import Stages

from sdcdb.errors import Unsupported

FORMS = [
    "SELECT COUNT(*) FROM staff WHERE {}",
    "SELECT COUNT(*) FROM staff WHERE sex = 'F' AND {}",
    "SELECT COUNT(*) FROM staff WHERE sex = 'F' OR NOT ({})",
    "SELECT COUNT(*) FILTER (WHERE {}) FROM staff",
    "SELECT SUM(CASE WHEN {} THEN salary END) FROM staff",
    "SELECT SUM(CASE WHEN {} THEN 1 ELSE 0 END) FROM staff",
    "SELECT SUM(IF({}, 1, 0)) FROM staff",
    "SELECT COUNT_IF({}) FROM staff",
    "SELECT CASE WHEN {} THEN 1 END, COUNT(*) FROM staff GROUP BY 1",
    "SELECT COUNT(*) FROM staff JOIN dept_dim d ON d.dept = staff.dept AND {}",
]
NO_CONDITIONS = [
    *("staff.dept", "age", "'true'", "1", "0.5", "NULL", "'t' || 'rue'", "age - 30", "lower(sex)", "'1'"),
    *("coalesce(sex, 'true')", "CASE WHEN age > 30 THEN 'true' ELSE 'false' END", "if(age > 30, 1, 0)"),
]


@pytest.mark.parametrize("given", NO_CONDITIONS)
def test_what_is_not_true_or_false_is_no_condition(stage: Stages, given: str) -> None:
    gateway = stage(100).gateway
    for form in FORMS:
        with pytest.raises(Unsupported) as refusal:
            gateway.ask(form.format(given))
        assert "true or false" in refusal.value.reason or "cast" in refusal.value.reason, form


def test_what_is_true_or_false_is_a_condition(stage: Stages) -> None:
    for given in ("age > 30", "(age > 30)::BOOLEAN", "coalesce(age > 30, true)", "CASE WHEN sex = 'F' THEN true END",
                  "if(sex = 'F', age > 30, age > 40)", "true", "staff.dept LIKE 'S%'"):  # fmt: skip
        set_up = stage(100, also="DELETE FROM staff WHERE age = 70")
        for form in FORMS[:4]:
            sql = form.format(given)
            assert list(set_up.gateway.ask(sql).rows) == set_up.plain(sql), sql
