"""What a person has again in every record, such as an income beside each visit, or whether they smoke in each year.

The audit takes the records of a person for as many unknowns. Where they are one, there are fewer unknowns than it
thinks. A sum over records is then one over people, each as often as they have records there, and as many sums as there
are people tell everybody's value. A count of smokers in one year, less that in the next one, is about those who are not
in both. So such columns are refused when the gateway opens, and by `check`: a number belongs into a table with one
record per person, a category may be declared `constant`. Values decide it, so it is a matter of the owner.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.record_key import key_sql
from sdcdb.errors import DatabaseError
from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Restricted
from sdcdb.gateway.tables.personal_part import is_personal

NEAR = 0.05
"""Two values are near if at most this share of all values lies between them."""
OFTEN = 0.5
"""How much oftener than by chance two records of a person agree: 0 by chance, 1 for all of them (Cohen's kappa)."""
TOGETHER = 0.9
"""The rank correlation of two records of a person from which on the one says what the other is."""
FEWEST = 10  # people with several records, from which on they are not asked whether it may be chance
BY_CHANCE = 1e-3
ALIKE = 20  # records with the same quasi-identifiers, on average
MOST_DIVISIONS = 30
SAMPLE = 200_000  # records


def must_vary(con: duckdb.DuckDBPyConnection, table: Restricted) -> None:
    """Refuse a table in which a column is the same in all records of a person."""
    for column, why in find_repeated(con, table):
        raise DatabaseError(f"{table.name}.{column} {why}")


def find_repeated(con: duckdb.DuckDBPyConnection, table: Restricted) -> Iterator[tuple[str, str]]:
    """Yield each confidential column that a person has again in every record, or nearly, and what to do."""
    if table.person is None:
        return
    for name in table.confidential:
        if name in table.constant:
            yield name, f"is declared constant. {_OF_NUMBERS}"
        elif (beside := _repeats(con, table, name)) is not None:
            yield (
                name,
                f"has the same value in all records of most people, or nearly{beside and f', {beside}'}. {_OF_NUMBERS}",
            )
    for category in table.categories.values():
        if category.name not in table.constant:
            found = _repeated(con, table, category.name) & set(category.public.sensitive_values)
            for value in sorted(found, key=str):
                said = repr(NULL if value is None else value)
                yield category.name, f"has {said} in most records of whoever has it once. {_OF_CATEGORIES}"


_OF_NUMBERS = (
    "A sum over records is then one over people, and enough of them tell everybody's: ask about it in a table with one "
    "record per person, and make it an identifier here"
)
_OF_CATEGORIES = (
    "The difference of two counts over other records of the same people would be about the few who are not in both: "
    "declare it `constant` if everybody has one value, or ask about it in a table with one record per person and make "
    "it an identifier here"
)


def _repeats(con: duckdb.DuckDBPyConnection, table: Restricted, column: str) -> str | None:
    """Tell whether two records of a person are near each other far oftener than those of two people, and beside what.

    A number is held against all others, against those with the same quasi-identifiers, and less what these add to it or
    multiply it by: a wage stands behind every pay for so many hours, and a salary behind that of every year.
    """
    value = quoted(identifier(column))
    if _near(con, table, value):
        return ""
    divisions = _divisions(con, table)
    for names in divisions:
        if _near(con, table, value, names):
            return f"beside the same {' and '.join(names)}"
    single = [name for names in divisions if len(names) == 1 for name in names]
    return f"but for what {' and '.join(single)} make of it" if _personal(con, table, value, single) else None


def _personal(con: duckdb.DuckDBPyConnection, table: Restricted, value: str, names: Sequence[str]) -> bool:
    """Tell whether a number is a person's, but for parts of quasi-identifiers, beside all of which few are alike."""
    codes = "".join(f", dense_rank() OVER (ORDER BY q.q{n}) AS q{n}" for n in range(len(names)))
    some = _some(con, table, f"CAST({value} AS DOUBLE)", f"isfinite(CAST({value} AS DOUBLE))", _packed(names))
    found = con.execute(f"SELECT v, dense_rank() OVER (ORDER BY p) AS p{codes} FROM ({some})").fetchnumpy()
    held = {name: np.asarray(each) for name, each in found.items()}
    if len(np.unique(held["p"])) < FEWEST:
        return False
    return is_personal(held["v"], held["p"], [held[f"q{n}"] for n in range(len(names))])


def _packed(names: Sequence[str]) -> str:
    parts = ", ".join(f"q{n} := {_listed([name])}" for n, name in enumerate(names))
    return f"struct_pack({parts})" if parts else "0"


def _divisions(con: duckdb.DuckDBPyConnection, table: Restricted) -> list[tuple[str, ...]]:
    """Return one, two or all quasi-identifiers by which many records are alike."""
    ways = [*combinations(table.quasi, 1), *combinations(table.quasi, 2)][:MOST_DIVISIONS]
    found = []
    for names in dict.fromkeys([*ways, table.quasi] if table.quasi else []):
        row = con.execute(
            f"SELECT avg(n) FROM (SELECT count(*) AS n FROM {source_of(table)} GROUP BY {_listed(names)})"
        ).fetchone()
        if row is not None and (row[0] or 0) >= ALIKE:
            found.append(names)
    return found


def _listed(names: Sequence[str]) -> str:
    return ", ".join(quoted(identifier(name)) for name in names)


def _near(con: duckdb.DuckDBPyConnection, table: Restricted, value: str, beside: Sequence[str] = ()) -> bool:
    """Tell whether a person's records have nearly the same place among those that are alike beside them."""
    some = _some(con, table, value, f"{value} IS NOT NULL", _packed(beside))
    placed = f"SELECT p, h, percent_rank() OVER (PARTITION BY q ORDER BY v) AS v FROM ({some})"
    row = con.execute(
        f"WITH placed AS ({placed}), {_PAIRS}, "
        "others AS (SELECT a, b, lead(b) OVER (ORDER BY hash(p)) AS c FROM pairs) "
        f"SELECT count(*), avg((abs(a - b) <= {NEAR})::INT), avg((abs(a - c) <= {NEAR})::INT), corr(a, b) "
        "FROM others WHERE c IS NOT NULL"
    ).fetchone()
    people, often, chance, together = row or (0, None, None, None)
    return _agree(people, often, chance) or (people >= FEWEST and (together or 0.0) >= TOGETHER)


def _repeated(con: duckdb.DuckDBPyConnection, table: Restricted, column: str) -> set[str | None]:
    """Return the values that whoever has them in one record has in another one far oftener than others do."""
    value = f"coalesce(CAST({quoted(identifier(column))} AS VARCHAR), chr(1))"
    rows = con.execute(
        f"WITH placed AS ({_some(con, table, value)}), {_PAIRS}, "
        "shares AS (SELECT b AS v, count(*) / sum(count(*)) OVER () AS share FROM pairs GROUP BY b) "
        "SELECT a, count(*), avg((a = b)::INT), coalesce(any_value(share), 0) "
        "FROM pairs LEFT JOIN shares ON v = a GROUP BY a ORDER BY a"
    ).fetchall()
    return {None if each == chr(1) else each for each, *found in rows if _agree(*found)}


_PAIRS = "pairs AS (SELECT p, arg_min(v, h) AS a, arg_max(v, h) AS b FROM placed GROUP BY p HAVING count(*) > 1)"
"""Two records of each person who has several."""


def _some(con: duckdb.DuckDBPyConnection, table: Restricted, value: str, has: str = "true", beside: str = "0") -> str:
    """Write records of some people: whose they are, a number to choose among them, a value, and what is beside it."""
    person, source = quoted(identifier(str(table.person))), source_of(table)
    (records,) = con.execute(f"SELECT count(*) FROM {source}").fetchone() or (0,)
    chosen = f"hash({person}) % {1 + int(records) // SAMPLE} = 0"
    named = f"{person} AS p, hash({key_sql(table.key)}) AS h, {value} AS v, {beside} AS q"
    return f"SELECT {named} FROM {source} WHERE {chosen} AND {has}"


def _agree(people: int, often: float | None, chance: float | None) -> bool:
    """Tell whether people agree much oftener than by chance; where they are few, so that it is hardly chance."""
    if people < 1 or often is None or chance is None or chance >= 1:
        return False
    if (often - chance) / (1 - chance) < OFTEN:
        return False
    if people >= FEWEST:
        return True
    from scipy.special import bdtrc  # scipy.stats takes half a second to import

    least = 1 / (people + 1)  # what did not happen among few people may
    agreeing = round(often * people)
    return agreeing > 0 and float(bdtrc(agreeing - 1, people, max(chance, least))) <= BY_CHANCE
