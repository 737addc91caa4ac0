"""Files that appear whole or not at all, and never in the place of something else."""

from pathlib import Path

import pytest

from sdcdb.connection.atomic_file import written_whole
from sdcdb.errors import DatabaseError


def test_a_device_is_never_replaced() -> None:
    before = Path("/dev/null").stat()
    with pytest.raises(DatabaseError, match="not a regular file"), written_whole(Path("/dev/null"), replace=True):
        pytest.fail("a device was opened")
    assert Path("/dev/null").stat().st_rdev == before.st_rdev


def test_neither_is_a_link_nor_what_it_leads_to(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("mine")
    link.symlink_to(real)
    with pytest.raises(DatabaseError, match="symbolic link"), written_whole(link, replace=True):
        pytest.fail("a link was followed")
    assert real.read_text() == "mine"
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with pytest.raises(DatabaseError, match="symbolic link"), written_whole(tmp_path / "dangling"):
        pytest.fail("a link was followed")


def _fail_halfway(file: Path) -> None:
    with written_whole(file, replace=True) as part:
        part.write_text("half")
        raise RuntimeError


def test_an_existing_file_is_replaced_whole_and_only_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("old")
    with pytest.raises(DatabaseError, match="--force"), written_whole(file):
        pytest.fail("overwrote a file")
    with pytest.raises(RuntimeError):
        _fail_halfway(file)
    assert file.read_text() == "old"
    with written_whole(file, replace=True) as part:
        part.write_text("new")
    assert file.read_text() == "new"
    assert [each.name for each in tmp_path.iterdir()] == ["f"]
