"""Twelve perturbed copies of what is the same in all records of a person: do they tell more than one?

The intruder links a person's records by a quasi-identifier that the view publishes as it is. Each attack is one run
over 2,000 people with a fixed secret; tolerances are four standard deviations of what chance does to so many people.
"""

import math
from collections import Counter, defaultdict
from typing import Any

import pytest
from support.protecting import ENVIRONMENT, filled, fixed_secret

from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Policy
from sdcdb.views import catalogue
from sdcdb.views.protect import protect

PEOPLE, VISITS = 2_000, 12
TRUE, SD = 0.7, 10.0  # what Warner's method leaves as it is; the standard deviation of the noise
SELECT = f"""
    SELECT i AS visit, 'p' || (i % {PEOPLE}) AS patient, i % {PEOPLE} AS born,
           ['f', 'm'][1 + (i % {PEOPLE} // 3) % 2] AS sex, 40 + (i % {PEOPLE}) % 50 AS weight, (i * 7) % 499 AS cost
    FROM range({PEOPLE * VISITS}) r(i)
"""

_secret = fixed_secret("majorities are counted over copies")


def view(columns: dict[str, Any], person: str | None) -> Governed:
    confidential = {"role": "confidential", "domain": [0, 500]}
    roles = {"visit": "identifier", "patient": "identifier", "born": "quasi", "sex": "quasi"}
    spec = {
        "key": "visit",
        "person": person,
        "columns": roles | {"weight": confidential, "cost": confidential},
        "protect": {"p": {"secret": f"env:{ENVIRONMENT}", "columns": columns}},
    }
    database = filled(SELECT, Policy.model_validate({"version": 1, "tables": {"visits": spec}}))
    protect(database)
    return database


def copies(database: Governed, column: str) -> dict[int, list[Any]]:
    """Return what the view says of each person, record by record."""
    said = defaultdict(list)
    for born, value in database.con.execute(f"SELECT born, {column} FROM p").fetchall():
        said[born].append(value)
    assert {len(values) for values in said.values()} == {VISITS}
    return said


def truth(database: Governed, column: str) -> dict[int, Any]:
    return dict(database.con.execute(f"SELECT DISTINCT born, {column} FROM visits").fetchall())


def won(database: Governed) -> float:
    """Return the share of people whose sex the most frequent copy tells."""
    real = truth(database, "sex")
    votes = {who: Counter(values).most_common(1)[0][0] for who, values in copies(database, "sex").items()}
    return len([who for who in real if votes[who] == real[who]]) / PEOPLE


WARNER = {"sex": {"method": "warner", "p": TRUE}}
NORMAL = {"weight": {"method": "normal", "sd": SD}}
CHANCE = 4 * math.sqrt(TRUE * (1 - TRUE) / PEOPLE)


def test_the_majority_wins_where_noise_is_drawn_for_each_record() -> None:
    at_least = sum(math.comb(VISITS, n) * TRUE**n * (1 - TRUE) ** (VISITS - n) for n in range(7, VISITS + 1))
    assert won(view(WARNER, None)) > at_least - CHANCE > 0.8


def test_the_majority_tells_no_more_than_one_record_where_noise_is_the_persons() -> None:
    database = view(WARNER, "patient")
    assert {len(set(values)) for values in copies(database, "sex").values()} == {1}
    assert won(database) == pytest.approx(TRUE, abs=CHANCE)


def mean_error(database: Governed) -> float:
    """Return the root mean square error of the mean of a person's copies."""
    real, said = truth(database, "weight"), copies(database, "weight")
    return math.sqrt(sum((sum(said[who]) / VISITS - real[who]) ** 2 for who in real) / PEOPLE)


def test_the_mean_of_copies_is_as_far_off_as_one_copy() -> None:
    """Noise of one record has a standard deviation of 10, the mean of twelve 2.9; tolerance 4 of SD / sqrt(2 n)."""
    tolerance = 4 * SD / math.sqrt(2 * PEOPLE)
    assert mean_error(view(NORMAL, None)) == pytest.approx(SD / math.sqrt(VISITS), abs=tolerance)
    assert mean_error(view(NORMAL, "patient")) == pytest.approx(SD, abs=tolerance)


def test_what_differs_between_records_is_drawn_for_each() -> None:
    """Noise that two different values share would give their difference away."""
    database = view(WARNER | NORMAL | {"cost": {"method": "normal", "sd": SD}}, "patient")
    plan = catalogue.entry(database.con, "p").plan
    assert (plan.person, plan.per_person) == ("patient", ("sex", "weight"))
    original = database.con.execute("SELECT born, cost FROM visits").fetchall()
    noise = defaultdict(set)
    for (born, before), (_, after) in zip(
        original, database.con.execute("SELECT born, cost FROM p").fetchall(), strict=True
    ):
        noise[born].add(round(after - before, 6))
    assert min(len(values) for values in noise.values()) > 1
