"""What a policy forbids: the numbers that every decision is measured against."""

from dataclasses import dataclass
from typing import Literal

from sdcdb.errors import DataError


@dataclass(frozen=True)
class Limits:
    """The limits of one confidential column.

    `min_set`: no group of fewer records may get its total determined. `min_interval`: the narrowest interval that may
    be left for a record, in units of the column. `min_h0` and `min_area`: the least H(0) in bits and the least area
    under H(eps) in bits times units (CAE paper). `delta`: the share of possible answers that a decision may leave out.
    `small_totals`: whether groups that are put together from several sets count too for `min_set`: `forbid` looks at
    all unions of atoms, `allow` at single atoms, pairs and triples only.
    `max_overlap`: the most records that two different query sets may share; None switches that rule off.
    """

    min_set: int
    min_interval: float
    min_h0: float = 0.0
    min_area: float = 0.0
    delta: float = 1e-6
    max_overlap: int | None = None
    small_totals: Literal["forbid", "allow"] = "forbid"

    def __post_init__(self) -> None:
        if self.min_set < 1:
            raise DataError(f"min_set is at least 1, not {self.min_set}")
        for name in ("min_interval", "min_h0", "min_area"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise DataError(f"{name} is zero or a positive number, not {getattr(self, name)}")
        if self.small_totals not in {"forbid", "allow"}:
            raise DataError(f"small_totals is forbid or allow, not {self.small_totals!r}")
        if not 0 < self.delta < 0.5:
            raise DataError(f"delta is a small share between 0 and 0.5, not {self.delta}")
        if self.max_overlap is not None and self.max_overlap < 0:
            raise DataError(f"max_overlap is zero or more records, not {self.max_overlap}")
