"""What a person has again in every record, such as an income beside each visit, or whether they smoke in each year.

The audit takes the records of a person for as many unknowns. Where they are one, there are fewer unknowns than it
thinks. A sum over records is then one over people, each as often as they have records there, and as many sums as there
are people tell everybody's value. A count of smokers in one year, less that in the next one, is about those who are not
in both. So such columns are refused when the gateway opens, and by `check`: a number belongs into a table with one
record per person, a category may be declared `constant`. Values decide it, so it is a matter of the owner.
"""

from collections.abc import Iterator

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.record_key import key_sql
from sdcdb.errors import DatabaseError
from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.relations import Restricted

NEAR = 0.05
"""Two values are near if at most this share of all values lies between them."""
OFTEN = 0.5
"""How much oftener than by chance two records of a person agree: 0 by chance, 1 for all of them (Cohen's kappa)."""
FEWEST = 10  # people with several records
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
        elif _repeats(con, table, name):
            yield name, f"has the same value in all records of most people, or nearly. {_OF_NUMBERS}"
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


def _repeats(con: duckdb.DuckDBPyConnection, table: Restricted, column: str) -> bool:
    """Tell whether two records of a person are near each other far oftener than those of two people."""
    value = quoted(identifier(column))
    placed = f"SELECT p, h, percent_rank() OVER (ORDER BY v) AS v FROM ({_some(con, table, value)}) WHERE v IS NOT NULL"
    row = con.execute(
        f"WITH placed AS ({placed}), {_PAIRS}, "
        "others AS (SELECT a, b, lead(b) OVER (ORDER BY hash(p)) AS c FROM pairs) "
        f"SELECT count(*), avg((abs(a - b) <= {NEAR})::INT), avg((abs(a - c) <= {NEAR})::INT) "
        "FROM others WHERE c IS NOT NULL"
    ).fetchone()
    return _agree(*(row or (0, None, None)))


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


def _some(con: duckdb.DuckDBPyConnection, table: Restricted, value: str) -> str:
    """Write the records of some people: whose they are, a number by which to choose among them, and a value."""
    person, source = quoted(identifier(str(table.person))), quoted(table_reference(table.name))
    (records,) = con.execute(f"SELECT count(*) FROM {source}").fetchone() or (0,)
    return (
        f"SELECT {person} AS p, hash({key_sql(table.key)}) AS h, {value} AS v FROM {source} "
        f"WHERE hash({person}) % {1 + int(records) // SAMPLE} = 0"
    )


def _agree(people: int, often: float | None, chance: float | None) -> bool:
    """Tell whether so many people are enough, and agree much oftener than by chance."""
    if people < FEWEST or often is None or chance is None or chance >= 1:
        return False
    return (often - chance) / (1 - chance) >= OFTEN
