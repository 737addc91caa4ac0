"""How close a table is to each rule."""

import pytest

from sdcdb.gateway.inference.intervals.interval_rule import Room
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.units import Scale


def test_scores_name_the_rule_that_is_closest() -> None:
    scale = Scale(0.0, 1000.0, 1.0, Limits(10, 50.0, min_h0=8.0))
    assert scale.cae_need == pytest.approx(0.256)
    assert scale.interval_need == pytest.approx(0.05)
    assert scale.score(Room(0.3, 0.3)).closest == "cae"
    assert scale.score(Room(0.3, 0.3)).interval == 300
    assert Scale(0.0, 1000.0, 1.0, Limits(10, 50.0)).score(Room(0.3, 0.3)).closest == "interval"
    assert Scale(0.0, 20.0, 1.0, Limits(10, 1.0)).too_coarse
