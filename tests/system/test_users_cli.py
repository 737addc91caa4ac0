"""`sdcdb user` and `sdcdb token` as an owner runs them, and what becomes of it in the ledger."""

import json
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import serving
from support.in_process import Run
from support.serving import PASSWORD

from sdcdb.gateway.auth.access import Access, Identity
from sdcdb.gateway.auth.users import LoginRefused, UserStore
from sdcdb.gateway.auth.users_file import users_path
from sdcdb.gateway.ledger.entry import ActEntry, entries
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.ledger.read import records

NEW = "another battery staple"
Listed = Callable[[str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return serving.create(tmp_path_factory.mktemp("users"), rows=60, protect=False)


@pytest.fixture
def db(kept: Path, tmp_path: Path) -> Path:
    """Return a database with the users ann, bob, eve and olga."""
    return Path(shutil.copytree(kept.parent, tmp_path / "here")) / kept.name


@pytest.fixture
def listed(run_here: Run, db: Path) -> Listed:
    """Return a function that lists users or tokens."""

    def call(what: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(run_here(what, "list", db, "--json").stdout)[f"{what}s"]
        return found

    return call


def logs_in(db: Path, name: str, password: str) -> Identity:
    return UserStore(users_path(db)).verify_password(name, password)


def test_a_new_user_comes_in_with_the_password_from_stdin(run_here: Run, db: Path, listed: Listed) -> None:
    options = ("--access", "analyst", "--team", "office", "--password-stdin")
    said = run_here("user", "add", db, "Carol", *options, stdin=f"{NEW}\nnot this line\n")
    assert "Added Carol as analyst" in said.stderr
    assert logs_in(db, "carol", NEW) == Identity("Carol", Access.ANALYST, "office")
    file = users_path(db)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert NEW not in file.read_text(encoding="utf-8")
    carol = next(user for user in listed("user") if user["name"] == "Carol")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00", carol.pop("added"))
    assert carol == {"name": "Carol", "access": "analyst", "team": "office", "locked": False, "locked_until": None}


def test_the_first_user_s_file_is_private(run_here: Run, db: Path) -> None:
    users_path(db).unlink()
    run_here("user", "add", db, "zoe", "-a", "owner", "--password-stdin", "--quiet", stdin=f"{NEW}\n")
    assert stat.S_IMODE(users_path(db).stat().st_mode) == 0o600
    users_path(db).chmod(0o644)
    said = run_here("user", "list", db, code=2)
    assert "can be read by other accounts: chmod 600" in said.stderr


def test_the_list_shows_everybody_and_no_verifier(run_here: Run, db: Path) -> None:
    said = run_here("user", "list", db).stdout
    assert [line.split()[:2] for line in said.splitlines() if len(line.split()) > 1] == [
        ["user", "access"],
        ["ann", "analyst"],
        ["bob", "analyst"],
        ["eve", "auditor"],
        ["olga", "owner"],
    ]
    assert "SCRAM" not in said + run_here("user", "list", db, "--json").stdout


def test_a_new_password_takes_the_place_of_the_old(run_here: Run, db: Path) -> None:
    run_here("user", "password", db, "ann", "--password-stdin", stdin=f"{NEW}\n")
    assert logs_in(db, "ann", NEW).name == "ann"
    with pytest.raises(LoginRefused):
        logs_in(db, "ann", PASSWORD)


def test_a_locked_user_stays_out_until_the_lock_is_off(run_here: Run, db: Path, listed: Listed) -> None:
    run_here("user", "lock", db, "ann")
    assert [user["name"] for user in listed("user") if user["locked"]] == ["ann"]
    with pytest.raises(LoginRefused):
        logs_in(db, "ann", PASSWORD)
    run_here("user", "lock", db, "ann", "--off")
    assert logs_in(db, "ann", PASSWORD).name == "ann"


def test_a_token_is_shown_once_listed_without_its_text_and_revoked(run_here: Run, db: Path, listed: Listed) -> None:
    made = json.loads(run_here("token", "create", db, "ann", "--days", "7", "--json").stdout)
    assert (made["user"], made["days"]) == ("ann", 7)
    assert UserStore(users_path(db)).verify_token(made["token"]).name == "ann"
    bare = run_here("token", "create", db, "bob").stdout.strip()
    assert UserStore(users_path(db)).verify_token(bare).name == "bob"
    tokens = listed("token")
    assert {token["user"] for token in tokens} == {"ann", "bob"}
    assert all(set(token) == {"number", "user", "created", "expires"} for token in tokens)
    kept = users_path(db).read_text(encoding="utf-8") + run_here("token", "list", db).stdout
    for text in (bare, made["token"]):
        assert text not in kept
    run_here("token", "revoke", db, made["number"])
    assert [token["user"] for token in listed("token")] == ["bob"]
    with pytest.raises(LoginRefused):
        UserStore(users_path(db)).verify_token(made["token"])


def test_a_removed_user_s_tokens_are_gone(run_here: Run, db: Path, listed: Listed) -> None:
    bare = run_here("token", "create", db, "ann").stdout.strip()
    run_here("user", "remove", db, "ANN")
    assert [user["name"] for user in listed("user")] == ["bob", "eve", "olga"]
    assert listed("token") == []
    with pytest.raises(LoginRefused):
        UserStore(users_path(db)).verify_token(bare)


def test_every_act_is_in_the_ledger_once_the_server_has_opened(run_here: Run, db: Path) -> None:
    run_here("user", "add", db, "carol", "-a", "auditor", "--password-stdin", stdin=f"{NEW}\n")
    run_here("user", "password", db, "carol", "--password-stdin", stdin=f"{PASSWORD}\n")
    run_here("user", "lock", db, "carol")
    run_here("user", "lock", db, "carol", "--off")
    number = json.loads(run_here("token", "create", db, "carol", "--json").stdout)["number"]
    run_here("token", "revoke", db, number)
    run_here("user", "remove", db, "carol")
    for _ in range(2):  # written once, however often the server opens
        with serving.service(db):
            pass
    acts = [entry for entry in entries(records(ledger_path(db))) if isinstance(entry, ActEntry)]
    assert [(entry.act, entry.about) for entry in acts if "carol" in entry.about or number in entry.about] == [
        ("user add", "carol as auditor"),
        ("user password", "carol"),
        ("user lock", "carol"),
        ("user unlock", "carol"),
        ("token create", f"{number} for carol, 30 days"),
        ("token revoke", number),
        ("user remove", "carol"),
    ]
    assert all(entry.user for entry in acts)


@pytest.mark.parametrize(
    ("words", "stdin", "message"),
    [
        ("user add DB carol --access analist --password-stdin", NEW, "--access 'analist'"),
        ("user add DB carol --password-stdin", NEW, "--access"),
        ("user add DB ann --access owner --password-stdin", NEW, "there is a user ann already"),
        ("user add DB a/b --access owner --password-stdin", NEW, "cannot be a user's name"),
        ("user add DB carol --access owner --password-stdin", "short", "a password has"),
        ("user add DB carol --access owner --password-stdin", "", "a password has"),
        ("user add DB carol --access owner", NEW, "use --password-stdin"),
        ("user add nowhere.duckdb carol --access owner --password-stdin", NEW, "no such file: nowhere.duckdb"),
        ("user password DB carol --password-stdin", NEW, "there is no user 'carol'"),
        ("user remove DB carol", "", "there is no user 'carol'"),
        ("user lock DB an", "", "there is no user 'an'"),
        ("token create DB carol", "", "there is no user 'carol'"),
        ("token create DB ann --days 0", "", "a token is valid for 1 to"),
        ("token revoke DB 12", "", "there is no token '12'"),
    ],
)
def test_a_wrong_argument_is_an_error_that_changes_nothing(
    run_here: Run, db: Path, words: str, stdin: str, message: str
) -> None:
    before = users_path(db).read_bytes()
    said = run_here(*(db if word == "DB" else word for word in words.split()), code=2, stdin=stdin)
    assert message in said.stderr
    assert "Traceback" not in said.stderr
    assert users_path(db).read_bytes() == before
