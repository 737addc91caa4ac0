"""The records of a table as keyed digests: who they are, what they have, and the cell that each is in."""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.record_key import ROWID, key_sql
from sdcdb.engines.dialect import text_literal
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.references import source_of
from sdcdb.gateway.relations import Restricted
from sdcdb.gateway.tables.cell_text import cell_text, common_text
from sdcdb.gateway.tables.cells import Cells

Ints = NDArray[np.int64]

_63_BITS = 9223372036854775807


@dataclass(frozen=True, eq=False)
class ColumnRecords:
    """The records that have a value in one confidential column.

    `people` are digests of their keys, `values` of key and value, `alike` of quasi-identifiers and value without the
    key: the last tell a table that was loaded again under new keys. `owners` are digests of whose records they are,
    where the policy names a person; `groups` are of the quasi-identifier by which changes are counted, if there is one.
    """

    cells: Ints
    people: Ints
    values: Ints
    alike: Ints
    owners: Ints | None = None
    groups: Ints | None = None


def read_records(
    con: duckdb.DuckDBPyConnection, table: Restricted, cells: Cells, secret: str
) -> Mapping[str, ColumnRecords] | None:
    """Read the records of every confidential column; None where keys do not name them: a repeated key, or rowid."""
    if table.key == ROWID or not _tell_apart(con, cells, table):
        return None
    key, text = key_sql(table.key), cell_text(table)
    names = [*table.confidential, *table.categories]
    person = key if table.person is None else quoted(identifier(table.person))
    by = table.limits.refresh_by
    group = digest(secret, common_text([] if by is None else [by]))
    parts = [f"{text} AS cell_text", f"{digest(secret, key)} AS who", f"{digest(secret, person)} AS whose"]
    parts.append(f"{group} AS grp")
    for n, name in enumerate(names):
        value = exact_text(quoted(identifier(name)), table.columns[name])
        parts += [f"{digest(secret, key, value)} AS v{n}", f"{digest(secret, text, value)} AS a{n}"]
        counted = "TRUE" if name in table.categories else f"{quoted(identifier(name))} IS NOT NULL"
        parts.append(f"{counted} AS h{n}")
    cell = quoted(identifier(CELL))
    listed = ", ".join([f"c.{cell} AS cell", "who", "whose", "grp", *(f"v{n}, a{n}, h{n}" for n in range(len(names)))])
    found = con.execute(
        f"SELECT {listed} FROM (SELECT {', '.join(parts)} FROM {source_of(table)}) r "
        f"JOIN (SELECT {text} AS cell_text, {cell} FROM {cells.source}) c ON r.cell_text = c.cell_text"
    ).fetchnumpy()
    columns = {name: np.asarray(held) for name, held in found.items()}
    people = columns["who"].astype(np.int64)
    in_order = np.sort(people)
    if (in_order[1:] == in_order[:-1]).any() or len(people) != int(cells.records.sum()):
        return None
    records = {}
    for n, name in enumerate(names):
        has = columns[f"h{n}"].astype(np.bool_)
        place, valued, alike = (columns[part][has].astype(np.int64) for part in ("cell", f"v{n}", f"a{n}"))
        owners = None if table.person is None else columns["whose"][has].astype(np.int64)
        groups = None if by is None else columns["grp"][has].astype(np.int64)
        records[name] = ColumnRecords(place, people[has], valued, alike, owners, groups)
    return records


def digest(secret: str, *parts: str) -> str:
    """Return the SQL of a keyed digest of 63 bits. Without the key, values could be tried until one fits."""
    texts = ", ".join([text_literal(secret), *(f"CAST({part} AS VARCHAR)" for part in parts)])
    return f"CAST(md5_number(concat_ws(chr(31), {texts})) & {_63_BITS} AS BIGINT)"


def exact_text(value: str, kind: str) -> str:
    """Return the SQL of a number as text that is the same in every type: 12, 12.0 and 12.00 are one number."""
    if kind in {"FLOAT", "DOUBLE"}:
        return (
            f"CASE WHEN {value} = trunc({value}) AND abs({value}) < 1e15 THEN CAST(CAST({value} AS BIGINT) AS VARCHAR) "
            f"ELSE CAST({value} AS VARCHAR) END"
        )
    if kind.startswith("DECIMAL("):
        return f"regexp_replace(regexp_replace(CAST({value} AS VARCHAR), '(\\.[0-9]*?)0+$', '\\1'), '\\.$', '')"
    return f"CAST({value} AS VARCHAR)"


def _tell_apart(con: duckdb.DuckDBPyConnection, cells: Cells, table: Restricted) -> bool:
    found = con.execute(f"SELECT count(*) = count(DISTINCT {cell_text(table)}) FROM {cells.source}").fetchone()
    return found is not None and bool(found[0])
