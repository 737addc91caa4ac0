"""Versions of a table as the ledger keeps them, in the form of today and in the one before."""

import numpy as np

from sdcdb.gateway.ledger.entry import VersionEntry
from sdcdb.gateway.ledger.packing import pack_digests, pack_json
from sdcdb.gateway.tables.held_version import HeldVersion
from sdcdb.gateway.tables.trail import Moves


def test_a_version_that_named_its_cells_is_read_as_what_it_means_today() -> None:
    before = {"keys": ["a", "b", "c"], "columns": {"pay": {"counts": [1, 0, 2], "digests": ["f0", "0", "0f"]}}}
    now = {"size": 3, "columns": {"pay": {"counts": [1, 0, 2], "digest": "ff"}}}
    first, second = (
        HeldVersion.of(VersionEntry(table="t", version="v", cells=pack_json(each))) for each in (before, now)
    )
    assert first == second
    assert first.digest("pay") == (3, 0xFF)
    assert first.digest("other") is None


def test_moves_that_were_written_number_by_number_are_read() -> None:
    moves = Moves.of(np.array([0, 0, 1, -1]), np.array([3, 4, -1, 4]))
    plain = pack_digests(np.concatenate([moves.classes, moves.cells, moves.records]))
    for text in (plain, moves.pack()):
        read = Moves.unpack(text)
        for name in ("classes", "cells", "records"):
            assert np.array_equal(getattr(read, name), getattr(moves, name)), name
