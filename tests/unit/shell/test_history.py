"""The history of the shell: private, or not kept."""

import stat
from pathlib import Path

import pytest

from sdcdb.shell.history import history


def test_the_history_is_for_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    kept, problem = history(kept=True)
    kept.store_string("SELECT 1;")
    file = tmp_path / "sdcdb" / "history"
    assert problem is None
    assert "SELECT 1;" in file.read_text(encoding="utf-8")
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)


def test_a_history_that_cannot_be_kept_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sdcdb").write_text("a file where a folder belongs", encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert "history will not be kept" in (history(kept=True)[1] or "")
    assert history(kept=False)[1] is None
