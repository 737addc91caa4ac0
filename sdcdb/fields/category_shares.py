"""The shares of a category as a policy writes them: `{flu: 55%, asthma: 35%, hiv: 10%}`; `null` stands for no value."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isclose

from sdcdb.errors import choices
from sdcdb.fields.histogram import ROUNDING, SHARE

NULL = "null"
FEWEST, MOST = 2, 100  # values of a category
_SHARE = re.compile(SHARE)


@dataclass(frozen=True)
class CategoryShares:
    """The values that a category can have, as texts, None for no value; their public shares; and which are sensitive.

    `sensitive` are places among the values.
    """

    values: tuple[str | None, ...]
    shares: tuple[float, ...]
    sensitive: tuple[int, ...]

    def __str__(self) -> str:
        pairs = zip(self.values, self.shares, strict=True)
        return ", ".join(f"{NULL if value is None else value}: {100 * share:.4g}%" for value, share in pairs)

    @property
    def sensitive_values(self) -> tuple[str | None, ...]:
        """The values that nobody may be known to have."""
        return tuple(self.values[place] for place in self.sensitive)


def category_shares(written: Mapping[str, str], sensitive: Iterable[str] | None) -> CategoryShares:
    """Read shares that have no `problems`; they are made to add up to one. Without a list, all values are sensitive.

    >>> str(category_shares({"yes": "10%", "no": "90%"}, ["yes"]))
    'yes: 10%, no: 90%'
    """
    numbers = [float(found[1]) for share in written.values() if (found := _SHARE.match(share)) is not None]
    keys = list(written)
    named = [key for key in keys if key != NULL] if sensitive is None else list(sensitive)
    return CategoryShares(
        tuple(None if key == NULL else key for key in keys),
        tuple(number / sum(numbers) for number in numbers),
        tuple(sorted(keys.index(name) for name in named)),
    )


def problems(written: Mapping[str, str], sensitive: Iterable[str] | None) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what is wrong with the shares of a category: the field, and why."""
    wrong = [key for key, share in written.items() if _SHARE.match(share) is None or not float(share.strip(" %"))]
    for key in wrong:
        yield ("known", key), f"must be a share above 0% such as 5%, not {written[key]!r}"
    if not wrong:
        total = sum(float(share.strip(" %")) for share in written.values()) / 100
        if not isclose(total, 1.0, abs_tol=ROUNDING):
            yield ("known",), f"must add up to 100%, not {100 * total:.4g}%"
    if not FEWEST <= len(written) <= MOST:
        yield ("known",), f"must name {FEWEST} to {MOST} values of a category, not {len(written)}"
    for name in sensitive or ():
        if name not in written:
            yield ("sensitive",), f"{name!r} is no value under known; {choices(name, written)}"


def text_of(key: object) -> str:
    """Return a key as YAML reads it as a text: `null` for no value, `true` and `false` for the two of a boolean."""
    if key is None:
        return NULL
    return str(key).lower() if isinstance(key, bool) else str(key)
