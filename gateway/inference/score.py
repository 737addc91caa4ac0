"""How close the best-known record is to the limits."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """The smallest interval, H(0) and area over all records, as certified: the true smallest are at least these.

    `closest` names the rule that is nearest to its limit: `interval`, or `cae`.
    """

    interval: float
    h0: float
    area: float
    closest: str
