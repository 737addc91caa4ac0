"""What a file must reach before it is released."""

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from sdcdb.fields.amount import Amount, AmountField, parse
from sdcdb.fields.strict import Strict
from sdcdb.policy.defaults import DEFAULTS

_GIVEN = DEFAULTS["release"]


def _up_to_all(amount: Amount) -> Amount:
    if not (amount.relative and 0 <= amount.value <= 1):
        raise PydanticCustomError("share", "must be a share from 0% to 100%, such as '5%'")
    return amount


Part = Annotated[
    AmountField, AfterValidator(_up_to_all), WithJsonSchema({"type": "string", "pattern": r"^\s*[0-9.]+\s*%$"})
]


class Floors(Strict):
    """What `sdcdb release` asks of every protected view of a table. Defaults: `defaults.yaml`."""

    min_k: int = Field(default=_GIVEN["min_k"], ge=1, strict=True)
    """The least number of published records with the same quasi-identifiers, of those that are not changed at random.
    1 switches it off."""
    max_linked: Part = Field(default=parse(_GIVEN["max_linked"]))
    """The largest share of people whose record an intruder finds who knows their quasi-identifiers."""
    min_record_entropy: float = Field(default=_GIVEN["min_record_entropy"], ge=0)
    """H_t of which record is a person's, in bits. 0 switches it off."""
    min_confidential_entropy: AmountField = Field(default=parse(_GIVEN["min_confidential_entropy"]))
    """H_t of a person's confidential category: bits, or a share of what is unknown without knowing the person."""
    min_cae: AmountField = Field(default=parse(_GIVEN["min_cae"]))
    """H_t of a person's confidential number, H(0) on a hundred parts of its domain: bits, or a share of what is unknown
    without knowing the person."""
    below: Part = Field(default=parse(_GIVEN["below"]))
    """v: the largest share of people, T, whose entropy may lie below H_t."""
