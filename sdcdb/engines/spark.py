"""Spark SQL, for tables that outgrow one machine: the same plan, the same values for the same secret and key.

A plan's SELECT is laid out in layers, so that Spark computes each digest, draw and code once per record:

    WITH p AS (<the one-row relation of lists>)
    SELECT <expressions> FROM (
        SELECT t.*, <values computed once> FROM (
            SELECT t.*, <draws>, <codes> FROM (
                SELECT t.*, <digests>, <lists> FROM <table> AS t) AS t) AS t) AS t

Written in place they would be computed at every mention: Spark shares nothing inside a CASE. Lists are columns and not
a join: Spark folds constants into the expressions, copies none of them with a row, and allows them in lambdas.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sdcdb.connection.identifiers import identifier
from sdcdb.connection.record_key import key_expression
from sdcdb.engines.dialect import (
    LISTS,
    Binding,
    Dialect,
    cut_of,
    digits_of,
    of_the_table_alone,
    once_layers,
    placeholders,
)
from sdcdb.engines.expressions import TABLE, number, real, unfolded
from sdcdb.errors import DataError

_T = exp.DType
_WHOLE = {
    _T.TINYINT: "TINYINT",
    _T.SMALLINT: "SMALLINT",
    _T.INT: "INT",
    _T.BIGINT: "BIGINT",
    _T.UTINYINT: "SMALLINT",  # Spark has no unsigned numbers: the next type that holds them
    _T.USMALLINT: "INT",
    _T.UINT: "BIGINT",
    _T.UBIGINT: "DECIMAL(20, 0)",
    _T.INT128: "DECIMAL(38, 0)",
    _T.UINT128: "DECIMAL(38, 0)",
}
_REAL = {_T.FLOAT: "FLOAT", _T.DOUBLE: "DOUBLE"}
_TYPES = {
    **_WHOLE,
    **_REAL,
    **dict.fromkeys((_T.TEXT, _T.VARCHAR, _T.ENUM, _T.UUID, _T.JSON), "STRING"),
    **dict.fromkeys((_T.TIMESTAMP, _T.TIMESTAMPNTZ, _T.TIMESTAMP_S, _T.TIMESTAMP_MS), "TIMESTAMP_NTZ"),
    _T.BOOLEAN: "BOOLEAN",
    _T.DATE: "DATE",
}


@dataclass(frozen=True)
class SparkDialect(Dialect):
    """Spark 4. `table` is the table's name there, when it is not the one in the plan."""

    name = "spark"
    table: exp.Table | None = None

    def adapted(self, expression: exp.Expr, binding: Binding) -> exp.Expr:
        """Give casts and indexes Spark's types and DuckDB's rules; lay a SELECT out in layers."""
        if isinstance(expression, exp.Select):
            return self._layered(expression.copy(), binding)
        tree = unfolded(expression)
        _in_spark_s_types(tree)
        return tree

    def _layered(self, query: exp.Select, binding: Binding) -> exp.Select:
        once = once_layers(query, _own)
        trees = [query, *(value for values in once for value in values.values())]
        for tree in trees:
            _in_spark_s_types(tree)
        below: dict[str, exp.Expr] = {}
        above: dict[str, exp.Expr] = {}
        codes: dict[str, str] = {}
        for node in (node for tree in trees for node in placeholders(tree, "SDC_CODE")):
            if of_the_table_alone(node):
                name = codes.setdefault(node.sql(), f"sdc code {len(codes)}")
                above[name] = node.copy()
                node.replace(_own(name))
        for node in (node for tree in trees for node in placeholders(tree, "SDC_DRAW")):
            block, (bit, width) = str(node.expressions[0].this), cut_of(node)
            digest, name = f"sdc digest {block}", f"sdc draw {block} {bit} {width}"
            below[digest] = self.raw(_sha2(binding, block))
            above[name] = self.raw(_cut(_own(digest).sql(self.name, identify=True), bit, width))
            node.replace(_own(name))
        joins = query.args.pop("joins", None) or []
        for join in joins:
            if join.this.alias == LISTS:
                query.with_(LISTS, _relation(join.this), copy=False)
                below |= {self.listed(name).name: _only(name) for name in binding.lists}
            else:
                query.append("joins", join)
        source = query.args["from_"].this
        table = exp.alias_(self.table, TABLE, table=True, quoted=True) if self.table else source.copy()
        layers = _layer(_layer(table, below), above)
        for values in once:
            layers = _layer(layers, {name: value.this for name, value in values.items()})
        source.replace(layers)
        return query

    def draw(self, binding: Binding, block: str, bit: int, width: int) -> str:
        """Read hexadecimal digits of the digest."""
        return _cut(_sha2(binding, block), bit, width)

    def listed(self, name: str) -> exp.Column:
        """Return the column of the lowest layer that holds the list."""
        return _own(f"sdc list {name}")

    def item(self, column: str, index: str) -> str:
        """Index an ARRAY; outside of it, as in DuckDB, there is NULL."""
        return f"get({column}, CAST({index} AS INT) - 1)"

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - Spark looks in the list itself
        """Look the value up; array_position counts from 1 and says 0 for none."""
        return f"(NULLIF(array_position({column}, CAST({value} AS STRING)), 0) - 1)"


