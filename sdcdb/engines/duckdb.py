"""DuckDB, the embedded default.

One SHA-256 serves all draws that fit into its 256 bits; DuckDB computes a digest once for all the columns that use
it. `hash()` is never used: it changes between versions and gives its key away. Codes of categories come from a cast
to an ENUM, which is nearly free on dictionary-compressed columns.
"""

import hashlib
import json
from typing import Any

from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.record_key import ROWID, Key, key_sql
from sdcdb.engines.dialect import (
    Binding,
    Dialect,
    cut_of,
    digits_of,
    of_the_table_alone,
    once_layers,
    placeholders,
    text_literal,
)
from sdcdb.engines.expressions import PAIR, PERSON, TABLE, WORD

SCHEMA = "sdc"


class DuckDBDialect(Dialect):
    """DuckDB 1.5 and 2.0."""

    name = "duckdb"

    def adapted(self, expression: exp.Expr, binding: Binding) -> exp.Expr:
        """Lay a SELECT out in layers, so that each digest, word, draw and code is computed once per record.

            SELECT <expressions> FROM (
                SELECT t.*, <values computed once, such as leaves and normals> FROM (
                    SELECT t.*, <draws>, <codes> FROM (
                        SELECT t.*, <words> FROM (
                            SELECT t.*, <halves> FROM (
                                SELECT t.*, <digests> FROM (
                                    SELECT t.*, <key> FROM <table> AS t) AS t) AS t) AS t) AS t) AS t) AS t

        DuckDB shares nothing inside a CASE. What a query does not need of the layers, it does not compute.
        """
        if not isinstance(expression, exp.Select):
            return expression
        query = expression.copy()
        keys: dict[str, str] = {}
        digests: dict[str, str] = {}
        above: dict[str, str] = {}
        needed: set[tuple[str, int]] = set()
        once = once_layers(query, lambda name: self.raw(_own(name)))
        trees = [query, *(value for values in once for value in values.values())]
        for node in (node for tree in trees for node in placeholders(tree, "SDC_DRAW")):
            block, (bit, width) = str(node.expressions[0].this), cut_of(node)
            word, name = bit // WORD, f"sdc draw {block} {bit} {width}"
            needed.add((block, word))
            key_name = "sdc person" if block.startswith(PERSON) else "sdc key"
            keys[key_name] = _key(binding.key_of(block))
            digests[f"sdc digest {block}"] = _digest(binding, block, _own(key_name))
            above[name] = _cut(_own(f"sdc word {block} {word}"), bit % WORD, width)
            node.replace(self.raw(_own(name)))
        for node in (node for tree in trees for node in placeholders(tree, "SDC_LATE")):
            block, (bit, width) = str(node.expressions[0].this), cut_of(node)
            key_name = "sdc person" if block.startswith(PERSON) else "sdc key"
            keys[key_name] = _key(binding.key_of(block))
            late = _word(_digest(binding, block, _own(key_name)), bit // WORD)  # in its place, as a CASE may skip it
            node.replace(self.raw(_cut(late, bit % WORD, width)))
        halves, words = _words(needed)
        for node in (node for tree in trees for node in placeholders(tree, "SDC_CODE")):
            if of_the_table_alone(node):
                name, value = str(node.expressions[0].this), quoted(node.expressions[1])
                above[f"sdc code {name}"] = self.code("", value, binding.lists[name])
                node.replace(self.raw(_own(f"sdc code {name}")))
        source = query.args["from_"].this
        key = ROWID if binding.key == ROWID else None
        layers = source.copy()
        for added in (keys, digests, halves, words, above):
            layers = _layer(layers, added, key)
        for values in once:
            layer = {name: quoted(self.bound(value.this, binding)) for name, value in values.items()}
            layers = _layer(layers, layer, key)
        source.replace(layers)
        return query

    def draw(self, binding: Binding, block: str, bit: int, width: int) -> str:
        """Cut bits from one quarter of the digest."""
        return _cut(_word(_digest(binding, block, _key(binding.key_of(block))), bit // WORD), bit % WORD, width)

    def item(self, column: str, index: str) -> str:
        """Index a LIST."""
        return f"{column}[{index}]"

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - the ENUM stands for the list
        """Take the code of the value in the ENUM that `protect` creates for these values."""
        return f"CAST(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS {SCHEMA}.{enum_name(values)})) AS INT)"


def _key(key: Key) -> str:
    """Return the record's key, or the person's, as text.

    A record that came without a key would have the draw NULL, and a CASE would let its value out: it must fail.
    """
    own = key_sql(key, TABLE) if not isinstance(key, str) else _own(key)
    text = f"CAST({own} AS VARCHAR)"
    if key == ROWID:
        return text
    return f"CASE WHEN {own} IS NULL THEN error('a record has no key') ELSE {text} END"


def _digest(binding: Binding, block: str, key: str) -> str:
    """Return the SHA-256 of (subkey, block, key) in hexadecimal."""
    return f"sha256({text_literal(f'{binding.subkey}:{block}:')} || {key})"


def _word(digest: str, word: int) -> str:
    """Return a quarter of a digest as a number of 64 bits: a column that is read alone needs only one.

    Eight bytes are short enough for DuckDB to keep them in place; a cast of '0x...' costs nearly twice as much.
    """
    start, length = digits_of(WORD * word, WORD)
    return f"CAST(CAST(unhex(substr({digest}, {start}, {length})) AS BIT) AS UBIGINT)"


def _words(needed: set[tuple[str, int]]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the halves of digests to be read at once, and the words to be cut from them or from the digests.

    Where both words of a half are needed, one number of 128 bits costs three quarters of two numbers of 64 bits.
    """
    halves: dict[str, str] = {}
    words: dict[str, str] = {}
    for block, pair in sorted(needed):
        digest, word = _own(f"sdc digest {block}"), f"sdc word {block} {pair}"
        if (block, pair ^ 1) not in needed:
            words[word] = _word(digest, pair)
            continue
        half = f"sdc half {block} {pair // 2}"
        cut = f"substr({digest}, 1, 32)" if pair < 2 else f"substr({digest}, -32)"  # DuckDB counts characters
        halves[half] = f"CAST(CAST(unhex({cut}) AS BIT) AS UHUGEINT)"
        words[word] = f"CAST(({_own(half)} {'>> 64' if pair % 2 else f'& {2**64 - 1}'}) AS UBIGINT)"
    return halves, words


def _own(name: str) -> str:
    return f"{TABLE}.{quoted(identifier(name))}"


def _cut(word: str, bit: int, width: int) -> str:
    """Cut bits from a word. Few bits are INTEGERs, with room for a product with the number of a category's values."""
    moved, kind = f"{word} >> {bit}" if bit else word, "INT" if width <= PAIR // 2 else "BIGINT"
    return f"CAST(({moved}) AS {kind})" if bit + width == WORD else f"CAST((({moved}) & {2**width - 1}) AS {kind})"


def _layer(source: exp.Expr, added: dict[str, str], key: str | None) -> exp.Expr:
    """Put computed columns next to those of the source; `key` is a key that is not among a table's columns."""
    if not added:
        return source
    columns = [exp.Column(this=exp.Star(), table=identifier(TABLE))]
    if key and isinstance(source, exp.Table):
        columns.append(exp.Column(this=identifier(key), table=identifier(TABLE)))
    named = [exp.alias_(Dialect.raw(sql), name, quoted=True) for name, sql in added.items()]
    return exp.Select().select(*columns, *named).from_(source).subquery(exp.TableAlias(this=identifier(TABLE)))


def enum_name(values: tuple[Any, ...]) -> str:
    """Name the ENUM of a list of values by its contents: a refit never alters the type of another view."""
    return "values_" + hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]
