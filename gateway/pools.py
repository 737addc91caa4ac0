"""Pools: whose answers add up. A pool is a name in the ledger: `all`, `user NAME` or `team NAME`."""

from sdcdb.policy.models import Policy, Restrict

EVERYBODY = "all"


def user_pool(user: str) -> str:
    """Name the pool of one user."""
    return f"user {user}"


def team_pool(team: str) -> str:
    """Name the pool of one team."""
    return f"team {team}"


def pool_of(user: str, limits: Restrict, policy: Policy) -> str:
    """Return the pool that a user's answers about a table go to. A user without a team is on their own."""
    if limits.pool == "all":
        return EVERYBODY
    team = policy.team_of(user) if limits.pool == "team" else None
    return user_pool(user) if team is None else team_pool(team)
