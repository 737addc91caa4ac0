"""Numbers that a person has again in every record, such as an income beside each visit, or the pay of every month.

The audit takes the records of a person for as many unknowns. Where they are one, there are fewer unknowns than it
thinks: a sum over records is one over people, each as often as they have records there, and as many sums as there are
people tell everybody's value. So such a column is refused when the gateway opens, and by `check`: it belongs into a
table with one record per person. Values decide it, so it is a matter of the owner.
"""

from collections.abc import Iterator

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.record_key import key_sql
from sdcdb.errors import DatabaseError
from sdcdb.gateway.relations import Restricted

NEAR = 0.05
"""Two values are near if at most this share of all values lies between them."""
OFTEN = 0.5
"""How much oftener than by chance two records of a person are near: 0 by chance, 1 for all of them (Cohen's kappa)."""
FEWEST = 10  # people with several records
SAMPLE = 200_000  # records


def must_vary(con: duckdb.DuckDBPyConnection, table: Restricted) -> None:
    """Refuse a table in which a number is the same in all records of a person."""
    for column, why in find_repeated(con, table):
        raise DatabaseError(f"{table.name}.{column} {why}")


def find_repeated(con: duckdb.DuckDBPyConnection, table: Restricted) -> Iterator[tuple[str, str]]:
    """Yield each confidential number that a person has again in every record, or nearly, and what to do."""
    if table.person is None:
        return
    for name in table.confidential:
        if name in table.constant:
            yield name, f"is declared constant. {_INSTEAD}"
        elif repeats(con, table, name):
            yield name, f"has the same value in all records of most people, or nearly. {_INSTEAD}"


_INSTEAD = (
    "A sum over records is then one over people, and enough of them tell everybody's: ask about it in a table with one "
    "record per person, and make it an identifier here"
)


def repeats(con: duckdb.DuckDBPyConnection, table: Restricted, column: str) -> bool:
    """Tell whether two records of a person are near each other far oftener than those of two people."""
    value, person = quoted(identifier(column)), quoted(identifier(str(table.person)))
    source = quoted(table_reference(table.name))
    (records,) = con.execute(f"SELECT count({value}) FROM {source}").fetchone() or (0,)
    some = f"hash({person}) % {1 + int(records) // SAMPLE} = 0"
    row = con.execute(
        f"WITH placed AS (SELECT {person} AS p, hash({key_sql(table.key)}) AS h, "
        f"percent_rank() OVER (ORDER BY {value}) AS r FROM {source} WHERE {value} IS NOT NULL AND {some}), "
        "pairs AS (SELECT p, arg_min(r, h) AS a, arg_max(r, h) AS b FROM placed GROUP BY p HAVING count(*) > 1), "
        "others AS (SELECT a, b, lead(b) OVER (ORDER BY hash(p)) AS c FROM pairs) "
        f"SELECT count(*), avg((abs(a - b) <= {NEAR})::INT), avg((abs(a - c) <= {NEAR})::INT) "
        "FROM others WHERE c IS NOT NULL"
    ).fetchone()
    people, near, chance = row or (0, None, None)
    if people < FEWEST or near is None or chance is None or chance >= 1:
        return False
    return bool((near - chance) / (1 - chance) >= OFTEN)
