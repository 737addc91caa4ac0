"""What a perturbed copy does to the patterns of a class, on copies of which the outcome is known."""

import numpy as np
import pandas as pd
import pytest

from sdcdb.assess.patterns import MOST_RECORDS, Thresholds, patterns


def table(rows: int = 1_000, seed: int = 1) -> pd.DataFrame:
    """Records whose class follows from age and city, exactly."""
    rng = np.random.default_rng(seed)
    age, city = rng.integers(18, 80, rows), rng.choice(["Bonn", "Kiel", "Ulm"], rows)
    made = pd.DataFrame({"number": np.arange(rows) + 7, "age": age, "city": city, "flag": rng.random(rows) < 0.5})
    made["risk"] = np.where(age > 50, np.where(city == "Ulm", "high", "low"), "mid")
    return made


def test_an_exact_copy_has_the_same_tree_and_hides_nobody() -> None:
    before = table()
    found = patterns(before, before.copy(), "risk")
    assert found is not None
    assert (found.similarity.verdict, found.similarity.shares["A"]) == ("exactly same", 1.0)
    assert found.original.tested() == found.perturbed.tested() == {"age", "city"}
    assert found.accuracies["tree, original"] == found.accuracies["tree, perturbed"]
    assert found.accuracies["tree, perturbed"].own == 1.0
    known = {each.known: each for each in found.entropies}
    assert known[0].record == pytest.approx(np.log2(len(before)))  # nothing known: any record may be the one
    assert list(known) == [0, 1, 2, 3]
    assert known[0].record > known[1].record > known[2].record > known[3].record
    assert known[0].class_ > 0.9
    assert known[3].class_ < 0.1  # age and city tell the class, save in one bin of ages


def test_a_class_that_was_shuffled_leaves_no_rule() -> None:
    before = table()
    after = before.assign(risk=np.random.default_rng(2).permutation(before["risk"]))
    found = patterns(before, after, "risk")
    assert found is not None
    assert found.similarity.verdict == "dissimilar"
    testing = {name: each.testing for name, each in found.accuracies.items()}
    assert testing["tree, original"] == pytest.approx(1.0, abs=0.02)
    assert (testing["tree, perturbed"] or 0) < 0.7  # the largest class has half of the records


def test_what_numbers_or_names_the_records_is_no_pattern() -> None:
    before = table().assign(name=[f"person {n}" for n in range(1_000)])
    found = patterns(before, before.copy(), "risk")
    assert found is not None
    assert {attribute.name for attribute in found.original.attributes} == {"age", "city", "flag"}


def test_missing_values_are_borne() -> None:
    before = table()
    before["age"] = before["age"].astype("Float64").mask(np.arange(1_000) % 10 == 0)
    before["city"] = before["city"].mask(np.arange(1_000) % 11 == 0)
    before["risk"] = before["risk"].mask(np.arange(1_000) % 50 == 0)
    found = patterns(before, before.copy(), "risk")
    assert found is not None
    assert found.similarity.verdict == "exactly same"
    assert sum(leaf.total for leaf in found.original.leaves()) == pytest.approx(980)  # those that have a class


@pytest.mark.parametrize(
    "before",
    [table(9), table().assign(risk="low"), table().assign(risk=pd.Series([None] * 1_000, dtype="object"))],
    ids=["too few records", "one class", "no class"],
)
def test_where_there_is_nothing_to_learn_there_is_no_comparison(before: pd.DataFrame) -> None:
    assert patterns(before, before.copy(), "risk") is None


def test_a_class_alone_has_a_tree_of_one_leaf_and_no_entropies() -> None:
    before = table()[["risk"]]
    found = patterns(before, before.copy(), "risk")
    assert found is not None
    assert (len(found.original.leaves()), found.entropies) == (1, ())


def test_a_large_table_is_sampled_and_a_seed_fixes_the_sample() -> None:
    before = table(MOST_RECORDS + 5_000)
    first, again, other = (patterns(before, before.copy(), "risk", seed) for seed in (3, 3, 4))
    assert first is not None
    assert again is not None
    assert other is not None
    assert sum(leaf.total for leaf in first.original.leaves()) == MOST_RECORDS
    assert first.entropies == again.entropies
    assert first.entropies != other.entropies


def test_an_intruder_uses_how_noise_depends_on_the_leaf() -> None:
    """Where noise falls on one leaf only, records of the other are found as if nothing had been done to them.

    Cities change in the leaf of age above 50 and nowhere else. Mixed over all leaves, the chances would say that every
    city may have changed.
    """
    before = table(4_000).assign(risk=lambda t: np.where(t["age"] > 50, "high", "low"))
    rng = np.random.default_rng(5)
    changed = np.where(before["age"] > 50, rng.permutation(before["city"]), before["city"])
    known = patterns(before, before.assign(city=changed), "risk")
    scattered = np.where(
        rng.random(4_000) < (before["age"] > 50).mean(), rng.permutation(before["city"]), before["city"]
    )
    mixed = patterns(before, before.assign(city=scattered), "risk")
    assert known is not None and mixed is not None  # noqa: PT018 - both are for the type checker
    assert known.security is not None and mixed.security is not None  # noqa: PT018
    assert known.security.sd > mixed.security.sd + 0.2  # some are found easily, some hardly
    assert min(each.least_record for each in known.entropies) < min(each.least_record for each in mixed.entropies)


def test_security_is_the_share_of_records_below_a_threshold() -> None:
    before = table()
    for threshold, below in ((0.0, 0.0), (99.0, 1.0)):
        found = patterns(before, before.copy(), "risk", thresholds=Thresholds(threshold, 0.05))
        assert found is not None
        assert found.security is not None
        assert (found.security.below, found.security.secure) == (below, below == 0.0)
        assert f"H_t = {threshold:g} bits" in found.security.words()
