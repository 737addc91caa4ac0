"""The secret behind the noise: where it comes from, and the key that each table's draws are made with.

A secret never appears in a log, a report, a manifest or a message. What a view carries is a key derived from it for
that one table; whoever can read the view's definition can read that key: a view is no boundary, a release is.
"""

import hashlib
import hmac
import os
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from sdcdb.errors import SdcdbError

LEAST = 16  # characters: shorter secrets can be found by trying
REDACTED = "<secret>"


@dataclass(frozen=True)
class Secret:
    """A secret that prints as nothing."""

    value: bytes = field(repr=False)

    def subkey(self, table: str) -> str:
        """Derive the key of one table's draws: HMAC-SHA-256 of the table's name, 128 bits in hexadecimal."""
        return hmac.new(self.value, f"sdcdb draws 1\n{table}".encode(), hashlib.sha256).hexdigest()[:32]


def read_secret(place: str, database: Path | None) -> Secret:
    """Fetch the secret from where the policy says it is; a `keyfile` is created when it is not there yet."""
    kind, _, name = place.partition(":")
    if kind == "env":
        text = os.environ.get(name)
        if not text:
            raise SdcdbError(f"the policy takes its secret from the environment variable {name}, which is not set")
    elif kind == "file":
        text = _read(Path(name).expanduser())
    elif database is None:
        raise SdcdbError("a database in memory has no place for a key file: use secret: env:NAME in the policy")
    else:
        text = _keyfile(database.with_suffix(".key"))
    if len(text) < LEAST:
        raise SdcdbError(
            f"the secret from {place} is too short: use at least {LEAST} characters, such as 32 random ones"
        )
    return Secret(text.encode())


def redacted(sql: str) -> str:
    """Return SQL with the keys of draws blanked out, for people to look at."""
    return re.sub(r"(?<![0-9a-f])[0-9a-f]{32}(?=:)", REDACTED, sql)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise SdcdbError(f"the policy takes its secret from {file}, which cannot be read as text") from None


def _keyfile(file: Path) -> str:
    """Read the key file, or create it so that nobody but its owner ever could read it."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(file)
    except OSError as problem:
        raise SdcdbError(f"cannot create the key file {file}: {problem.strerror}") from None
    text = secrets.token_hex(32)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    except OSError as problem:
        file.unlink(missing_ok=True)  # half a key would be taken for one
        raise SdcdbError(f"cannot write the key file {file}: {problem.strerror}") from None
    return text
