"""A block's released results, and how a statement reads them: as a relation, or as literals where they are one row."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.gateway.reading.reserved import is_released_aggregate
from sdcdb.gateway.tables.carried import cast_back


@dataclass(frozen=True)
class Released:
    """A block's results, and DuckDB's types of them. Numbers about records are texts: Arrow has no HUGEINT."""

    rows: pa.Table
    types: Mapping[str, str]


def view_of(name: str, result: Released) -> str:
    """Write the view through which a statement reads a result, whose rows are registered as `NAME rows`."""
    columns = ", ".join(cast_back(column, kind) for column, kind in result.types.items())
    target, source = (quoted(identifier(each)) for each in (name, f"{name} rows"))
    return f"CREATE TEMP VIEW {target} AS SELECT {columns or '1'} FROM {source}"


def with_literals(tree: exp.Query, released: Mapping[str, Released]) -> str | None:
    """Render a statement with results of one row written into it; None if there are others.

    A view of them would cost a millisecond.
    """
    one_row = all(len(each.rows) == 1 and _numbers_only(each) for each in released.values())
    if not (released and one_row and isinstance(tree, exp.Select | exp.SetOperation)):
        return None
    copy = tree.copy()
    given = copy.args.get("with_") or exp.With(expressions=[])
    given.set("expressions", [*(_cte(name, each) for name, each in released.items()), *given.expressions])
    copy.set("with_", given)
    return copy.sql("duckdb", identify=True, comments=False, copy=False)


def _numbers_only(result: Released) -> bool:
    """Tell whether a result is numbers about records, written as texts."""
    return bool(result.types) and all(
        is_released_aggregate(name)
        and pa.types.is_large_string(result.rows.schema.field(name).type)
        and not kind.startswith("VARCHAR")
        for name, kind in result.types.items()
    )


def _cte(name: str, result: Released) -> exp.CTE:
    (row,) = result.rows.to_pylist()
    values = [
        exp.alias_(
            exp.Cast(
                this=exp.null() if row[column] is None else exp.Literal.string(row[column]),
                to=exp.DataType.build(kind, dialect="duckdb"),
            ),
            identifier(column),
        )
        for column, kind in result.types.items()
    ]
    return exp.CTE(this=exp.Select(expressions=values), alias=exp.TableAlias(this=identifier(name)))
