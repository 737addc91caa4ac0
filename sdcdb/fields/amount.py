"""An amount that a policy may give as a number in the column's unit or as a share of its domain: `500` or `10%`.

The narrowest interval may also be a share of what is usual: `10% of spread`.
"""

import math
import re
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

_OF_SPREAD = re.compile(r"^\s*([^%]*%)\s+of\s+spread\s*$")


@dataclass(frozen=True)
class Amount:
    """A number, or a share of the width of a column's domain, or of the spread of its values."""

    value: float
    relative: bool = False
    of_spread: bool = False

    def of(self, width: float, spread: float | None = None) -> float:
        """Return the amount in the column's unit, for a domain of this width and values of this spread.

        >>> Amount(0.1, relative=True).of(240_000)
        24000.0
        """
        if not self.relative:
            return self.value
        return self.value * (spread if self.of_spread and spread is not None else width)

    def __str__(self) -> str:
        return f"{self.value * 100:g}%{' of spread' * self.of_spread}" if self.relative else f"{self.value:g}"


def parse(given: Any) -> Amount:
    """Read `10%` or a number; refuse anything else, and negative amounts."""
    if isinstance(given, Amount):
        return given
    text = str(given).strip()
    relative = text.endswith("%")
    try:
        value = float(text[:-1] if relative else text)
    except ValueError:
        value = math.nan
    if isinstance(given, bool) or not math.isfinite(value) or value < 0:
        raise PydanticCustomError(
            "amount",
            "must be a number, or a share of the domain's width such as '10%', not below zero; not {given}",
            {"given": repr(given)},
        )
    return Amount(value / 100 if relative else value, relative)


def parse_floor(given: Any) -> Amount:
    """Read what `parse` reads, and `10% of spread`."""
    if isinstance(given, str) and (share := _OF_SPREAD.match(given)):
        return replace(parse(share[1]), of_spread=True)
    try:
        return parse(given)
    except PydanticCustomError:
        raise PydanticCustomError(
            "amount",
            "must be a number, a share of the domain's width such as '10%', or of what is usual, such as "
            "'10% of spread', not below zero; not {given}",
            {"given": repr(given)},
        ) from None


AmountField = Annotated[
    Amount,
    BeforeValidator(parse),
    PlainSerializer(str),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": r"^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*%$"},
            ]
        }
    ),
]

FloorField = Annotated[
    Amount,
    BeforeValidator(parse_floor),
    PlainSerializer(str),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": r"^\s*[0-9.]+([eE][+-]?[0-9]+)?\s*%(\s+of\s+spread)?\s*$"},
            ]
        }
    ),
]
