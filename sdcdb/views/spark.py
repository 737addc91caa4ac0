"""Protected views in Spark: the SELECT of a plan, for a table that has outgrown one machine.

A plan is fitted in DuckDB and runs in Spark, with the same secret: a record with the same key gets the same values in
both. Nothing else goes from one to the other, except the tables that swapping and microaggregation keep.

    import sdcdb
    from sdcdb.views.catalogue import entry
    from sdcdb.views.secret import read_secret
    from sdcdb.views import spark_sql

    database = sdcdb.open("staff.duckdb")
    plan = entry(database.con, "staff_protected").plan
    protected = spark.sql(spark_sql(plan, read_secret("env:SDCDB_SECRET", database.path), "lake.hr.staff"))
    protected.write.saveAsTable("lake.hr.staff_protected")

As with a view in DuckDB, whoever reads the SELECT reads the key of the draws: analysts get the table that it makes.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from sdcdb.connection.identifiers import identifier
from sdcdb.connection.record_key import ROWID
from sdcdb.engines.spark import SparkDialect, spark_type
from sdcdb.errors import DataError, InternalError, choices
from sdcdb.techniques.technique import Fitted
from sdcdb.views.plan import Plan
from sdcdb.views.secret import Secret

_PART = r"(?:[^`.]+|`(?:[^`]|``)+`)"
_NAME = re.compile(rf"{_PART}(?:\.{_PART}){{0,2}}")


def spark_sql(
    plan: Plan, secret: Secret, table: str, lists: str | None = None, stored: Mapping[str, str] | None = None
) -> str:
    """Return the SELECT of a protected view over a Spark table, `table`, `schema.table` or `catalog.schema.table`.

    Its columns have the names that they have in the plan, and the types of `sdcdb.engines.spark.spark_type`.

    The lists that the plan needs stand in the SELECT; with long ones, name a table made by `lists_sql` instead.
    `stored` says where in Spark each table is that fitting stored in the schema `sdc`: swapping and microaggregation
    have one.
    """
    if plan.key == ROWID:
        raise DataError(
            f"{plan.view!r} takes its noise from DuckDB's rowid, which Spark does not have: give {plan.table!r} a key"
        )
    given = stored or {}
    needed = [name for each in plan.fitted for name in each.joined()]
    for name in needed:
        if name not in given:
            raise DataError(f"copy sdc.{name!r} to Spark and say in `stored` where it is; {choices(name, given)}")
    relation = _table(lists) if lists else _lists(plan).subquery()
    tables = {name: _table(given[name]) for name in needed}
    return _whole(plan.select(SparkDialect(_table(table)), secret.subkey(plan.table), relation, tables))


def lists_sql(plan: Plan) -> str:
    r"""Return the SELECT of the one row that holds all lists of a plan.

    >>> from sdcdb.techniques.suppression import FittedSuppression
    >>> hidden = FittedSuppression(columns=("city",), type="VARCHAR", below=0, values=("Ouyen",), rare=None,
    ...                            frequent=(), rare_records=0, replace=None)
    >>> plan = Plan(view="v", table="t", key="id", columns=("city",), lanes={}, fitted=(hidden,), rows=9)
    >>> lists_sql(plan)
    'SELECT from_json(\'["Ouyen"]\', \'ARRAY<STRING>\', map(\'mode\', \'FAILFAST\')) AS `city suppression values`'
    """
    if not plan.lists():
        raise DataError(f"{plan.view!r} needs no lists")
    return _whole(_lists(plan).sql("spark", identify=True))


def _lists(plan: Plan) -> exp.Select:
    types = {name: _coded_type(each) for each in plan.fitted for name in each.coded()}
    columns = [
        exp.alias_(SparkDialect.raw(_array(values, types.get(name))), name, quoted=True)
        for name, values in plan.lists().items()
    ]
    return exp.Select().select(*columns)


def _coded_type(fitted: Fitted) -> str:
    """Return the DuckDB type of the column whose values a technique looks up."""
    kind = getattr(fitted, "type", None) or getattr(getattr(fitted, "shape", None), "type", None)
    if not isinstance(kind, str):
        raise InternalError(f"{fitted.technique} looks values up but does not say of which type they are")
    return kind


def _array(values: tuple[Any, ...], looked_up: str | None) -> str:
    """Spell a list as JSON: one literal is read much faster than an array of many.

    Texts that column values are compared with are first made values and then texts again: a DOUBLE reads 1e+20 in
    DuckDB and 1.0E20 in Spark, and a value that is not found would not be changed, or not be suppressed.
    """
    text = json.dumps(values, ensure_ascii=False).replace("${", "\\u0024{")  # Spark would put a variable there
    literal = exp.Literal.string(text).sql("spark")
    array = f"from_json({literal}, 'ARRAY<{_item_type(values)}>', map('mode', 'FAILFAST'))"
    kind = spark_type(looked_up).sql("spark") if looked_up else "STRING"
    return array if kind == "STRING" else f"CAST(CAST({array} AS ARRAY<{kind}>) AS ARRAY<STRING>)"


def _item_type(values: tuple[Any, ...]) -> str:
    kinds = {type(value) for value in values}
    for kind, name in ({str}, "STRING"), ({bool}, "BOOLEAN"), ({int}, "BIGINT"), ({int, float}, "DOUBLE"):
        if kinds <= kind:
            return name
    raise InternalError(f"a list of {sorted(kind.__name__ for kind in kinds)}: expected texts or numbers of one kind")


def _table(name: str) -> exp.Table:
    """Read a table's name as Spark writes it: up to three parts, in backticks where they need it."""
    if not _NAME.fullmatch(name):
        raise DataError(f"{name!r} names no Spark table: write table, schema.table or catalog.schema.table")
    parts = [part[1:-1].replace("``", "`") if part[0] == "`" else part for part in re.findall(_PART, name)]
    first, *rest = map(identifier, reversed(parts))
    return exp.Table(this=first, **dict(zip(("db", "catalog"), rest, strict=False)))


def _whole(sql: str) -> str:
    """Refuse what Spark would replace by a variable."""
    if "${" in sql:
        raise DataError("a name or a text holds ${, where Spark puts in variables: rename it")
    return sql
