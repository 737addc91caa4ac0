"""Copies of public tables and protected views, as database files that workers read: one file for each relation.

They lie in a folder that only the gateway's account can enter. A relation is copied when it is first asked for, and
again when it changed; in the order of its values, so that no order and no rowid of the raw table shows.
"""

import threading
from pathlib import Path
from typing import Any

import duckdb

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.engines.dialect import text_literal
from sdcdb.gateway.reading.duckdb_parser import LOCKED
from sdcdb.gateway.reading.reserved import COPIED
from sdcdb.gateway.relations import Relation, Relations
from sdcdb.gateway.tables.carried import cast_back
from sdcdb.gateway.tables.fingerprint import sign
from sdcdb.gateway.tables.vault import Vault
from sdcdb.gateway.workers.limits import WorkLimits
from sdcdb.gateway.workers.messages import Opening


class Copies:
    """The files, and what a worker must do to read them. Safe to use from many threads."""

    def __init__(self, relations: Relations, vault: Vault, path: Path | None, folder: Path, limits: WorkLimits) -> None:
        self._relations = {relation.name: relation for relation in relations.all}
        self._vault, self._path, self._folder, self._limits = vault, path, folder, limits
        self._lock = threading.Lock()
        self._locks = {name: threading.Lock() for name in self._relations}
        self._signs: dict[str, Any] = {}
        self._files: dict[str, list[Path]] = {}  # the newest last
        self._generation = 0

    def refresh(self, names: tuple[str, ...]) -> None:
        """Copy the relations of these names that are not there yet, or have changed."""
        for name in names:
            relation = self._relations[name]
            if relation.kind != "restricted":
                with self._locks[name]:  # whoever copies a large table holds up only those who want it too
                    seen = self._sign(relation)
                    if name not in self._signs or self._signs[name] != seen:
                        self._copy(relation)
                        self._signs[name] = seen

    def opening(self) -> tuple[Opening, int]:
        """Return what opens the newest copies, and the number of their generation."""
        with self._lock:
            files = {name: held[-1] for name, held in self._files.items()}
            generation = self._generation
        statements: list[str] = []
        for number, relation in enumerate(self._relations.values()):
            target = table_reference(relation.name)
            if target.db:
                statements.append(f"CREATE SCHEMA IF NOT EXISTS {_quoted(target.db)}")
            if relation.name in files:
                copy = _quoted(f"copy {number}")
                statements.append(f"ATTACH {text_literal(str(files[relation.name]))} AS {copy} (READ_ONLY)")
                statements.append(f"CREATE VIEW {quoted(target)} AS SELECT * FROM {copy}.main.copied")
            else:  # so that clients can browse its columns
                statements.append(f"CREATE TABLE {quoted(target)} ({_columns(relation)})")
        config = {
            **LOCKED,
            "enable_external_access": True,  # until the copies are attached
            "memory_limit": f"{self._limits.memory}B",
            "threads": self._limits.threads,
            "temp_directory": "",
            "max_temp_directory_size": "0B",
        }
        return Opening(config, tuple(statements)), generation

    def _copy(self, relation: Relation) -> None:
        with self._lock:
            self._generation += 1
            file = self._folder / f"{self._generation}.duckdb"
        columns = ", ".join(cast_back(column, kind) for column, kind in relation.columns.items())
        with duckdb.connect(str(file)) as con:
            con.execute(f"CREATE TABLE copied ({_columns(relation)})")
            con.register(COPIED, self._vault.read(relation))
            con.execute(f"INSERT INTO copied SELECT {columns} FROM {_quoted(COPIED)}")
        with self._lock:
            self._generation += 1
            held = self._files.setdefault(relation.name, [])
            held.append(file)
            while len(held) > 2:  # a worker may just be about to open the one before
                held.pop(0).unlink(missing_ok=True)

    def _sign(self, relation: Relation) -> Any:
        """Return what changes with the relation. A protected view of a database in memory is copied once."""
        if self._path is not None:
            return sign(self._path)
        return self._vault.digest(relation) if relation.kind == "public" else None


def _columns(relation: Relation) -> str:
    return ", ".join(f"{_quoted(name)} {kind}" for name, kind in relation.columns.items())


def _quoted(name: str) -> str:
    return quoted(identifier(name))
