"""Times of a log: parsed from the formats that logs use, and watched for jumps."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from sdcdb.logs.source import Source

_FORM = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s*"
    r"(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?(?::?\d\d)?|[A-Z]{2,5})?$"
)
BACK = timedelta(seconds=5)
"""Processes that write to one log overtake each other by less than this."""


def parse_time(text: object) -> datetime | None:
    """Read a timestamp as UTC. A zone given only as an abbreviation, such as CET, has no offset: taken as UTC.

    >>> parse_time("2026-11-16 22:11:31.207 UTC").isoformat()
    '2026-11-16T22:11:31.207000+00:00'
    >>> parse_time("2026-11-16T23:11:31+01:00").isoformat()
    '2026-11-16T22:11:31+00:00'
    >>> parse_time(1_800_000_000).isoformat()
    '2027-01-15T08:00:00+00:00'
    """
    if isinstance(text, datetime):
        return text.astimezone(UTC) if text.tzinfo else text.replace(tzinfo=UTC)
    if isinstance(text, int | float) and not isinstance(text, bool):
        return _from_epoch(float(text))
    return _parsed(text) if isinstance(text, str) else None


@lru_cache(4_096)
def _parsed(text: str) -> datetime | None:
    found = _FORM.match(text.strip())
    if found is None:
        return _from_epoch(float(text)) if re.fullmatch(r"\d{9,13}(\.\d+)?", text.strip()) else None
    date, clock, fraction, zone = found.groups()
    offset = zone if zone and zone[0] in "+-" else "+00"
    digits = re.sub(r"\D", "", offset).ljust(4, "0")
    moved = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4])) * (-1 if offset[0] == "-" else 1)
    try:
        base = datetime.fromisoformat(f"{date} {clock}+00:00") + timedelta(
            microseconds=int((fraction or "0").ljust(6, "0")[:6])
        )
        return base - moved
    except (ValueError, OverflowError):
        return None


def _from_epoch(number: float) -> datetime | None:
    seconds = number / 1000 if number > 1e11 else number  # milliseconds, as some programs write
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@dataclass
class Clock:
    """Watches the times of one reading, over all its files, and reports impossible ones."""

    latest: datetime | None = None
    tomorrow: datetime = field(default_factory=lambda: datetime.now(UTC) + timedelta(days=1))

    def seen(self, time: datetime | None, line: int, source: Source) -> None:
        """Report a time that is well before that of an earlier line, or in the future."""
        if time is None:
            return
        if time > self.tomorrow:
            source.report(
                line, f"the clock shows {time:%Y-%m-%d %H:%M:%S}, which is in the future", "clock in the future"
            )
            return
        if self.latest is not None and time < self.latest - BACK:
            back = str(self.latest - time).split(".")[0]
            source.report(line, f"the clock goes back by {back}: the order of the file is used", "clock goes back")
            self.latest = time
        self.latest = max(self.latest, time) if self.latest else time
