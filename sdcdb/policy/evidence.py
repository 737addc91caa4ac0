"""What a database knows of its columns beyond one table's profile: some values, keys, and who refers to whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import ColumnProfile, TableProfile
from sdcdb.policy.column_names import core, read_name, tokens
from sdcdb.policy.foreign_keys import Path, foreign_keys, path_of
from sdcdb.policy.guess import FEW, Evidence, Guess, guess_key, guess_role
from sdcdb.policy.models import Role

PERSONAL = ("person", "reach", "house", "official", "login", "names of people", "birth", "sex", "e-mail", "phone")
"""Parts of the kinds of columns that tables of people have."""
VALUES = 400  # different values that are looked at
CANDIDATES = 6  # columns that a composite key is sought among
_NAMES_ONE = frozenset(["id", "key", "uuid", "no", "nr", "num", "number", "code", "sk", "ref", "nummer", "numero"])
_NAMES_ONE_WITHIN = frozenset(
    [
        "line",
        "seq",
        "sequence",
        "position",
        "item",
        "index",
        "idx",
        "visit",
        "episode",
        "wave",
        "round",
        "year",
        "month",
    ]
)
"""What numbers the records of one order, patient or panel member."""


@dataclass(frozen=True)
class Understood:
    """A table with what was found out about it."""

    profile: TableProfile
    guesses: Mapping[str, Guess]
    key: str | None
    together: tuple[str, ...]
    """Columns that are unique together, where no column is by itself."""
    person: str | None
    """The column that names a person, where a person has several records."""
    most: int
    """The most records that one person has."""
    public: str | None
    """Why the table looks public, if it does."""
    referred: Mapping[str, str] = field(default_factory=dict)
    """The tables whose keys columns repeat, by their names."""


def understand(con: duckdb.DuckDBPyConnection, profiles: list[TableProfile]) -> list[Understood]:
    """Guess the roles of all columns of all tables, each in the light of the others."""
    alone = {table.name: _alone(con, table) for table in profiles}
    guesses = {name: {c: guess_role(*both) for c, both in columns.items()} for name, columns in alone.items()}
    public = {t.name: guess_public(t, guesses[t.name], [o for o in profiles if o is not t]) for t in profiles}
    people = {name for name, own in guesses.items() if any(w in g.kind for g in own.values() for w in PERSONAL)}
    found = []
    for table in profiles:
        keys = foreign_keys(con, table.name)
        referring = {
            name: (column, replace(seen, **_relation(table, column, profiles, public, keys)))
            for name, (column, seen) in alone[table.name].items()
        }
        first = {name: guess_role(*both) for name, both in referring.items()}
        declared = _declared_key(con, table)
        key = declared[0] if len(declared) == 1 else guess_key(table)
        person = (
            _person(table, first)
            or next((name for name, (_, seen) in referring.items() if seen.refers in people), None)
            or (None if key else _repeating(table, first, declared))
        )
        seen = dict(referring)
        for name in _one_per_person(con, table, person, referring) if person else ():
            seen[name] = (seen[name][0], replace(seen[name][1], per_person=person))
        roles = {name: guess_role(*both) for name, both in seen.items()}
        together = () if key else declared or _composite(con, table)
        most = _most_records(con, table, person) if person else 1
        referred = {name: evidence.refers for name, (_, evidence) in referring.items() if evidence.refers}
        found.append(Understood(table, roles, key, together, person, most, public[table.name], referred))
    return found


def guess_public(table: TableProfile, guesses: Mapping[str, Guess], others: list[TableProfile]) -> str | None:
    """Say why `table` looks like a public dimension table, or None."""
    own = [(column, guesses[column.name]) for column in table.columns]
    if len(table.columns) < 2 or any(g.role is Role.CONFIDENTIAL and g.kind for _, g in own):
        return None
    if any(word in guess.kind for _, guess in own for word in PERSONAL):
        return None
    for other in others:
        for column in table.columns:
            shared = other.column(column.name) or _same_thing(other, column)
            if column.unique and shared is not None and not shared.unique and other.rows > table.rows:
                return f"one row per {column.name!r}, a column of {other.name!r}, and nothing confidential in it"
    return None


def _alone(con: duckdb.DuckDBPyConnection, table: TableProfile) -> dict[str, tuple[ColumnProfile, Evidence]]:
    source, about = quoted(table_reference(table.name)), _about(table)
    found = {}
    for column in table.columns:
        values: list[str] = []
        if column.text and column.distinct:
            name = quoted(identifier(column.name))
            sql = f"SELECT DISTINCT {name} FROM {source} WHERE {name} IS NOT NULL ORDER BY hash({name}) LIMIT {VALUES}"
            values = [value for (value,) in con.execute(sql).fetchall()]
        found[column.name] = (column, Evidence(values, about=about))
    return found


def _about(table: TableProfile) -> str | None:
    """Return the confidential matter that a table's name says, if it says one."""
    said = read_name(table_reference(table.name).name)
    return next((each.meaning.kind for each in said if each.meaning.role == Role.CONFIDENTIAL.value), None)


