"""How many records of each cell have each value of a confidential category."""

from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.record_key import key_sql
from sdcdb.engines.dialect import text_literal
from sdcdb.errors import DatabaseError
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Category, Restricted
from sdcdb.gateway.tables.cell_text import cell_text

HALF = 2**64 - 1


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The records of each cell by value, a column for each; and a digest, as of a number's totals."""

    category: Category
    by_value: NDArray[np.int64]
    digest: int

    @property
    def counts(self) -> NDArray[np.int64]:
        """The records of each cell."""
        return np.asarray(self.by_value.sum(axis=1), dtype=np.int64)


def read_frequencies(
    con: duckdb.DuckDBPyConnection, table: Restricted, source: str, records: NDArray[np.int64], secret: str
) -> dict[str, Frequencies]:
    """Count the records of every cell in the vault's table `source` by the values of each category."""
    return {name: _read(con, table, each, source, records, secret) for name, each in table.categories.items()}


def _read(
    con: duckdb.DuckDBPyConnection,
    table: Restricted,
    category: Category,
    source: str,
    records: NDArray[np.int64],
    secret: str,
) -> Frequencies:
    key = key_sql(table.key)
    value, cell, text = quoted(identifier(category.name)), quoted(identifier(CELL)), cell_text(table)
    parts = [f"count(*) FILTER (WHERE v {_is(each)}) AS n{n}" for n, each in enumerate(category.public.values)]
    parts.append(f"bit_xor(md5_number(concat_ws(chr(31), {text_literal(secret)}, k, coalesce(v, chr(1))))) AS d")
    halves = f"CAST(d >> 64 AS UBIGINT) AS high, CAST(d & {HALF}::UHUGEINT AS UBIGINT) AS low"  # which numpy can hold
    rows = con.execute(
        f"SELECT * EXCLUDE (d), {halves} FROM (SELECT {cell} AS cell, {', '.join(parts)} "
        f"FROM (SELECT {text} AS cell_text, CAST({value} AS VARCHAR) AS v, CAST({key} AS VARCHAR) AS k "
        f"FROM {source_of(table)}) r "
        f"JOIN (SELECT {text} AS cell_text, {cell} FROM {source}) c ON r.cell_text = c.cell_text GROUP BY cell)"
    ).fetchnumpy()
    held = {name: np.asarray(column) for name, column in rows.items()}
    by_value = np.zeros((len(records), category.size), dtype=np.int64)
    for n in range(category.size):
        by_value[held["cell"], n] = held[f"n{n}"]
    high, low = (int(np.bitwise_xor.reduce(held[name].astype(np.uint64), initial=0)) for name in ("high", "low"))
    if (by_value.sum(axis=1) != records).any():
        raise DatabaseError(
            f"{table.name}.{category.name} has values that `known` does not name: `sdcdb check` says which; "
            "name every value with its public share, and `null` if it can be missing"
        )
    return Frequencies(category, by_value, high << 64 | low)


def _is(value: str | None) -> str:
    return "IS NULL" if value is None else f"= {text_literal(value)}"
