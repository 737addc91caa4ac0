"""The table of the corpus, opened once for all tests that only read it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import sdcdb
from sdcdb.auditor.reading.snapshot import Snapshot
from support.corpus import DATA, POLICY


@pytest.fixture(scope="session")
def staff_snapshot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Snapshot]:
    """Return the staff of the corpus as an audit sees it."""
    folder: Path = tmp_path_factory.mktemp("staff")
    with sdcdb.open(folder / "staff.duckdb", create=True) as made:
        made.con.execute(DATA)
    (folder / "staff.policy.yaml").write_text(POLICY)
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as opened:
        assert opened.policy is not None
        found = Snapshot(opened.con, opened.policy)
        yield found
        found.close()