def _relation(
    table: TableProfile,
    column: ColumnProfile,
    profiles: list[TableProfile],
    public: Mapping[str, str | None],
    keys: Mapping[str, tuple[Path, str]],
) -> dict[str, str]:
    """Say whose key a column repeats, as the database declares it or by its name: of a public table, or of people."""
    if (meant := keys.get(fold(column.name))) is not None:
        parent = next((o for o in profiles if o is not table and path_of(o.name) == meant[0]), None)
        if parent is not None:
            return {"dimension" if public[parent.name] else "refers": parent.name}
    for other in profiles:
        own = other.column(column.name) or _same_thing(other, column)
        if other is table or own is None or not own.unique or column.unique:
            continue
        if public[other.name]:
            return {"dimension": other.name}
        if _NAMES_ONE & set(tokens(column.name)):
            return {"refers": other.name}
    return {}


def _same_thing(other: TableProfile, column: ColumnProfile) -> ColumnProfile | None:
    """Return the key of another table that a column repeats under the prefix of its own: c_custkey, lo_custkey."""
    if not numbers_something(column):
        return None
    return next((each for each in other.columns if each.unique and core(each.name) == core(column.name)), None)


def _person(table: TableProfile, guesses: Mapping[str, Guess]) -> str | None:
    """Return the column that names a person in several records."""
    identifiers = [column for column in table.columns if guesses[column.name].role is Role.IDENTIFIER]
    return next((column.name for column in identifiers if names_person(column)), None)


def _repeating(table: TableProfile, guesses: Mapping[str, Guess], declared: Sequence[str]) -> str | None:
    """Return the identifier that repeats in a table whose records no column names: of a person, for all we know.

    Whatever it is called, counting its values instead of records is the safer error. Columns of the key come first.
    """
    repeating = [
        column
        for column in table.columns
        if guesses[column.name].role is Role.IDENTIFIER
        and FEW < column.distinct < column.rows
        and (column.name in declared or numbers_something(column))
    ]
    repeating.sort(key=lambda column: (column.name not in declared, -column.distinct))
    return repeating[0].name if repeating else None


def names_person(column: ColumnProfile) -> bool:
    """Tell whether a column looks by its name like the number of a person, and repeats."""
    named = any(said.meaning.kind == "a person" for said in read_name(column.name))
    return named and numbers_something(column) and not column.unique and column.distinct > 0


def numbers_something(column: ColumnProfile) -> bool:
    """Tell whether a column's name says that it numbers something: `id`, `no`, `key`."""
    return bool(_NAMES_ONE & set(tokens(column.name)))


def _most_records(con: duckdb.DuckDBPyConnection, table: TableProfile, person: str) -> int:
    who, source = quoted(identifier(person)), quoted(table_reference(table.name))
    row = con.execute(f"SELECT max(n) FROM (SELECT count(*) AS n FROM {source} GROUP BY {who})").fetchone()
    return int(row[0]) if row is not None and row[0] else 1


def _one_per_person(
    con: duckdb.DuckDBPyConnection,
    table: TableProfile,
    person: str,
    columns: Mapping[str, tuple[ColumnProfile, Evidence]],
) -> list[str]:
    """Return columns with one value for each person, and another for (nearly) every other."""
    who = quoted(identifier(person))
    people = columns[person][0].distinct
    near = [
        name
        for name, (column, _) in columns.items()
        if name != person and (column.text or column.integer) and 0.9 * people <= column.distinct <= people > 20
    ]
    if not near:
        return []
    most = ", ".join(f"max(n{i})" for i in range(len(near)))
    counts = ", ".join(f"count(DISTINCT {quoted(identifier(name))}) AS n{i}" for i, name in enumerate(near))
    source = quoted(table_reference(table.name))
    row = con.execute(f"SELECT {most} FROM (SELECT {counts} FROM {source} GROUP BY {who})").fetchone() or ()
    return [name for name, many in zip(near, row, strict=True) if many == 1]


def _declared_key(con: duckdb.DuckDBPyConnection, table: TableProfile) -> tuple[str, ...]:
    """Return the columns of the primary key that the database declares."""
    own = table_reference(table.name)
    rows = con.execute(
        "SELECT constraint_column_names FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY' "
        "AND database_name = current_database() AND schema_name = ? AND table_name = ?",
        [own.db or "main", own.name],
    ).fetchall()
    return tuple(rows[0][0]) if rows else ()


def _composite(con: duckdb.DuckDBPyConnection, table: TableProfile) -> tuple[str, ...]:
    """Find two or three columns that are unique together."""
    like = [
        c.name
        for c in table.columns
        if not c.nulls
        and c.distinct > 1
        and ((_NAMES_ONE | _NAMES_ONE_WITHIN) & set(tokens(c.name)) or c.type.startswith(("DATE", "TIME")))
    ][:CANDIDATES]
    source = quoted(table_reference(table.name))
    for size in (2, 3):
        for names in combinations(like, size):
            listed = ", ".join(quoted(identifier(name)) for name in names)
            row = con.execute(f"SELECT count(*) FROM (SELECT DISTINCT {listed} FROM {source})").fetchone()
            if row is not None and row[0] == table.rows > 1:
                return names
    return ()
