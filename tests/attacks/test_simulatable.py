"""Through the gateway: tables that agree on what is public and on all answers look the same, byte for byte."""

from pathlib import Path

import pytest
from support.paired_tables import compare

FEW = 6
MANY = 1008


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDCDB_PAIRS", "a secret for the noise of a view, long enough")


def test_pairs_of_tables_look_the_same_to_an_analyst(tmp_path: Path) -> None:
    different = 0
    for seed in range(FEW):
        folder = tmp_path / str(seed)
        folder.mkdir()
        different += compare(seed, folder)
    assert different >= FEW - 2


@pytest.mark.soak
@pytest.mark.parametrize("start", range(100, 100 + MANY, 56))
def test_over_a_thousand_pairs_look_the_same_to_an_analyst(start: int, tmp_path: Path) -> None:
    different = 0
    for seed in range(start, start + 56):
        folder = tmp_path / str(seed)
        folder.mkdir()
        different += compare(seed, folder)
    assert different >= 45
