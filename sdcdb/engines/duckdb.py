"""DuckDB, the embedded default.

One SHA-256 serves eight draws; DuckDB computes a digest once for all the columns that use it. `hash()` is never used:
it changes between versions and gives its key away. Codes of categories come from a cast to an ENUM, which is nearly
free on dictionary-compressed columns.
"""

import hashlib
import json
from typing import Any

from sdcdb.engines.dialect import Binding, Dialect, text_literal
from sdcdb.row import TABLE
from sdcdb.sql import identifier, quoted

SCHEMA = "sdc"


class DuckDBDialect(Dialect):
    """DuckDB 1.5 and 2.0."""

    name = "duckdb"

    def draw(self, binding: Binding, block: str, lane: int) -> str:
        """Cut 32 bits from one half of the digest by shift and mask: `%` on 128-bit numbers is slow."""
        key = f"CAST({TABLE}.{quoted(identifier(binding.key))} AS VARCHAR)"
        digest = f"sha256({text_literal(f'{binding.subkey}:{block}:')} || {key})"
        half, shift = divmod(lane, 4)
        word = f"CAST(CAST(unhex(substr({digest}, {1 + 32 * half}, 32)) AS BIT) AS UHUGEINT)"
        shifted = f"({word} >> {32 * shift})" if shift else word
        return f"CAST(({shifted} & 4294967295) AS BIGINT)"

    def item(self, column: str, index: str) -> str:
        """Index a LIST."""
        return f"{column}[{index}]"

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - the ENUM stands for the list
        """Take the code of the value in the ENUM that `protect` creates for these values."""
        return f"CAST(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS {SCHEMA}.{enum_name(values)})) AS BIGINT)"


def enum_name(values: tuple[Any, ...]) -> str:
    """Name the ENUM of a list of values by its contents: a refit never alters the type of another view."""
    return "values_" + hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]
