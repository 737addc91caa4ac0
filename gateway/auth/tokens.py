"""Tokens: long random texts that programs log in with. Only their hash is kept."""

import hmac
import secrets
from dataclasses import dataclass
from hashlib import sha256

_PREFIX = "sdc"
LONGEST_DAYS = 3_650


@dataclass(frozen=True)
class NewToken:
    """A token as it is shown once: its public number and the text itself."""

    number: str
    text: str

    @property
    def digest(self) -> str:
        """What is kept of it."""
        return _digest(self.text)


def new_token() -> NewToken:
    """Draw a token."""
    number = secrets.token_hex(4)
    return NewToken(number, f"{_PREFIX}_{number}_{secrets.token_urlsafe(32)}")


def number_of(text: str) -> str | None:
    """Return the number in a token, or None if the text is none."""
    parts = text.split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == _PREFIX and text.isascii() else None


def fits(text: str, digest: str) -> bool:
    """Tell whether a digest is that of a token."""
    return hmac.compare_digest(_digest(text), digest)


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
