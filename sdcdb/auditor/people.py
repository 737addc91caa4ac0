"""People with several records: of whom the answers tell a sum, a count or an extreme, all of whose records are theirs.

Findings are about single records. Where the policy names a `person`, the sum of all records of one patient is a finding
too, though none of the records follows from it. What is known of a person is whatever combination of the answered sums
is made of that person's records alone: an answer about nobody else, or answers that leave nothing else when they are
subtracted. Random null vectors of the sums (`NullSpace`), looked at in the records of one person, have a rank; where it
is less than the number of parts that the answers tell apart, a combination of the parts is known. A MIN or MAX over
records of one person alone tells a value of theirs. How narrow the answers make a sum that they do not determine is not
looked at. All users are taken together. Of which answers tell, a set is found of which none can be left out; of many
people, or many answers, those near their records.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sdcdb.auditor.reading.input_history import History, Item, Occurrence
from sdcdb.gateway.inference.algebra.nullspace import NullSpace

Flags = NDArray[np.bool_]

PROVED = 20  # people of a column of whom it is found which answers tell
TRIED = 60  # sums of which that is found
SPARE = 3  # null vectors more than columns, so that their rank is that of all null vectors


@dataclass(frozen=True)
class PeopleKnown:
    """People of whom something is known of their records as a whole, and the answers about them."""

    table: str
    column: str
    people: tuple[str, ...]
    first: Occurrence
    """The first statement that gave one of the answers."""
    answers: frozenset[int]
    """The answers about their records, by their number in the history."""
    together: bool = False
    """Whether it follows from answers about several columns that determine each other, which `column` lists."""


def audit_people(history: History) -> list[PeopleKnown]:
    """Find the people of whom something is known, by column, where the policy names a person."""
    found = []
    for table, column in dict.fromkeys([*history.columns(), *history.category_columns()]):
        owned = history.snapshot.tables[table].cells.owners
        if owned is None:
            continue
        owners, items = owned.everybody.matrix, history.of(table, column)
        told = {who: at for who, at in _told(items, owners).items() if owners[who].sum() > 1}
        if told:
            names, proof = history.snapshot.people_of(table), [items[n] for n in sorted(set().union(*told.values()))]
            first = min((item.first for item in proof), key=lambda each: each.number)
            answers = frozenset(item.at for item in proof)
            found.append(PeopleKnown(table, column, tuple(names[who] for who in sorted(told)), first, answers))
    return found


def _told(items: Sequence[Item], owners: sparse.csr_matrix) -> dict[int, set[int]]:
    """Return the people of whom something is known, each with positions of the answers that tell it."""
    flags = _flags(items, owners.shape[1])
    found: dict[int, set[int]] = {}
    for n, item in enumerate(items):
        if item.fact.kind in {"min", "max"} and len(people := _of_set(flags[n], owners)) == 1:
            found.setdefault(int(people[0]), set()).add(n)
    for values in dict.fromkeys(item.fact.values for item in items):
        sums = [n for n, item in enumerate(items) if item.fact.kind == "sum" and item.fact.values == values]
        for rank, who in enumerate(of_whom_sums_tell(flags[sums], owners)):
            mine = owners[[who]]
            tell = needed_sums(flags[sums], mine, owners, rank)
            found.setdefault(who, set()).update(sums[n] for n in tell)
    return found


def needed_sums(sums: Flags, mine: sparse.csr_matrix, owners: sparse.csr_matrix, rank: int) -> list[int]:
    """Return sums that tell something of one person, none of which can be left out.

    Where there are many, or this person comes after many others, those near their records.
    """
    if rank >= PROVED:
        return _near(sums, mine)
    kept = list(range(len(sums))) if len(sums) <= TRIED else _near(sums, mine)
    others = sparse.csr_matrix(owners.sum(axis=0)) - mine
    both = sparse.vstack([mine, others]).tocsr()
    if len(kept) > TRIED or 0 not in of_whom_sums_tell(sums[kept], both):
        return kept
    for n in list(kept):
        rest = [each for each in kept if each != n]
        if 0 in of_whom_sums_tell(sums[rest], both):
            kept = rest
    return kept


def _near(sums: Flags, mine: sparse.csr_matrix) -> list[int]:
    """Return the sums over records of a person, and those that share a record with one of these."""
    own = (sums & (mine.toarray()[0] > 0)).any(axis=1)
    around = sums[own].any(axis=0)
    return np.flatnonzero((sums & around).any(axis=1)).tolist()


def _flags(items: Sequence[Item], cells: int) -> Flags:
    packed = np.array([item.fact.packed for item in items], dtype=np.uint8).reshape(len(items), -1)
    return np.unpackbits(packed, axis=1, count=cells).astype(np.bool_)


def _of_set(flags: Flags, owners: sparse.csr_matrix) -> NDArray[np.intp]:
    """Return the people who have records in a set."""
    return np.flatnonzero(np.asarray(owners @ flags.astype(np.int64)).ravel())


def of_whom_sums_tell(sums: Flags, owners: sparse.csr_matrix) -> list[int]:
    """Return the people of whose records alone a combination of answered sums is made.

    `owners` has a row for each person and a column for each cell.
    """
    space = NullSpace(owners.shape[1], np.random.default_rng(secrets.randbits(64)))
    for row in sums:
        space.add(np.ascontiguousarray(row))
    vectors, classes, prime = space.samples()
    parts = sparse.csr_matrix(
        (np.ones(len(classes), np.int64), (np.arange(len(classes)), classes)), shape=(len(classes), vectors.shape[1])
    )
    held = (owners @ parts).tocsc()
    alone = np.diff(held.indptr) == 1  # parts of which all records are one person's
    own: dict[int, list[int]] = {}
    for part in np.flatnonzero(alone).tolist():
        own.setdefault(int(held.indices[held.indptr[part]]), []).append(part)
    return [who for who, columns in own.items() if _dependent(vectors[:, columns], prime)]


def _dependent(vectors: NDArray[np.float64], prime: int) -> bool:
    """Tell whether a combination of columns of residues is 0; of very many columns, some combinations."""
    most = max(1, len(vectors) - SPARE)
    pieces = [vectors[:, start : start + most] for start in range(0, vectors.shape[1], most)]
    pieces += [vectors.sum(axis=1, keepdims=True)] if len(pieces) > 1 else []
    return any(_rank(each, prime) < each.shape[1] for each in pieces)


def _rank(vectors: NDArray[np.float64], prime: int) -> int:
    """Return the rank of residues modulo a prime."""
    rows = vectors.astype(np.int64) % prime
    rank = 0
    for column in range(rows.shape[1]):
        pivots = np.flatnonzero(rows[rank:, column])
        if not len(pivots):
            continue
        rows[[rank, rank + pivots[0]]] = rows[[rank + pivots[0], rank]]
        rows[rank] = rows[rank] * pow(int(rows[rank, column]), -1, prime) % prime
        below = rows[rank + 1 :]
        below -= below[:, column : column + 1] * rows[rank]
        below %= prime
        rank += 1
        if rank == len(rows):
            break
    return rank
