"""Pools: whose answers add up. A pool is a name in the ledger: `all`, `user NAME` or `team NAME`.

What was answered stays known, whatever a policy says later. A user who asked in a pool, or was a member of it while
answers were pooled by team, knows what that pool was told, and takes it along: pools that share a user are one. What
was answered while everybody's answers added up is known to everybody. So an edit of the policy can widen what a pool
knows, and never empties it.
"""

import unicodedata
from collections.abc import Iterable, Mapping

from sdcdb.policy.models import Policy, Restrict

EVERYBODY = "all"


def fold(name: str) -> str:
    """Return the form in which names of users and teams are compared: one person may write theirs in many ways.

    >>> fold(" Ann ") == fold("ANN") == fold("ａｎｎ")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def user_pool(user: str) -> str:
    """Name the pool of one user."""
    return f"user {fold(user)}"


def team_pool(team: str) -> str:
    """Name the pool of one team."""
    return f"team {fold(team)}"


def pool_of(user: str, limits: Restrict, policy: Policy) -> str:
    """Return the pool that a user's answers about a table go to. A user without a team is on their own."""
    if limits.pool == "all":
        return EVERYBODY
    team = team_of(user, policy.teams) if limits.pool == "team" else None
    return user_pool(user) if team is None else team_pool(team)


def team_of(user: str, teams: Mapping[str, Iterable[str]]) -> str | None:
    """Return the team that a user belongs to."""
    return next((team for team, users in teams.items() if fold(user) in map(fold, users)), None)


class Links:
    """Which pools of one table share a user, and so know the same."""

    def __init__(self) -> None:
        self._parents: dict[str, str] = {}

    def asked(self, user: str, pool: str) -> None:
        """Take in that a user asked in a pool."""
        if pool != EVERYBODY:
            self._join(user_pool(user), folded_pool(pool))

    def pooled(self, teams: Mapping[str, Iterable[str]]) -> None:
        """Take in that answers were pooled by these teams."""
        for team, users in teams.items():
            for user in users:
                self._join(user_pool(user), team_pool(team))

    def knows(self, pool: str, answered: str) -> bool:
        """Tell whether a pool knows what was answered to another one."""
        return EVERYBODY in {pool, answered} or self.name(pool) == self.name(answered)

    def name(self, pool: str) -> str:
        """Return one name for all pools that know the same as this one: that of a team, if there is one."""
        if pool == EVERYBODY:
            return EVERYBODY
        root = self._root(folded_pool(pool))
        return min(each for each in [root, *self._parents] if self._root(each) == root)

    def _join(self, first: str, second: str) -> None:
        self._parents[self._root(first)] = self._root(second)

    def _root(self, pool: str) -> str:
        while self._parents.get(pool, pool) != pool:
            pool = self._parents[pool]
        return pool


def folded_pool(pool: str) -> str:
    """Return a pool's name as it is compared.

    >>> folded_pool("team Office"), folded_pool("all")
    ('team office', 'all')
    """
    kind, _, name = pool.partition(" ")
    return f"{kind} {fold(name)}" if name else kind
