"""Exact findings against an independent rank computation: Gauss on fractions, on random small logs."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.exposed import is_exact
from sdcdb.auditor.proofs.interval import intervals


def determined(rows: np.ndarray, answers: list[Fraction]) -> dict[int, Fraction]:
    """Return the unknowns that sums determine, by reduced echelon form: a row with a single entry names its value."""
    table = [[Fraction(int(each)) for each in row] + [answer] for row, answer in zip(rows, answers, strict=True)]
    done = 0
    for column in range(rows.shape[1]):
        at = next((r for r in range(done, len(table)) if table[r][column]), None)
        if at is None:
            continue
        table[done], table[at] = table[at], table[done]
        table[done] = [each / table[done][column] for each in table[done]]
        for other in range(len(table)):
            factor = table[other][column]
            if other != done and factor:
                table[other] = [x - factor * y for x, y in zip(table[other], table[done], strict=True)]
        done += 1
    found = {}
    for row in table[:done]:
        entries = [column for column, each in enumerate(row[:-1]) if each]
        if len(entries) == 1:
            found[entries[0]] = row[-1]
    return found


@pytest.mark.parametrize("with_data", [True, False], ids=["computed", "recorded"])
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 100), Fraction(1, 10_000)], ids=["whole", "cents", "fine"])
def test_exact_findings_are_those_of_the_rank(unit: Fraction, *, with_data: bool) -> None:
    """Values lie well inside a wide domain, so that only the rank of the sums can determine one."""
    rng = np.random.default_rng(11)
    some = none = 0
    for _ in range(10):
        records, queries = int(rng.integers(4, 9)), int(rng.integers(3, 9))
        values = [int(each) * unit for each in rng.integers(400_000, 600_000, records)]
        rows = rng.random((queries, records)) < rng.choice([0.3, 0.5, 0.7])
        rows[~rows.any(axis=1), 0] = True
        answers = [sum((v for v, inside in zip(values, row, strict=True) if inside), Fraction(0)) for row in rows]
        truth = np.array([float(each) for each in values]) if with_data else None
        domain = Domain(Fraction(0), 1_000_000 * unit, None, unit)
        evidence = replace(Evidence.of([1] * records, domain, rows, ["sum"] * queries, answers), truth=truth)
        expected = determined(rows, answers)
        for enough in (None, float(100_000 * unit)):
            found = intervals(evidence, None, enough)
            exact = {cell for cell in range(records) if is_exact(evidence, found, cell)}
            assert exact == set(expected)
            for cell in exact:
                assert expected[cell] == values[cell]
                assert abs(Fraction(float(found.lower[cell])) - values[cell]) < unit / 1000
        some, none = some + len(expected), none + records - len(expected)
    assert some > 8
    assert none > 8
