"""A maximum over many people, all but one of whom sums rule out, is that one's value, and the audit finds it."""

from fractions import Fraction

import numpy as np
import pytest

from sdcdb.auditor.evidence import Domain, Evidence, Kind
from sdcdb.auditor.proofs.interval import intervals


def ruled_out(people: int, total: int, kind: Kind, answer: int) -> Evidence:
    """Return sums over neighbours, and an extreme over everybody; the last person is in no sum."""
    sets = np.zeros((people - 1, people), dtype=bool)
    for n in range(people - 2):
        sets[n, n : n + 2] = True
    sets[-1] = True
    domain = Domain(Fraction(0), Fraction(100), Fraction(1))
    sums: list[Kind] = ["sum"] * (people - 2)
    return Evidence.of([1] * people, domain, sets, [*sums, kind], [total] * (people - 2) + [answer])


@pytest.mark.parametrize("people", [7, 25, 61])
@pytest.mark.parametrize("enough", [None, 10.0])
@pytest.mark.parametrize(("total", "kind", "answer"), [(40, "max", 90), (160, "min", 10)])
def test_the_only_one_who_can_have_an_extreme_is_found(
    people: int, enough: float | None, total: int, kind: Kind, answer: int
) -> None:
    found = intervals(ruled_out(people, total, kind, answer), enough=enough)
    assert (found.lower[-1], found.upper[-1]) == (answer, answer)
    assert not found.beyond


def test_nobody_is_named_where_two_can() -> None:
    found = intervals(ruled_out(25, 110, "max", 90), enough=10.0)
    assert found.widths[-1] >= 10
