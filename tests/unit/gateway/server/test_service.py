"""The service: each sees and does what their access allows, and all of it is in the ledger."""

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from support import serving, victims
from support.serving import PASSWORD

from sdcdb.errors import Denied, PolicyError
from sdcdb.gateway.auth.access import Access, Identity, NotAllowed
from sdcdb.gateway.auth.users import LoginRefused, UserStore
from sdcdb.gateway.cancellation import Cancellation
from sdcdb.gateway.server.service import Capacity, Service
from sdcdb.gateway.server.shown import LedgerFilter

SUM = "SELECT SUM(salary) FROM staff WHERE sex = 'F'"
HERE = {"door": "test", "address": "127.0.0.1"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return serving.create(tmp_path_factory.mktemp("service"), protect=False)


@pytest.fixture
def service(path: Path) -> Iterator[Service]:
    with serving.service(path) as found:
        yield found


def _join_office(name: str, users: UserStore) -> None:
    users.add(name, PASSWORD, Access.ANALYST, "office")


def who(service: Service, name: str) -> Identity:
    return service.logins.password(name, PASSWORD, **HERE)


def test_an_analyst_asks_and_sees_their_own(service: Service) -> None:
    ann, bob = who(service, "ann"), who(service, "bob")
    assert service.ask(ann, SUM).rows[0][0] > 0
    with pytest.raises(Denied):
        service.ask(ann, f"{SUM} AND age < 70")
    assert service.explain(ann, f"EXPLAIN PRIVACY {SUM} AND age < 70").kind == "deny"
    assert [row.verdict for row in service.ledger(ann)][-2:] == ["allow", "deny"]
    assert all(row.facts is None and row.user == "ann" for row in service.ledger(ann))
    assert service.ledger(bob) == []
    assert {each.user for each in service.status(ann).questions} == {"ann"}
    assert service.metrics.total("sdcdb_questions_total", verdict="deny") == 1


@pytest.mark.parametrize("name", ["ann", "eve"])
def test_only_an_owner_acts(service: Service, name: str) -> None:
    somebody = who(service, name)
    for act in (
        lambda: service.refresh(somebody),
        lambda: service.accept_looser(somebody, "why"),
        lambda: service.reload(somebody),
        lambda: service.protect(somebody),
        lambda: service.findings(somebody),
        lambda: service.manage_users(somebody, lambda users: users.remove("bob")),
    ):
        with pytest.raises(NotAllowed):
            act()
    assert service.users.identity("bob") is not None


def test_an_auditor_reads_everything_and_asks_nothing(service: Service) -> None:
    eve = who(service, "eve")
    with pytest.raises(NotAllowed, match="may not ask questions"):
        service.ask(eve, SUM)
    assert {"login", "question"} <= {row.kind for row in service.ledger(eve, LedgerFilter(last=0))}
    assert service.verify_ledger(eve).ok
    with pytest.raises(NotAllowed):
        service.verify_ledger(who(service, "ann"))


def test_every_attempt_and_every_act_is_in_the_ledger(service: Service) -> None:
    olga = who(service, "olga")
    with pytest.raises(LoginRefused):
        service.logins.password("mallory\n", "guess" * 3, **HERE)
    service.refresh(olga, "staff")
    token = service.manage_users(olga, lambda users: users.create_token("ann", 1, by=olga.name))
    assert service.logins.token(token.text, **HERE).name == "ann"
    with pytest.raises(LoginRefused):
        service.logins.token(token.text + "x", **HERE)
    rows = service.ledger(olga, LedgerFilter(last=6))
    assert [(row.kind, row.user) for row in rows] == [
        ("login", "olga"),
        ("login", "mallory?"),
        ("act", "olga"),
        ("act", "olga"),
        ("login", "ann"),
        ("login", "token"),
    ]
    assert token.text not in (service.path.parent / "staff.ledger.jsonl").read_text()


def test_a_token_s_many_uses_are_noted_once(service: Service) -> None:
    olga = who(service, "olga")
    token = service.manage_users(olga, lambda users: users.create_token("ann", 1))
    for _ in range(5):
        service.logins.token(token.text, **HERE)
    assert [row.user for row in service.ledger(olga, LedgerFilter(kind="login", last=2))] == ["olga", "ann"]
    service.manage_users(olga, lambda users: users.revoke_token(token.number))
    with pytest.raises(LoginRefused):
        service.logins.token(token.text, **HERE)


def test_a_bad_policy_is_not_taken(service: Service) -> None:
    olga, ann = who(service, "olga"), who(service, "ann")
    file = service.policy_file
    good = file.read_text()
    try:
        file.write_text(good.replace("quasi", "quassi"))
        with pytest.raises(PolicyError, match="quassi"):
            service.reload(olga)
        assert service.ask(ann, "SELECT COUNT(*) FROM staff").rows[0][0] == 240
        file.write_text(good.replace("min_set: 5", "min_set: 50"))
        assert service.reload(olga) == ["users", "policy"]
        with pytest.raises(Denied, match="size"):
            service.ask(ann, "SELECT COUNT(*) FROM staff WHERE dept = 'Works' AND age < 33")
    finally:
        file.write_text(good)


def test_users_of_a_new_team_share_a_pool_from_their_first_question(tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=100, pool="team")
    with serving.service(path) as service:
        olga = who(service, "olga")
        for name in ("tim", "tom"):
            service.manage_users(olga, partial(_join_office, name))
        tim, tom = who(service, "tim"), who(service, "tom")
        service.ask(tim, SUM)
        with pytest.raises(Denied):
            service.ask(tom, f"{SUM} AND age < 70")
        assert {each.pool for each in service.status(olga).known} == {"team office"}


def test_a_removed_user_s_open_session_asks_no_more(tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=60)
    with serving.service(path) as service:
        bob = who(service, "bob")
        serving.store(path).remove("bob")  # on the command line
        with pytest.raises(NotAllowed, match="log in again"):
            service.ask(bob, SUM)


def test_cancelling_ends_the_wait(path: Path) -> None:
    with serving.service(path, Capacity(seconds=1.0)) as service:
        ann, cancellation = who(service, "ann"), Cancellation()
        future = service.submit(ann, "SELECT COUNT(*) FROM range(100000000000) a", cancellation=cancellation)
        threading.Timer(0.2, cancellation.cancel).start()
        with pytest.raises(Denied, match="cancelled"):
            future.result(10)
        already = Cancellation()
        already.cancel()
        with pytest.raises(Denied, match="cancelled"):
            service.ask(ann, SUM, cancellation=already)


def test_tables_show_columns_roles_and_no_identifier(service: Service) -> None:
    staff, dim = service.tables(who(service, "ann"))
    assert (staff.kind, dim.kind) == ("restricted", "public")
    assert {column.name: column.role for column in staff.columns} == {
        "sex": "quasi",
        "age": "quasi",
        "dept": "quasi",
        "education": "quasi",
        "salary": "confidential",
    }
    assert victims.Secrets(victims.people(240)).in_value([str(staff), str(dim)]) == []
