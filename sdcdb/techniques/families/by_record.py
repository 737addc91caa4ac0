"""Columns in the order of the key: read into Python, and stored again by record, without a key passing through it."""

from typing import Any

import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.record_key import key_sql, stored_name
from sdcdb.techniques.technique import Engine, Source

_PLACE = "sdc columns by record"


def fetch_in_order(engine: Engine, table: Source, expressions: list[str]) -> Any:
    """Return SQL expressions over the table as an Arrow table, one record per row, in the order of the key."""
    listed = ", ".join(expressions)
    query = f"SELECT {listed} FROM {quoted(table_reference(table.name))} ORDER BY {key_sql(table.key)}"
    return engine.con.sql(query).to_arrow_table()


def store_in_order(engine: Engine, table: Source, name: str, columns: dict[str, Any], types: dict[str, str]) -> None:
    """Store Arrow arrays by record, matched by the order of the key; `types` casts some of them."""
    import pyarrow as pa

    records = len(next(iter(columns.values())))
    rows = pa.table([*columns.values(), pa.array(np.arange(1, records + 1))], names=[*columns, "sdc n"])
    engine.con.register(_PLACE, rows)
    try:
        key = key_sql(table.key)
        listed = ", ".join(_cast(column, types) for column in columns)
        engine.store(
            name,
            f"SELECT r.k AS {quoted(identifier(stored_name(table.key)))}, {listed} "
            f"FROM {quoted(identifier(_PLACE))} AS m JOIN (SELECT {key} AS k, row_number() OVER "
            f'(ORDER BY {key}) AS n FROM {quoted(table_reference(table.name))}) AS r ON m."sdc n" = r.n ORDER BY r.n',
        )
    finally:
        engine.con.unregister(_PLACE)


def _cast(column: str, types: dict[str, str]) -> str:
    name = quoted(identifier(column))
    return f"CAST(m.{name} AS {types[column]}) AS {name}" if column in types else f"m.{name}"
