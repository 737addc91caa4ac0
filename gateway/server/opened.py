"""The database as the service holds it open: its policy, with the users' teams in it, and the gateway."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.pools import fold
from sdcdb.policy.governed import Governed, open_governed, policy_path
from sdcdb.policy.load import load_policy
from sdcdb.policy.models import Policy


@dataclass(frozen=True)
class Opened:
    """An open database and its gateway."""

    database: Governed
    gateway: Gateway

    def close(self) -> None:
        """Close the gateway. The database stays open."""
        self.gateway.close()


def open_database(path: Path, policy: Policy) -> Governed:
    """Open the database for writing, or for reading if its file cannot be written to."""
    return open_governed(path, policy, read_only=not os.access(path, os.W_OK))


def open_gateway(database: Governed, policy: Policy, options: Mapping[str, Any]) -> Opened:
    """Open the gateway of a database under a policy."""
    governed = Governed(database.path, database.con, policy)
    return Opened(governed, Gateway(governed, **options))


def read_policy(database: Path, file: Path | None, teams: Mapping[str, tuple[str, ...]]) -> Policy:
    """Read the policy, with the teams of the users added. A team that the policy names for a user comes first."""
    policy = load_policy(file or policy_path(database))
    taken = {fold(user) for users in policy.teams.values() for user in users}
    merged = dict(policy.teams)
    for team, users in teams.items():
        home = next((name for name in merged if fold(name) == fold(team)), team)
        merged[home] = (*merged.get(home, ()), *(user for user in users if fold(user) not in taken))
    return policy.model_copy(update={"teams": {team: users for team, users in merged.items() if users}})
