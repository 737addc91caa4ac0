"""Statements about the catalogue that could make much out of little are refused before anything runs."""

import pytest

from sdcdb.gateway.server.postgres.frugal import MOST_JOINED, TooMuch, size_of
from sdcdb.gateway.server.postgres.rewrite import for_duckdb


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('x', 1000000) FROM pg_class",
        "SELECT lpad('x', 1000000) FROM pg_class",
        "SELECT 1 FROM pg_class, range(1000000)",
        "SELECT 1 FROM pg_class, generate_series(1, 1000000)",
        "SELECT 1 FROM pg_class, generate_series(1, 101)",
        "SELECT 1 FROM pg_class, generate_series(-1000000, 1)",
        "SELECT 1 FROM pg_class, generate_series(1, '1000000')",
        "SELECT 1 FROM pg_class, generate_series(1, relpages * 1000000)",
        "SELECT 1 FROM pg_class, generate_series(0, 1, 0.000001)",
        "SELECT 1 FROM pg_class, generate_series(1, array_upper(string_to_array(relname, ''), 1))",
        "SELECT printf('%1000000d', 1) FROM pg_class",
        "SELECT replace(relname, 'a', relname) FROM pg_class",
        f"SELECT replace(relname, 'a', '{'x' * 50}') FROM pg_class",
        f"SELECT '{'x' * 2000}' FROM pg_class",
        "SELECT " + " || ".join(["relname"] * (MOST_JOINED + 5)) + " FROM pg_class",
        "SELECT 1 FROM " + ", ".join(f"pg_class c{n}" for n in range(60)),
        f"SELECT 1 /* {'x' * 70_000} */ FROM pg_class",
    ],
)
def test_what_amplifies_is_refused(sql: str) -> None:
    with pytest.raises(TooMuch):
        for_duckdb(sql)


def test_what_tools_use_is_not() -> None:
    assert "regexp" in for_duckdb("SELECT regexp_replace(relname, 'a', 'b') FROM pg_class").lower()
    assert "GENERATE_SERIES(1, 32)" in for_duckdb("SELECT n FROM pg_class, pg_catalog.generate_series(1, 32) pos(n)")
    counted = "pg_catalog.generate_series(0, pg_catalog.array_upper(p.prattrs::pg_catalog.int2[], 1)) s"
    assert "GENERATE_SERIES(0, ARRAY_UPPER(" in for_duckdb(f"SELECT s FROM pg_catalog.pg_publication_rel p, {counted}")
    listed = ",".join(["word"] * 500)
    assert for_duckdb(f"SELECT word FROM pg_get_keywords() WHERE word <> ALL ('{{{listed}}}'::text[])")


def test_the_size_of_a_value() -> None:
    assert size_of(("abc", b"de", None, ["x" * 10, {"a": "yy"}])) == 3 + 2 + 8 + 10 + 2
