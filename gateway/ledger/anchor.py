"""The anchor: a side file that says how many records were acknowledged, and the hash of the last.

The chain shows that nothing inside the ledger was changed; only the anchor shows that nothing at its end is missing.
It has two slots, written in turn: whatever happens to the one being written, the other still holds the state before.
Each slot fills a block of its own, and is a sealed JSON line like those of the ledger, padded with spaces.
"""

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from sdcdb.gateway.ledger.disk import sync, write_new
from sdcdb.gateway.ledger.record import GENESIS, seal

SLOT = 4096  # one block of usual disks: writing one slot cannot tear the other


@dataclass(frozen=True)
class Anchor:
    """How far the ledger was acknowledged. `turn` counts the writes of anchors; its parity is the slot."""

    turn: int
    count: int
    head: str

    def to_bytes(self) -> bytes:
        """Return the slot that holds this anchor."""
        line, _ = seal(f'{{"turn":{self.turn},"count":{self.count},"head":"{self.head}"')
        return line[:-1].ljust(SLOT - 1) + b"\n"

    @classmethod
    def parse(cls, slot: bytes) -> Self | None:
        """Read a slot; None when any byte of it is not as written."""
        try:
            fields = json.loads(slot)
            anchor = cls(int(fields["turn"]), int(fields["count"]), str(fields["head"]))
            return anchor if anchor.to_bytes() == slot else None
        except (ValueError, KeyError, TypeError, RecursionError):
            return None


@dataclass(frozen=True)
class Anchors:
    """What the slots say that could be read."""

    valid: tuple[Anchor, ...]

    @property
    def newest(self) -> Anchor:
        """The state that was acknowledged last, as far as the slots can be read."""
        return max(self.valid, key=lambda anchor: anchor.turn)

    @property
    def damaged(self) -> bool:
        """Whether a slot was torn by a crash, or changed by somebody."""
        return len(self.valid) < 2


def read_anchors(path: Path) -> Anchors:
    """Read both slots. A slot may be in the middle of being written by a running gateway: then look again."""
    for pause in (0.001, 0.004, 0.0):
        raw = path.read_bytes()
        if len(raw) != 2 * SLOT:  # it came into being whole, and was only overwritten since
            return Anchors(())
        slots = [Anchor.parse(raw[:SLOT]), Anchor.parse(raw[SLOT:])]
        anchors = Anchors(tuple(a for place, a in enumerate(slots) if a is not None and a.turn % 2 == place))
        if not anchors.damaged:
            break
        time.sleep(pause)
    return anchors


def create_anchor(path: Path) -> Anchor:
    """Write the anchor of an empty ledger."""
    write_new(path, Anchor(0, 0, GENESIS).to_bytes() + Anchor(1, 0, GENESIS).to_bytes())
    return Anchor(1, 0, GENESIS)


def advance(fd: int, last: Anchor, count: int, head: str) -> Anchor:
    """Overwrite the slot that does not hold `last`; return when it is on disk."""
    anchor = Anchor(last.turn + 1, count, head)
    data = anchor.to_bytes()
    if os.pwrite(fd, data, SLOT * (anchor.turn % 2)) != len(data):
        raise OSError(None, "the anchor was written in part only")
    sync(fd)
    return anchor
