"""DuckDB, the embedded default.

One SHA-256 serves eight draws; DuckDB computes a digest once for all the columns that use it. `hash()` is never used:
it changes between versions and gives its key away. Codes of categories come from a cast to an ENUM, which is nearly
free on dictionary-compressed columns.
"""

import hashlib
import json
from typing import Any

from sqlglot import exp

from sdcdb.engines.dialect import Binding, Dialect, text_literal
from sdcdb.row import TABLE
from sdcdb.sql import identifier, quoted

SCHEMA = "sdc"


class DuckDBDialect(Dialect):
    """DuckDB 1.5 and 2.0."""

    name = "duckdb"

    def adapted(self, expression: exp.Expr, binding: Binding) -> exp.Expr:
        """Compute the digests of a SELECT in a layer below it: DuckDB shares nothing inside a CASE."""
        if not isinstance(expression, exp.Select):
            return expression
        query = expression.copy()
        words: dict[str, str] = {}
        for node in [node for node in query.find_all(exp.Anonymous) if node.this == "SDC_DRAW"]:
            block, lane = str(node.expressions[0].this), int(node.expressions[1].this)
            name = f"sdc {block} {lane // 4}"
            words[name] = _word(binding, block, lane // 4)
            node.replace(self.raw(_lane(f"{TABLE}.{quoted(identifier(name))}", lane % 4)))
        if words:
            source = query.args["from_"].this
            source.replace(_layer(source.copy(), words, binding.key))
        return query

    def draw(self, binding: Binding, block: str, lane: int) -> str:
        """Cut 32 bits from one half of the digest."""
        return _lane(_word(binding, block, lane // 4), lane % 4)

    def item(self, column: str, index: str) -> str:
        """Index a LIST."""
        return f"{column}[{index}]"

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - the ENUM stands for the list
        """Take the code of the value in the ENUM that `protect` creates for these values."""
        return f"CAST(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS {SCHEMA}.{enum_name(values)})) AS BIGINT)"


def _word(binding: Binding, block: str, half: int) -> str:
    """Return half of the digest of (subkey, block, record key) as a number of 128 bits."""
    key = f"CAST({TABLE}.{quoted(identifier(binding.key))} AS VARCHAR)"
    digest = f"sha256({text_literal(f'{binding.subkey}:{block}:')} || {key})"
    return f"CAST(CAST(unhex(substr({digest}, {1 + 32 * half}, 32)) AS BIT) AS UHUGEINT)"


def _lane(word: str, place: int) -> str:
    """Cut 32 bits from a word by shift and mask: `%` on 128-bit numbers is slow."""
    shifted = f"({word} >> {32 * place})" if place else word
    return f"CAST(({shifted} & 4294967295) AS BIGINT)"


def _layer(source: exp.Expr, words: dict[str, str], key: str) -> exp.Expr:
    """Put the words next to the table's columns; only those that a query needs are computed."""
    everything = exp.Column(this=exp.Star(), table=identifier(TABLE))
    added = [exp.alias_(Dialect.raw(sql), name, quoted=True) for name, sql in words.items()]
    if key == "rowid":  # not among a table's columns, and yet its key
        added.append(exp.Column(this=identifier(key), table=identifier(TABLE)))
    return exp.Select().select(everything, *added).from_(source).subquery(exp.TableAlias(this=identifier(TABLE)))


def enum_name(values: tuple[Any, ...]) -> str:
    """Name the ENUM of a list of values by its contents: a refit never alters the type of another view."""
    return "values_" + hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]
