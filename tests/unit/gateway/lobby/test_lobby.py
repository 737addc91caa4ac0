"""The lobby's copies: as fresh as the database."""

import pytest
from support.stages import Stages

import sdcdb
from sdcdb.errors import Denied, Unsupported

LISTED = "SELECT dept FROM dept_dim WHERE campus = 'Dock' ORDER BY dept"


def test_a_public_table_that_changed_is_read_again(stage: Stages) -> None:
    set_up = stage(100)
    ask = set_up.gateway.ask
    assert ask(LISTED).rows == (("Works",),)
    set_up.both("INSERT INTO dept_dim VALUES ('Pier', 'Dock')")
    assert ask(LISTED).rows == (("Pier",), ("Works",))
    set_up.both("UPDATE dept_dim SET campus = 'Dock' WHERE dept = 'Sales'")
    counted = f"SELECT COUNT(*) FROM staff WHERE dept IN ({LISTED.removesuffix(' ORDER BY dept')}) AND age < 65"
    assert list(ask(counted).rows) == set_up.plain(counted)
    set_up.both("DELETE FROM dept_dim")
    assert ask(LISTED).rows == ()


def test_so_is_one_of_a_database_in_memory() -> None:
    with sdcdb.open(":memory:", policy=sdcdb.Policy.model_validate({"version": 1, "tables": {"t": "public"}})) as db:
        db.con.execute("CREATE TABLE t AS SELECT 1 AS a FROM range(2)")
        with db.gateway() as gateway:
            assert gateway.ask("SELECT sum(a) FROM t").rows == ((2,),)
            db.con.execute("UPDATE t SET a = 2")
            assert gateway.ask("SELECT sum(a) FROM t").rows == ((4,),)


NAMES_IN_TEXTS = [
    *("FROM query_table('dept_dim')", "FROM query('FROM dept_dim')", "SELECT getvariable('x')", "SELECT nextval('s')"),
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "SELECT COUNT(*) FROM staff WHERE dept IN (SELECT dept FROM query_table('dept_dim'))",
    "PIVOT (FROM query_table('dept_dim')) ON campus USING count(*)",
    "SELECT stats(dept) FROM dept_dim",
]


@pytest.mark.parametrize("sql", NAMES_IN_TEXTS)
def test_functions_that_read_a_name_from_a_text_are_refused(stage: Stages, sql: str) -> None:
    gateway = stage(100).gateway
    with pytest.raises(Unsupported):
        gateway.ask(sql)


def test_a_literal_is_no_mention_of_a_table(stage: Stages) -> None:
    gateway = stage(100).gateway
    for sql in ("SELECT 'staff'", "SELECT dept FROM dept_dim WHERE dept <> 'staff' ORDER BY 1 LIMIT 1",
                "SELECT 'it''s staff' AS \"a 'quoted' name\""):  # fmt: skip
        assert gateway.ask(sql).rows
    with pytest.raises(Denied):
        gateway.ask("PIVOT 'staff' ON sex USING count(*)")
