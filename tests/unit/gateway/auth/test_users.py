"""Users and tokens: kept privately, without passwords, and slow to guess."""

import json
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from support.serving import PASSWORD

from sdcdb.errors import SdcdbError
from sdcdb.gateway.auth.access import Access, Identity
from sdcdb.gateway.auth.attempts import LOCKED_FOR, LOCKS_AT, Attempts
from sdcdb.gateway.auth.users import LoginRefused, UserStore
from sdcdb.gateway.auth.users_file import now, read_users, write_users
from sdcdb.gateway.auth.verifier import LEAST_ITERATIONS, make_verifier, mock_verifier, read_verifier


class Clock:
    """Stands still until told."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def users(tmp_path: Path, clock: Clock) -> UserStore:
    found = UserStore(tmp_path / "staff.users.json", iterations=LEAST_ITERATIONS, attempts=Attempts(clock))
    found.add("Ann", PASSWORD, Access.ANALYST, "office")
    return found


def test_a_password_is_checked_and_not_kept(users: UserStore) -> None:
    assert users.verify_password("ann", PASSWORD) == Identity("Ann", Access.ANALYST, "office")
    with pytest.raises(LoginRefused):
        users.verify_password("ann", PASSWORD + "!")
    assert PASSWORD not in users.path.read_text()
    assert "SCRAM-SHA-256$" in users.path.read_text()


def test_the_file_is_private(users: UserStore) -> None:
    assert stat.S_IMODE(users.path.stat().st_mode) == 0o600
    users.path.chmod(0o640)
    with pytest.raises(SdcdbError, match="chmod 600"):
        UserStore(users.path)


def test_a_damaged_file_is_refused_and_does_not_replace_what_was_read(users: UserStore) -> None:
    whole = users.path.read_text()
    users.path.write_text(whole[:-20])
    with pytest.raises(SdcdbError, match="damaged"):
        users.reload()
    assert users.identity("ann") is not None
    with pytest.raises(SdcdbError) as refused:
        UserStore(users.path)
    assert "SCRAM" not in str(refused.value)


def test_one_name_cannot_be_written_in_two_ways(users: UserStore) -> None:
    with pytest.raises(SdcdbError, match="there is a user Ann already"):
        users.add("ANN", PASSWORD, Access.OWNER)


@pytest.mark.parametrize("name", ["", "a b", "x" * 64, "na\nme", "-o", "Ömer"])
def test_a_name_is_plain(users: UserStore, name: str) -> None:
    with pytest.raises(SdcdbError, match="cannot be a user's name"):
        users.add(name, PASSWORD, Access.ANALYST)


@pytest.mark.parametrize("password", ["short", "", "x" * 1001, "tab\tin the middle"])
def test_a_password_is_neither_short_nor_odd(users: UserStore, password: str) -> None:
    with pytest.raises(SdcdbError, match="choose another one"):
        users.add("bob", password, Access.ANALYST)


def test_repeated_failures_slow_down_then_lock(users: UserStore, clock: Clock) -> None:
    checked = 0
    while checked < LOCKS_AT:
        with pytest.raises(LoginRefused) as refused:
            users.verify_password("ann", "wrong password")
        checked += refused.value.why.startswith("wrong")
        clock.time += 1.0
    assert clock.time > 60, "from the third failure on, each waits twice as long"
    with pytest.raises(LoginRefused, match="the name or password is wrong"):
        users.verify_password("ann", PASSWORD)
    clock.time += LOCKED_FOR
    with pytest.raises(LoginRefused) as refused:  # the file remembers, too: a restart does not unlock
        users.verify_password("ann", PASSWORD)
    assert refused.value.why == "locked or unknown"
    users.set_locked("ann", locked=False)
    assert users.verify_password("ann", PASSWORD).name == "Ann"


def test_guessing_many_at_once_gains_nothing(users: UserStore, clock: Clock) -> None:
    users.must_not_wait("ann")  # a hundred attempts have begun, and none has failed yet
    for _ in range(3):
        users.failed("ann")
    with pytest.raises(LoginRefused) as refused:  # the right one among them
        users.admitted("ann")
    assert refused.value.why.startswith("too many")
    clock.time += 1.0
    assert users.admitted("ann").name == "Ann"


def test_a_refusal_does_not_tell_whether_there_is_such_a_user(users: UserStore) -> None:
    said = set()
    for name in ("ann", "nobody"):
        with pytest.raises(LoginRefused) as refused:
            users.verify_password(name, "wrong password")
        said.add(str(refused.value))
    assert len(said) == 1
    known, unknown = users.verifier("ann"), users.verifier("nobody")
    assert (known.iterations, len(known.salt) >= 16) == (unknown.iterations, len(unknown.salt) >= 16)
    assert users.verifier("nobody") == unknown, "a salt that changes would tell"
    assert users.verifier("nobody2") != unknown


def test_a_salt_of_nobody_has_the_length_of_a_real_one(users: UserStore) -> None:
    assert len(users.verifier("nobody").salt) == len(users.verifier("ann").salt)


def test_a_locked_or_removed_user_is_out_at_once(users: UserStore) -> None:
    who = users.verify_password("ann", PASSWORD)
    token = users.create_token("ann", 30)
    users.set_locked("ann", locked=True)
    assert not users.holds(who)
    with pytest.raises(LoginRefused):
        users.verify_password("ann", PASSWORD)
    with pytest.raises(LoginRefused):
        users.verify_token(token.text)
    users.set_locked("ann", locked=False)
    assert users.verify_token(token.text) == who
    users.remove("ann")
    assert users.tokens() == {}
    with pytest.raises(LoginRefused):
        users.verify_token(token.text)


def test_a_token_is_kept_as_a_hash_and_ends(users: UserStore) -> None:
    token = users.create_token("ann", 30)
    assert token.text not in users.path.read_text()
    assert users.verify_token(token.text).name == "Ann"
    file = read_users(users.path)
    past = file.tokens[token.number].model_copy(update={"expires": now() - timedelta(seconds=1)})
    write_users(users.path, file.model_copy(update={"tokens": {token.number: past}}))
    with pytest.raises(LoginRefused) as refused:
        users.verify_token(token.text)
    assert "expired" in refused.value.why
    users.revoke_token(token.number)
    with pytest.raises(SdcdbError, match="there is no token"):
        users.revoke_token(token.number)


@pytest.mark.parametrize("text", ["", "sdc", "sdc_", "sdc__", "sdc_0_x", "Bearer sdc_a_b", "sdc_ä_ä"])
def test_what_is_no_token_is_refused(users: UserStore, text: str) -> None:
    with pytest.raises(LoginRefused):
        users.verify_token(text)


def test_another_process_s_change_is_seen(users: UserStore) -> None:
    other = UserStore(users.path, iterations=LEAST_ITERATIONS)
    other.set_password("ann", "another password")
    assert users.verify_password("ann", "another password").name == "Ann"
    users.add("bob", PASSWORD, Access.OWNER)
    assert [user.name for user in other.users()] == ["Ann", "bob"]


def test_every_change_waits_to_be_written_into_the_ledger_once(users: UserStore) -> None:
    users.set_password("ann", "another password", by="olga")
    noted: list[tuple[str, str]] = []
    users.take_pending(lambda act: noted.append((act.act, act.about)))
    users.take_pending(lambda act: noted.append((act.act, act.about)))
    assert noted == [("user add", "Ann as analyst in office"), ("user password", "ann")]
    assert "another password" not in json.dumps(noted)


def test_a_verifier_is_read_back() -> None:
    made = make_verifier(PASSWORD, LEAST_ITERATIONS)
    assert read_verifier(str(made)) == made
    assert made.fits(PASSWORD)
    assert not mock_verifier("ann", b"secret", LEAST_ITERATIONS).fits(PASSWORD)


@pytest.mark.parametrize("text", ["", "md5abc", "SCRAM-SHA-256$1:AAAA$AAAA:AAAA", "SCRAM-SHA-256$4096:!$!:!"])
def test_what_is_no_verifier_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a SCRAM-SHA-256 verifier"):
        read_verifier(text)
