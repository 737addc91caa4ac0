"""Risk against utility as a parameter grows."""

import numpy as np
import pytest

from sdcdb.assess.sweep import category_sweep, number_sweep
from sdcdb.fields.amount import parse
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.families.transition import vicus
from sdcdb.techniques.normal import FittedNormal, Normal
from sdcdb.techniques.vicus import FittedVicus, Vicus

WHOLE = NumberShape(type="INTEGER", domain=(0, 20), step=1)


def test_a_stronger_vicus_is_safer_and_less_useful_and_beats_random() -> None:
    values, subsets = ("a", "b", "c", "d"), (("a", "b"), ("c", "d"))
    matrix = vicus(values, subsets, 5, 20).matrix
    fitted = FittedVicus.model_validate(
        {
            "columns": ("x",),
            "shape": {"type": "VARCHAR", "values": values},
            "matrix": matrix.tolist(),
            "subsets": subsets,
        }
    )
    table = np.array([[90, 10], [80, 20], [20, 80], [10, 90]])
    points = category_sweep(fitted, Vicus(method="vicus", k1=5, k2=20), table.sum(axis=1).astype(float), [table])
    by = {method: [p for p in points if p.method == method and not p.chosen] for method in ("vicus", "random")}
    for swept in by.values():
        assert [p.risk for p in swept] == sorted(p.risk for p in swept)
        assert [p.utility for p in swept] == sorted(p.utility for p in swept)
    assert all(v.risk == pytest.approx(r.risk) for v, r in zip(by["vicus"], by["random"], strict=True))
    assert all(v.utility > r.utility for v, r in zip(by["vicus"], by["random"], strict=True))
    assert [p.parameter for p in points if p.chosen] == ["k1 = 5"]


def test_more_noise_is_safer_and_less_useful() -> None:
    fitted = FittedNormal(columns=("x",), sd=3, boundary="clip", shape=WHOLE)
    points = number_sweep(fitted, "x", Normal(method="normal", sd=parse("15%")), np.arange(21.0), ((0, 20), 1))
    assert [p.risk for p in points] == sorted((p.risk for p in points), reverse=True)
    assert [p.utility for p in points] == sorted((p.utility for p in points), reverse=True)
    assert [p.parameter for p in points if p.chosen] == ["sd = 3"]
