"""The gate before a release, and what it writes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.protecting import fixed_secret, policy_of

import sdcdb
from sdcdb.assess.gate import Standing
from sdcdb.database import Database
from sdcdb.measures.linking import IMPOSSIBLE, Known, Secret, attack

_secret = fixed_secret("a secret for tests of the gate")

PEOPLE = """
    CREATE TABLE x AS SELECT i AS id, (18 + hash(i) % 60)::INTEGER AS age, (hash(i + 1) % 40)::INTEGER AS town,
        (hash(i + 2) % 1000)::INTEGER AS pay, ['flu', 'cold', 'none'][1 + (hash(i + 3) % 3)::INTEGER] AS illness
    FROM range(1500) AS r(i)
"""
ROLES = {
    "id": "identifier",
    "age": "quasi",
    "town": "quasi",
    "pay": {"role": "confidential", "domain": [0, 1000], "step": 1},
    "illness": "confidential",
}


def standing(view: dict[str, Any], select: str = PEOPLE) -> tuple[Database, Standing]:
    database = sdcdb.open(":memory:", policy_of(ROLES, view))
    database.con.execute(select)
    database.protect()
    return database, database.standing("y")


def by_name(found: Standing, name: str, column: str | None = None) -> Any:
    return next(floor for floor in found.floors if floor.name == name and floor.column == column)


SWAPPED = {"pay": {"method": "swapping", "range": "20%"}, "illness": {"method": "swapping", "share": "60%"}}


def test_raw_quasi_identifiers_are_refused_and_recoded_ones_pass(tmp_path: Path) -> None:
    database, found = standing({"columns": SWAPPED})
    assert not found.passed
    assert by_name(found, "min_k").measured == 1
    assert by_name(found, "max_linked").measured > 0.5
    with pytest.raises(sdcdb.ReleaseRefused, match="kanonymity, k: 5") as refused:
        database.release("y", tmp_path / "y.parquet")
    assert refused.value.exit_code == 1
    assert list(tmp_path.iterdir()) == []
    database, found = standing({"rows": {"method": "kanonymity", "k": 5}, "columns": SWAPPED})
    assert found.passed, found.failed()
    made = database.release("y", tmp_path / "y.parquet")
    assert json.loads(made.manifest.read_text())["release_gate"]["passed"] is True


def test_an_accepted_risk_is_in_the_manifest(tmp_path: Path) -> None:
    database, _ = standing({"columns": SWAPPED})
    with pytest.raises(sdcdb.SdcdbError, match="needs a reason"):
        database.release("y", tmp_path / "y.csv", accept_risk=" ")
    made = database.release("y", tmp_path / "y.csv", accept_risk="agreed with the council")
    gate = json.loads(made.manifest.read_text())["release_gate"]
    assert (gate["passed"], gate["accepted_risk"]) == (False, "agreed with the council")
    with pytest.raises(sdcdb.SdcdbError, match="--force"):
        database.release("y", tmp_path / "y.csv", accept_risk="again")
    database.release("y", tmp_path / "y.csv", accept_risk="again", force=True)


def test_a_confidential_value_that_a_class_shares_is_refused() -> None:
    shared = PEOPLE.replace("hash(i + 3) % 3", "hash(hash(i + 1) % 40) % 3")  # the illness follows from the town
    rows = {"method": "kanonymity", "k": 5, "hierarchies": {"town": []}, "columns": ["age", "town"]}
    _, found = standing({"rows": rows, "columns": {"pay": SWAPPED["pay"]}, "unchanged": ["illness"]}, shared)
    assert found.secret == ("pay", "illness")
    assert found.linked_by_all > 2 * by_name(found, "max_linked").measured
    floor = by_name(found, "min_confidential_entropy", "illness")
    assert by_name(found, "min_k").passed
    if by_name(found, "max_linked").measured < 0.2:  # the town is still there
        assert not floor.passed
        assert "l: 2" in floor.change


def test_noise_too_weak_to_hide_is_caught_by_linkage() -> None:
    weak = {"age": {"method": "normal", "sd": 0.1}, "town": {"method": "warner", "p": 0.99}}
    _, found = standing({"columns": SWAPPED | weak})
    assert by_name(found, "min_k").passed  # nothing is published as it is
    assert not by_name(found, "max_linked").passed


def test_what_nearly_everybody_has_is_no_disclosure() -> None:
    """99% have no capital gain: that a class has none discloses nothing about its members."""
    zeros = PEOPLE.replace("(hash(i + 2) % 1000)::INTEGER", "CASE WHEN i % 100 = 0 THEN 500 ELSE 0 END")
    _, found = standing({"rows": {"method": "kanonymity", "k": 5}, "columns": SWAPPED}, zeros)
    assert by_name(found, "min_cae", "pay").passed


def test_the_comparison_begins_with_words() -> None:
    database, _ = standing({"columns": SWAPPED})
    verdict = database.compare("y").verdict
    assert "does not reach" in verdict.title
    assert any("alone" in sentence for sentence in verdict.intruder)
    assert any("means of" in sentence for sentence in verdict.analyst)
    assert any("kanonymity" in sentence for sentence in verdict.change)
    database, _ = standing({"rows": {"method": "kanonymity", "k": 5}, "columns": SWAPPED})
    verdict = database.compare("y").verdict
    assert verdict.change == ()
    assert any("coarser" in sentence for sentence in verdict.analyst)


def test_an_attack_against_brute_force() -> None:
    draw = np.random.default_rng(1)
    records, values = 40, 4
    seen = draw.integers(0, values, (2, records))
    kernels = draw.dirichlet(np.ones(values), (2, values))
    targets = draw.integers(0, values, (2, 10))
    own = draw.integers(0, records, 10)
    secret, posterior = draw.integers(0, 3, records), draw.dirichlet(np.ones(3), 3)
    known = [Known(s, t, np.log2(k)) for s, t, k in zip(seen, targets, kernels, strict=True)]
    found = attack(known, own, {"s": Secret(secret, posterior)}, records)
    for number in range(10):
        weights = kernels[0][targets[0, number]][seen[0]] * kernels[1][targets[1, number]][seen[1]]
        chances = weights / weights.sum()
        assert found.record[number] == pytest.approx(-(chances * np.log2(chances)).sum())
        best = np.isclose(weights, weights.max())
        assert found.linked[number] == pytest.approx(best[own[number]] / best.sum())
        belief = chances @ posterior[secret]
        assert found.secrets["s"][number] == pytest.approx(-(belief * np.log2(belief)).sum())
    assert IMPOSSIBLE < -1000


@pytest.mark.parametrize("seed", range(5))
def test_people_with_several_records_are_looked_for_as_people(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records, targets = 30, 12
    seen, persons, own = rng.integers(0, 4, records), rng.integers(0, 9, records), rng.integers(0, records, targets)
    likelihood = rng.dirichlet(np.ones(4), 4)
    true = rng.integers(0, 4, targets)
    found = attack([Known(seen, true, np.log2(likelihood))], own, {}, records, persons)
    for n in range(targets):
        weights = likelihood[true[n]][seen]
        belief = np.array([weights[persons == person].sum() for person in np.unique(persons)]) / weights.sum()
        assert found.record[n] == pytest.approx(-(belief * np.log2(belief)).sum())
        best = np.unique(persons)[belief > belief.max() - 1e-9]
        assert found.linked[n] == pytest.approx((persons[own[n]] in best) / len(best))


def test_records_that_are_alike_hide_nobody_among_their_own() -> None:
    """Six records of each of 200 people, alike in what an intruder knows: one record in six, or the person."""
    records = """
        CREATE TABLE x AS SELECT i AS id, i % 200 AS who, (i % 200)::INTEGER AS age, 1 AS town,
            (i % 997)::INTEGER AS pay, ['flu', 'cold', 'none'][1 + (hash(i + 3) % 3)::INTEGER] AS illness
        FROM range(1200) AS r(i)
    """
    view = {"columns": {"pay": {"method": "normal", "sd": "20%"}}}
    measured = []
    for more in ({}, {"person": "who"}):
        policy = policy_of(ROLES | {"who": "identifier"}, view)
        policy.tables["x"] = policy.tables["x"].model_copy(update=more)
        database = sdcdb.open(":memory:", policy)
        database.con.execute(records)
        database.protect()
        found = database.standing("y")
        measured.append([by_name(found, name).measured for name in ("min_k", "max_linked")])
    assert measured == [[6, pytest.approx(1 / 6)], [1, 1.0]]
