"""Where more is foretold of one cell of an atom than of another, what the atom is judged by agrees with all answers."""

import numpy as np
import pytest

from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.intervals.interval_rule import Case, means_of_atoms, polytope_of
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.inference.state.restore_feasibility import _by_centre

RICH = Prior.of([(0, 50_000, 0.05), (50_000, 100_000, 0.95)])
POOR = Prior.of([(0, 20_000, 0.9), (20_000, 100_000, 0.1)])
COUNTS = np.array([40, 3, 25, 12, 30])
ASKED = [(True, True, True, False, False), (False, False, True, True, True)]


@pytest.fixture
def knowledge() -> Knowledge:
    forecast = Forecast((RICH, POOR), np.array([0, 1, 1, 0, 1]))
    made = Knowledge(COUNTS, 0, 100_000, 1, Limits(min_set=5, min_interval=5_000), b"secret", forecast)
    rng = np.random.default_rng(1)
    values = [rng.integers(0, 100_001, count) for count in COUNTS]
    for flags in ASKED:
        question = Question(np.array(flags), frozenset({"sum"}))
        assert made.consider([question])[0].allowed
        made.learn([question], [{"sum": int(sum(v.sum() for v, asked in zip(values, flags, strict=True) if asked))}])
    return made


def test_the_polytope_of_atoms_has_the_answers_that_were_given(knowledge: Knowledge) -> None:
    ground = knowledge._ground
    columns, atom, polytope = polytope_of(Case(ground.geometry, ground.columns, None, ground.columns.point))
    assert len(columns) < len(ground.geometry.number)  # cells of different forecasts lie in one atom
    assert sorted(polytope.answers) == pytest.approx(sorted(ground.answers))
    means = means_of_atoms(ground.columns.point, ground.geometry.number, atom, polytope.size)
    assert polytope.rows @ (polytope.size * means) == pytest.approx(polytope.answers)


def test_a_point_in_the_middle_agrees_with_the_answers_that_were_given(knowledge: Knowledge) -> None:
    ground = knowledge._ground
    assert _by_centre(ground)
    sums = ground.geometry.rows.times(ground.geometry.number * ground.columns.point)
    assert sums == pytest.approx(list(ground.answers))
