"""Holding a view against its table: which measures come out for which columns."""

from typing import Any

import numpy as np
import pytest
from support import protecting
from support.protecting import fixed_secret

from sdcdb.assess.compare import Comparison, compare
from sdcdb.errors import SdcdbError
from sdcdb.policy.governed import Governed
from sdcdb.views.protect import protect

TABLE = """
    SELECT i AS id, (18 + hash(i, 1) % 60)::INTEGER AS age, (hash(i, 2) % 1000)::INTEGER AS pay,
        ['Bonn', 'Kiel', 'Ulm'][1 + (hash(i, 3) % 3)::INTEGER] AS city, hash(i, 4) % 2 = 0 AS single,
        if(hash(i, 1) % 60 > 30, if(hash(i, 3) % 3 = 0, 'high', 'low'), 'mid') AS risk
    FROM range(3000) AS r(i)
"""
ROLES: dict[str, Any] = {
    "id": "identifier",
    "age": {"role": "quasi", "domain": [18, 77]},
    "pay": {"role": "confidential", "domain": [0, 999]},
    "city": "quasi",
    "single": "quasi",
    "risk": "class",
}


_secret = fixed_secret("compare-secret-0123456789abcdef")


def protected(view: dict[str, Any], table: str = TABLE) -> Governed:
    """Protect the table `x` by the view `y`."""
    return protecting.protected(table, ROLES, view)[0]


def compared(view: dict[str, Any], table: str = TABLE, **options: Any) -> Comparison:
    """Protect the table and compare the view with it."""
    with protected(view, table) as database:
        return compare(database, "y", **options)


FRAMEWORK = {"all": {"method": "framework", "class": "risk", "min_cases": 50}}


def test_a_framework_keeps_the_tree_and_changes_every_column() -> None:
    found = compared(FRAMEWORK)
    assert found.patterns is not None
    assert found.patterns.similarity.shares["D"] == 0
    assert found.patterns.accuracies["tree, perturbed"].original > 0.95
    assert (found.correlated, found.categorical) == (("age", "pay"), ("city", "single", "risk"))
    assert all((found.categories[name].share_changed or 0) > 0 for name in ("city", "single"))
    assert found.correlations is not None
    assert found.records == len(found.before) == len(found.after) == 3_000
    assert [each.known for each in found.patterns.entropies] == [0, 1, 2, 3, 4]


def test_a_random_framework_keeps_less() -> None:
    kept, lost = compared(FRAMEWORK), compared({"all": {**FRAMEWORK["all"], "method": "random_framework"}})
    assert kept.patterns is not None
    assert lost.patterns is not None
    assert kept.patterns.similarity.shares["A"] > lost.patterns.similarity.shares["A"]
    trees = [each.patterns.accuracies["tree, perturbed"] for each in (kept, lost) if each.patterns]
    assert trees[0].own > trees[1].own


def test_what_is_not_published_is_not_measured() -> None:
    found = compared({"columns": {"city": {"method": "warner", "p": 0.8}}})
    assert found.plan.columns == ("age", "city", "single", "risk")  # pay is confidential, id an identifier
    assert found.uncertainties == {}
    assert found.correlations is None  # of a single number
    assert found.confidential == "city"
    assert found.categories["city"].share_changed == pytest.approx(0.2, abs=4 * np.sqrt(0.16 / 3_000))
    assert found.categories["single"].share_changed == 0
    assert len(found.entropies) > 0
    assert list(found.sweeps) == ["city"]


def test_noise_of_a_confidential_number_has_its_uncertainty() -> None:
    strong, weak = (compared({"columns": {"pay": {"method": "normal", "sd": sd}}}) for sd in (200, 5))
    (one,), (two,) = (each.uncertainties.values() for each in (strong, weak))
    assert one[0].after.h0 > two[0].after.h0


def test_lists_have_a_loss_and_no_pattern_of_their_own() -> None:
    found = compared({"columns": {"city": {"method": "an", "l": 2}}})
    assert list(found.losses) == ["city"]
    assert "city" not in found.categories
    assert found.patterns is not None
    assert "city" not in {attribute.name for attribute in found.patterns.original.attributes}


def test_a_seed_fixes_everything_that_is_drawn() -> None:
    view = {"columns": {"city": {"method": "warner", "p": 0.8}}}
    first, again = (compared(view, seed=5) for _ in range(2))
    assert [each.record for each in first.entropies] == [each.record for each in again.entropies]
    assert first.patterns == again.patterns


def test_a_view_of_another_version_is_to_be_fitted_again() -> None:
    with protected(FRAMEWORK) as database:
        database.con.execute(
            "UPDATE sdc.plans SET plan = regexp_replace(plan::VARCHAR, '\"version\":[0-9]+', '\"version\":1')"
        )
        with pytest.raises(SdcdbError, match="fit it again with sdcdb protect"):
            compare(database, "y")
        protect(database)
        assert compare(database, "y").records == 3_000


def test_errors_say_what_to_do() -> None:
    view = {"columns": {"city": {"method": "warner", "p": 0.8}}}
    with pytest.raises(SdcdbError, match=r"has no column 'town'.*city"):
        compared(view, confidential="town")
    with pytest.raises(SdcdbError, match="nothing to compare"):
        compared(view, f"SELECT * FROM ({TABLE}) LIMIT 0")


def test_one_record_and_constant_columns_are_borne() -> None:
    found = compared({"columns": {"city": {"method": "warner", "p": 0.8}}}, f"SELECT * FROM ({TABLE}) LIMIT 1")
    assert (found.records, found.patterns, found.entropies) == (1, None, ())
