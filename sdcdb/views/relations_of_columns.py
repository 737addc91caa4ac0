"""Finding confidential columns that determine each other: exact equations, and ranks that go together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import isfinite

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.record_key import ROWID, key_sql
from sdcdb.policy.links import Equation
from sdcdb.policy.models import Policy, Role

STRONG = 0.95  # of the rank correlation (Spearman's rho)
FEWEST = 20  # records, below which ranks go together by chance
EXACT = 1e-9  # of a value: what is left of an equation by floating point
SAMPLE = 100_000


@dataclass(frozen=True)
class Found:
    """Two columns, each as table and name, that determine each other: by an equation, or nearly."""

    first: tuple[str, str]
    second: tuple[str, str]
    equation: Equation | None
    rho: float

    @property
    def line(self) -> str:
        """What to add to the policy."""
        if self.first[0] != self.second[0]:
            return f"linked: [{'.'.join(self.first)} ~ {'.'.join(self.second)}]"
        return f"linked: [{self.equation or f'{self.first[1]} ~ {self.second[1]}'}]"


def breaks_equation(con: duckdb.DuckDBPyConnection, table: str, equation: Equation) -> int:
    """Count the records for which an equation does not hold, or of which one side is NULL."""
    y, x = (f"CAST({quoted(identifier(name))} AS DOUBLE)" for name in (equation.left, equation.right))
    off = f"abs({y} - ({equation.factor!r} * {x} + {equation.offset!r})) > {EXACT} * greatest(1, abs({y}))"
    row = con.execute(
        f"SELECT count(*) FROM {quoted(table_reference(table))} WHERE ({y} IS NULL) <> ({x} IS NULL) OR {off}"
    ).fetchone()
    return int(row[0]) if row else 0


def find_linked(con: duckdb.DuckDBPyConnection, policy: Policy, real: Mapping[str, str]) -> Iterator[Found]:
    """Yield columns that determine each other and are not declared so; `real` are the tables that there are."""
    apart = [*policy.linked_columns()]
    for name, table in policy.tables.items():
        pairs = {frozenset({(name, e.left), (name, e.right)}) for e in table.links() if isinstance(e, Equation)}
        apart += list(pairs)
    columns = [
        (name, column)
        for name, table in policy.tables.items()
        if name in real and table.restrict is not None
        for column, spec in table.columns.items()
        if spec.role is Role.CONFIDENTIAL and spec.domain is not None
    ]
    for first, second in combinations(columns, 2):
        if not any({first, second} <= group for group in apart):
            source = _source(policy, first, second)
            if source is not None and (found := _compare(con, source, first, second)) is not None:
                yield found


def _source(policy: Policy, first: tuple[str, str], second: tuple[str, str]) -> str | None:
    """Return the SQL that pairs the values of two columns: of one record, or of two with the same key."""
    x, y = (
        f"CAST({alias}.{quoted(identifier(c))} AS DOUBLE)" for alias, (_, c) in zip("ab", (first, second), strict=True)
    )
    left, right = (quoted(table_reference(name)) for name, _ in (first, second))
    if first[0] == second[0]:
        y = y.replace("b.", "a.", 1)
        return f"SELECT {x} AS x, {y} AS y FROM {left} a WHERE {x} IS NOT NULL AND {y} IS NOT NULL"
    keys = [policy.tables[name].key for name, _ in (first, second)]
    if None in keys or ROWID in keys:
        return None
    one, other = (f"CAST({key_sql(key, alias)} AS VARCHAR)" for alias, key in zip("ab", keys, strict=True) if key)
    return (
        f"SELECT {x} AS x, {y} AS y FROM {left} a JOIN {right} b ON {one} = {other} "
        f"WHERE {x} IS NOT NULL AND {y} IS NOT NULL"
    )


def _compare(
    con: duckdb.DuckDBPyConnection, source: str, first: tuple[str, str], second: tuple[str, str]
) -> Found | None:
    ranks = "SELECT rank() OVER (ORDER BY x) AS rx, rank() OVER (ORDER BY y) AS ry"
    row = con.execute(
        f"SELECT count(*), coalesce(corr(rx, ry), 0) FROM ({ranks} FROM ({source}) USING SAMPLE {SAMPLE} ROWS)"
    ).fetchone()
    number, rho = row or (0, 0.0)
    if number < FEWEST or not isfinite(rho) or abs(rho) < STRONG:
        return None
    equation = _equation(con, source, first[1], second[1]) if first[0] == second[0] else None
    if equation is not None and breaks_equation(con, first[0], equation):
        equation = None
    return Found(first, second, equation, float(rho))


def _equation(con: duckdb.DuckDBPyConnection, source: str, x: str, y: str) -> Equation | None:
    """Return the line through the ends, if all points may lie on it: with the simpler column on the right."""
    row = con.execute(f"SELECT min(x), max(x), arg_min(y, x), arg_max(y, x) FROM ({source})").fetchone()
    if row is None or row[0] is None or row[0] == row[1] or row[2] == row[3]:
        return None
    left, right, (a, b, c, d) = y, x, row
    if abs(d - c) < abs(b - a):  # 12 * month rather than 0.0833 * year
        left, right, (a, b, c, d) = x, y, (c, d, a, b)
    factor = float(f"{(d - c) / (b - a):.12g}")
    return Equation(left, right, factor, float(f"{c - factor * a:.12g}") + 0.0)
