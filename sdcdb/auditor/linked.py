"""Columns that determine each other: people whose value follows from answers about several of them together.

A sum of the monthly pay of fifty people and a sum of the yearly pay of forty-nine of them leave one person, though no
column by itself tells anything. Where the policy links columns, by an equation or nearly (`linked`), a set that was
asked of one of them counts as asked of all, as in the gateway. People of different tables are the same where their keys
are. It is sets alone that are looked at: who follows from sums of all columns together and from no column by itself.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sdcdb.auditor.people import PeopleKnown, needed_sums, of_whom_sums_tell
from sdcdb.auditor.reading.input_history import History, Item
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.policy.links import Equation
from sdcdb.policy.models import Policy

Column = tuple[str, str]
Places = dict[str, NDArray[np.int64]]


def audit_linked(history: History) -> list[PeopleKnown]:
    """Find the people who follow from answers about linked columns together."""
    return [found for group in linked_groups(history.snapshot.policy) for found in _of_group(history, sorted(group))]


def linked_groups(policy: Policy) -> list[frozenset[Column]]:
    """Return the groups of columns, by table and name, that determine each other by equations or nearly."""
    pairs = [frozenset(group) for group in policy.linked_columns()]
    for table, each in policy.tables.items():
        equations = (link for link in each.links() if isinstance(link, Equation))
        pairs += [frozenset({(table, link.left), (table, link.right)}) for link in equations]
    groups: list[frozenset[Column]] = []
    for pair in pairs:
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if group not in touched] + [pair.union(*touched)]
    return groups


def _of_group(history: History, columns: Sequence[Column]) -> Iterator[PeopleKnown]:
    asked = {column: _sums(history, column) for column in columns}
    asked = {column: items for column, items in asked.items() if items}
    if len(asked) < 2:
        return
    items = [item for each in asked.values() for item in each]
    found = _people(history.snapshot, list(dict.fromkeys(table for table, _ in asked)))
    if found is None:
        listed = ", ".join(f"{table}.{column}" for table, column in asked)
        history.leave_out(
            items[0].first, f"{listed} are linked, in tables too large to match their people: audited apart"
        )
        return
    names, places = found
    sums = np.array([_as_people(item, places, len(names)) for item in items])
    alone = sparse.identity(len(names), dtype=np.int64, format="csr")
    known = set(of_whom_sums_tell(sums, alone))
    start = 0
    for each in asked.values():
        known -= set(of_whom_sums_tell(sums[start : start + len(each)], alone))
        start += len(each)
    several = {n for table in places for n in np.flatnonzero(history.snapshot.tables[table].cells.records > 1).tolist()}
    known -= several if len(places) == 1 else set()
    if known:
        told = {who: needed_sums(sums, alone[[who]], alone, rank) for rank, who in enumerate(sorted(known))}
        proof = [items[n] for n in sorted(set().union(*told.values()))]
        first = max((item.first for item in proof), key=lambda each: each.number)
        yield PeopleKnown(
            ", ".join(dict.fromkeys(table for table, _ in asked)),
            ", ".join(f"{table}.{column}" for table, column in asked),
            tuple(names[who] for who in sorted(known)),
            first,
            frozenset(item.at for item in proof),
            together=True,
        )


def _people(snapshot: Snapshot, tables: Sequence[str]) -> tuple[Sequence[str], Places] | None:
    """Return the names of people, and who is in each cell of each table; None where they cannot be matched."""
    if len(tables) == 1:
        names = snapshot.tables[tables[0]].names
        return names, {tables[0]: np.arange(len(names))}
    if not all(snapshot.tables[table].by_record for table in tables):
        return None
    keys = {table: snapshot.keys_of(table) for table in tables}
    everybody = {key: number for number, key in enumerate(dict.fromkeys(key for each in keys.values() for key in each))}
    return list(everybody), {table: np.array([everybody[key] for key in each]) for table, each in keys.items()}


def _sums(history: History, column: Column) -> list[Item]:
    return [item for item in history.of(*column) if item.fact.kind == "sum" and item.fact.values is None]


def _as_people(item: Item, places: Places, number: int) -> NDArray[np.bool_]:
    """Return a query set as flags of people."""
    place = places[item.fact.table]
    flags = np.zeros(number, dtype=np.bool_)
    flags[place[np.unpackbits(item.fact.packed, count=len(place)).astype(np.bool_)]] = True
    return flags
