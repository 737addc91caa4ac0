"""The cells of a restricted table: one for each combination of quasi-identifiers, with what answers are made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.record_key import key_sql
from sdcdb.engines.dialect import text_literal
from sdcdb.errors import DatabaseError
from sdcdb.gateway.reading.reserved import CELL, RECORDS, total_column
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Confidential, Restricted
from sdcdb.gateway.tables.frequencies import Frequencies, read_frequencies
from sdcdb.gateway.tables.owners import Owners, read_owners, told_apart

MOST_CELLS = 5_000_000
_FINEST = 12  # decimals of numbers that DuckDB turns into whole ones
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Totals:
    """Count, sum, least and greatest value of one confidential column in every cell, in exact units.

    `scale` is the number of decimals of a DECIMAL, whose values are kept as whole numbers; None for DOUBLE.
    """

    column: Confidential
    counts: NDArray[np.int64]
    sums: NDArray[Any]
    least: NDArray[Any]
    greatest: NDArray[Any]
    scale: int | None
    digest: int
    """The XOR over all records of a digest of key and value: in whatever cells they are, it is the same."""

    def count(self, cells: Indices) -> int:
        """Return the number of values in these cells."""
        return int(self.counts[cells].sum())

    def total(self, kind: str, cells: Indices) -> Any:
        """Return the sum, least or greatest value over these cells as int, Decimal or float; None over no value."""
        held = cells if self._everywhere else cells[self.counts[cells] > 0]
        if not len(held):
            return None
        if kind == "sum":
            found = self.sums[held].sum()
        else:
            found = self.least[held].min() if kind == "min" else self.greatest[held].max()
        if self.scale is None:
            return float(found)
        return int(found) if self.scale == 0 else Decimal(int(found)).scaleb(-self.scale)

    @cached_property
    def _everywhere(self) -> bool:
        """Whether every cell has a value."""
        return bool((self.counts > 0).all())

    def type(self, kind: str) -> str:
        """Return the type that DuckDB gives to such an answer."""
        if kind != "sum":
            return self.column.type
        return {None: "DOUBLE", 0: "HUGEINT"}.get(self.scale, f"DECIMAL(38,{self.scale})")


@dataclass(frozen=True)
class Cells:
    """The cells of one table; `source` is the vault's table of their quasi-identifiers."""

    table: Restricted
    source: str
    records: NDArray[np.int64]
    totals: Mapping[str, Totals]
    frequencies: Mapping[str, Frequencies] = field(default_factory=dict)
    owners: Owners | None = None
    """Whose records they are, where the policy names a person."""

    @property
    def held(self) -> Mapping[str, Totals | Frequencies]:
        """What is kept of every confidential column, numbers and categories."""
        return {**self.totals, **self.frequencies}

    def people(self, cells: Indices, column: str | None = None) -> int:
        """Return how many people have a record, or a value of a confidential column, in these cells."""
        if self.owners is not None:
            return self.owners.number(cells, column)
        return int(self._counts(column)[cells].sum())

    def people_outside(self, cells: Indices, column: str | None = None) -> int:
        """Return how many people have a record, or a value of a confidential column, outside of these cells."""
        if self.owners is not None:
            return self.owners.left(cells, column)
        counts = self._counts(column)
        if len(cells) == len(counts):
            return 0
        return int(counts.sum() - counts[cells].sum())

    def _counts(self, column: str | None) -> NDArray[np.int64]:
        return self.records if column is None else self.totals[column].counts

    @property
    def size(self) -> int:
        """How many cells there are."""
        return len(self.records)


