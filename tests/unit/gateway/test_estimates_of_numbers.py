"""Sums and means of a number, estimated from a protected view where they are denied, with errors that hold."""

from pathlib import Path

import duckdb
import numpy as np
import pytest

import sdcdb

GROUPS, SIZE = 60, 50
POLICY = """
version: 1
tables:
  people:
    key: id
    columns:
      id: identifier
      place: quasi
      income: {{role: confidential, domain: [0, 1000], step: 1}}
    restrict: {{min_set: 100, groups: deny, estimate: on_denial}}
    protect:
      people_public: {{secret: "env:SDCDB_SECRET_OF_TEST", columns: {{income: {method}}}}}
"""
PEOPLE = f"""
CREATE TABLE people AS
SELECT i AS id, i % {GROUPS} AS place,
       CASE WHEN i % 7 = 0 THEN 0 ELSE 150 + (i * 7919 + i // 60 * 31) % 700 END AS income
FROM range({GROUPS * SIZE}) t(i)
"""
ASKED = "SELECT place, SUM(income), AVG(income), COUNT(*) FROM people GROUP BY place ORDER BY place"


@pytest.mark.parametrize(("method", "biased"), [("normal, sd: 80, boundary: clip", False), ("normal, sd: 80", True)])
def test_errors_of_sums_and_means_hold(
    method: str,
    biased: bool,  # noqa: FBT001 - pytest
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sixty groups, each too small: deviations in standard errors are those of errors, within four errors of theirs.

    Where noise is wrapped around the ends, and a seventh of the people is at one, the estimate has a bias, which the
    error holds; otherwise it has none.
    """
    monkeypatch.setenv("SDCDB_SECRET_OF_TEST", "the same noise in every run, so the same numbers")
    file, policy = tmp_path / "people.duckdb", tmp_path / "policy.yaml"
    with duckdb.connect(str(file)) as con:
        con.execute(PEOPLE)
        true = np.array(con.execute(ASKED).fetchall(), dtype=np.float64)
    policy.write_text(POLICY.format(method=f"{{method: {method}}}"))
    with sdcdb.open(file, policy=policy) as database:
        database.protect()
        with database.gateway() as gateway:
            found = gateway.ask(ASKED)
    assert found.estimated
    assert found.verdict.rule == "size"
    values, errors = np.array(found.rows, dtype=np.float64), np.array(found.errors, dtype=np.float64)
    assert values[:, 0].tolist() == true[:, 0].tolist()
    assert (values[:, 3] == SIZE).all()
    for column in (1, 2):
        assert (errors[:, column] > 0).all()
        deviations = (values[:, column] - true[:, column]) / errors[:, column]
        assert biased or abs(deviations.mean()) <= 4 / np.sqrt(GROUPS)
        assert 0.3 <= np.sqrt((deviations**2).mean()) <= 1 + 4 / np.sqrt(2 * GROUPS)
    assert errors[:, 2] == pytest.approx(errors[:, 1] / SIZE)
    assert errors[:, 2].max() < (100 if biased else 15)  # the noise itself makes 80 / sqrt(50), about 11
