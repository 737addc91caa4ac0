"""The restricted tables as they are now: cells, version and history of each, and what happens when one changes."""

import getpass
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from math import isfinite

import duckdb

from sdcdb.connection.connect import is_read_only
from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import view_names
from sdcdb.errors import DatabaseError, choices
from sdcdb.gateway.inference.score import Score
from sdcdb.gateway.ledger.entry import VersionEntry, entries, fields_of
from sdcdb.gateway.ledger.ledger import Ledger
from sdcdb.gateway.linear import strictest
from sdcdb.gateway.pools import fold
from sdcdb.gateway.relations import Relations, Restricted
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.versions import same_version
from sdcdb.gateway.tables.batch import count_changed, count_changed_by_group, count_changed_people, is_enough
from sdcdb.gateway.tables.cells import Cells
from sdcdb.gateway.tables.fingerprint import fingerprint, sign
from sdcdb.gateway.tables.following import Records
from sdcdb.gateway.tables.foretelling import Foretelling
from sdcdb.gateway.tables.halt import Halt
from sdcdb.gateway.tables.held_version import HeldVersion
from sdcdb.gateway.tables.joint_audit import JointAudit
from sdcdb.gateway.tables.layouts import UnexplainedError
from sdcdb.gateway.tables.limits_history import loosened, policy_entry, same_policy
from sdcdb.gateway.tables.linked_people import Member, member_of, misfit
from sdcdb.gateway.tables.new_version import Now, forget_file, new_version, same_names
from sdcdb.gateway.tables.past import LedgerPast, Past
from sdcdb.gateway.tables.pool_history import PoolHistory
from sdcdb.gateway.tables.public_counts import must_be_publishable, must_be_static
from sdcdb.gateway.tables.recognition import Declared
from sdcdb.gateway.tables.record_file import Followed, read_followed
from sdcdb.gateway.tables.records import read_records
from sdcdb.gateway.tables.repeated_values import must_vary
from sdcdb.gateway.tables.sketch import chance_alike, sketch_columns
from sdcdb.gateway.tables.table_history import TableHistory, steps_of
from sdcdb.gateway.tables.twin_categories import must_not_be_twins
from sdcdb.gateway.tables.value_sketch import sketch_values
from sdcdb.gateway.tables.vault import Vault
from sdcdb.policy.governed import Governed
from sdcdb.policy.links import Equation
from sdcdb.views.relations_of_columns import breaks_equation


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
        self._declared = Declared(relations.linked, self._policy.distinct_pairs(), self._chance)
        self._joints: list[JointAudit] = []
        self._unmatched: dict[str, str] = {}  # tables whose people cannot be found in a table that they are linked with
        self._unexplained: dict[str, str] = {}  # tables with a version that cannot be followed
        self._unsafe: dict[str, str] = {}  # tables that would not open with the views as they are now
        self._loosened: dict[str, list[str]] = {}  # what the policy allows that the ledger's last one did not
        self._too_few: dict[str, str] = {}  # tables of which a version has too few changes to be shown by itself
        self._current = self._fingerprints()
        self._views = Foretelling(self._con, relations, self._policy)
        self._plans = self._views.plans()
        past = self._read_past()
        self._note_policy(past)
        for table in self._tables.values():
            self._open(table, past)
        self._declared.must_all_differ(history.newest for history in self._histories.values())
        self._join()
        self._sign = sign(database.path)

    def pool(self, table: str, pool: str, user: str | None = None) -> PoolHistory:
        """Return a table's audit for one pool of users; `user` is who asks."""
        if table not in self._histories:
            raise denied("version")
        joints = tuple(joint for joint in self._joints if any(table == name for name, _ in joint.columns))
        return PoolHistory(self._histories[table], pool, joints, None if user is None else fold(user))

    def status(self, table: str) -> dict[str, dict[str, Score]]:
        """Return, per pool and confidential column, how much all answers about a table tell.

        Of one that has changed since, how much they told about it as it was.
        """
        history = self._histories.get(table) or self._as_it_was(self._tables[table])
        if history is None:
            return {}
        joints = self._joints if table in self._histories else []
        mine = tuple(joint for joint in joints if any(table == name for name, _ in joint.columns))
        return {pool: PoolHistory(history, pool, mine).status() for pool in history.pools()}

    def _as_it_was(self, table: Restricted) -> TableHistory | None:
        """Return the history of a table that waits for its owner; None where the ledger does not say enough of it."""
        past = self._read_past().of(table.name)
        if past.version is None or table.person is not None:
            return None
        try:
            cells = self._vault.cells(table)  # of today: the ledger has the counts of the version before
            return TableHistory(table, cells, past.version, past)
        except (DatabaseError, UnexplainedError):
            return None

    def forget(self, table: str) -> None:
        """Answer nothing more about a table, and what is linked with it, until the gateway is opened again."""
        linked = {name for joint in self._joints for name, _ in joint.columns if table in dict(joint.columns)}
        for name in {table, *linked}:
            self._histories.pop(name, None)

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
        if name in self._unsafe:
            return Halt(name, "policy", (self._unsafe[name],))
        if name in self._unmatched:
            return Halt(name, "linked", (self._unmatched[name],))
        if name in self._unexplained:
            return Halt(name, "changes", (self._unexplained[name], "sdcdb refresh --as-new REASON begins anew"))
        history = self._histories.get(name)
        if same_version(history.version if history else None, self._current[name]):
            return None
        if history is not None and self._tables[name].limits.refresh == "auto":
            return None  # answers are about the version before, whose cells are still here, until `due` says otherwise
        return Halt(name, "version")

    def due(self) -> list[str]:
        """Return the tables that take changes by themselves, and have changed in enough people."""
        self._look_again()
        automatic = [table for table in self._tables.values() if table.limits.refresh == "auto"]
        self._look_outside(automatic)
        past = self._read_past() if automatic else None
        return [table.name for table in automatic if past is not None and self._is_due(table, past.of(table.name))]

    def _is_due(self, table: Restricted, past: Past) -> bool:
        now = self._current[table.name]
        halt = self._halt(table.name)
        if past.version in {None, now} or (halt is not None and halt.rule != "version"):
            return False
        before = read_followed(self._ledger.path, past.versions[-1].records)
        if before is None or self._too_few.get(table.name) == now:
            return False
        cells = self._cells(table)
        records = read_records(self._con, table, cells, self._vault.secret)
        enough = records is not None and self._enough_changed(table, before, records)
        if not enough:
            self._too_few[table.name] = now
        return enough

    def _enough_changed(self, table: Restricted, before: Mapping[str, Followed], records: Records) -> bool:
        """Tell whether enough people have changed, in each group in which anybody has if the policy names groups."""
        by_group = table.limits.refresh_by is not None
        changed = count_changed_by_group(before, records) if by_group else [count_changed(before, records)]
        least, most = table.limits.refresh_people, self._most_of_one(table)
        if not by_group and count_changed_people(before, records) >= least:
            return True
        return bool(changed) and all(is_enough(each, least, most) for each in changed or ())

    def _most_of_one(self, table: Restricted) -> int:
        """Return how many records the person with most of them has."""
        if table.person is None:
            return 1
        name = quoted(identifier(table.person))
        row = self._con.execute(
            f"SELECT max(n) FROM (SELECT count(*) AS n FROM {quoted(table_reference(table.name))} GROUP BY {name})"
        ).fetchone()
        return int(row[0] or 1) if row else 1

    def _look_again(self) -> None:
        """Take the fingerprints anew if something was written to the database since."""
        if not self._fixed and (self._database.path is None or sign(self._database.path) != self._sign):
            self._sign = sign(self._database.path)
            self._current = self._fingerprints()
            self._follow_views()

    def _look_outside(self, tables: Iterable[Restricted]) -> None:
        """Take the fingerprints of views anew: the files that they read change without a sign in the database."""
        views = {fold(name) for name in view_names(self._con)}
        for table in tables:
            if views & {fold(name) for name in (table.name, *(each.parent for each in table.refers))}:
                with suppress(duckdb.Error):  # a file that is just being replaced: next time
                    self._current[table.name] = fingerprint(self._con, table, self._vault.secret)

    def _follow_views(self) -> None:
        """Judge anew what is plausible about tables whose protected views were fitted anew."""
        plans, self._plans = self._plans, self._views.plans()
        changed = [name for name, plan in self._plans.items() if plan != plans[name] and name in self._histories]
        if changed:
            past = self._read_past()
            self._note_policy(past)
            for name in changed:
                self._unsafe.pop(name, None)
                try:
                    self._open(self._tables[name], past)
                except DatabaseError as problem:  # such as counts that the new view leaves less safe
                    self._histories.pop(name, None)
                    self._unsafe[name] = str(problem)

    def _fingerprints(self) -> dict[str, str]:
        return {name: fingerprint(self._con, each, self._vault.secret) for name, each in self._tables.items()}

    def refresh(self, name: str | None, as_new: str = "") -> list[str]:
        """Take the tables, or the one named, as they are now; what was answered before stays known.

        `as_new` is the owner's reason to take their records as other people than those before.
        """
        if name is not None and name not in self._tables:
            raise DatabaseError(f"{name!r} is no restricted table; {choices(name, self._tables)}")
        self._current = self._fingerprints()
        past, changed = self._read_past(), []
        for table in self._tables.values():
            mine = past.of(table.name)
            waiting = mine.version not in {None, self._current[table.name]} or table.name in self._unexplained
            if name in {None, table.name} and waiting:
                # By itself a table takes what came: whether it does must not depend on values. Opening looks again.
                unlike = None if table.limits.refresh == "auto" else ()
                self._begin(table, mine, as_new=as_new, unlike=unlike)
                changed.append(table.name)
        if changed and self._relations.linked:
            past = self._read_past()
            for known, history in self._histories.items():
                self._know(history.table, history.cells, past.of(known))
            self._join()
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
            if before is not None and (what := loosened(before.tables.get(name), table)):
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
            else:
                self._begin(table, past, unlike=others.values())
        elif past.version == now:
            self._must_be_askable(table)
            cells = self._cells(table)
            newest = HeldVersion.of(past.versions[-1])
            if past.versions[-1].records and newest.size == cells.size and same_names(newest, cells):
                self._know(table, cells, past)
            else:
                self._begin(table, past)

    def _join(self) -> None:
        """Put linked columns into one audit. Of tables whose people cannot be matched, the first is answered about."""
        self._joints, self._unmatched = [], {}
        for group in self._relations.linked:
            members, puzzles = self._members(sorted(group))
            self._unmatched |= puzzles
            if len(members) > 1:
                specs = [each.history.table.audited(each.column) for each in members]
                steps = min(steps_of(spec) for spec, _ in specs)
                self._joints.append(JointAudit(members, strictest([limits for _, limits in specs]), steps))

    def _members(self, group: Iterable[tuple[str, str]]) -> tuple[list[Member], dict[str, str]]:
        members: list[Member] = []
        puzzles: dict[str, str] = {}
        for name, column in sorted(group, key=lambda each: list(self._tables).index(each[0])):
            history = self._histories.get(name)
            if history is None:
                continue
            held = read_followed(self._ledger.path, history.newest.records)
            if held is None or column not in held:
                puzzles[name] = (
                    f"{column} is linked, and its people cannot be matched: its key is not unique, or a file is missing"
                )
                continue
            member = member_of(history, column, held[column])
            why = misfit(member, [each for each in members if each.history is not history])
            if why is None:
                members.append(member)
            else:
                puzzles[name] = f"{column} is linked, and {why}"
        return members, puzzles

    def _must_be_askable(self, table: Restricted) -> None:
        """Refuse columns that say the same as another one, or the same in every record of a person."""
        must_not_be_twins(self._con, table, self._tables.values(), self._policy)
        must_vary(self._con, table)

    def _chance(self, first: tuple[str, str], second: tuple[str, str]) -> float:
        """Return how many records of two columns are alike by chance; none of tables that are here no more."""
        if not {first[0], second[0]} <= set(self._tables):
            return 0.0
        return chance_alike(self._con, first, second)

    def _sketch(self, table: Restricted) -> dict[str, str]:
        return sketch_columns(self._con, table, self._vault.secret)

    def _begin(
        self,
        table: Restricted,
        past: Past,
        formerly: str | None = None,
        as_new: str = "",
        unlike: Iterable[VersionEntry] | None = (),
    ) -> None:
        """Write a new version of the table into the ledger, and go on from there.

        It must be askable, and not hold records of other tables, nor of those in `unlike`; None is for not looking.
        """
        must_be_static(table, self._current[table.name], () if as_new else past.versions)
        if unlike is not None:
            self._must_be_askable(table)
        cells = self._cells(table)
        version, sketches = self._current[table.name], self._sketch(table)
        now = Now(version, cells, read_records(self._con, table, cells, self._vault.secret))
        bare = VersionEntry(
            table=table.name,
            version=version,
            cells="",
            formerly=formerly,
            as_new=as_new,
            sketches=sketches,
            values=sketch_values(self._con, table, self._vault.secret),
        )
        if unlike is not None:
            self._declared.must_differ(bare, [*unlike, *(each.newest for each in self._histories.values())])
        entry = new_version(self._ledger.path, now, past, bare)
        self._ledger.append(fields_of(entry))
        kept = {history.newest.records for name, history in self._histories.items() if name != table.name}
        forget_file(self._ledger.path, past, entry, kept)
        self._unexplained.pop(table.name, None)
        self._know(table, cells, past.with_version(entry))

    def _know(self, table: Restricted, cells: Cells, past: Past) -> None:
        """Go on with what is known of a table; without, if the ledger does not say what became of its records."""
        version = self._current[table.name]
        foretold = self._views.of(table, cells, version)
        ratios = self._views.ratios(table)
        must_be_publishable(self._con, table, ratios)
        try:
            newest = past.versions[-1].records
            followed, before = partial(read_followed, self._ledger.path, newest), self._histories.get(table.name)
            self._histories[table.name] = TableHistory(table, cells, version, past, foretold, ratios, followed, before)
        except UnexplainedError as problem:
            self._unexplained[table.name] = str(problem)

    def _cells(self, table: Restricted) -> Cells:
        cells = self._vault.cells(table)
        for name, linear in table.linear.items():
            if breaks_equation(self._con, table.name, Equation(name, linear.base, linear.factor, linear.offset)):
                raise DatabaseError(
                    f"{table.name}.{name} is not what its equation in `linked` says of {linear.base} in every record: "
                    f"`sdcdb check` says where; write `{name} ~ {linear.base}` if it holds nearly"
                )
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
        return cells


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return "unknown"
