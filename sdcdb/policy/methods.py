"""The parameters of each method that a protected view may use, as the policy spells them.

One frozen model per method; the policy's `columns` entry `{method: normal, sd: 10%}` becomes a `Normal`. The schema,
the error messages and `sdcdb check` read `METHODS`.
"""

from typing import Annotated, Literal

from pydantic import Field

from sdcdb.policy.amount import AmountField
from sdcdb.policy.strict import Strict


class Vicus(Strict):
    """Categorical noise that prefers similar values (VICUS, 2012)."""

    method: Literal["vicus"]
    k1: float = Field(gt=0)
    """How many times likelier a value is kept than changed to a given other value of its subset (eq. 8)."""
    k2: float = Field(gt=0)
    """How many times likelier it is changed to a given value of its subset than to one outside it (eq. 8)."""


class Normal(Strict):
    """Additive normal noise on a number."""

    method: Literal["normal"]
    sd: AmountField
    """Standard deviation: a number in the column's unit, or a share of the domain's width such as `10%`."""


Method = Annotated[Vicus | Normal, Field(discriminator="method")]

METHODS: dict[str, type[Strict]] = {"normal": Normal, "vicus": Vicus}

# Methods that add to a number, and so need a numeric column.
NUMERIC = frozenset({"normal"})