def _in_spark_s_types(tree: exp.Expr) -> None:
    """Give casts Spark's types and DuckDB's rounding, and indexes DuckDB's rules."""
    for cast in tree.find_all(exp.Cast):
        cast.set("this", _rounded(cast))
        cast.set("to", spark_type(cast.to))
    for bracket in list(tree.find_all(exp.Bracket)):
        whole = exp.Cast(this=bracket.expressions[0], to=exp.DataType.build("INT"))
        place = exp.Sub(this=whole, expression=number(1))
        bracket.replace(exp.Anonymous(this="get", expressions=[bracket.this, place]))


def spark_type(kind: exp.DataType | str) -> exp.DataType:
    """Return the Spark type that holds the values of a DuckDB type.

    >>> [spark_type(kind).sql("spark") for kind in ("UINTEGER", "ENUM('a', 'b')", "DECIMAL(8,2)", "HUGEINT[]")]
    ['BIGINT', 'STRING', 'DECIMAL(8, 2)', 'ARRAY<DECIMAL(38, 0)>']
    """
    given = exp.DataType.build(kind, dialect="duckdb")
    if given.this == _T.ARRAY:
        (inner,) = given.expressions
        return exp.DataType(this=_T.ARRAY, expressions=[spark_type(inner)], nested=True)
    if given.this == _T.DECIMAL:
        return given
    if given.this not in _TYPES:
        raise DataError(f"no type of Spark is sure to hold DuckDB's {given.sql('duckdb')}: make it VARCHAR in both")
    return exp.DataType.build(_TYPES[given.this], dialect="spark")


def _rounded(cast: exp.Cast) -> exp.Expr:
    """Return what is cast, rounded as DuckDB does it: whole numbers to even, digits away from zero, both in binary.

    By itself Spark cuts what is no whole number, and takes 1.005 for a decimal number that lies in the middle.
    """
    value: exp.Expr = cast.this
    kind = cast.to
    parts = value.walk(prune=lambda part: isinstance(part, exp.Cast | exp.Floor | exp.Anonymous))
    if not any(_is_real(part) for part in parts):
        return value
    if kind.this in _WHOLE:
        return exp.Anonymous(this="rint", expressions=[value])
    if kind.this == _T.DECIMAL:
        power = real(10.0 ** int(kind.expressions[1].name))
        return exp.Round(this=exp.Paren(this=value) * power) / power.copy()
    return value


def _is_real(part: exp.Expr) -> bool:
    if isinstance(part, exp.Cast):
        return part.to.this in _REAL
    return isinstance(part, exp.Literal) and not part.is_string and not part.is_int


def _sha2(binding: Binding, block: str) -> str:
    """Digest the key. A record without one would have no noise, and nobody has checked the table in Spark."""
    prefix = exp.Literal.string(f"{binding.subkey}:{block}:").sql("spark")
    key = f"CAST({key_expression(binding.key_of(block), TABLE).sql('spark', identify=True)} AS STRING)"
    return f"sha2(concat({prefix}, coalesce({key}, raise_error('a record has no key'))), 256)"


def _cut(digest: str, bit: int, width: int) -> str:
    start, length = digits_of(bit, width)
    return f"CAST(conv(substr({digest}, {start}, {length}), 16, 10) AS BIGINT)"


def _own(name: str) -> exp.Column:
    return exp.Column(this=identifier(name), table=identifier(TABLE))


def _relation(lists: exp.Expr) -> exp.Select:
    """Return the one-row relation of lists as a query of its own."""
    alone = lists.copy()
    alone.set("alias", None)
    query = alone.this if isinstance(alone, exp.Subquery) else exp.Select().select(exp.Star()).from_(alone)
    return query.assert_is(exp.Select)


def _only(name: str) -> exp.Subquery:
    """Return the list as the one value of the one row of the lists."""
    return exp.Select().select(exp.Column(this=identifier(name))).from_(exp.Table(this=identifier(LISTS))).subquery()


def _layer(source: exp.Expr, columns: Mapping[str, exp.Expr]) -> exp.Expr:
    """Put computed columns next to those of the source."""
    if not columns:
        return source
    everything = exp.Column(this=exp.Star(), table=identifier(TABLE))
    added = [exp.alias_(value, name, quoted=True) for name, value in columns.items()]
    return exp.Select().select(everything, *added).from_(source).subquery(exp.TableAlias(this=identifier(TABLE)))
