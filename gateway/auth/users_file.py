"""The file of users beside a database: private, replaced whole, changed by one process at a time."""

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import Field, ValidationError, field_validator

from sdcdb.errors import SdcdbError
from sdcdb.fields.strict import Strict
from sdcdb.gateway.auth.access import Access
from sdcdb.gateway.auth.verifier import read_verifier
from sdcdb.gateway.ledger.disk import PRIVATE, write_new


class UserRecord(Strict):
    """What is kept of one user."""

    name: str
    access: Access
    team: str | None = None
    verifier: str
    locked: bool = False
    locked_until: datetime | None = None
    added: datetime

    @field_validator("verifier")
    @classmethod
    def _is_a_verifier(cls, text: str) -> str:
        return str(read_verifier(text))


class TokenRecord(Strict):
    """What is kept of one token."""

    user: str
    digest: str
    created: datetime
    expires: datetime


class PendingAct(Strict):
    """What was done on the command line, for the server to write into the ledger."""

    time: datetime
    by: str
    act: str
    about: str


class UsersFile(Strict):
    """All of the file. Users are found by their names as names are compared."""

    version: int = Field(default=1, ge=1, le=1)
    secret: str = Field(default_factory=lambda: secrets.token_hex(32))
    users: dict[str, UserRecord] = Field(default_factory=dict)
    tokens: dict[str, TokenRecord] = Field(default_factory=dict)
    pending: tuple[PendingAct, ...] = ()


def users_path(database: Path) -> Path:
    """Return where the users of a database are: `staff.users.json` beside `staff.duckdb`.

    >>> users_path(Path("/data/staff.duckdb")).name
    'staff.users.json'
    """
    real = Path(database).resolve()
    return real.with_name(f"{real.name.removesuffix('.duckdb')}.users.json")


def read_users(path: Path) -> UsersFile:
    """Read the file; without one, there are no users. A file that others can read or that is damaged is refused."""
    try:
        if path.stat().st_mode & 0o077:
            raise SdcdbError(f"{path} can be read by other accounts: chmod 600 {path}")
        return UsersFile.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return UsersFile()
    except OSError as problem:
        raise SdcdbError(f"cannot read {path}: {problem.strerror}") from None
    except (ValueError, ValidationError):  # its words would repeat a verifier
        raise SdcdbError(
            f"{path} is damaged: put a backup in its place, or remove it and add the users again"
        ) from None


def write_users(path: Path, users: UsersFile) -> None:
    """Replace the file, durably and privately."""
    try:
        write_new(path, users.model_dump_json(indent=1).encode() + b"\n")
    except OSError as problem:
        raise SdcdbError(f"cannot write {path}: {problem.strerror}") from None


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Keep other processes from changing the file meanwhile."""
    import fcntl

    try:
        fd = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT, PRIVATE)
    except OSError as problem:
        raise SdcdbError(f"cannot write beside {path}: {problem.strerror}") from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def now() -> datetime:
    """Return the time, to the second."""
    return datetime.now(UTC).replace(microsecond=0)
