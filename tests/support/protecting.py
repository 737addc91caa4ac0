"""A table of any shape with one protected view, in memory: what most tests of techniques begin with."""

from collections.abc import Callable
from typing import Any

import duckdb
import pytest

from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Policy
from sdcdb.views.protect import Protected, protect

ENVIRONMENT = "SDCDB_TEST_SECRET"


def fixed_secret(value: str) -> Callable[..., None]:
    """Return a fixture that gives every view of a test module this secret: what is drawn is the same for ever."""

    @pytest.fixture(autouse=True)
    def secret(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(ENVIRONMENT, value)

    return secret


def policy_of(
    roles: dict[str, Any], view: dict[str, Any], *, table: str = "x", name: str = "y", key: str = "id"
) -> Policy:
    """Return the policy of one table with one protected view; `view` has `columns`, `rows` or `all`."""
    spec = {"key": key, "columns": roles, "protect": {name: {"secret": f"env:{ENVIRONMENT}"} | view}}
    return Policy.model_validate({"version": 1, "tables": {table: spec}})


def filled(select: str, policy: Policy) -> Governed:
    """Return a database in memory with the policy's one table, made by a query; nothing is protected yet."""
    # Not sdcdb.open: the SQL functions that it registers play no part here, and would be a third of the time.
    database = Governed(None, duckdb.connect(), policy)
    (table,) = policy.tables
    database.con.execute(f"CREATE TABLE {table} AS {select}")
    return database


def protected(select: str, roles: dict[str, Any], view: dict[str, Any], **names: str) -> tuple[Governed, Protected]:
    """Make the table and its protected view."""
    database = filled(select, policy_of(roles, view, **names))
    (made,) = protect(database)
    return database, made
