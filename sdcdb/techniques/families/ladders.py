"""Ladders: the steps by which a value becomes coarser, from itself to nothing. Given in the policy, or derived."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.profile import INTEGERS, is_number
from sdcdb.errors import DataError, choices
from sdcdb.techniques.technique import ColumnSpec

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Label = str | None
Rung = float | str | dict[str, tuple[str, ...]]
"""One step of a ladder in the policy: a width, a number of characters, a unit of time, or groups of values."""

DATE_STEPS = ("month", "quarter", "year", "five years", "decade")
RARE = 0.05  # values of a category below this share become `other` first
SKEWED = 50  # range over interquartile range above which equal widths are useless
MOST_STEPS = 5
_POSTCODE = re.compile(r"[A-Z]{0,2}-?[0-9][0-9A-Z]{1,5}([ -][0-9A-Z]{2,4})?", re.IGNORECASE)


@dataclass(frozen=True)
class Ladder:
    """The labels of each value of a column at each level; level 0 is the value itself, the last level nothing."""

    name: str
    values: tuple[str, ...]
    counts: tuple[int, ...]
    levels: tuple[tuple[Label, ...], ...]
    words: tuple[str, ...]
    """What a level is, for people."""
    order: tuple[float, ...]
    """Where each value lies, for cutting in two."""
    ordered: bool
    """Whether a range of values means something: numbers and dates."""

    @property
    def height(self) -> int:
        """The number of levels."""
        return len(self.levels)

    def codes(self, level: int) -> Ints:
        """Return a number for the label of each value, equal where the labels are; NULL has the last place."""
        numbers: dict[Label, int] = {}
        return np.array([numbers.setdefault(label, len(numbers)) for label in (*self.levels[level], None)])

    def losses(self, level: int) -> Floats:
        """Return for each value (NULL last) how much of it is lost: (values it may be - 1) / (values - 1)."""
        many = len(self.values)
        size = Counter(self.levels[level])
        per = {label: 1.0 if label is None else (n - 1) / max(1, many - 1) for label, n in size.items()}
        return np.array([*(per[label] for label in self.levels[level]), 0.0])


def ladder_of(column: ColumnSpec, values: Sequence[str], counts: Sequence[int], given: Sequence[Rung] | None) -> Ladder:
    """Return the ladder of a column: from the policy where there is one, derived from type and values otherwise."""
    number = is_number(column.type)
    time = column.type == "DATE" or column.type.startswith("TIMESTAMP")
    order: Iterable[float] = range(len(values))
    if number:
        order = [float(value) for value in values]
    elif time:
        order = [float(_day(value).toordinal()) for value in values]
    spots = tuple(order)
    if given is None:
        steps = _derived(column, values, counts, spots, number=number, time=time)
    else:
        steps = [_step(column, values, rung, number=number, time=time) for rung in given]
    levels: list[tuple[Label, ...]] = [tuple(values)]
    words = ["as it is"]
    for said, label in steps:
        above = _chained(levels[-1], label) if isinstance(label, dict) else tuple(map(label, values, spots))
        if len(set(above)) < len(set(levels[-1])) and len(set(above)) > 1:
            levels.append(above)
            words.append(said)
    levels.append((None,) * len(values))
    words.append("suppressed")
    return Ladder(column.name, tuple(values), tuple(counts), tuple(levels), tuple(words), spots, number or time)


Labelling = tuple[str, Callable[[str, float], Label] | dict[str, str]]


def _chained(below: tuple[Label, ...], groups: dict[str, str]) -> tuple[Label, ...]:
    return tuple(label if label is None else groups.get(label, label) for label in below)


def _step(column: ColumnSpec, values: Sequence[str], rung: Rung, *, number: bool, time: bool) -> Labelling:
    """Read one step of the policy."""
    if isinstance(rung, dict):
        groups = {value: group for group, members in rung.items() for value in members}
        return f"groups {', '.join(list(rung)[:4])}{', ...' if len(rung) > 4 else ''}", groups
    if time:
        if rung not in DATE_STEPS:
            raise DataError(
                f"{column.name!r} is {column.type}: {rung!r} is no step of dates; {choices(str(rung), DATE_STEPS)}"
            )
        return f"by {rung}", lambda value, _: _period(value, str(rung))
    if isinstance(rung, str):
        raise DataError(f"{column.name!r}: {rung!r} is for dates; give widths, characters to keep, or groups of values")
    if number:
        if rung <= 0:
            raise DataError(f"a width of {rung:g} for {column.name!r}: it must be above 0")
        return _width(column, rung)
    if rung < 1 or rung != int(rung):
        raise DataError(f"{column.name!r} is text: {rung:g} must be a number of characters to keep, from 1 on")
    return _prefix(values, int(rung))


def _derived(
    column: ColumnSpec,
    values: Sequence[str],
    counts: Sequence[int],
    spots: Sequence[float],
    *,
    number: bool,
    time: bool,
) -> list[Labelling]:
    if len(values) < 3:
        return []
    if time:
        return [(f"by {step}", lambda value, _, step=step: _period(value, step)) for step in DATE_STEPS]  # type: ignore[misc]
    if number:
        return _quantile_steps(column, counts, spots) if _skewed(counts, spots) else _width_steps(column, spots)
    longest = max(map(len, values))
    if len(values) > 20 and longest <= 9 and sum(bool(_POSTCODE.fullmatch(v)) for v in values) >= 0.9 * len(values):
        return [_prefix(values, keep) for keep in range(longest - 1, 0, -1)][:MOST_STEPS]
    total = sum(counts)
    rare = {value: "other" for value, count in zip(values, counts, strict=True) if count < RARE * total}
    return [("rare values as other", rare)] if len(rare) > 1 else []


def _skewed(counts: Sequence[int], spots: Sequence[float]) -> bool:
    low, high = (_quantile(counts, spots, share) for share in (0.25, 0.75))
    return max(spots) - min(spots) > SKEWED * (high - low)


def _quantile(counts: Sequence[int], spots: Sequence[float], share: float) -> float:
    order = np.argsort(spots, kind="stable")
    reached = np.cumsum(np.asarray(counts)[order])
    place = min(int(np.searchsorted(reached, share * reached[-1])), len(order) - 1)
    return float(np.asarray(spots)[order][place])


def _width_steps(column: ColumnSpec, spots: Sequence[float]) -> list[Labelling]:
    """Return widths such as 5, 10, 20, 100, each a multiple of the one before: from about forty ranges to two."""
    span = max(spots) - min(spots)
    least = max(span / 40, 2.0 if column.type in INTEGERS else 0.0)
    power = 10.0 ** math.floor(math.log10(least))
    width = next(digit * power for digit in (1, 2, 5, 10) if digit * power >= least * (1 - 1e-9))
    found: list[Labelling] = []
    while width <= span / 2 and len(found) < MOST_STEPS:
        found.append(_width(column, width))
        width *= 5 if f"{width:e}"[0] == "2" else 2
    return found


def _width(column: ColumnSpec, width: float) -> Labelling:
    whole = column.type in INTEGERS and width == int(width)

    def label(_: str, spot: float) -> str:
        low = math.floor(spot / width + 1e-9) * width
        if whole:
            return f"{int(low)}-{int(low + width) - 1}" if low >= 0 else f"{int(low)} to {int(low + width) - 1}"
        return f"{_short(low)} to {_short(low + width)}"

    return f"ranges of {_short(width)}", label


def _quantile_steps(column: ColumnSpec, counts: Sequence[int], spots: Sequence[float]) -> list[Labelling]:
    """Cut a skewed column where its shares are equal, at numbers of two digits."""
    found: list[Labelling] = []
    for parts in (16, 8, 4, 2):
        cuts = sorted({_two_digits(_quantile(counts, spots, n / parts)) for n in range(1, parts)})
        cuts = [cut for cut in cuts if min(spots) < cut <= max(spots)]
        found.append((f"{len(cuts) + 1} ranges of about equal shares", _between(column, cuts)))
    return found


def _between(column: ColumnSpec, cuts: list[float]) -> Callable[[str, float], str]:
    whole = column.type in INTEGERS

    def label(_: str, spot: float) -> str:
        place = int(np.searchsorted(cuts, spot, side="right"))
        low, high = (cuts[place - 1] if place else None), (cuts[place] if place < len(cuts) else None)
        if high is None:
            return "any" if low is None else f"{_short(low)} or more"
        top = _short(math.ceil(high) - 1 if whole else high)
        if low is None:
            return f"up to {top}" if whole else f"below {top}"
        bottom = _short(math.ceil(low) if whole else low)
        return bottom if bottom == top else f"{bottom} to {top}"

    return label


def _two_digits(value: float) -> float:
    return float(f"{value:.1e}")


def _prefix(values: Sequence[str], keep: int) -> Labelling:
    longest = max(map(len, values), default=0)
    return (
        f"first {keep} characters",
        lambda value, _: value if len(value) <= keep else value[:keep] + "*" * (min(longest, len(value)) - keep),
    )


def _day(value: str) -> date:
    return date.fromisoformat(value[:10])


def _period(value: str, step: str) -> str:
    day = _day(value)
    if step == "month":
        return f"{day:%Y-%m}"
    if step == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    if step == "year":
        return f"{day.year}"
    if step == "five years":
        return f"{day.year // 5 * 5}-{day.year // 5 * 5 + 4}"
    return f"{day.year // 10 * 10}s"


def _short(value: float) -> str:
    return f"{value:.12g}" if abs(value) < 1e-4 or abs(value) >= 1e15 else f"{value:.10f}".rstrip("0").rstrip(".")
