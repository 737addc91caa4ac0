"""The Spark half of the contract: a plan gives the same values there as in DuckDB, over every case of every technique.

Equal bit for bit, except that floats may differ in their last digits: the engines' cosines and logarithms do.
"""

import doctest
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from sqlglot import exp
from support import protecting
from support.contract import ROWS, SECRET, SELECT, TABLE, Case, published, same, shared

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.engines import spark as engine
from sdcdb.engines.dialect import Binding, text_literal
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import Row, array, double, element, number, real, typed
from sdcdb.errors import DataError
from sdcdb.policy.governed import Governed
from sdcdb.views import spark as module
from sdcdb.views.catalogue import entry, stored_table
from sdcdb.views.plan import Plan
from sdcdb.views.secret import Secret, redacted
from sdcdb.views.spark import lists_sql, spark_sql

pytestmark = pytest.mark.usefixtures("contract_secret")
_secret = protecting.fixed_secret(SECRET)

pytest.importorskip("pyspark", reason="no pyspark: pip install 'sdcdb[spark]'")
if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
    pytest.skip("no Java: Spark needs Java 17 or newer", allow_module_level=True)

OURS = Secret(SECRET.encode())
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # half the work, for so short a life
}
PORTABLE = {"UUID": "VARCHAR", "HUGEINT": "DECIMAL(38, 0)"}  # Parquet has no other way to hand these to Spark


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Start Spark once."""
    from pyspark.sql import SparkSession

    folder = tmp_path_factory.mktemp("spark")
    builder = SparkSession.builder.master("local[2]").config("spark.local.dir", str(folder))
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        # pyspark looks at the version of pandas when it starts, though nothing here goes through pandas.
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Move the table of the contract suite, which is the same in every case."""
    con = duckdb.connect()
    con.execute(f"CREATE TABLE {quoted(identifier(TABLE))} AS {SELECT.format(rows=ROWS)}")
    return move(con, quoted(identifier(TABLE)), spark, "the table", tmp_path_factory.mktemp("table"))


def move(con: duckdb.DuckDBPyConnection, relation: str, spark: Any, name: str, folder: Path) -> str:
    """Hand a table over by way of Parquet, as a user would, and return its name in Spark."""
    columns = []
    for column, kind, *_ in con.execute(f"DESCRIBE FROM {relation}").fetchall():
        portable = "VARCHAR" if kind.startswith("ENUM") else PORTABLE.get(kind, kind)
        columns.append(f"CAST({quoted(identifier(column))} AS {portable}) AS {quoted(identifier(column))}")
    con.execute(f"COPY (SELECT {', '.join(columns)} FROM {relation}) TO '{folder / name}.parquet' (FORMAT parquet)")
    spark.read.parquet(f"{folder / name}.parquet").createOrReplaceTempView(f"`{name}`")
    return name


def in_spark(spark: Any, sql: str) -> list[tuple[Any, ...]]:
    """Run a view's SELECT, in the order of its last column, `untouched`."""
    return sorted((tuple(row) for row in spark.sql(sql).collect()), key=lambda row: row[-1])


def assert_same(ours: list[tuple[Any, ...]], theirs: list[tuple[Any, ...]], plan: Plan) -> None:
    assert len(ours) == len(theirs)
    for place, name in enumerate(plan.columns):
        pairs = [(mine[place], other[place]) for mine, other in zip(ours, theirs, strict=True)]
        odd = [(mine, other) for mine, other in pairs if not same(mine, other)]
        assert odd == [], f"{len(odd)} of {len(pairs)} differ in {name!r}: DuckDB {odd[0][0]!r}, Spark {odd[0][1]!r}"


def test_spark_gives_the_same_values(case: Case, spark: Any, table: str, tmp_path: Path) -> None:
    database, made = shared(case)
    names = [name for each in made.plan.fitted for name in each.joined()]
    stored = {
        name: move(database.con, quoted(stored_table(name)), spark, f"stored {number}", tmp_path)
        for number, name in enumerate(names)
    }
    sql = spark_sql(made.plan, OURS, table, stored=stored)
    assert OURS.subkey(made.plan.table) not in redacted(sql)
    assert_same(published(database.con), in_spark(spark, sql), made.plan)


