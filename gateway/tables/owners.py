"""Whose records the cells of a table hold, where the policy names a person: read once, without any value."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.record_key import key_sql
from sdcdb.errors import DatabaseError
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Category, Restricted

Ints = NDArray[np.int64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Owners:
    """How many records every person has in every cell: of the table, and those with a value of each column."""

    everybody: People
    with_value: Mapping[str, People]
    values: Mapping[str, Ints] = field(default_factory=dict)
    """The value of each person, by its place, of categories that are declared constant within a person."""

    def with_category(self, column: str, cells: Indices, values: Collection[int]) -> int:
        """Return how many people with a record in these cells have one of some values of a constant category."""
        there = np.unique(self.everybody.by_cell[:, cells].indices)
        return int(np.isin(self.values[column][there], list(values)).sum())

    def number(self, cells: Indices, column: str | None = None) -> int:
        """Return how many people have a record, or a value of a column, in these cells."""
        return len(np.unique(self._people(column).by_cell[:, cells].indices))

    def left(self, cells: Indices, column: str | None = None) -> int:
        """Return how many people have a record, or a value of a column, outside of these cells."""
        people = self._people(column)
        part = people.by_cell[:, cells]
        inside = np.bincount(part.indices, weights=part.data, minlength=len(people.records))
        return int(np.count_nonzero(inside < people.records))

    def _people(self, column: str | None) -> People:
        return self.everybody if column is None else self.with_value[column]

    def by_value(self, cells: Indices, ranks: Ints) -> Ints:
        """Return how many people have each value, given the rank of each cell's value: in the order of ranks."""
        values, labels = np.unique(ranks, return_inverse=True)
        return self.everybody.within(cells).of_sets(labels.astype(np.int64), len(values))


def read_owners(con: duckdb.DuckDBPyConnection, table: Restricted, source: str, cells: int) -> Owners:
    """Read whose records are in each cell. Records without a person count as one person's: that never grants more."""
    mine, theirs = quoted(identifier("r")), quoted(identifier("c"))
    matches = " AND ".join(
        f"{one} IS NOT DISTINCT FROM {other}"
        for name in table.quasi
        for one, other in zip(told_apart(table, name, mine), told_apart(table, name, theirs), strict=True)
    )
    person = key_sql(table.person or table.key, "r")
    values = "".join(f", count({mine}.{quoted(identifier(name))}) AS n{n}" for n, name in enumerate(table.confidential))
    cell = quoted(identifier(CELL))
    rows = con.execute(
        f"SELECT dense_rank() OVER (ORDER BY who) AS who, * EXCLUDE (who) FROM ("
        f"SELECT {person} AS who, {theirs}.{cell} AS cell, count(*) AS records{values} "
        f"FROM {source_of(table)} AS {mine} JOIN {source} AS {theirs} ON {matches or 'true'} "
        f"GROUP BY {person}, {theirs}.{cell})"
    ).fetchnumpy()
    held = {name: np.asarray(each, dtype=np.int64) for name, each in rows.items()}
    with_value = {
        name: People.of(held["who"], held["cell"], held[f"n{n}"], cells) for n, name in enumerate(table.confidential)
    }
    everybody = People.of(held["who"], held["cell"], held["records"], cells)
    constant = [each for name, each in table.categories.items() if name in table.constant]
    return Owners(everybody, with_value, {each.name: _values(con, table, each) for each in constant})


def _values(con: duckdb.DuckDBPyConnection, table: Restricted, category: Category) -> Ints:
    """Read the one value that each person has, in the order of persons."""
    person, value = key_sql(table.person or table.key), quoted(identifier(category.name))
    rows = con.execute(
        f"SELECT any_value(CAST({value} AS VARCHAR)), count(DISTINCT coalesce(CAST({value} AS VARCHAR), chr(1))) "
        f"FROM {source_of(table)} GROUP BY {person} ORDER BY {person}"
    ).fetchall()
    if any(different > 1 for _, different in rows):
        raise DatabaseError(
            f"{table.name}.{category.name} is declared constant, and somebody has several values of it, or one in some "
            f"records only: fix the data, or take it out of `constant`"
        )
    known = {text: n for n, text in enumerate(category.public.values)}
    return np.array([known.get(text, -1) for text, _ in rows], dtype=np.int64)


def told_apart(table: Restricted, name: str, source: str = "") -> list[str]:
    """Return what two records of one cell have in common. Values may be equal, and yet told apart by an expression.

    So are 'a' and 'A' under a collation, 0.0 and -0.0, and 30 days and a month.
    """
    kind, column = table.columns[name], quoted(identifier(name))
    column = f"{source}.{column}" if source else column
    if kind.startswith("VARCHAR COLLATE "):
        return [f"encode({column})"]
    return [column, f"CAST({column} AS VARCHAR)"] if kind in {"FLOAT", "DOUBLE", "INTERVAL"} else [column]
