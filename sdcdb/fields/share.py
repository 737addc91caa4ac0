"""A share of the whole, as a policy writes it: `80%`."""

import math
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError


def parse_share(given: Any) -> float:
    """Read `80%`, or a number between 0 and 1; neither end is one.

    >>> parse_share("80%")
    0.8
    """
    text = str(given).strip()
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = math.nan
    if isinstance(given, bool) or not 0 < value < 1:
        raise PydanticCustomError("share", "must be a share such as '80%', not {given}", {"given": repr(given)})
    return value


ShareField = Annotated[
    float,
    BeforeValidator(parse_share),
    PlainSerializer(lambda share: f"{100 * share:g}%"),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                {"type": "string", "pattern": r"^\s*[0-9]+(\.[0-9]+)?\s*%\s*$"},
            ]
        }
    ),
]
