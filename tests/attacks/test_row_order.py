"""The order of a released copy: if it were the raw table's, whoever knows that order would know whose row is whose."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import victims

import sdcdb
from sdcdb.errors import Unsupported
from sdcdb.gateway.gateway import Gateway
from sdcdb.views.protect import protect

PROTECT = """\
    protect:
      staff_public:
        secret: env:SDCDB_ORDER
        columns:
          salary: {method: normal, sd: 10%, boundary: reflect}
  dept_dim: public
"""


@pytest.fixture
def gateway(tmp_path: Path) -> Iterator[Gateway]:
    os.environ["SDCDB_ORDER"] = "a secret of thirty and more characters, for this test"
    path = victims.create(tmp_path / "staff.duckdb")
    rules = victims.policy(tmp_path / "staff.policy.yaml")
    rules.write_text(rules.read_text("utf-8").replace("  dept_dim: public\n", PROTECT), "utf-8")
    with sdcdb.open(path, policy=rules) as db:
        db.con.execute("INSERT INTO dept_dim VALUES ('Zoo', 'Hill'), ('Archive', 'Hill')")
        protect(db)
        raw = db.con.execute("SELECT age, sex, dept, education, salary FROM staff_public").fetchall()
        assert raw != sorted(raw), "the raw order must be recognisable"
        with db.gateway() as found:
            yield found
    del os.environ["SDCDB_ORDER"]


def test_a_protected_view_is_in_the_order_of_its_values(gateway: Gateway) -> None:
    columns = ", ".join(gateway.ask("SELECT * FROM staff_public LIMIT 0").columns)
    rows = gateway.ask(f"SELECT {columns} FROM staff_public").rows
    assert len(rows) == 240
    assert list(rows) == sorted(rows)


@pytest.mark.parametrize("table", ["staff_public", "dept_dim"])
def test_copies_have_no_rowid(gateway: Gateway, table: str) -> None:
    with pytest.raises(Unsupported):
        gateway.ask(f"SELECT rowid FROM {table}")
    with pytest.raises(Unsupported):
        gateway.ask(f"SELECT dept FROM {table} ORDER BY rowid")
