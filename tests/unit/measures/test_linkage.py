"""Re-identification and class entropy of chapter 8: against brute force, and through SQL."""

import duckdb
import numpy as np
import pytest

import sdcdb
from sdcdb.errors import DataError
from sdcdb.measures import reidentification
from sdcdb.measures.contraction import worthwhile
from sdcdb.measures.linkage import (
    DOUBT,
    Linkage,
    class_entropy,
    known_entropies,
    linkage_entropies,
    reidentification_entropy,
    security,
    wrapped_normal,
)
from sdcdb.measures.reidentification import Draw


def example(rng: np.random.Generator) -> Linkage:
    """Return 40 records of three attributes; the second has another kernel in each of two leaves."""
    kernels = (wrapped_normal(5, 1.3), (wrapped_normal(6, 2.0, 0, 2), wrapped_normal(6, 2.0, 3, 5)), np.eye(3))
    observed = np.column_stack([rng.integers(0, size, 40) for size in (5, 6, 3)])
    targets = np.column_stack([rng.integers(0, size, 10) for size in (5, 6, 3)])
    shares = np.array([[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]])
    return Linkage(observed, targets, kernels, rng.integers(0, 2, 40), shares, (targets[:, 1] > 2).astype(int))


def brute(linkage: Linkage, known: tuple[int, ...], among: list[int] | None) -> list[tuple[float, float]]:
    """Follow the formulas of section 8.1 record by record."""
    results = []
    for target, group in zip(linkage.targets, linkage.groups, strict=True):
        weights = np.ones(len(linkage.observed))
        for j in known:
            kernel = linkage.kernels[j]
            table = kernel[group] if isinstance(kernel, tuple) else kernel
            weights *= np.maximum(table[target[j], linkage.observed[:, j]], DOUBT)
        p = weights / weights.sum()
        class_ = p @ linkage.shares[linkage.leaves]
        if among is not None:
            class_ = np.array([class_[among].sum(), 1 - class_[among].sum()])
        results.append((_bits(p), _bits(class_)))
    return results


def _bits(p: np.ndarray) -> float:
    return float(-(p[p > 0] * np.log2(p[p > 0])).sum())


@pytest.mark.parametrize("known", [(), (0,), (0, 1), (0, 1, 2)])
@pytest.mark.parametrize("among", [None, [0], [0, 2]])
def test_entropies_follow_the_formulas(known: tuple[int, ...], among: list[int] | None) -> None:
    linkage = example(np.random.default_rng(len(known)))
    found = linkage_entropies(linkage, known, among)
    assert np.column_stack([found.record, found.class_]) == pytest.approx(np.array(brute(linkage, known, among)))


def test_knowing_nothing_leaves_all_records() -> None:
    first, *_, last = known_entropies(example(np.random.default_rng(5)), draw=Draw(combinations=2))
    assert first.known == 0
    assert first.record == pytest.approx(np.log2(40))
    assert last.known == 3
    assert last.record < first.record


def test_unperturbed_data_gives_a_record_away() -> None:
    codes = np.arange(4)[:, None]
    linkage = Linkage(codes, codes, (np.eye(4),), np.zeros(4, int), np.array([[0.5, 0.5]]), np.zeros(4, int))
    assert linkage_entropies(linkage, [0]).record == pytest.approx(0, abs=1e-9)


def test_wrapped_noise_is_that_of_counting_round() -> None:
    rng = np.random.default_rng(1)
    moved = (3 + np.floor(rng.normal(0, 4.0, 400_000) + 0.5)).astype(int) % 10  # four standard errors are below 0.002
    assert np.bincount(moved, minlength=10) / 400_000 == pytest.approx(wrapped_normal(10, 4.0)[3], abs=0.002)


def test_sql_functions_agree() -> None:
    con = sdcdb.register(duckdb.connect())
    weights, shares = [0.1, 0.3, 0.2], [0.0, 0.5, 1.0]
    row = con.execute("SELECT sdc_reidentification_entropy(?), sdc_class_entropy(?, ?)", [weights, weights, shares])
    assert row.fetchone() == pytest.approx((reidentification_entropy(weights), class_entropy(weights, shares)))


def test_bad_input_is_named() -> None:
    with pytest.raises(DataError, match="share of the class"):
        class_entropy([1, 2], [0.5])
    with pytest.raises(DataError, match="at least one"):
        security([], 1, 0.1)
    none, one = np.zeros((0, 1), int), np.zeros((1, 1), int)
    with pytest.raises(DataError, match="no records"):
        Linkage(none, one, (np.eye(2),), none[:, 0], np.eye(2), one[:, 0])


@pytest.mark.parametrize("known", [(0,), (1, 2), (0, 1, 2)])
def test_contracting_and_going_through_pairs_agree(known: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    linkage = example(np.random.default_rng(9))
    found = []
    for way in (True, False):
        monkeypatch.setattr(reidentification, "worthwhile", lambda *_, way=way: way)
        found.append(linkage_entropies(linkage, known))
    assert found[0].record == pytest.approx(found[1].record, abs=1e-12)
    assert found[0].class_ == pytest.approx(found[1].class_, abs=1e-12)


def test_contracting_is_for_small_domains_and_many_pairs() -> None:
    assert worthwhile([(10, 10), (5, 5)], 3, 30_000**2)
    assert not worthwhile([(10, 10), (5, 5)], 3, 10)
    assert not worthwhile([(1000, 1000)] * 4, 3, 30_000**2)