TEXTS = ["a\\b", "c'd", 'e"f', "${env:HOME}", "tab\tline\n", "日本 `x`", "\\u0041", ""]
ODD = """it's \\ "`odd`" %"""
CATEGORIES = {  # types whose values read differently as text in the two engines, or have no twin in Spark
    "double": ("DOUBLE", ["1e20", "1e-5", "10000000", "0.1", "-0.0", "123456789.123"]),
    "float": ("FLOAT", ["0.1", "1e10", "16777216", "3.4e38"]),
    "share": ("DECIMAL(2, 2)", ["0.05", "0.5", "-0.25"]),
    "moment": ("TIMESTAMP", ["2020-01-01 00:00:00", "2020-02-03 04:05:06.5", "1969-12-31 23:59:59.000001"]),
    "unsigned": ("UINTEGER", ["4294967295", "0", "7"]),
    "longer": ("UBIGINT", ["18446744073709551615", "1"]),
    "longest": ("HUGEINT", ["-12345678901234567890123", "0", "99"]),
    "uuid": ("UUID", ["00000000-0000-0000-0000-00000000000a", "ffffffff-0000-0000-0000-000000000000"]),
    "text": ("VARCHAR", TEXTS),
    ODD: ("VARCHAR", TEXTS),
}
NOISE = {"method": "normal", "sd": 1}
NUMBERS = {"tiny": "UTINYINT", "count": "UINTEGER", "big": "UBIGINT", "huge": "HUGEINT", "weight": "FLOAT"}


def protected(select: str, columns: dict[str, Any], methods: dict[str, Any]) -> tuple[Governed, Plan]:
    """Protect the view `the view` of a table made by a query, with the column `key` and, last, `untouched`."""
    roles = {"key": "identifier", **columns, "untouched": "public"}
    names = {"table": "odd", "name": "the view", "key": "key"}
    database, made = protecting.protected(select, roles, {"columns": methods}, **names)
    return database, made.plan


def test_odd_types_names_and_texts(spark: Any, tmp_path: Path) -> None:
    columns = [
        f"[{', '.join(map(text_literal, texts))}][1 + (i * 7919) % {len(texts)}]::{kind} AS {quoted(identifier(name))}"
        for name, (kind, texts) in CATEGORIES.items()
    ]
    columns += [f"((i * 104729) % 101)::{kind} AS {name}" for name, kind in NUMBERS.items()]
    methods: dict[str, Any] = {name: {"method": "warner", "p": 0.5} for name in CATEGORIES}
    methods[ODD] = {"method": "an", "l": 3, "values": TEXTS}  # draws named after the column
    methods["double"] = {"method": "suppression", "values": ["1e20", "0.00001"]}
    methods |= {name: {"method": "normal", "sd": 3, "boundary": "clip"} for name in NUMBERS}
    roles = dict.fromkeys([*CATEGORIES, *NUMBERS], "quasi") | {"tiny": {"role": "confidential", "domain": [0, 100]}}
    rows = f"""SELECT 'k''\\"ü' || i AS "key", {", ".join(columns)}, i AS untouched FROM range(500) AS r(i)"""
    database, plan = protected(rows, roles, methods)
    name = move(database.con, "odd", spark, "odd table", tmp_path)
    assert_same(published(database.con), in_spark(spark, spark_sql(plan, OURS, name)), plan)


@pytest.mark.parametrize("kind", ["TINYINT", "UBIGINT", "HUGEINT", "UUID"])
def test_keys_of_every_type(spark: Any, tmp_path: Path, kind: str) -> None:
    text = "('00000000-0000-0000-0000-0000000000' || (10 + i))" if kind == "UUID" else "i"
    rows = f'SELECT {text}::{kind} AS "key", 0 AS zero, i AS untouched FROM range(50) AS r(i)'
    database, plan = protected(rows, {"zero": "class"}, {"zero": NOISE | {"sd": 1000}})
    name = move(database.con, "odd", spark, "keyed", tmp_path)
    assert_same(published(database.con), in_spark(spark, spark_sql(plan, OURS, name)), plan)


