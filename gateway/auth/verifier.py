"""SCRAM-SHA-256 verifiers: what is kept in place of a password (RFC 5802, RFC 7677).

A verifier is written as PostgreSQL writes it: `SCRAM-SHA-256$ITERATIONS:SALT$STORED_KEY:SERVER_KEY`.
"""

import hmac
from base64 import b64decode, b64encode
from binascii import Error
from dataclasses import dataclass

from scramp import ScramException, ScramMechanism

from sdcdb.errors import SdcdbError

MECHANISM = "SCRAM-SHA-256"
ITERATIONS = 65_536  # sixteen times PostgreSQL's default; a client spends about a tenth of a second on it
LEAST_ITERATIONS = 4_096
SHORTEST = 8
LONGEST = 1_000


@dataclass(frozen=True)
class Verifier:
    """Enough to check a password, or a SCRAM exchange about it, and not enough to log in with."""

    iterations: int
    salt: bytes
    stored_key: bytes
    server_key: bytes

    def __str__(self) -> str:
        salt, stored, server = (b64encode(part).decode() for part in (self.salt, self.stored_key, self.server_key))
        return f"{MECHANISM}${self.iterations}:{salt}${stored}:{server}"

    def fits(self, password: str) -> bool:
        """Tell whether this is the verifier of a password."""
        try:
            found = _verifier(password, self.iterations, self.salt)
        except (ScramException, UnicodeError):  # no password that could have been set
            return False
        return hmac.compare_digest(found.stored_key, self.stored_key)


def make_verifier(password: str, iterations: int = ITERATIONS) -> Verifier:
    """Return the verifier of a new password, or say what is wrong with the password."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise SdcdbError(f"a password has {SHORTEST} to {LONGEST:,} characters: choose another one")
    try:
        return _verifier(password, iterations, None)
    except (ScramException, UnicodeError):
        raise SdcdbError("the password holds a character that cannot be typed everywhere: choose another one") from None


def read_verifier(text: str) -> Verifier:
    """Read a verifier, or raise ValueError."""
    try:
        mechanism, numbers, keys = text.split("$")
        iterations, salt = numbers.split(":")
        stored, server = (b64decode(key, validate=True) for key in keys.split(":"))
        found = Verifier(int(iterations), b64decode(salt, validate=True), stored, server)
    except (ValueError, Error):
        raise ValueError("not a SCRAM-SHA-256 verifier") from None
    if mechanism != MECHANISM or found.iterations < LEAST_ITERATIONS or {len(stored), len(server)} != {32}:
        raise ValueError("not a SCRAM-SHA-256 verifier")
    return found


def mock_verifier(name: str, secret: bytes, iterations: int = ITERATIONS) -> Verifier:
    """Return what stands for a user who does not exist: always the same, and no password fits."""

    def draw(purpose: str) -> bytes:
        return hmac.digest(secret, f"{purpose}:{name}".encode("utf-8", "backslashreplace"), "sha256")

    return Verifier(iterations, draw("salt"), draw("stored"), draw("server"))


def _verifier(password: str, iterations: int, salt: bytes | None) -> Verifier:
    found = ScramMechanism(MECHANISM).make_auth_info(password, iteration_count=iterations, salt=salt)
    return Verifier(found[3], found[0], found[1], found[2])
