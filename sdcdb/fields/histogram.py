"""A coarse histogram as a policy writes it: `{0: 92%, 1 to 5000: 5%, 5000 to 99999: 3%}`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isclose, isfinite

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
KEY = rf"^\s*({_NUMBER})(?:\s*(?:-|to)\s*({_NUMBER}))?\s*$"
SHARE = r"^\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*%\s*$"
_KEY, _SHARE = re.compile(KEY), re.compile(SHARE)
ROUNDING = 1e-3  # how far from 100% written shares may add up


@dataclass(frozen=True)
class Bin:
    """The share of people whose value lies between two numbers, or is one."""

    low: float
    high: float
    share: float

    @property
    def point(self) -> bool:
        """Whether it is a single value."""
        return self.low == self.high

    def __str__(self) -> str:
        where = f"{self.low:,.12g}" if self.point else f"{self.low:,.12g} to {self.high:,.12g}"
        return f"{where}: {100 * self.share:.4g}%"


@dataclass(frozen=True)
class Histogram:
    """Shares of single values and of ranges, in the order of the values."""

    bins: tuple[Bin, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.bins))


def histogram(written: Mapping[str, str]) -> Histogram:
    """Read a histogram that has no `problems`; shares are made to add up to one."""
    bins = [bin_ for key, share in written.items() if (bin_ := _bin(key, share)) is not None]
    total = sum(each.share for each in bins)
    return Histogram(tuple(sorted((Bin(b.low, b.high, b.share / total) for b in bins), key=lambda b: (b.low, b.high))))


def problems(written: Mapping[str, str], domain: tuple[float, float]) -> Iterator[tuple[str | None, str]]:
    """Yield what is wrong with a histogram: the entry, or None for all of them together, and why."""
    known: list[tuple[str, Bin]] = []
    for key, share in written.items():
        found = _bin(key, share)
        if _KEY.match(key) is None:
            yield key, f"{key!r} is neither a number nor a range: write 0 for one value, or 1 to 5000"
        elif _SHARE.match(str(share)) is None:
            yield key, f"must be a share such as 5%, not {share!r}"
        elif found is None or found.low > found.high:
            yield key, "must be a range from the smaller to the larger number"
        elif found.low < domain[0] or found.high > domain[1]:
            yield key, f"lies outside of the domain [{domain[0]}, {domain[1]}]"
        else:
            known.append((key, found))
    if len(known) < len(written):
        return
    yield from _overlaps(known)
    total = sum(each.share for _, each in known)
    if not isclose(total, 1.0, abs_tol=ROUNDING):
        yield None, f"must add up to 100%, not {100 * total:.4g}%"


def _overlaps(known: list[tuple[str, Bin]]) -> Iterator[tuple[str, str]]:
    """Yield entries that share more than an end with another one; a single value may lie inside a range."""
    ranges = sorted((each.low, each.high, key) for key, each in known if not each.point)
    for (_, before, earlier), (low, _, key) in pairwise(ranges):
        if low < before:
            yield key, f"overlaps {earlier!r}: ranges may share an end only"
    points = [(each.low, key) for key, each in known if each.point]
    for number, (value, key) in enumerate(points):
        if value in [earlier for earlier, _ in points[:number]]:
            yield key, f"{value:g} stands there twice"


def _bin(key: str, share: str) -> Bin | None:
    numbers, part = _KEY.match(key), _SHARE.match(str(share))
    if numbers is None or part is None:
        return None
    low = float(numbers[1])
    high = float(numbers[2]) if numbers[2] is not None else low
    if not (isfinite(low) and isfinite(high)):
        return None
    return Bin(low, high, float(part[1]) / 100)
