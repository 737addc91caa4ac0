"""The record key behind every draw: what is refused, and that no value gets out without one."""

from typing import Any

import duckdb
import pytest
from support.protecting import filled, fixed_secret, policy_of

from sdcdb.connection.identifiers import table_reference
from sdcdb.errors import SdcdbError
from sdcdb.policy.governed import Governed
from sdcdb.views.protect import protect
from sdcdb.views.secret import REDACTED, redacted

_secret = fixed_secret("0123456789abcdef0123456789")


def view_of(select: str, method: dict[str, Any], column: str = "v") -> Governed:
    roles = {"id": "identifier", column: {"role": "confidential", "domain": [0, 100]}}
    return filled(select, policy_of(roles, {"columns": {column: method}}, table="t", name="p"))


@pytest.mark.parametrize("method", [{"method": "suppression", "share": "50%"}, {"method": "normal", "sd": 5}])
def test_a_record_that_comes_without_a_key_is_never_read(method: dict[str, Any]) -> None:
    database = view_of("SELECT i AS id, 50 AS v FROM range(10) r(i)", method)
    protect(database)
    database.con.execute("INSERT INTO t VALUES (NULL, 77)")
    with pytest.raises(duckdb.Error, match="a record has no key"):
        database.con.execute("SELECT v FROM p").fetchall()


def test_a_column_that_is_called_rowid_is_a_column_like_any_other() -> None:
    roles = {"rowid": "identifier", "v": "quasi"}
    policy = policy_of(roles, {"columns": {"v": {"method": "warner", "p": 0.5}}}, key="rowid")
    database = filled("SELECT 1 AS rowid, i % 2 AS v FROM range(10) r(i)", policy)
    with pytest.raises(SdcdbError, match="'rowid' is not unique"):
        protect(database)


def test_a_column_that_could_be_taken_for_a_draw_is_refused() -> None:
    database = view_of('SELECT i AS id, i AS "sdc draw 0 0" FROM range(9) r(i)', {"method": "normal", "sd": 1},
                       column="sdc draw 0 0")  # fmt: skip
    with pytest.raises(SdcdbError, match="a name that sdcdb reserves"):
        protect(database)


def test_keys_are_blanked_out_wherever_a_statement_is_quoted() -> None:
    key = "0123456789abcdef" * 2
    for quoted in (f"sha256('{key}:0:' || x)", f"sha256(('{key}:0:' || x))", f"sha2(concat('{key}:3:', x), 256)"):
        assert redacted(quoted) == quoted.replace(key, REDACTED)


@pytest.mark.parametrize("name", ['a "b" c', "a.b.c", "", '"open'])
def test_a_name_that_cannot_be_read_is_refused(name: str) -> None:
    with pytest.raises(SdcdbError, match="cannot read the name"):
        table_reference(name)