def test_casts_and_indexes_keep_to_the_rules_of_duckdb(spark: Any) -> None:
    numbers = [0.5, 1.5, 2.5, -0.5, -1.5, 0.125, 1.005, 2.675, -2.675, 1e6 / 3]
    value = double(Row({}).value("untouched")) * real(1)
    items = array([array([number(1), number(2)])])
    query = (
        exp.Select()
        .from_("numbers AS t")
        .select(
            *(typed(value.copy(), kind) for kind in ("INTEGER", "HUGEINT", "DECIMAL(9,2)", "FLOAT")),
            *(element(element(items, number(1)), number(place)) for place in range(4)),
            Row({}).value("untouched"),
        )
    )
    con, binding = duckdb.connect(), Binding("untouched", "", {})
    con.execute("CREATE TABLE numbers AS SELECT unnest(CAST(? AS DOUBLE[])) AS untouched", [numbers])
    spark.createDataFrame([(each,) for each in numbers], "untouched DOUBLE").createOrReplaceTempView("numbers")
    ours = con.execute(f"{DuckDBDialect().render(query, binding)} ORDER BY untouched").fetchall()
    assert in_spark(spark, engine.SparkDialect().render(query, binding)) == ours


def test_lists_may_stand_in_a_table(spark: Any, table: str) -> None:
    database, _ = shared(Case("warner", ("word", "flag", "code"), {"p": 0.5}))
    plan = entry(database.con, "the view").plan
    spark.sql(lists_sql(plan)).createOrReplaceTempView("lists")
    sql = spark_sql(plan, OURS, table, lists="lists")
    assert "from_json" not in sql
    assert_same(published(database.con), in_spark(spark, sql), plan)


def test_a_record_without_a_key_is_an_error(spark: Any) -> None:
    from pyspark.errors import SparkRuntimeException

    _, plan = protected('SELECT 1 AS "key", 2 AS n, 3 AS untouched', {"n": "class"}, {"n": NOISE})
    spark.sql("SELECT CAST(NULL AS INT) AS key, 2 AS n, 3 AS untouched").createOrReplaceTempView("keyless")
    with pytest.raises(SparkRuntimeException, match="a record has no key"):
        spark.sql(spark_sql(plan, OURS, "keyless")).collect()


def test_what_spark_cannot_do_is_refused() -> None:
    _, made = shared(Case("swapping", ("one word",), {}))
    (name,) = made.plan.fitted[0].joined()
    with pytest.raises(DataError, match="copy sdc"):
        spark_sql(made.plan, OURS, "t")
    with pytest.raises(DataError, match="names no Spark table"):
        spark_sql(made.plan, OURS, "a.b.c.d", stored={name: "s"})
    with pytest.raises(DataError, match="rowid"):
        spark_sql(made.plan.model_copy(update={"key": "rowid"}), OURS, "t", stored={name: "s"})
    with pytest.raises(DataError, match="variables"):
        spark_sql(made.plan, OURS, "${env:HOME}", stored={name: "s"})
    with pytest.raises(DataError, match="needs no lists"):
        lists_sql(made.plan)
    with pytest.raises(DataError, match="TIMESTAMPTZ: make it VARCHAR"):  # its text depends on the session's time zone
        engine.spark_type("TIMESTAMP WITH TIME ZONE")


def test_tables_are_named_as_spark_names_them() -> None:
    _, plan = protected('SELECT 1 AS "key", 2 AS n, 3 AS untouched', {"n": "class"}, {"n": NOISE})
    assert " FROM `lake`.`hr`.`odd.``name``` AS `t`" in spark_sql(plan, OURS, "lake.hr.`odd.``name```")


def test_the_examples_run() -> None:
    assert doctest.testmod(module).failed == 0
    assert doctest.testmod(engine).failed == 0
