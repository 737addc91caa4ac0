"""Telling whether a ledger is whole, without changing it and without its lock."""

from dataclasses import dataclass
from pathlib import Path

from sdcdb.errors import LedgerError, counted
from sdcdb.gateway.ledger.examine import Break, examine
from sdcdb.gateway.ledger.places import anchor_path
from sdcdb.gateway.ledger.record import GENESIS


@dataclass(frozen=True)
class Verification:
    """The result: when not `ok`, what is wrong, at which line if it is one place, and what to do.

    `records` and `head` describe the records that are sound. `torn` counts bytes behind them that were never
    acknowledged: a record that is being written at this moment, or one that a crash cut off.
    `torn_slot`: one slot of the anchor cannot be read, as after a crash while it was written; no record is missing.
    """

    ok: bool
    records: int
    head: str
    torn: int = 0
    torn_slot: bool = False
    line: int | None = None
    problem: str | None = None
    advice: str | None = None


def verify(path: Path) -> Verification:
    """Check every byte of the ledger at `path` and its anchor. A running gateway may go on writing meanwhile."""
    ledger = Path(path)
    found = examine(ledger)
    if found.absent:
        words = f"there is no ledger {ledger}: nothing was asked through the gateway yet, or the file was removed"
        return Verification(
            ok=False, records=0, head=GENESIS, problem=words, advice="check the name, or restore it from a backup"
        )
    sound = found.sound
    if found.problem is None:
        return Verification(ok=True, records=sound.count, head=sound.head, torn=found.torn, torn_slot=found.torn_slot)
    return Verification(
        ok=False,
        records=sound.count,
        head=sound.head,
        line=found.problem.line,
        problem=str(found.problem),
        advice=what_to_do(ledger, sound.count),
    )


def what_to_do(ledger: Path, sound: int) -> str:
    """Say how a broken ledger is put right. Nothing does it by itself: that would hide what happened."""
    return (
        f"keep both files unchanged for the investigation (the first {counted(sound, 'record')} "
        f"can be read with `sdcdb ledger show`), then restore {ledger.name} and {anchor_path(ledger).name} "
        f"together from a backup"
    )


def broken(ledger: Path, problem: Break, sound: int) -> LedgerError:
    """Return the error that stops a gateway whose ledger is not whole."""
    return LedgerError(
        f"the ledger {ledger} is broken, and no question is answered without it. {problem}. What to do: "
        f"{what_to_do(ledger, sound)}; `sdcdb ledger verify` says more"
    )
