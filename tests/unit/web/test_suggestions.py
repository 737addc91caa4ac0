"""What is suggested instead of a denied statement: words of the statement and names, never data."""

import duckdb
import pytest

from sdcdb.gateway.relations import Relation, Relations
from sdcdb.web.suggestions import suggest

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "dept": "VARCHAR", "salary": "INTEGER"}
RELATIONS = Relations(
    (
        Relation("staff", "restricted", COLUMNS),
        Relation("staff_public", "protected", COLUMNS),
        Relation("dept_dim", "public", {"dept": "VARCHAR", "campus": "VARCHAR"}),
    )
)
VIEWS = {"staff": ("staff_public",)}


def suggested(sql: str) -> list[str]:
    return [" ".join(each.sql.split()) for each in suggest(sql, RELATIONS, VIEWS)]


def test_groups_are_merged_ranges_widened_and_the_view_offered() -> None:
    found = suggested(
        "SELECT dept, sex, SUM(salary) FROM staff WHERE age BETWEEN 30 AND 34 AND sex = 'F' GROUP BY dept, sex"
    )
    assert found == [
        "SELECT dept, SUM(salary) FROM staff WHERE age BETWEEN 30 AND 34 AND sex = 'F' GROUP BY dept",
        "SELECT dept, sex, SUM(salary) FROM staff WHERE age BETWEEN 25 AND 39 AND sex = 'F' GROUP BY dept, sex",
        "SELECT dept, sex, SUM(salary) FROM staff WHERE age BETWEEN 30 AND 34 GROUP BY dept, sex",
        ("SELECT dept, sex, SUM(salary) FROM staff_public AS staff "
        "WHERE age BETWEEN 30 AND 34 AND sex = 'F' GROUP BY dept, sex"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT dept, sex, SUM(salary) AS m FROM staff WHERE age = 65 AND sex = 'F' GROUP BY 1, sex ORDER BY sex",
        "SELECT campus, SUM(s.salary) FROM staff s JOIN dept_dim USING (dept) WHERE s.age = 40 GROUP BY campus",
        "SELECT MAX(salary) FROM staff WHERE age BETWEEN 1 AND 2",
    ],
)
def test_every_suggestion_is_a_statement_that_duckdb_runs(sql: str) -> None:
    found = suggest(sql, RELATIONS, VIEWS)
    assert found
    with duckdb.connect() as con:
        for relation in RELATIONS.all:
            con.execute(f"CREATE TABLE {relation.name} ({', '.join(f'{n} {t}' for n, t in relation.columns.items())})")
        for each in found:
            con.execute(each.sql).fetchall()


@pytest.mark.parametrize("sql", ["", "not sql at all (", "DELETE FROM staff", "SELECT 1", "(" * 3000])
def test_what_is_no_question_gets_no_suggestion(sql: str) -> None:
    assert suggest(sql, RELATIONS, VIEWS) == []


def test_a_view_without_a_column_is_not_offered() -> None:
    few = Relations((RELATIONS.all[0], Relation("staff_public", "protected", {"sex": "VARCHAR"})))
    found = suggest("SELECT AVG(salary) FROM staff WHERE age = 3", few, VIEWS)
    assert all("staff_public" not in each.sql for each in found)
