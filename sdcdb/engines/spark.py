"""Spark SQL, for tables that outgrow one machine: the same plan, the same values for the same secret and key."""

from typing import Any

from sdcdb.engines.dialect import Binding, Dialect, text_literal
from sdcdb.row import TABLE
from sdcdb.sql import identifier


class SparkDialect(Dialect):
    """Spark 4."""

    name = "spark"

    def draw(self, binding: Binding, block: str, lane: int) -> str:
        """Read eight hexadecimal digits of the digest. Lane 0 of a half is its last 32 bits, as in DuckDB."""
        key = f"CAST({TABLE}.{identifier(binding.key).sql('spark', identify=True)} AS STRING)"
        prefix = text_literal(f"{binding.subkey}:{block}:").replace("\\", "\\\\")
        half, place = divmod(lane, 4)
        start = 32 * half + 25 - 8 * place
        return f"CAST(conv(substr(sha2(concat({prefix}, {key}), 256), {start}, 8), 16, 10) AS BIGINT)"

    def item(self, column: str, index: str) -> str:
        """Index an ARRAY; outside of it, as in DuckDB, there is NULL."""
        return f"try_element_at({column}, CAST({index} AS INT))"

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - Spark looks in the list itself
        """Look the value up; array_position counts from 1 and says 0 for none."""
        return f"(NULLIF(array_position({column}, CAST({value} AS STRING)), 0) - 1)"
