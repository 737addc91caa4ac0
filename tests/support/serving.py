"""A service over the victims' table, with a user of each access. Verifiers are cheap: tests log in often."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sdcdb.gateway.auth.access import Access
from sdcdb.gateway.auth.users import UserStore
from sdcdb.gateway.auth.users_file import users_path
from sdcdb.gateway.auth.verifier import LEAST_ITERATIONS
from sdcdb.gateway.server.service import Capacity, Service
from support import victims

PASSWORD = "correct horse"  # noqa: S105 - of users who exist in tests only
USERS = {"ann": Access.ANALYST, "bob": Access.ANALYST, "eve": Access.AUDITOR, "olga": Access.OWNER}


def store(database: Path) -> UserStore:
    """Open the users of a database."""
    return UserStore(users_path(database), iterations=LEAST_ITERATIONS)


def create(folder: Path, rows: int = 240, **policy: Any) -> Path:
    """Create a database with its policy and users beside it."""
    path = victims.create(folder / "staff.duckdb", rows)
    victims.policy(path.with_suffix(".policy.yaml"), **policy)
    users = store(path)
    for name, access in USERS.items():
        users.add(name, PASSWORD, access)
    return path


@contextmanager
def service(path: Path, capacity: Capacity | None = None) -> Iterator[Service]:
    """Open the service of a database."""
    with Service(path, None, store(path), capacity) as opened:
        yield opened
