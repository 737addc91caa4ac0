"""What each access allows, in one place. What is not listed is not allowed."""

from dataclasses import dataclass
from enum import StrEnum

from sdcdb.errors import SdcdbError


class Access(StrEnum):
    """What somebody is here for."""

    ANALYST = "analyst"
    AUDITOR = "auditor"
    OWNER = "owner"


class Act(StrEnum):
    """What can be done through a door."""

    BROWSE = "see which tables and columns there are"
    ASK = "ask questions"
    OWN_STATUS = "see what they know themselves"
    OWN_HISTORY = "see their own questions"
    STATUS = "see what everybody knows"
    LEDGER = "read the ledger"
    AUDIT = "read audit reports"
    FINDINGS = "see the findings of the policy check"
    REFRESH = "refresh a table"
    ACCEPT = "accept looser limits"
    RELOAD = "reload the policy and the users"
    VIEWS = "create protected views"
    USERS = "manage users and tokens"
    METRICS = "read the counters of the server"


_EVERYBODY = frozenset({Act.BROWSE})
_ANALYST = _EVERYBODY | {Act.ASK, Act.OWN_STATUS, Act.OWN_HISTORY}
_AUDITOR = _EVERYBODY | {Act.STATUS, Act.LEDGER, Act.AUDIT, Act.METRICS, Act.OWN_HISTORY, Act.OWN_STATUS}
_OWNER = _ANALYST | _AUDITOR | {Act.FINDINGS, Act.REFRESH, Act.ACCEPT, Act.RELOAD, Act.VIEWS, Act.USERS}

GRANTS: dict[Access, frozenset[Act]] = {
    Access.ANALYST: _ANALYST,
    Access.AUDITOR: _AUDITOR,
    Access.OWNER: _OWNER,
}


@dataclass(frozen=True)
class Identity:
    """Somebody who has shown who they are."""

    name: str
    access: Access
    team: str | None = None


class NotAllowed(SdcdbError):  # noqa: N818 - reads as what it says
    """An identity tried what its access does not allow."""

    exit_code = 1


def may(identity: Identity, act: Act) -> bool:
    """Tell whether somebody may do something."""
    return act in GRANTS.get(identity.access, frozenset())


def must(identity: Identity, act: Act) -> None:
    """Refuse what somebody may not do."""
    if not may(identity, act):
        allowed = " or ".join(access.value for access, acts in GRANTS.items() if act in acts)
        raise NotAllowed(f"{identity.name} is {_article(identity.access)} and may not {act}: this needs {allowed}")


def _article(access: Access) -> str:
    return f"an {access.value}"  # each of the three words begins with a vowel
