"""A file to share: a copy of a protected view with a manifest, and nothing of the raw data or its keys.

A view is no boundary: its database holds the raw table, and its definition the key of its draws. What leaves the house
is a materialised copy in a file of its own. Its records are sorted by what is published: in the order of the raw table,
the n-th record would be the n-th person of any list in that order.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sdcdb.connection.atomic_file import refuse_target, written_whole
from sdcdb.connection.connect import connect
from sdcdb.connection.identifiers import quoted, table_reference
from sdcdb.errors import SdcdbError
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Role
from sdcdb.version import __version__
from sdcdb.views import catalogue

FORMATS = (".parquet", ".csv", ".duckdb")


@dataclass(frozen=True)
class Release:
    """What was written."""

    file: Path
    manifest: Path
    rows: int
    sha256: str


def write_release(
    database: Governed, view: str, file: Path, standing: dict[str, Any], *, force: bool = False
) -> Release:
    """Write a protected view to a file, and its manifest to the same name with `.manifest.json`.

    `standing` is what the gate found (`sdcdb.assess.gate`); it becomes part of the manifest. `force` replaces files.
    """
    if file.suffix.lower() not in FORMATS:
        raise SdcdbError(f"cannot write {file.name}: allowed endings are {', '.join(FORMATS)}")
    manifest = file.with_name(file.name + ".manifest.json")
    for path in (file, manifest):
        refuse_target(path, replace=force)
    entry = catalogue.entry(database.con, view)
    with written_whole(manifest, replace=force) as described, written_whole(file, replace=force) as part:
        _write(database, entry.plan.view, part, file.suffix.lower())
        made = _contents(database, entry, file, _checksum(part), standing)
        described.write_text(json.dumps(made, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
    return Release(file, manifest, made["rows"], made["sha256"])


def _contents(
    database: Governed, entry: catalogue.Entry, file: Path, checksum: str, standing: dict[str, Any]
) -> dict[str, Any]:
    """Return the manifest."""
    ((rows,),) = database.con.execute(f"SELECT count(*) FROM {quoted(table_reference(entry.plan.view))}").fetchall()
    return {
        "file": file.name,
        "sha256": checksum,
        "rows": rows,
        "columns": list(entry.plan.columns),
        "changes": entry.plan.words(),
        "techniques": [each.model_dump(mode="json") for each in entry.plan.fitted],
        "measures": _measures(database, entry.plan),
        "release_gate": standing,
        "fitted_at": entry.fitted_at.isoformat(),
        "released_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "sdcdb_version": __version__,
    }


def _write(database: Governed, view: str, part: Path, ending: str) -> None:
    name = quoted(table_reference(view))
    if ending == ".duckdb":
        with connect(part, create=True) as con:  # a file of its own: no catalogue, no lists, no view definition
            if schema := table_reference(view).args.get("db"):
                con.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(schema)}")
            con.register("released", database.con.sql(f"FROM {name} ORDER BY ALL").to_arrow_reader())
            con.execute(f"CREATE TABLE {name} AS FROM released")
            con.unregister("released")
        return
    kind = "FORMAT parquet" if ending == ".parquet" else "FORMAT csv, HEADER"
    database.con.execute(f"COPY (FROM {name} ORDER BY ALL) TO '{str(part).replace(chr(39), chr(39) * 2)}' ({kind})")


def _measures(database: Governed, plan: Any) -> dict[str, Any]:
    """Measure what is given away: the k-anonymity of its quasi-identifiers."""
    declared = database.policy.tables.get(plan.table) if database.policy else None
    quasi = [name for name in plan.columns if declared and name in declared.named(Role.QUASI)]
    if not quasi:
        return {}
    cursor = database.con.execute("FROM sdc_k_anonymity(?, ?)", [plan.view, quasi])
    names = [column[0] for column in cursor.description or ()]
    return {"k_anonymity": {"known": quasi, **dict(zip(names, cursor.fetchall()[0], strict=True))}}


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
