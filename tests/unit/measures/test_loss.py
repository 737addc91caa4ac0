"""Losses of EAN, record by record."""

import pytest

from sdcdb.measures.loss import record_loss, sensitive_loss


def test_ean_losses_are_those_of_the_paper() -> None:
    assert record_loss([3, 5, 7, 10], [0.0] * 7).tolist() == pytest.approx([0.083, 0.1, 0.107, 0.1125], abs=5e-4)
    assert float(sensitive_loss(1)) == 0.0
    assert float(record_loss(4, [])) == 0.75


def test_record_loss_takes_one_loss_per_record() -> None:
    assert record_loss([2, 4], [[0.5, 0.25], 0.2]).tolist() == pytest.approx([1.2 / 3, 1.2 / 3])
