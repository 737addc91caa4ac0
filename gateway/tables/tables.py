"""The restricted tables as they are now: cells, version and history of each, and what happens when one changes."""

import getpass
from collections.abc import Mapping
from itertools import combinations
from math import isfinite

from sdcdb.connection.connect import is_read_only
from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DatabaseError, choices
from sdcdb.gateway.ledger.entry import VersionEntry, entries, fields_of
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.reading.reserved import CELL
from sdcdb.gateway.relations import Relations, Restricted
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.versions import same_version
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.fingerprint import fingerprint, sign
from sdcdb.gateway.tables.foretelling import Foretelling
from sdcdb.gateway.tables.halt import Halt
from sdcdb.gateway.tables.held_version import HeldVersion, pack_version
from sdcdb.gateway.tables.limits_history import loosened, policy_entry, same_policy
from sdcdb.gateway.tables.past import LedgerPast, Past
from sdcdb.gateway.tables.sketch import share_records, sketch_columns
from sdcdb.gateway.tables.table_history import PoolHistory, TableHistory
from sdcdb.gateway.tables.vault import Vault
from sdcdb.policy.governed import Governed


class Tables:
    """Every restricted table with its history."""

    def __init__(self, database: Governed, relations: Relations, vault: Vault, ledger: Ledger) -> None:
        self._database = database
        self._policy = database.required_policy()
        self._relations = relations
        self._con = database.con.cursor()
        self._vault = vault
        self._ledger = ledger
        self._tables = {table.name: table for table in relations.restricted()}
        self._fixed = is_read_only(self._con)
        self._histories: dict[str, TableHistory] = {}
        self._copies: dict[str, str] = {}  # a table, and the one whose records it holds
        self._loosened: dict[str, list[str]] = {}  # what the policy allows that the ledger's last one did not
        self._current = self._fingerprints()
        self._views = Foretelling(self._con, relations, self._policy)
        self._plans = self._views.plans()
        past = self._read_past()
        self._note_policy(past)
        for table in self._tables.values():
            self._open(table, past)
        self._refuse_copies()
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
        """Stop answers about a table that is not the one, under the limits, that earlier answers were about."""
        for halt in self.halted():
            if halt.table == table:
                raise denied(halt.rule)

    def halted(self) -> list[Halt]:
        """Return the tables about which nothing is answered until their owner acts."""
        self._look_again()
        return [halt for name in self._tables if (halt := self._halt(name)) is not None]

    def _halt(self, name: str) -> Halt | None:
        if name in self._loosened:
            return Halt(name, "policy", tuple(self._loosened[name]))
        if name in self._copies:
            return Halt(name, "copies", (f"it holds records of {self._copies[name]}",))
        history = self._histories.get(name)
        if same_version(history.version if history else None, self._current[name]):
            return None
        return Halt(name, "version")

    def _look_again(self) -> None:
        """Take the fingerprints anew if something was written to the database since."""
        if not self._fixed and (self._database.path is None or sign(self._database.path) != self._sign):
            self._sign = sign(self._database.path)
            self._current = self._fingerprints()
            self._follow_views()

    def _follow_views(self) -> None:
        """Judge anew what is plausible about tables whose protected views were fitted anew."""
        plans, self._plans = self._plans, self._views.plans()
        changed = [name for name, plan in self._plans.items() if plan != plans[name] and name in self._histories]
        if changed:
            past = self._read_past()
            self._note_policy(past)
            for name in changed:
                self._open(self._tables[name], past)

    def _fingerprints(self) -> dict[str, str]:
        return {name: fingerprint(self._con, each, self._vault.secret) for name, each in self._tables.items()}

    def refresh(self, name: str | None) -> list[str]:
        """Take the tables, or the one named, as they are now; what was answered before stays known."""
        if name is not None and name not in self._tables:
            raise DatabaseError(f"{name!r} is no restricted table; {choices(name, self._tables)}")
        self._current = self._fingerprints()
        past, changed = self._read_past(), []
        for table in self._tables.values():
            mine = past.of(table.name)
            if name in {None, table.name} and mine.version not in {None, self._current[table.name]}:
                self._begin(table, mine)
                changed.append(table.name)
        self._sign = sign(self._database.path)
        return changed

    def accept_looser(self, reason: str) -> list[str]:
        """Accept the policy as it is, in the owner's name; return what became looser."""
        said = [f"{table}: {what}" for table, each in self._loosened.items() for what in each]
        if said:
            self._ledger.append(fields_of(policy_entry(self._relations, self._policy, self._plans, _account(), reason)))
            self._loosened.clear()
        return said

    def _read_past(self) -> LedgerPast:
        return LedgerPast(entries(iter(self._ledger)))

    def _note_policy(self, past: LedgerPast) -> None:
        """Write the policy into the ledger if it is another one; limits that became looser wait for the owner."""
        now, before = policy_entry(self._relations, self._policy, self._plans, _account()), past.policy
        for name, table in now.tables.items() if before is not None else ():
            last = before.tables.get(name) if before is not None else None
            if last is not None and (what := loosened(last, table)):
                self._loosened[name] = what
        if before is None or not (self._loosened or same_policy(before, now)):
            self._ledger.append(fields_of(now))

    def _open(self, table: Restricted, ledger: LedgerPast) -> None:
        """Go on from where the ledger leaves a table, under whatever name it knew it."""
        past, now = ledger.of(table.name), self._current[table.name]
        if table.limits.pool == "team":
            past.links.pooled(self._policy.teams)
        if past.version is None:
            others = {name: each for name, each in ledger.known_versions().items() if name not in self._tables}
            former = next((name for name, each in others.items() if each.version == now), None)
            if former is not None:
                self._begin(table, ledger.of(former), former)
            elif (original := self._original(table, others)) is not None:
                self._copies[table.name] = original
            else:
                self._begin(table, past)
        elif past.version == now:
            cells, _ = self._cells(table)
            if _names_changed(HeldVersion.of(past.versions[-1]), cells):
                self._begin(table, past)
            else:
                self._histories[table.name] = TableHistory(table, cells, now, past, self._views.of(table, cells, now))

    def _refuse_copies(self) -> None:
        """Of restricted tables that hold the same records, keep the one that was asked about, or else the first."""
        newest = {name: history.newest for name, history in self._histories.items()}
        asked = {name for name, history in self._histories.items() if history.pools()}
        for first, second in combinations(newest, 2):
            if share_records(newest[first].sketches, newest[second].sketches):
                copy, original = (first, second) if second in asked and first not in asked else (second, first)
                self._copies[copy] = original
                self._histories.pop(copy, None)

    def _original(self, table: Restricted, others: Mapping[str, VersionEntry]) -> str | None:
        """Return the name of a table that the ledger knows and that holds records of this one."""
        mine = self._sketch(table) if others else {}
        return next((name for name, each in others.items() if share_records(mine, each.sketches)), None)

    def _sketch(self, table: Restricted) -> dict[str, str]:
        return sketch_columns(self._con, table, self._vault.secret)

    def _begin(self, table: Restricted, past: Past, formerly: str | None = None) -> None:
        """Write a new version of the table into the ledger, and go on from there."""
        cells, keys = self._cells(table)
        version = self._current[table.name]
        entry = VersionEntry(
            table=table.name,
            version=version,
            cells=pack_version(cells, keys),
            formerly=formerly,
            sketches=self._sketch(table),
        )
        self._ledger.append(fields_of(entry))
        foretold = self._views.of(table, cells, version)
        self._histories[table.name] = TableHistory(table, cells, version, past.with_version(entry), foretold)

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


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return "unknown"


def _names_changed(held: HeldVersion, cells: Cells) -> bool:
    """Tell whether a column has another name than in the newest version, though the records are the same."""
    now = HeldVersion.of_cells(cells)
    return any(held.digest(name) != now.digest(name) for name in cells.totals)
