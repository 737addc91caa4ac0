"""Estimates from a protected view: unbiased, with standard errors that hold, and marked as estimates."""

from pathlib import Path

import numpy as np
import pytest
from support.clinic import clinic

from sdcdb.errors import Denied
from sdcdb.gateway.estimates.unbiased import weights_for
from sdcdb.gateway.server.postgres.results import from_answer

COUNT = "SELECT COUNT(*) AS n FROM patients WHERE diagnosis = 'hiv' AND ward = 1 AND bed < 6"


def test_intervals_of_two_standard_errors_hold_as_often_as_they_say() -> None:
    """95% of 2,000 intervals: the share that holds the truth is within 93% and 97% (4 standard errors of 0.5%)."""
    rng = np.random.default_rng(1)
    likelihood = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    truth = np.array([80, 60, 40, 20])
    held, found = 0, []
    for _ in range(2_000):
        published = sum(rng.multinomial(n, row) for n, row in zip(truth, likelihood, strict=True))
        weights = weights_for(likelihood, np.array([0.0, 0.0, 1.0, 1.0]))
        assert weights is not None
        value, error = weights.of(np.asarray(published, dtype=np.float64))
        held += abs(value - 60) <= 1.96 * error
        found.append(value)
    assert 0.93 <= held / 2_000 <= 0.97
    assert abs(np.mean(found) - 60) <= 4 * np.std(found) / np.sqrt(2_000)


def test_a_denial_is_followed_by_an_estimate_where_the_policy_says_so(tmp_path: Path) -> None:
    database = clinic(tmp_path, 2_000, more=", estimate: on_denial", view=True)
    (true,) = database.con.execute(COUNT).fetchone() or (0,)
    with database.gateway() as gateway:
        answer = gateway.ask(COUNT)
        assert answer.estimated
        assert answer.verdict.kind == "estimate"
        ((value,),), ((error,),) = answer.rows, answer.errors
        assert error is not None
        assert abs(value - true) <= 4 * error
        assert b"estimates from the protected view" in b"".join(from_answer(answer).notices)
        with pytest.raises(Denied):
            gateway.ask(COUNT, estimate=False)
        share = gateway.ask(
            "SELECT sex, AVG((diagnosis = 'hiv')::INT) FROM patients WHERE bed < 2 GROUP BY sex ORDER BY sex"
        )
        assert [row[0] for row in share.rows] == ["F", "M"]
        assert all(error and error < 0.2 for _, error in share.errors)


def test_without_the_policy_it_is_asked_for(tmp_path: Path) -> None:
    database = clinic(tmp_path, 2_000, view=True)
    with database.gateway() as gateway:
        with pytest.raises(Denied):
            gateway.ask(COUNT)
        assert gateway.ask(COUNT, estimate=True).estimated


def test_without_a_view_the_denial_stands(tmp_path: Path) -> None:
    with clinic(tmp_path, 2_000, more=", estimate: on_denial").gateway() as gateway, pytest.raises(Denied):
        gateway.ask(COUNT)
