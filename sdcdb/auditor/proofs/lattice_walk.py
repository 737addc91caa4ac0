"""Walk from one whole-number solution to others: every table that is reached agrees with all answers (machine code).

A *move* is a vector of whole numbers on which every answered sum vanishes. Taken any number of times it leads from one
solution to another, as long as every number stays in its range. A number of a move belongs to an atom; which of the
atom's columns carries it is chosen anew each time, since all of them lie in the same sums. Two columns of one atom can
also exchange a part of their values.

An extreme (MIN or MAX) needs a column that has its value. A step that would leave one without is not taken.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def walk(
    moves: tuple[Ints, Ints, Ints],
    atoms: tuple[Ints, Ints],
    box: tuple[Ints, Ints],
    extremes: tuple[Ints, Ints, Ints, Ints],
    seen: tuple[Ints, Ints, Ints, Ints],
    sweeps: int,
    seed: int,
) -> None:
    """Go through all moves a number of times, and write down what each column was seen to be.

    `moves` are rows of atoms and numbers; `atoms` the members of each atom; `box` the range of each column; `extremes`
    the extremes of each column, their values, and how many columns have them now; `seen` the present value of each
    column, the least and the greatest, and the longest run of values that one move leads through.
    """
    starts, places, numbers = moves
    first, members = atoms
    np.random.seed(seed)  # noqa: NPY002 - the only generator that compiled code has
    width = 2
    for row in range(len(starts) - 1):
        width = max(width, starts[row + 1] - starts[row])
    chosen, factor = np.zeros(width, np.int64), np.zeros(width, np.int64)
    for _ in range(sweeps):
        for _ in range(len(starts) - 1):
            row = np.random.randint(0, len(starts) - 1)  # noqa: NPY002
            length = 0
            for t in range(starts[row], starts[row + 1]):
                a = places[t]
                chosen[length] = members[first[a] + np.random.randint(0, first[a + 1] - first[a])]  # noqa: NPY002
                factor[length] = numbers[t]
                length += 1
            _step(chosen[:length], factor[:length], box, extremes, seen)
        for a in range(len(first) - 1):
            size = first[a + 1] - first[a]
            if size < 2:
                continue
            for t in range(size):
                other = np.random.randint(0, size - 1)  # noqa: NPY002
                chosen[0] = members[first[a] + t]
                chosen[1] = members[first[a] + (other if other < t else other + 1)]
                factor[0], factor[1] = 1, -1
                _step(chosen[:2], factor[:2], box, extremes, seen)


@njit(cache=True, nogil=True)
def _step(
    chosen: Ints,
    factor: Ints,
    box: tuple[Ints, Ints],
    extremes: tuple[Ints, Ints, Ints, Ints],
    seen: tuple[Ints, Ints, Ints, Ints],
) -> None:
    at, least, most, run = seen
    low, high = box
    back, on = -(1 << 60), 1 << 60
    for k in range(len(chosen)):
        j, f = chosen[k], factor[k]
        up, down = high[j] - at[j], low[j] - at[j]
        if f > 0:
            on, back = min(on, up // f), max(back, -((-down) // f))
        else:
            on, back = min(on, (-down) // -f), max(back, -(up // -f))
    if on == 0 and back == 0:
        return
    if _free(chosen, extremes, at):
        for k in range(len(chosen)):
            j = chosen[k]
            one, other = at[j] + back * factor[k], at[j] + on * factor[k]
            least[j], most[j] = min(least[j], one, other), max(most[j], one, other)
            run[j] = max(run[j], on - back + 1)
        _move(chosen, factor, _choice(back, on), extremes, at)
        return
    for t in (on, back) if np.random.random() < 0.5 else (back, on):  # noqa: NPY002
        if t == 0:
            continue
        _move(chosen, factor, t, extremes, at)
        if _held(chosen, extremes):
            for k in range(len(chosen)):
                j = chosen[k]
                least[j], most[j], run[j] = min(least[j], at[j]), max(most[j], at[j]), max(run[j], 2)
            return
        _move(chosen, factor, -t, extremes, at)


@njit(cache=True, nogil=True)
def _choice(back: int, on: int) -> int:
    """Choose how far to go: to one of the ends, or somewhere between."""
    dice = np.random.random()  # noqa: NPY002
    if dice < 0.25:
        return back
    if dice < 0.5:
        return on
    return back + int(np.random.random() * (on - back + 1))  # noqa: NPY002


@njit(cache=True, nogil=True)
def _free(chosen: Ints, extremes: tuple[Ints, Ints, Ints, Ints], at: Ints) -> bool:
    """Tell whether every extreme keeps a column that has it, wherever these columns go."""
    starts, which, values, holders = extremes
    for j in chosen:
        for t in range(starts[j], starts[j + 1]):
            if at[j] == values[which[t]] and holders[which[t]] <= len(chosen):
                return False
    return True


@njit(cache=True, nogil=True)
def _held(chosen: Ints, extremes: tuple[Ints, Ints, Ints, Ints]) -> bool:
    """Tell whether every extreme of these columns is still some column's value."""
    starts, which, _, holders = extremes
    for j in chosen:
        for t in range(starts[j], starts[j + 1]):
            if holders[which[t]] == 0:
                return False
    return True


@njit(cache=True, nogil=True)
def _move(chosen: Ints, factor: Ints, times: int, extremes: tuple[Ints, Ints, Ints, Ints], at: Ints) -> None:
    starts, which, values, holders = extremes
    for k in range(len(chosen)):
        j = chosen[k]
        after = at[j] + times * factor[k]
        for t in range(starts[j], starts[j + 1]):
            e = which[t]
            holders[e] += np.int64(after == values[e]) - np.int64(at[j] == values[e])
        at[j] = after
