"""Means over the runs of each setting: the points of the paper's figures."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from sdcdb.evaluate.release import Outcome
from sdcdb.evaluate.settings import Setting

Weight = Literal["values", "records"]


@dataclass(frozen=True)
class Point:
    """H(0) and area at one number of known attributes: means over runs, and how much the runs differ."""

    known: int
    h0: float
    h0_sd: float
    area: float
    area_sd: float


@dataclass(frozen=True)
class Line:
    """One setting of one technique."""

    technique: str
    amount: str
    runs: int
    utility: float | None
    points: list[Point]

    def plain(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def summarise(outcomes: Sequence[Outcome], settings: Sequence[Setting], runs: int, weight: Weight) -> list[Line]:
    """Average the runs 0 to runs - 1 of every setting that has some. `weight`: every class once, or every record."""
    lines = []
    for setting in settings:
        mine = [
            each
            for each in outcomes
            if (each.technique, each.amount) == (setting.technique, setting.amount) and each.run < runs
        ]
        if mine:
            mine.sort(key=lambda each: each.run)
            utilities = [each.utility for each in mine if each.utility is not None]
            lines.append(
                Line(
                    setting.technique,
                    setting.amount,
                    len(mine),
                    float(f"{np.mean(utilities):.12g}") if len(utilities) == len(mine) else None,
                    _points(mine, "" if weight == "values" else "_record"),
                )
            )
    return lines


def _points(outcomes: list[Outcome], suffix: str) -> list[Point]:
    h0, area = (
        np.array([[getattr(each, name + suffix) for each in outcome.averages] for outcome in outcomes])
        for name in ("h0", "area")
    )
    return [
        Point(
            each.known,
            float(h0[:, k].mean()),
            float(h0[:, k].std()),
            float(area[:, k].mean()),
            float(area[:, k].std()),
        )
        for k, each in enumerate(outcomes[0].averages)
    ]
