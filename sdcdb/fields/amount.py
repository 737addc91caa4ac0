"""An amount that a policy may give as a number in the column's unit or as a share of its domain: `500` or `10%`."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError


@dataclass(frozen=True)
class Amount:
    """A number, or a share of the width of a column's domain."""

    value: float
    relative: bool = False

    def of(self, width: float) -> float:
        """Return the amount in the column's unit, for a domain of this width.

        >>> Amount(0.1, relative=True).of(240_000)
        24000.0
        """
        return self.value * width if self.relative else self.value

    def __str__(self) -> str:
        return f"{self.value * 100:g}%" if self.relative else f"{self.value:g}"


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
