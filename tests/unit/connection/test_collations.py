"""Collations of a query's texts."""

import duckdb

from sdcdb.connection.collations import types_with_collations


def test_a_collation_belongs_to_the_type() -> None:
    with duckdb.connect() as con:
        con.execute('CREATE TABLE t (a VARCHAR COLLATE NOCASE, "b c" VARCHAR COLLATE NOCASE.NOACCENT, d TEXT, e INT)')
        found = types_with_collations(con, "SELECT * FROM t")
        copied = ", ".join(f'"{name}" {kind}' for name, kind in found.items())
        con.execute(f"CREATE TABLE copy ({copied})")
        con.execute("INSERT INTO copy VALUES ('A', 'É', 'A', 1)")
        row = con.execute("SELECT count(*) FROM copy WHERE a = 'a' AND \"b c\" = 'e' AND d <> 'a'").fetchone()
    assert (found["d"], found["e"]) == ("VARCHAR", "INTEGER")
    assert row == (1,)


def test_cells_do_not_put_together_what_an_expression_tells_apart() -> None:
    """'a' and 'A' are equal under a collation, and a cell of both would have one of them stand for the other."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 'a' COLLATE NOCASE AS x UNION ALL SELECT 'A'")
        apart = con.execute("SELECT count(*) FROM (SELECT any_value(x) FROM t GROUP BY encode(x))").fetchone()
        together = con.execute("SELECT count(*) FROM (SELECT x FROM t GROUP BY x)").fetchone()
    assert (apart, together) == ((2,), (1,))