def build(con: duckdb.DuckDBPyConnection, table: Restricted, source: str, secret: str) -> Cells:
    """Count and sum the table by its quasi-identifiers, once, into the vault's table `source`.

    `secret` is the key of the digests, which the ledger keeps: without it, values could be tried until one fits.
    """
    quasi = [quoted(identifier(name)) for name in table.quasi]
    raw = source_of(table)
    _must_not_multiply(con, table)
    key = key_sql(table.key)
    record = f"{text_literal(secret)}, CAST({key} AS VARCHAR)"
    measures = "".join(
        f", count({x}) AS {_total('n', n)}, sum({x}) AS {_total('s', n)}, min({x}) AS {_total('l', n)}, "
        f"max({x}) AS {_total('g', n)}, bit_xor(md5_number(concat_ws(chr(31), {record}, CAST({x} AS VARCHAR)))) "
        f"FILTER (WHERE {x} IS NOT NULL) AS {_total('d', n)}"
        for n, x in enumerate(quoted(identifier(name)) for name in table.confidential)
    )
    listed = "".join(f"any_value({name}) AS {name}, " for name in quasi)
    by = f"GROUP BY {', '.join(part for name in table.quasi for part in told_apart(table, name))}" if quasi else ""
    order = f"ORDER BY {', '.join(quasi)}" if quasi else ""
    con.execute(
        f'CREATE TABLE {source} AS SELECT row_number() OVER ({order}) - 1 AS "{CELL}", * '
        f'FROM (SELECT {listed}count(*) AS "{RECORDS}"{measures} FROM {raw} {by}) ORDER BY "{CELL}"'
    )
    (number,) = con.execute(f"SELECT count(*) FROM {source}").fetchone() or (0,)
    if number > MOST_CELLS:
        raise DatabaseError(
            f"{table.name!r} has {number:,} combinations of its quasi-identifiers; the gateway audits up to "
            f"{MOST_CELLS:,}: make one of {', '.join(table.quasi)} coarser, or give it another role"
        )
    records = con.execute(f'SELECT "{RECORDS}" FROM {source} ORDER BY "{CELL}"').fetchnumpy()[RECORDS]
    totals = {name: _totals(con, source, n, table.confidential[name]) for n, name in enumerate(table.confidential)}
    for n, _ in enumerate(table.confidential):  # what the vault's SQL cannot reach, no predicate can
        for letter in "nslgd":
            con.execute(f"ALTER TABLE {source} DROP COLUMN {_total(letter, n)}")
    number_of = np.asarray(records, dtype=np.int64)
    frequencies = read_frequencies(con, table, source, number_of, secret)
    owners = None if table.person is None else read_owners(con, table, source, number)
    return Cells(table, source, number_of, totals, frequencies, owners)


def _must_not_multiply(con: duckdb.DuckDBPyConnection, table: Restricted) -> None:
    """Refuse a table whose records refer to several records of another one."""
    for each in table.refers:
        key, parent = quoted(identifier(each.key)), quoted(table_reference(each.parent))
        (twice,) = con.execute(f"SELECT count({key}) - count(DISTINCT {key}) FROM {parent}").fetchone() or (0,)
        if twice:
            raise DatabaseError(
                f"{table.name!r} refers to {each.parent!r}, whose key {each.key!r} is not unique: remove the duplicates"
            )


def _totals(con: duckdb.DuckDBPyConnection, source: str, number: int, column: Confidential) -> Totals:
    scale = None if column.type in {"DOUBLE", "FLOAT"} else _decimals(column.type)
    held = [_total(letter, number) for letter in "slg"]
    (digest,) = con.execute(f"SELECT bit_xor({_total('d', number)}) FROM {source}").fetchone() or (None,)
    counts = con.execute(f'SELECT {_total("n", number)} AS n FROM {source} ORDER BY "{CELL}"').fetchnumpy()["n"]
    wide = " + ".join(f"coalesce(sum(abs(CAST({name} AS DOUBLE))), 0)" for name in held)
    (widest,) = con.execute(f"SELECT {wide} FROM {source}").fetchone() or (0.0,)
    if scale is None:
        sums, least, greatest = _read(con, source, held, "CAST({} AS DOUBLE)", np.float64)
    elif scale <= _FINEST and widest * 10**scale < 2**60:
        power = f"CAST({{}} AS DECIMAL(38, {scale})) * {10**scale}" if scale else "{}"
        sums, least, greatest = _read(con, source, held, f"CAST({power} AS BIGINT)", np.int64)
    else:
        rows = con.execute(f'SELECT {", ".join(held)} FROM {source} ORDER BY "{CELL}"').fetchall()
        sums, least, greatest = (_exact(each, scale) for each in (zip(*rows, strict=True) if rows else ((), (), ())))
    return Totals(column, np.asarray(counts, dtype=np.int64), sums, least, greatest, scale, int(digest or 0))


def _read(
    con: duckdb.DuckDBPyConnection, source: str, names: Sequence[str], cast: str, kind: type[np.generic]
) -> list[NDArray[Any]]:
    """Read numbers that fit into 64 bits, with 0 where there are none: millions of cells at once."""
    listed = ", ".join(f"coalesce({cast.format(name)}, 0) AS c{n}" for n, name in enumerate(names))
    found = con.execute(f'SELECT {listed} FROM {source} ORDER BY "{CELL}"').fetchnumpy()
    return [np.asarray(found[f"c{n}"], dtype=kind) for n in range(len(names))]


def _total(letter: str, number: int) -> str:
    return quoted(identifier(total_column(letter, number)))


def _exact(values: Sequence[Any], scale: int) -> NDArray[Any]:
    """Keep numbers exactly, as whole numbers of their last digit."""
    if scale == 0:
        whole = [0 if value is None else int(value) for value in values]
    else:
        whole = [0 if value is None else int(Decimal(value).scaleb(scale)) for value in values]
    small = sum(abs(value) for value in whole) < 2**62
    return np.array(whole, dtype=np.int64 if small else object)


def _decimals(kind: str) -> int:
    return int(kind.rstrip(")").split(",")[1]) if kind.startswith("DECIMAL(") else 0
