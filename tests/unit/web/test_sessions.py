"""Sessions end by logout, idleness and age, and are kept under a hash."""

from sdcdb.gateway.auth.access import Access, Identity
from sdcdb.web.sessions import Sessions

ANN = Identity("ann", Access.ANALYST)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_every_login_gets_a_new_id_that_is_kept_hashed() -> None:
    sessions = Sessions()
    first, second = sessions.begin(ANN), sessions.begin(ANN)
    assert first != second
    assert len(first) > 40
    assert first.encode() not in b"".join(sessions._sessions)
    found = sessions.find(first)
    assert found is not None
    assert found.identity == ANN


def test_idleness_and_age_end_a_session() -> None:
    clock = Clock()
    sessions = Sessions(idle=60, longest=300, clock=clock)
    cookie = sessions.begin(ANN)
    for clock.now in (50.0, 100.0, 150.0, 200.0, 250.0, 300.0):
        assert sessions.find(cookie) is not None
    clock.now = 301.0
    assert sessions.find(cookie) is None
    idle = sessions.begin(ANN)
    clock.now += 61
    assert sessions.find(idle) is None
    assert len(sessions) == 0


def test_logout_and_a_new_password_end_sessions() -> None:
    sessions = Sessions()
    cookies = [sessions.begin(ANN) for _ in range(3)]
    sessions.end(cookies[0])
    assert sessions.find(cookies[0]) is None
    assert sessions.find(cookies[1]) is not None
    sessions.end_of("ann")
    assert [sessions.find(cookie) for cookie in cookies] == [None] * 3


def test_a_form_needs_the_sessions_own_secret() -> None:
    sessions = Sessions()
    one, two = (sessions.find(sessions.begin(ANN)) for _ in range(2))
    assert one is not None
    assert two is not None
    assert one.carries(one.csrf)
    assert not one.carries(two.csrf)
    assert not one.carries("")
