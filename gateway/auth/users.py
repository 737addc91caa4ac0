"""The users of a database: added and changed by its owner, and asked at every door who somebody is."""

import getpass
import logging
import re
import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from sdcdb.errors import SdcdbError, choices
from sdcdb.gateway.auth.access import Access, Identity
from sdcdb.gateway.auth.attempts import LOCKED_FOR, Attempts
from sdcdb.gateway.auth.tokens import LONGEST_DAYS, NewToken, fits, new_token, number_of
from sdcdb.gateway.auth.users_file import (
    PendingAct,
    TokenRecord,
    UserRecord,
    UsersFile,
    changing,
    now,
    read_users,
    write_users,
)
from sdcdb.gateway.auth.verifier import ITERATIONS, Verifier, make_verifier, mock_verifier, read_verifier
from sdcdb.gateway.pools import fold

LOG = logging.getLogger("sdcdb.server")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,62}")


class LoginRefused(SdcdbError):  # noqa: N818 - reads as what it says
    """Somebody did not get in. `why` is for the ledger; whoever tried is told nothing but that it failed."""

    exit_code = 1

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why
        super().__init__("the name or password is wrong, or the user is locked")


class UserStore:
    """The users in one file. Safe to use from many threads; what other processes write is seen at the next look."""

    def __init__(self, path: Path, *, iterations: int = ITERATIONS, attempts: Attempts | None = None) -> None:
        self.path = path
        self._iterations = iterations
        self._attempts = attempts or Attempts()
        self._lock = threading.RLock()
        self._sign = _sign(path)
        self._file = read_users(path)

    # who somebody is

    def identity(self, name: str) -> Identity | None:
        """Return a user who may come in, or None if there is none of this name, or they are locked."""
        found = self._seen().users.get(fold(name))
        return None if found is None or _locked(found) else Identity(found.name, found.access, found.team)

    def holds(self, identity: Identity) -> bool:
        """Tell whether somebody who came in is still who they were, with the same access."""
        return self.identity(identity.name) == identity

    def verifier(self, name: str) -> Verifier:
        """Return a user's verifier; for a name that nobody has, one that no password fits."""
        users = self._seen()
        found = users.users.get(fold(name))
        if found is None:
            counts = Counter(read_verifier(each.verifier).iterations for each in users.users.values())
            usual = counts.most_common(1)[0][0] if counts else self._iterations  # it is sent, so it must not tell
            return mock_verifier(fold(name), bytes.fromhex(users.secret), usual)
        return read_verifier(found.verifier)

    def must_not_wait(self, name: str) -> None:
        """Refuse an attempt unseen while too many have failed just now."""
        if self._attempts.wait(fold(name)) > 0:
            raise LoginRefused(name, "too many failed attempts: wait")

    def admitted(self, name: str) -> Identity:
        """Take in that somebody proved to know a user's password; return who it is.

        Whoever guesses many times at once gets no more out of it than one by one: failures meanwhile count here, too.
        """
        self.must_not_wait(name)
        found = self.identity(name)
        if found is None:
            raise LoginRefused(name, "locked or unknown")
        self._attempts.succeeded(fold(name))
        return found

    def failed(self, name: str) -> LoginRefused:
        """Take in that an attempt failed; return the refusal to raise."""
        if self._attempts.failed(fold(name)) and fold(name) in self._seen().users:
            self._lock_for_a_while(fold(name))
        return LoginRefused(name, "wrong password or unknown name")

    def verify_password(self, name: str, password: str) -> Identity:
        """Return who it is, or raise `LoginRefused`. It takes as long for names that nobody has."""
        self.must_not_wait(name)
        if not self.verifier(name).fits(password):
            raise self.failed(name)
        return self.admitted(name)

    def verify_token(self, text: str) -> Identity:
        """Return whose token this is, or raise `LoginRefused`."""
        number = number_of(text) or ""
        found = self._seen().tokens.get(number)
        if found is None or not fits(text, found.digest):
            raise LoginRefused("token", "unknown or revoked token")
        if found.expires <= now():
            raise LoginRefused(found.user, f"token {number} has expired")
        who = self.identity(found.user)
        if who is None:
            raise LoginRefused(found.user, f"token {number}: locked or unknown")
        return who

    # what the owner does

    def users(self) -> list[UserRecord]:
        """Return all users, by name."""
        users = self._seen().users
        return [users[key] for key in sorted(users)]

    def tokens(self) -> dict[str, TokenRecord]:
        """Return all tokens by their numbers, the oldest first."""
        return dict(sorted(self._seen().tokens.items(), key=lambda item: item[1].created))

    def teams(self) -> dict[str, tuple[str, ...]]:
        """Return the names of users by their teams."""
        found: dict[str, list[str]] = {}
        for user in self.users():
            if user.team is not None:
                found.setdefault(user.team, []).append(user.name)
        return {team: tuple(names) for team, names in sorted(found.items())}

    def add(self, name: str, password: str, access: Access, team: str | None = None, by: str | None = None) -> Identity:
        """Add a user."""
        if not _NAME.fullmatch(name):
            raise SdcdbError(f"{name!r} cannot be a user's name: up to 63 letters, digits and . _ - + @, ASCII only")
        if team is not None and not team.strip():
            raise SdcdbError("the name of a team must not be empty")
        verifier = str(make_verifier(password, self._iterations))

        def change(users: UsersFile) -> UsersFile:
            if fold(name) in users.users:
                raise SdcdbError(f"there is a user {users.users[fold(name)].name} already: choose another name")
            record = UserRecord(name=name, access=access, team=team, verifier=verifier, added=now())
            return users.model_copy(update={"users": {**users.users, fold(name): record}})

        self._change("user add", f"{name} as {access}" + (f" in {team}" if team else ""), change, by)
        return Identity(name, access, team)

    def set_password(self, name: str, password: str, by: str | None = None) -> None:
        """Give a user a new password; a lock after failed attempts ends."""
        verifier = str(make_verifier(password, self._iterations))
        self._update("user password", name, by, verifier=verifier, locked_until=None)
        self._attempts.succeeded(fold(name))

    def set_locked(self, name: str, *, locked: bool, by: str | None = None) -> None:
        """Keep a user out, or let them in again."""
        self._update("user lock" if locked else "user unlock", name, by, locked=locked, locked_until=None)
        self._attempts.succeeded(fold(name))

    def remove(self, name: str, by: str | None = None) -> None:
        """Remove a user and their tokens. The ledger keeps what they asked."""

        def change(users: UsersFile) -> UsersFile:
            gone = _user(users, name)
            left = {key: user for key, user in users.users.items() if user is not gone}
            tokens = {key: token for key, token in users.tokens.items() if fold(token.user) != fold(name)}
            return users.model_copy(update={"users": left, "tokens": tokens})

        self._change("user remove", name, change, by)

    def create_token(self, name: str, days: int, by: str | None = None) -> NewToken:
        """Create a token for a user. Its text is not kept: show it once."""
        if not 1 <= days <= LONGEST_DAYS:
            raise SdcdbError(f"a token is valid for 1 to {LONGEST_DAYS:,} days")
        token = new_token()

        def change(users: UsersFile) -> UsersFile:
            expires = now() + timedelta(days=days)
            record = TokenRecord(user=_user(users, name).name, digest=token.digest, created=now(), expires=expires)
            return users.model_copy(update={"tokens": {**users.tokens, token.number: record}})

        self._change("token create", f"{token.number} for {name}, {days} days", change, by)
        return token

    def revoke_token(self, number: str, by: str | None = None) -> None:
        """Make a token invalid."""

        def change(users: UsersFile) -> UsersFile:
            if number not in users.tokens:
                raise SdcdbError(f"there is no token {number!r}; {choices(number, users.tokens)}")
            left = {key: token for key, token in users.tokens.items() if key != number}
            return users.model_copy(update={"tokens": left})

        self._change("token revoke", number, change, by)

    def take_pending(self, write: Callable[[PendingAct], None]) -> None:
        """Hand over what was done and is not in the ledger yet; what `write` takes is not handed over again."""
        if not self._seen().pending:
            return
        with self._lock, changing(self.path):
            users = read_users(self.path)
            for act in users.pending:
                write(act)
            self._keep(users.model_copy(update={"pending": ()}))

    def reload(self) -> None:
        """Read the file again, or say what is wrong with it and keep what was read before."""
        with self._lock:
            sign = _sign(self.path)
            self._file, self._sign = read_users(self.path), sign

    # how

    def _seen(self) -> UsersFile:
        """Return the users, read again if the file has changed and is sound."""
        with self._lock:
            if (sign := _sign(self.path)) != self._sign:
                try:
                    self._file = read_users(self.path)
                except SdcdbError as problem:
                    LOG.warning("the users are kept as they were: %s", problem)
                self._sign = sign
            return self._file

    def _keep(self, users: UsersFile) -> None:
        write_users(self.path, users)
        self._file, self._sign = users, _sign(self.path)

    def _change(self, act: str, about: str, change: Callable[[UsersFile], UsersFile], by: str | None) -> None:
        with self._lock, changing(self.path):
            users = change(read_users(self.path))
            noted = PendingAct(time=now(), by=by or _account(), act=act, about=about)
            self._keep(users.model_copy(update={"pending": (*users.pending, noted)}))

    def _update(self, act: str, name: str, by: str | None, **fields: object) -> None:
        def change(users: UsersFile) -> UsersFile:
            changed = _user(users, name).model_copy(update=fields)
            return users.model_copy(update={"users": {**users.users, fold(name): changed}})

        self._change(act, name, change, by)

    def _lock_for_a_while(self, key: str) -> None:
        until: datetime = now() + timedelta(seconds=LOCKED_FOR)
        self._update("user lock", key, "the server", locked_until=until)


def _user(users: UsersFile, name: str) -> UserRecord:
    if fold(name) not in users.users:
        raise SdcdbError(f"there is no user {name!r}; {choices(name, [user.name for user in users.users.values()])}")
    return users.users[fold(name)]


def _locked(user: UserRecord) -> bool:
    return user.locked or (user.locked_until is not None and user.locked_until > now())


def _sign(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return "unknown"
