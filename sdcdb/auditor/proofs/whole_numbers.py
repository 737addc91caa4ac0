"""Other whole numbers that fit all answers: what linear programmes over the reals cannot see.

Values lie on a grid. Sums that leave every value a wide interval of real numbers may leave one whole number only, and
lattice reduction (Lenstra, Lenstra and Lovasz 1982) finds it. So a record is called safe only where two whole-number
tables are known that agree with every answer and differ enough in it. They are looked for in three ways, the next one
only for what is still open:

1. by a walk from the data along short moves (`lattice_walk`);
2. along the moves of a basis that was reduced as a whole, which are shorter;
3. by integer programmes in the coordinates of that basis (Aardal, Hurkens and Lenstra 2000). They also prove how far a
   column can go: then its range is known.

Where sums cut a table into more than a few hundred atoms and no short moves are found, a basis is too large to reduce.
There a column is *free* if the sums take away little of its freedom (its leverage), measured against the share from
which one whole-number solution is left: k sums of n numbers of b bits, k / n = b / (b + log2(1.19 sqrt(n / 2))). This
is a measure, not a proof.

What none of this settles is *open*: it may be known, and the report says so.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse.csgraph import connected_components

from sdcdb.auditor.proofs.lattice_walk import walk
from sdcdb.errors import InternalError
from sdcdb.gateway.inference.lattice.basis import Basis, fresh_basis, with_set
from sdcdb.gateway.inference.lattice.lll import reduce_basis
from sdcdb.gateway.inference.lattice.short_vectors import ShortVectors

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Settled = Callable[["Explored"], Flags]
"""Which columns have been seen to differ enough."""

SWEEPS, STRETCHES = 12, 12
SEED = 20
DENSE = 400  # atoms, up to which vectors are kept whole
ENTRIES, SQUARED = 50_000, 1e4  # of all short moves together; the length of one: beyond them moves have no room
PAIR = 2.1  # no vector that reaches two atoms is shorter than their exchange, of 2
MOST_ROWS, FAR = 3_000, 0.75  # of the share of sums from which one solution is left
MARGIN = 10.0  # in steps, that the reduction of these aims at
REDUCED = 400  # vectors of a basis that is reduced as a whole
SWAPS = 200_000
LONGEST = 1 << 40  # of an entry: steps stay far from the end of 64 bits
PROGRAMMES = 240
NODES = 500  # of one integer programme
ALL_NODES = 3_000


@dataclass(frozen=True, eq=False)
class Extremes:
    """The MIN and MAX answers: which columns lie in their sets, and their values."""

    sets: Flags
    values: Ints


@dataclass(frozen=True, eq=False)
class System:
    """Unknown whole numbers: one solution, the range of each, and the answered sums as sets of atoms.

    `labels` is the atom of each column: columns of one atom lie in the same sums. With `spread` the sums are over other
    unknowns, and its row of each says what one more of it does to the atoms.
    """

    start: Ints
    low: Ints
    high: Ints
    labels: Ints
    sums: Flags
    extremes: Extremes | None = None
    spread: sparse.csr_matrix | None = None


@dataclass(frozen=True, eq=False)
class Explored:
    """What was seen of each column: its least and greatest value, and the longest run of values of one move.

    `proved` columns cannot be outside of what was seen. `free` ones were not seen to move, but the sums leave them so
    much freedom that other values are certain in practice.
    """

    least: Ints
    most: Ints
    run: Ints
    proved: Flags
    free: Flags


def explore(system: System, settled: Settled, wanted: Flags) -> Explored:
    """Look for other solutions until the columns wanted are settled, or nothing more can be done within the budget."""
    n = len(system.start)
    seen = (system.start.copy(), system.start.copy(), system.start.copy(), np.ones(n, np.int64))
    proved, free = np.zeros(n, bool), np.zeros(n, bool)

    def now() -> Explored:
        return Explored(seen[1], seen[2], seen[3], proved, free)

    atoms = int(system.labels.max(initial=-1)) + 1
    rows = np.unique(system.sums, axis=0)
    short = _spread(system, rows, _short_moves(rows))
    left = _walk_on(system, short, seen, lambda: wanted & ~settled(now()))
    if left.any() and short is None:
        short = _spread(system, rows, _all_moves(rows))
    if left.any() and short is None and rows.shape[1] > DENSE:
        free |= left & _free(system, rows)
    if not left.any() or short is None:
        return now()
    spent = [0, 0]
    for part in _parts(short, np.unique(system.labels[left])):
        basis = reduce_basis(part, np.ones(atoms), SWAPS) if len(part) <= REDUCED else None
        if basis is None or np.abs(basis).max(initial=0) > LONGEST:
            continue
        left = _walk_on(system, sparse.csr_matrix(basis), seen, lambda: wanted & ~settled(now()))
        inside = np.flatnonzero(left & (basis != 0).any(axis=0)[system.labels])
        _programmes(system, basis, inside, seen, proved, settled, spent)
    return now()


def _spread(system: System, rows: Flags, moves: sparse.csr_matrix | None) -> sparse.csr_matrix | None:
    """Check that every sum vanishes on the moves, and put them in terms of the atoms."""
    if moves is None:
        return None
    if (moves @ rows.T.astype(np.int64)).any():
        raise InternalError("a move changes an answer")
    return moves if system.spread is None else sparse.csr_matrix(moves @ system.spread)


def _short_moves(rows: Flags) -> sparse.csr_matrix | None:
    """Return short vectors of whole numbers, over atoms, on which every sum vanishes; None if they grow too long."""
    atoms = rows.shape[1]
    if not atoms:
        return sparse.csr_matrix((0, 0), dtype=np.int64)
    short: ShortVectors | None = ShortVectors.apart(atoms)
    for row in rows:
        short = None if short is None else short.with_set(row)
        short = None if short is None else short.shortened(PAIR, short.number)
        if short is None or len(short.vectors[1]) > ENTRIES or short.size.max(initial=0.0) > SQUARED:
            return None
    if short is None:
        return None
    starts, columns, numbers = short.vectors
    return sparse.csr_matrix((numbers.astype(np.int64), columns, starts), shape=(short.number, atoms))


def _free(system: System, rows: Flags) -> Flags:
    """Flag the columns of which the sums leave enough freedom, whatever people they are looked at together with."""
    if len(rows) > MOST_ROWS:
        return np.zeros(len(system.start), bool)
    sets = rows.astype(np.float64)
    leverage = np.einsum("ij,ij->j", np.linalg.pinv(sets @ sets.T, hermitian=True) @ sets, sets)
    if system.spread is not None:
        leverage = np.asarray(abs(system.spread).T @ leverage).ravel()
    bits = np.log2(1.0 + (system.high - system.low))
    share = bits / (bits + np.log2(1.19 * np.sqrt(max(2, rows.shape[1]) / 2)))
    return np.asarray(leverage[system.labels] <= FAR * share, dtype=np.bool_)


def _all_moves(rows: Flags) -> sparse.csr_matrix | None:
    """Return vectors of any length that span all moves, for some hundred atoms; None if numbers grow too large."""
    atoms = rows.shape[1]
    if atoms > DENSE:
        return None
    basis: Basis | None = fresh_basis(np.ones(atoms, dtype=np.int64))
    for row in rows:
        basis = None if basis is None else with_set(basis, row, MARGIN)
    if basis is None:
        return None
    first = np.unique(basis.labels, return_index=True)[1]
    wide = np.zeros((len(basis.vectors), atoms), dtype=np.int64)
    wide[:, first] = basis.vectors
    alike = np.setdiff1d(np.arange(atoms), first)  # in the same sums as another: they can be exchanged
    pairs = np.zeros((len(alike), atoms), dtype=np.int64)
    pairs[np.arange(len(alike)), alike], pairs[np.arange(len(alike)), first[basis.labels[alike]]] = 1, -1
    return sparse.csr_matrix(np.concatenate([wide, pairs]))


def _parts(moves: sparse.csr_matrix, wanted: Ints) -> list[Ints]:
    """Return the moves that reach these atoms, as bases of parts that share no atom."""
    shared = moves.copy()
    shared.data = np.ones_like(shared.data)
    _, part = connected_components(shared.T @ shared, directed=False)
    found = []
    for each in np.unique(part[wanted]):
        rows = [row for row in range(moves.shape[0]) if part[moves.indices[moves.indptr[row]]] == each]
        if rows:
            found.append(np.ascontiguousarray(moves[rows].toarray().astype(np.int64)))
    return found


def _walk_on(
    system: System, moves: sparse.csr_matrix | None, seen: tuple[Ints, Ints, Ints, Ints], left: Callable[[], Flags]
) -> Flags:
    """Walk until nothing is left to settle, or two stretches in a row have settled nothing more."""
    before, idle = len(system.start) + 1, 0
    for stretch in range(STRETCHES):
        _walk(system, moves, seen, SEED + stretch)
        open_now = left()
        number = int(open_now.sum())
        idle = idle + 1 if number == before else 0
        if number == 0 or idle == 2:
            break
        before = number
    return open_now


def _walk(system: System, moves: sparse.csr_matrix | None, seen: tuple[Ints, Ints, Ints, Ints], seed: int) -> None:
    atoms = int(system.labels.max(initial=-1)) + 1
    rows = sparse.csr_matrix((0, atoms), dtype=np.int64) if moves is None else moves
    members = np.argsort(system.labels, kind="stable").astype(np.int64)
    first = np.concatenate([[0], np.cumsum(np.bincount(system.labels, minlength=atoms))]).astype(np.int64)
    start, which = np.zeros(len(system.start) + 1, np.int64), np.zeros(0, np.int64)
    values, holders = np.zeros(0, np.int64), np.zeros(0, np.int64)
    if system.extremes is not None:
        columns = sparse.csc_matrix(system.extremes.sets)
        start, which = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
        values = system.extremes.values
        holders = np.array(
            [(seen[0][inside] == value).sum() for inside, value in zip(system.extremes.sets, values, strict=True)]
        )
    compiled = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data.astype(np.int64))
    extremes = (start, which, values.astype(np.int64), holders.astype(np.int64))
    walk(compiled, (first, members), (system.low, system.high), extremes, seen, SWEEPS, seed)


def _programmes(
    system: System,
    basis: Ints,
    columns: Ints,
    seen: tuple[Ints, Ints, Ints, Ints],
    proved: Flags,
    settled: Settled,
    spent: list[int],
) -> None:
    """Send single columns of an atom to both ends by integer programmes, until each is settled or the budget is used.

    The unknowns are how often each vector of the basis is taken. Extremes need somebody who has them; that is left out
    here, so a range that is proved holds all the more, and a table that breaks an extreme is not taken for a witness.
    """
    total = _totals(system)
    reach = np.flatnonzero((basis != 0).any(axis=0))
    matrix = basis[:, reach].T.astype(np.float64)
    room = LinearConstraint(matrix, (total[0] - total[1])[reach], (total[2] - total[1])[reach])
    for column in columns.tolist():
        if settled(Explored(seen[1], seen[2], seen[3], proved, proved & False))[column]:
            continue
        atom = system.labels[column]
        if (system.labels == atom).sum() > 1:
            continue  # what an atom of several leaves each of them is another question
        ends = []
        for sign in (1, -1):
            if spent[0] >= PROGRAMMES or spent[1] >= ALL_NODES:
                return
            found = milp(
                -sign * basis[:, atom].astype(np.float64),
                integrality=np.ones(len(basis)),
                bounds=Bounds(-np.inf, np.inf),
                constraints=room,
                options={"node_limit": NODES, "mip_rel_gap": 0.0},
            )
            spent[0] += 1
            spent[1] += int(found.mip_node_count or 0)
            if found.x is not None:
                _witness(system, np.rint(found.x).astype(np.int64) @ basis, seen)
            if found.status == 0:
                ends.append(int(total[1][atom] + np.rint(found.x).astype(np.int64) @ basis[:, atom]))
        if len(ends) == 2 and ends[0] == seen[2][column] and ends[1] == seen[1][column]:
            proved[column] = True


def _totals(system: System) -> tuple[Floats, Ints, Floats]:
    """Return the least, the present and the greatest total of each atom."""
    atoms = int(system.labels.max(initial=-1)) + 1
    least, now, most = (
        np.bincount(system.labels, weights=each, minlength=atoms) for each in (system.low, system.start, system.high)
    )
    return least.astype(np.float64), np.rint(now).astype(np.int64), most.astype(np.float64)


def _witness(system: System, change: Ints, seen: tuple[Ints, Ints, Ints, Ints]) -> None:
    """Take in another solution, if it is one: single columns of an atom take the atom's whole change."""
    size = np.bincount(system.labels, minlength=len(change))
    alone = size[system.labels] == 1
    after = system.start + np.where(alone, change[system.labels], 0)
    if (change[size > 1] != 0).any():
        after = _shared_out(system, change, after)
    if (after < system.low).any() or (after > system.high).any():
        return
    if system.extremes is not None:
        for inside, value in zip(system.extremes.sets, system.extremes.values, strict=True):
            if not (after[inside] == value).any():
                return
    np.minimum(seen[1], after, out=seen[1])
    np.maximum(seen[2], after, out=seen[2])
    np.maximum(seen[3], np.where(after != system.start, 2, 1), out=seen[3])


def _shared_out(system: System, change: Ints, after: Ints) -> Ints:
    """Give the change of an atom of several to its columns, one after the other, as far as each can go."""
    found = after.copy()
    for atom in np.flatnonzero(change):
        columns = np.flatnonzero(system.labels == atom)
        if len(columns) < 2:
            continue
        left = int(change[atom])
        for j in columns:
            step = min(left, int(system.high[j] - found[j])) if left > 0 else max(left, int(system.low[j] - found[j]))
            found[j] += step
            left -= step
    return found
