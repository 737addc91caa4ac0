"""Through the gateway: tables that agree on what is public and on all answers look the same, byte for byte."""

from pathlib import Path

import pytest
from support.paired_tables import compare

FEW = 12
MANY, AT_ONCE = 1008, 24


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDCDB_PAIRS", "a secret for the noise of a view, long enough")


def test_pairs_of_tables_look_the_same_to_an_analyst(tmp_path: Path) -> None:
    assert compare(range(FEW), tmp_path) >= FEW - 4


@pytest.mark.soak
@pytest.mark.parametrize("start", range(100, 100 + MANY, AT_ONCE))
def test_over_a_thousand_pairs_look_the_same_to_an_analyst(start: int, tmp_path: Path) -> None:
    assert compare(range(start, start + AT_ONCE), tmp_path) >= AT_ONCE * 3 // 4
