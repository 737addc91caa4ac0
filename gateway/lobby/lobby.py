"""The lobby: where analysts' SQL runs, over nothing secret: in worker processes, and at the desk if it does little.

A worker holds a locked DuckDB with copies of public tables and protected views, empty stand-ins for restricted tables
so that clients can browse their columns, and, for the life of one statement, that statement's released results.
"""

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.lobby.copies import Copies
from sdcdb.gateway.lobby.desk import Desk
from sdcdb.gateway.lobby.released import Released, view_of
from sdcdb.gateway.reading.statement import Statement
from sdcdb.gateway.relations import Relations
from sdcdb.gateway.rules.table import MOST_ROWS, denied
from sdcdb.gateway.tables.vault import Vault
from sdcdb.gateway.workers.limits import WorkLimits
from sdcdb.gateway.workers.messages import Running
from sdcdb.gateway.workers.pool import WorkerPool
from sdcdb.gateway.workers.process import Rows

MOST_PAIRS = 2_000_000_000  # of rows that a join may compare: some seconds


class Lobby:
    """The workers, the desk, and what has been copied for them. Safe to use from many threads."""

    def __init__(self, relations: Relations, vault: Vault, path: Path | None, limits: WorkLimits) -> None:
        self._limits = limits
        self._desk = Desk(limits.seconds)
        self.folder = Path(tempfile.mkdtemp(prefix="sdcdb-lobby-"))  # nobody else may enter it
        self._tidy = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self._copies = Copies(relations, vault, path, self.folder, limits)
        self.workers = WorkerPool(limits, self.folder)

    def run(
        self, statement: Statement, released: Mapping[str, Released], cancellation: Cancellation | None = None
    ) -> Rows:
        """Run a statement over released results. Whatever the engine has to say of an error is not passed on."""
        handle = cancellation or Cancellation()
        try:
            if Desk.takes(statement, released):
                return self._desk.run(statement, released, handle)
            return self._worked(statement, released, handle)
        except Denied:
            raise
        except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
            raise Unsupported("a name, type or function does not fit", "check names and types") from None
        except (
            duckdb.Error,
            OverflowError,
            ValueError,
            TypeError,
            RuntimeError,
        ):  # a value that Python lacks
            raise denied("error") from None

    def _worked(self, statement: Statement, released: Mapping[str, Released], handle: Cancellation) -> Rows:
        self._copies.refresh(statement.reads)
        running = Running(
            sql=statement.sql(),
            params=statement.params,
            released={f"{name} rows": (_stream(each.rows), view_of(name, each)) for name, each in released.items()},
            seconds=self._limits.seconds,
            rows=MOST_ROWS,
            pairs=MOST_PAIRS,
        )
        with self.workers.lease(handle) as worker:
            opening, generation = self._copies.opening()
            if worker.generation < generation:
                worker.open(opening, generation)
            return worker.run(running, handle)

    def close(self) -> None:
        """End the workers and remove their copies."""
        self.workers.close()
        self._tidy()


def _stream(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    return bytes(sink.getvalue())
