"""Who asks: a name, and the pool of each table."""

from typing import Any

import pytest
from support.stages import Stages

from sdcdb.errors import Denied, SdcdbError
from sdcdb.gateway.pools import pool_of
from sdcdb.policy.models import Policy, Restrict

POLICY = Policy.model_validate({"version": 1, "tables": {"t": "public"}, "teams": {"office": ["ann", "ben"]}})


@pytest.mark.parametrize(
    ("user", "pool", "expected"),
    [
        ("ann", "all", "all"),
        ("ann", "user", "user ann"),
        ("ann", "team", "team office"),
        ("eve", "team", "user eve"),
        ("office", "team", "user office"),
    ],
)
def test_the_pool_of_a_user(user: str, pool: Any, expected: str) -> None:
    assert pool_of(user, Restrict(pool=pool), POLICY) == expected


def test_one_asking_serves_many_questions(stage: Stages) -> None:
    gateway = stage(100).gateway
    ann = gateway.asking("ann")
    assert (ann.user, dict(ann.pools)) == ("ann", {"staff": "all"})
    assert gateway.ask("SELECT COUNT(*) FROM staff", user=ann).rows == ((100,),)
    assert gateway.explain("SELECT SUM(salary) FROM staff", user=ann).kind == "allow"
    with pytest.raises(Denied):
        gateway.ask("SELECT name FROM staff", user=ann)


def test_a_user_must_be_a_string(stage: Stages) -> None:
    with pytest.raises(SdcdbError, match="`user` must be a string, for example 'analyst1'"):
        stage(50).gateway.ask("SELECT 1", user=7)  # type: ignore[arg-type]


def test_the_owners_connection_stays_free_while_a_gateway_is_open(stage: Stages) -> None:
    here = stage(50)
    here.gateway.ask("SELECT SUM(salary) FROM staff")
    assert here.db.con.sql("SELECT count(*) FROM staff").fetchall() == [(50,)]
    here.gateway.halted()
    assert here.db.con.sql("SELECT count(*) FROM staff").fetchall() == [(50,)]
