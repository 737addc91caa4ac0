"""What \\d says about a table."""

import pytest
from support.staff_relations import RELATIONS

from sdcdb.errors import SdcdbError
from sdcdb.shell.describe import describe


def test_identifiers_are_not_described() -> None:
    assert describe(RELATIONS, "STAFF") == [
        ("sex", "VARCHAR", "conditions, GROUP BY, aggregates"),
        ("salary", "INTEGER", "count, sum, avg, min, max; values 10,000 to 250,000 in steps of 1"),
        ("Job title", "VARCHAR", "conditions, GROUP BY, aggregates"),
    ]
    with pytest.raises(SdcdbError, match="did you mean 'staff'"):
        describe(RELATIONS, "stuff")
