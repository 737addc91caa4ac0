"""Names that the gateway gives to its own relations: nobody else can write them."""

import pytest
from support.stages import Stages

from sdcdb.errors import Denied
from sdcdb.gateway.reading.reserved import (
    CELL,
    CELLS,
    COPIED,
    RECORDS,
    public_alias,
    released_aggregate,
    released_group,
    released_relation,
)

OWN = (
    CELL,
    CELLS,
    COPIED,
    RECORDS,
    public_alias(0),
    released_relation(0),
    f"{released_relation(0)} rows",
    released_group(0),
    released_aggregate(0),
)
WAYS = (
    'SELECT * FROM "{name}"',
    'SELECT "{name}" FROM (SELECT sex, AVG(salary) FROM staff GROUP BY sex)',
    'SELECT AVG(salary) FROM staff WHERE "{name}" > 0',
    'SELECT SUM("{name}") FROM staff',
    'SELECT COUNT(*) FROM staff GROUP BY "{name}"',
    'WITH "{name}" AS (SELECT 1 AS x) SELECT AVG(salary) FROM staff, "{name}"',
    'SELECT AVG(salary) AS "{name}" FROM staff',
    'SELECT AVG(salary) FROM staff AS "{name}" WHERE "{name}".sex = \'F\'',
    "SELECT * FROM query_table('{name}')",
)


@pytest.mark.parametrize("name", OWN)
def test_no_statement_reaches_a_name_of_the_gateway(stage: Stages, name: str) -> None:
    gateway = stage(100).gateway
    for way in WAYS:
        with pytest.raises(Denied) as refusal:
            gateway.ask(way.format(name=name))
        assert name not in str(refusal.value)


def test_released_results_leave_under_the_analysts_own_names(stage: Stages) -> None:
    answer = stage(100).gateway.ask("SELECT *, 1 AS one FROM (SELECT sex, AVG(salary) FROM staff GROUP BY sex) AS t")
    assert answer.columns == ("sex", "avg(salary)", "one")
