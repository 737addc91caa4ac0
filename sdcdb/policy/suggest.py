"""Methods for a first protected view that fit each column, what they change, and a stricter and a looser one."""

from dataclasses import dataclass

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import ColumnProfile, TableProfile
from sdcdb.errors import DataError, counted
from sdcdb.policy.models import Role
from sdcdb.techniques.kanonymity import Kanonymity, recode

SAMPLE = 5_000  # values by which a change is estimated
PREVIEW = 60_000  # records up to which the recoding is tried out
K = 5


@dataclass(frozen=True)
class Suggestion:
    """A method as it stands in a policy, and what is said beside it."""

    method: str
    change: str
    stricter: str
    looser: str

    def __str__(self) -> str:
        return f"{{{self.method}}}  # {self.change}; stricter: {self.stricter}, looser: {self.looser}"


def suggest(con: duckdb.DuckDBPyConnection, table: TableProfile, column: ColumnProfile) -> Suggestion:
    """Suggest a method for a confidential column: values are exchanged, so that means and shares stay what they are.

    Numbers, amounts of money, counts and dates exchange with neighbours in rank: no skewed or bounded column leaves its
    range, and its mean stays. Categories exchange with anybody, half of the records at a time.
    """
    if (column.numeric or column.type.startswith(("DATE", "TIMESTAMP"))) and column.distinct > 2:
        share = 0.1 if column.distinct > 20 else 0.3  # a column of few values has many ties
        change = _rank_change(con, table, column, share)
        near = f"range: {share:.0%}"
        return Suggestion(f"method: swapping, {near}", change, f"range: {2 * share:.0%}", f"range: {share / 2:.0%}")
    change = _other_value(con, table, column, 0.5)
    return Suggestion("method: swapping, share: 50%", change, "share: 80%", "share: 25%")


def _rank_change(con: duckdb.DuckDBPyConnection, table: TableProfile, column: ColumnProfile, share: float) -> str:
    """Estimate how far a value moves: the mean distance of two values in one block of ranks."""
    name = quoted(identifier(column.name))
    number = f"epoch({name})" if not column.numeric else f"{name}::DOUBLE"
    sql = f"SELECT {number} FROM {quoted(table_reference(table.name))} WHERE {name} IS NOT NULL"
    found = con.execute(f"SELECT * FROM ({sql}) USING SAMPLE reservoir({SAMPLE} ROWS) REPEATABLE (1)").fetchnumpy()
    values = np.sort(np.asarray(found.popitem()[1], dtype=np.float64))
    if len(values) < 3:
        return "too few values to say what changes"
    blocks = np.array_split(values, max(1, round(1 / share)))
    draw = np.random.default_rng(1)
    moved = np.concatenate([np.abs(block - draw.permutation(block)) for block in blocks])
    spread = float(values.std()) or 1.0
    if not column.numeric:
        return f"moves by {moved.mean() / 86_400:,.0f} days on average; every count by date stays"
    digits = 0 if moved.mean() >= 10 else 2
    return f"changes by {moved.mean():,.{digits}f} on average ({moved.mean() / spread:.0%} of its sd); its mean stays"


def _other_value(con: duckdb.DuckDBPyConnection, table: TableProfile, column: ColumnProfile, share: float) -> str:
    """Say how many records get another value: those that exchange, unless their partner has the same."""
    name = quoted(identifier(column.name))
    sql = (
        f"SELECT 1 - sum(n * n) / (sum(n) * sum(n)) FROM (SELECT count(*)::DOUBLE AS n FROM "
        f"{quoted(table_reference(table.name))} WHERE {name} IS NOT NULL GROUP BY {name})"
    )
    ((apart,),) = con.execute(sql).fetchall()
    return f"{share * (apart or 0.0):.0%} of the records get another value; every count stays"


def preview(con: duckdb.DuckDBPyConnection, table: TableProfile, quasi: list[str], k: int) -> str:
    """Say what stays of the quasi-identifiers when every combination belongs to k records."""
    listed = ", ".join(quoted(identifier(name)) for name in quasi)
    sql = (
        f"SELECT count(*) FILTER (n = 1) FROM (SELECT count(*) AS n FROM {quoted(table_reference(table.name))} "
        f"GROUP BY {listed})"
    )
    ((unique,),) = con.execute(sql).fetchall()
    alone = f"{unique:,} of {counted(table.rows, 'record')} are unique in these columns as they are"
    if not k <= table.rows <= PREVIEW:
        return alone
    try:
        params = Kanonymity(method="kanonymity", k=k, columns=tuple(quasi))
        with con.cursor() as cursor:  # no result that was half read is in its way
            found = recode(cursor, table.name, params)
    except DataError as problem:
        return f"{alone}; {problem}"
    return f"{alone}; recoded, a cell loses {found.loss:.0%} on average"


def suggested_columns(table: TableProfile, roles: dict[str, Role]) -> list[ColumnProfile]:
    """Return the confidential columns of a table that can be exchanged."""
    return [column for column in table.columns if roles[column.name] is Role.CONFIDENTIAL and column.distinct > 1]
