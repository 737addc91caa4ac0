"""Records followed over versions, against the plain way: for every record, the list of the cells that it was in."""

from collections import Counter

import numpy as np
import pytest

from sdcdb.gateway.tables.trail import GONE, Layout, Moves, Trail


@pytest.mark.parametrize("seed", range(30))
def test_classes_are_the_records_that_were_together_in_every_version(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells, versions, everybody = 6, 5, 40
    digests = rng.permutation(2**40 + np.arange(everybody))
    where = rng.integers(0, cells, (versions, everybody))
    for version in range(1, versions):  # most stay, some move, leave or come back
        same = rng.random(everybody) < 0.7
        where[version, same] = where[version - 1, same]
        where[version, rng.random(everybody) < 0.1] = GONE
    where[0, rng.random(everybody) < 0.3] = GONE

    layout, trail = Layout(), None
    for view in where:
        here = view != GONE
        order = rng.permutation(np.flatnonzero(here))
        if trail is None:
            trail = Trail.first(digests[order], view[order], cells)
            layout.begin(np.bincount(view[here], minlength=cells).tolist())
        else:
            trail, moves = trail.follow(digests[order], view[order])
            before = layout.copy()
            layout.follow(Moves.unpack(moves.pack()), cells)
            assert len(before.counts) <= len(layout.counts)
            assert before.sizes == layout.sizes[:-1]  # a copy goes on by itself

    assert trail is not None
    ever = (where != GONE).any(axis=0)
    wanted = Counter(tuple(int(cell) for cell in where[:, record]) for record in np.flatnonzero(ever))
    found = Counter({
        tuple(int(layout.cells_of(view)[number]) for view in range(versions)): size
        for number, size in enumerate(layout.counts)
        if size
    })  # fmt: skip
    assert found == wanted
    assert len(layout.counts) == trail.number
    assert sorted(Counter(trail.classes.tolist()).values()) == sorted(size for size in layout.counts if size)
    for version in range(versions):  # a query set of any version, as classes, holds the same people
        flags = rng.random(cells) < 0.5
        chosen = layout.spread(flags, version)
        assert int(layout.array()[chosen].sum()) == int(flags[where[version][where[version] != GONE]].sum())


def test_a_first_version_needs_no_classes_of_its_own() -> None:
    layout = Layout()
    layout.begin([3, 0, 2])
    layout.repeat()
    assert layout.spread(np.array([True, False, True])).tolist() == [True, False, True]
    layout.leave_out(3)
    assert layout.spread(np.array([True, True, True])).tolist() == [False, False, False]
    assert layout.spread(np.array([True, False, True]), 0).tolist() == [True, False, True]
