"""This user asking: who it is, and which pool their answers about each table go to. Every door hands one in."""

from collections.abc import Mapping
from dataclasses import dataclass

from sdcdb.errors import SdcdbError, Unsupported
from sdcdb.gateway.pools import pool_of
from sdcdb.gateway.relations import Relations
from sdcdb.policy.models import Policy

ANALYST = "analyst"
LONGEST_NAME = 200


@dataclass(frozen=True)
class Asking:
    """An identity, and its pool for each restricted table. Made by `Gateway.asking`."""

    user: str
    pools: Mapping[str, str]


def asking(user: str, relations: Relations, policy: Policy) -> Asking:
    """Say who asks. The ledger keeps the name with every question."""
    if not isinstance(user, str):
        raise SdcdbError("`user` must be a string, for example 'analyst1'")
    if len(user) > LONGEST_NAME:
        raise Unsupported(f"the user's name is longer than {LONGEST_NAME} characters", "a shorter name")
    return Asking(user, {table.name: pool_of(user, table.limits, policy) for table in relations.restricted()})
