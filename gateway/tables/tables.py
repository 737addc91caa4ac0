"""The restricted tables as they are now: cells, version and history of each, and what happens when one changes."""

from collections.abc import Iterable, Mapping
from math import isfinite

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DatabaseError, choices
from sdcdb.gateway.ledger.entry import AnsweredFact, QuestionEntry, VersionEntry, entries, fields_of
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.relations import Relations, Restricted
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.versions import same_version
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.fingerprint import fingerprint, sign
from sdcdb.gateway.tables.table_history import Past, PoolHistory, TableHistory, version_entry
from sdcdb.gateway.tables.vault import Vault
from sdcdb.policy.governed import Governed


class Tables:
    """Every restricted table with its history."""

    def __init__(self, database: Governed, relations: Relations, vault: Vault, ledger: Ledger) -> None:
        self._database = database
        self._con = database.con.cursor()
        self._vault = vault
        self._ledger = ledger
        self._tables = {table.name: table for table in relations.restricted()}
        self._fixed = _read_only(database)
        self._current: dict[str, str] = {}
        self._histories: dict[str, TableHistory] = {}
        past = _past(ledger, self._tables)
        for table in self._tables.values():
            self._current[table.name] = fingerprint(self._con, table, self._vault.secret)
            mine = past[table.name]
            if mine.version is None:
                self._begin(table, mine)
            else:
                self._open(table, mine, changed=mine.version != self._current[table.name])
        self._sign = sign(database.path)

    def pool(self, table: str, pool: str) -> PoolHistory:
        """Return a table's audit for one pool of users."""
        if table not in self._histories:
            raise denied("version")
        return self._histories[table].for_pool(pool)

    def pools(self, table: str) -> list[str]:
        """Return the pools that know something of a table."""
        return self._histories[table].pools() if table in self._histories else []

    def forget(self, table: str) -> None:
        """Answer nothing more about a table until the gateway is opened again."""
        self._histories.pop(table, None)

    def must_be_current(self, table: str) -> None:
        """Stop answers about a table that is not the one that earlier answers were about."""
        if table in self.changed():
            raise denied("version")

    def changed(self) -> list[str]:
        """Return the tables that are not the ones that earlier answers were about, and wait for a refresh."""
        self._look_again()
        versions = {name: history.version for name, history in self._histories.items()}
        return [name for name in self._tables if not same_version(versions.get(name), self._current[name])]

    def _look_again(self) -> None:
        """Take the fingerprints anew if something was written to the database since."""
        if not self._fixed and (self._database.path is None or sign(self._database.path) != self._sign):
            self._sign = sign(self._database.path)
            self._current = {
                name: fingerprint(self._con, each, self._vault.secret) for name, each in self._tables.items()
            }

    def refresh(self, name: str | None) -> list[str]:
        """Take the tables, or the one named, as they are now; what was answered before stays known."""
        if name is not None and name not in self._tables:
            raise DatabaseError(f"{name!r} is no restricted table; {choices(name, self._tables)}")
        changed = []
        past = _past(self._ledger, self._tables)
        for table in self._tables.values():
            self._current[table.name] = fingerprint(self._con, table, self._vault.secret)
            if name in {None, table.name} and past[table.name].version != self._current[table.name]:
                self._begin(table, past[table.name])
                changed.append(table.name)
        self._sign = sign(self._database.path)
        return changed

    def _begin(self, table: Restricted, past: Past) -> None:
        """Write a new version of the table into the ledger, and go on from there."""
        cells, keys = self._cells(table)
        entry = version_entry(table, cells, keys, self._current[table.name])
        self._ledger.append(fields_of(entry))
        version = self._current[table.name]
        self._histories[table.name] = TableHistory(table, cells, version, Past((*past.versions, entry), past.facts))

    def _open(self, table: Restricted, past: Past, *, changed: bool) -> None:
        if not changed:
            cells, _ = self._cells(table)
            self._histories[table.name] = TableHistory(table, cells, self._current[table.name], past)

    def _cells(self, table: Restricted) -> tuple[Cells, list[str]]:
        cells = self._vault.cells(table)
        for totals in cells.totals.values():
            held = totals.counts > 0
            if held.any():
                scale = 10 ** (totals.scale or 0)
                low, high = float(totals.least[held].min()) / scale, float(totals.greatest[held].max()) / scale
                if not (isfinite(low) and isfinite(high) and totals.column.low <= low and high <= totals.column.high):
                    raise DatabaseError(
                        f"{table.name}.{totals.column.name} has values outside of its domain, or NaN: "
                        "`sdcdb check` says which; fix the data or the policy"
                    )
        names = [f"coalesce(CAST({quoted(identifier(name))} AS VARCHAR), chr(1))" for name in table.quasi]
        text = f"concat_ws(chr(31), {', '.join(names)})" if names else "''"
        rows = self._con.execute(f'SELECT {text} FROM {cells.source} ORDER BY "{CELL}"').fetchall()
        return cells, [str(key) for (key,) in rows]


def _read_only(database: Governed) -> bool:
    row = database.con.execute(
        "SELECT readonly FROM duckdb_databases() WHERE database_name = current_database()"
    ).fetchone()
    return bool(row and row[0])


def _past(ledger: Ledger, tables: Iterable[str]) -> Mapping[str, Past]:
    """Read what the ledger holds about each table."""
    versions: dict[str, list[VersionEntry]] = {name: [] for name in tables}
    facts: dict[str, list[tuple[int, AnsweredFact]]] = {name: [] for name in tables}
    for entry in entries(iter(ledger)):
        if isinstance(entry, VersionEntry) and entry.table in versions:
            versions[entry.table].append(entry)
        elif isinstance(entry, QuestionEntry):
            for fact in entry.facts:
                if fact.table in facts:
                    facts[fact.table].append((len(versions[fact.table]) - 1, fact))
    return {name: Past(tuple(versions[name]), tuple(facts[name])) for name in versions}
