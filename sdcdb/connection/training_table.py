"""Read a DuckDB table for a tree: categories as codes, numbers as they are, and a seeded sample of large tables.

The sample is DuckDB's reservoir with a seed, taken in one thread so that the same seed gives the same records.
"""

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import INTEGERS, column_types, is_number
from sdcdb.errors import DataError, choices
from sdcdb.trees.table import SAMPLE, Attribute, Column, TrainingTable

MOST = 2_000  # values of a category
MOST_CLASSES = 2_000  # values of the class


def read_training_table(
    con: duckdb.DuckDBPyConnection, table: str, attributes: Sequence[str] | None, target: str,
    sample: int | None = SAMPLE, seed: int = 0,
) -> TrainingTable:  # fmt: skip
    """Read a DuckDB table, or a sample of a larger one, with the class `target`.

    By default, `attributes` are all columns that a rule can use: no category with more than `MOST` values, and no text
    or integer that differs in every record, which is a key.
    """
    types = column_types(con, table)
    source = quoted(table_reference(table))
    target = _named(types, target, table)
    wanted = [_named(types, name, table) for name in attributes] if attributes is not None else list(types)
    names = [*dict.fromkeys(name for name in wanted if name != target), target]
    chosen = {name: _attribute(con, source, name, types[name], is_class=name == target) for name in names}
    kept: list[Attribute] = []
    for name, attribute in chosen.items():
        if attribute is None and (attributes is not None or name == target):
            limit = MOST_CLASSES if name == target else MOST
            raise DataError(
                f"{name!r} has more than {limit:,} values: a tree needs fewer; group its values, or leave it out"
            )
        if attribute is not None and (attributes is not None or name == target or not _key(con, source, attribute)):
            kept.append(attribute)
    return TrainingTable(tuple(kept), _columns(con, source, kept, sample, seed), target)


def _named(types: dict[str, str], name: str, table: str) -> str:
    found = next((own for own in types if own.casefold() == name.casefold()), None)
    if found is None:
        raise DataError(f"no column {name!r} in {table!r}; {choices(name, types)}")
    return found


def numeric(kind: str) -> bool:
    """Return whether a DuckDB type is split by thresholds."""
    return is_number(kind)


def _attribute(
    con: duckdb.DuckDBPyConnection, source: str, name: str, kind: str, *, is_class: bool
) -> Attribute | None:
    """Return the attribute, or None for a category with too many values. A numeric class is a category."""
    if numeric(kind) and not is_class:
        return Attribute(name, "number", whole=kind in INTEGERS - {"BIGNUM"})
    column, limit = quoted(identifier(name)), MOST_CLASSES if is_class else MOST
    rows = con.execute(
        f"SELECT CAST({column} AS VARCHAR) AS v FROM {source} WHERE {column} IS NOT NULL GROUP BY {column} "
        f"ORDER BY {column}, v LIMIT {limit + 1}"
    ).fetchall()
    return None if len(rows) > limit else Attribute(name, "category", tuple(dict.fromkeys(text for (text,) in rows)))


def _key(con: duckdb.DuckDBPyConnection, source: str, attribute: Attribute) -> bool:
    """Return whether a text or integer differs in every one of several records."""
    if attribute.kind == "number" and not attribute.whole:
        return False
    column = quoted(identifier(attribute.name))
    if attribute.kind == "category":
        counted = con.execute(f"SELECT count(*), count({column}) FROM {source}").fetchone()
        rows, present = counted or (0, 0)
        distinct = len(attribute.values)
    else:
        rows, present, distinct = con.execute(
            f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM {source}"
        ).fetchone() or (0, 0, 0)
    return bool(rows > 1 and rows == present == distinct)


def _columns(
    con: duckdb.DuckDBPyConnection, source: str, attributes: Sequence[Attribute], sample: int | None, seed: int
) -> tuple[Column, ...]:
    shown = ", ".join(f"{_fetched(attribute)} AS c{n}" for n, attribute in enumerate(attributes))
    (rows,) = con.execute(f"SELECT count(*) FROM {source}").fetchone() or (0,)
    if sample is not None and rows > sample:
        names = ", ".join(quoted(identifier(attribute.name)) for attribute in attributes)
        sampled = f"SELECT {names} FROM {source} USING SAMPLE reservoir({int(sample)} ROWS) REPEATABLE ({int(seed)})"
        threads = con.execute("SELECT current_setting('threads')").fetchone()
        con.execute("SET threads = 1")
        try:
            fetched = con.execute(f"SELECT {shown} FROM ({sampled})").fetchnumpy()
        finally:
            con.execute(f"SET threads = {threads[0] if threads else 1}")
    else:
        fetched = con.execute(f"SELECT {shown} FROM {source}").fetchnumpy()
    return tuple(_column(attribute, fetched[f"c{n}"]) for n, attribute in enumerate(attributes))


def _fetched(attribute: Attribute) -> str:
    column = quoted(identifier(attribute.name))
    if attribute.kind == "number":
        return f"CAST({column} AS DOUBLE)"
    if not attribute.values:
        return "NULL::INTEGER"
    texts = ", ".join("'" + value.replace("'", "''") + "'" for value in attribute.values)
    return f"CAST(enum_code(TRY_CAST(CAST({column} AS VARCHAR) AS ENUM({texts}))) AS INTEGER)"


def _column(attribute: Attribute, values: Any) -> Column:
    if attribute.kind == "number":
        return np.ascontiguousarray(np.ma.filled(np.ma.asarray(values, np.float64), np.nan), np.float64)
    return np.ascontiguousarray(np.ma.filled(np.ma.asarray(values), -1), np.int32)
