"""The SQL that every technique gives to every engine, held against files; the files themselves run in DuckDB.

After a change that is meant: pytest tests/contract/test_golden.py --update-golden, and read the difference.
"""

import pytest
from support.contract import Case, published, same
from support.golden import ENGINES, GOLDEN, fitted, golden_file, rendered
from support.sql_layout import difference, layout

from sdcdb.techniques.registry import TECHNIQUES

pytestmark = pytest.mark.usefixtures("contract_secret")


@pytest.mark.parametrize("engine", ENGINES)
def test_every_technique_has_its_file_and_every_file_its_technique(engine: str) -> None:
    assert {file.stem for file in (GOLDEN / engine).glob("*.sql")} == set(TECHNIQUES)


def test_the_sql_is_as_it_was_and_gives_what_the_view_gives(first_case: Case, *, update_golden: bool) -> None:
    database, made = fitted(first_case)
    for engine in ENGINES:
        file = golden_file(engine, first_case.method)
        title, now = rendered(engine, first_case, made)
        if update_golden:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(title + now, encoding="utf-8")
        said, was = file.read_text(encoding="utf-8").split("\n", 1)
        assert f"{said}\n" == title
        changed = difference(now, was)
        assert changed is None, f"{file}: {changed}; if that is meant: pytest --update-golden"
    assert difference(layout(made.sql), made.sql) is None  # a layout is white space and nothing else
    sql = golden_file("duckdb", first_case.method).read_text(encoding="utf-8")
    found = database.con.execute(f"FROM (\n{sql}) ORDER BY untouched").fetchall()
    shown = published(database.con)
    assert len(found) == len(shown) > 0
    assert [(a, b) for a, b in zip(found, shown, strict=True) if not all(map(same, a, b))] == []


@pytest.mark.parametrize(
    ("ours", "theirs", "alike"),
    [
        ("SELECT a,\n  b", "SELECT a,b", True),
        ("SELECT 'a b'", "SELECT 'ab'", False),
        ("SELECT 1.23456789012345e0", "SELECT 1.23456789012344e0", True),
        ("SELECT 1.23456789012345e0", "SELECT 1.2345678e0", False),
        ("SELECT 100", "SELECT 101", False),
        ("SELECT '[0.333333333333333, 1]'", "SELECT '[0.333333333333334, 1]'", True),
        ("SELECT a", "SELECT a, b", False),
    ],
)
def test_a_difference_is_seen_and_white_space_is_none(ours: str, theirs: str, *, alike: bool) -> None:
    assert (difference(ours, theirs) is None) is alike
