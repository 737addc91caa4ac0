"""A table of which no column may be used: a denial still says what to try."""

from pathlib import Path

import duckdb
import pytest

import sdcdb
from sdcdb.errors import Unsupported

POLICY = """
version: 1
tables:
  members: {key: nr, columns: {nr: identifier, name: identifier}, restrict: {}}
"""


def test_the_hint_is_never_an_empty_list(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "club.duckdb")) as con:
        con.execute("CREATE TABLE members AS SELECT i AS nr, 'Zq' || i AS name FROM range(50) t(i)")
    (tmp_path / "policy.yaml").write_text(POLICY)
    with sdcdb.open(tmp_path / "club.duckdb", tmp_path / "policy.yaml") as database, database.gateway() as gateway:
        with pytest.raises(Unsupported) as refusal:
            gateway.ask("SELECT COUNT(*) FROM members WHERE name = 'Zq1'")
        assert refusal.value.hint == "COUNT(*) of the whole table"
        assert gateway.ask("SELECT COUNT(*) FROM members").rows == ((50,),)
