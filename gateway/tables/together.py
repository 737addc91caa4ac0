"""How many people have a value of one column and a value of another one, in a table or in two about the same people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.fields.category_shares import MOST
from sdcdb.gateway.tables.same_people import Shared

Value = str | None
SOME = "some value"
"""What stands for every value of a column that has more of them than a category can have."""


@dataclass(frozen=True)
class Pair:
    """A category and another column, each with its table; for two tables, what says who records are about."""

    here: str
    name: str
    there: str
    other: str
    shared: Shared | None = None

    @property
    def columns(self) -> frozenset[str]:
        """Both columns, in no order."""
        return frozenset({f"{self.here}.{self.name}", f"{self.there}.{self.other}"})

    def joined(self, other: str) -> str:
        """Write `v`, the category, and `w`, SQL of the other column, of records or of people, as a table `pairs`.

        Of two tables a row is a person: who has a value in several records has it once.
        """
        value = f"CAST({quoted(identifier(self.name))} AS VARCHAR)"
        first, second = (quoted(table_reference(each)) for each in (self.here, self.there))
        if self.shared is None:
            return f"WITH pairs AS (SELECT 0 AS id, {value} AS v, {other} AS w FROM {first})"
        return (
            f"WITH a AS (SELECT DISTINCT {self.shared.one} AS id, {value} AS v FROM {first}), "
            f"b AS (SELECT DISTINCT {self.shared.other} AS id, {other} AS w FROM {second}), "
            "pairs AS (SELECT id, v, w FROM a JOIN b USING (id))"
        )


@dataclass(frozen=True)
class Together:
    """The people with each pair of values, with each value of the category and of the other column, and of all."""

    pairs: Mapping[tuple[Value, Value], int]
    have: Mapping[Value, int]
    sizes: Mapping[Value, int]
    people: int
    single: bool = True
    """Whether nobody has several values: of two tables, a person may."""


def count_together(con: duckdb.DuckDBPyConnection, pair: Pair) -> Together:
    """Count people by two columns."""
    text = _other(con, pair)
    people = "count(*)" if pair.shared is None else "count(DISTINCT id)"
    rows = con.execute(
        f"{pair.joined(text)} SELECT v, w, grouping(v), grouping(w), {people} FROM pairs "
        "GROUP BY GROUPING SETS ((v, w), (v), (w), ())"
    ).fetchall()
    pairs = {(v, w): n for v, w, no_v, no_w, n in rows if not no_v and not no_w}
    have = {v: n for v, _, no_v, no_w, n in rows if not no_v and no_w}
    sizes = {w: n for _, w, no_v, no_w, n in rows if no_v and not no_w}
    number = next((n for *_, no_v, no_w, n in rows if no_v and no_w), 0)
    return Together(pairs, have, sizes, number, sum(have.values()) == number == sum(sizes.values()))


def count_apart(con: duckdb.DuckDBPyConnection, pair: Pair, value: Value, others: Sequence[Value]) -> int:
    """Count the people of whom a value, and any of some values of the other column, say different things."""
    row = con.execute(
        f"{pair.joined(_other(con, pair))} SELECT count(*) FROM (SELECT bool_or(v IS NOT DISTINCT FROM $1) AS have, "
        "bool_or(coalesce(list_contains($2, w), false) OR (w IS NULL AND $3)) AS told FROM pairs GROUP BY id) "
        "WHERE have <> told",
        [value, [each for each in others if each is not None], None in others],
    ).fetchone()
    return int((row or (0,))[0])


def _other(con: duckdb.DuckDBPyConnection, pair: Pair) -> str:
    """Return the SQL of the other column: of one with too many values only whether there is one."""
    text = f"CAST({quoted(identifier(pair.other))} AS VARCHAR)"
    (values,) = con.execute(f"SELECT count(DISTINCT {text}) FROM {quoted(table_reference(pair.there))}").fetchone() or (
        0,
    )
    return text if values <= MOST else f"CASE WHEN {text} IS NOT NULL THEN '{SOME}' END"
