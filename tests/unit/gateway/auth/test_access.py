"""Who may do what: one table, default no."""

import pytest

from sdcdb.gateway.auth.access import GRANTS, Access, Act, Identity, NotAllowed, may, must

ANN, EVE, OLGA = (Identity(name, access) for name, access in zip(("ann", "eve", "olga"), Access, strict=True))


@pytest.mark.parametrize(
    ("act", "allowed"),
    [
        (Act.ASK, {"ann", "olga"}),
        (Act.LEDGER, {"eve", "olga"}),
        (Act.STATUS, {"eve", "olga"}),
        (Act.AUDIT, {"eve", "olga"}),
        (Act.REFRESH, {"olga"}),
        (Act.RELOAD, {"olga"}),
        (Act.VIEWS, {"olga"}),
        (Act.USERS, {"olga"}),
        (Act.BROWSE, {"ann", "eve", "olga"}),
    ],
)
def test_access_allows_this_and_no_more(act: Act, allowed: set[str]) -> None:
    assert {who.name for who in (ANN, EVE, OLGA) if may(who, act)} == allowed


def test_every_act_belongs_to_somebody() -> None:
    assert set().union(*GRANTS.values()) == set(Act)


def test_an_access_that_nobody_listed_allows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(GRANTS, Access.OWNER)
    assert not any(may(OLGA, act) for act in Act)


def test_a_refusal_says_what_it_takes() -> None:
    with pytest.raises(NotAllowed, match="ann is an analyst and may not read the ledger: this needs auditor or owner"):
        must(ANN, Act.LEDGER)
