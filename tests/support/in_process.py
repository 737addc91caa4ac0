"""The command line in this process: no start to wait for, where a process of its own is not the point."""

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from sdcdb.cli.main import main


@dataclass(frozen=True)
class Said:
    """What a command wrote."""

    stdout: str
    stderr: str


class Run(Protocol):
    """Runs `sdcdb` with these arguments; it must end with this exit code."""

    def __call__(self, *arguments: str | Path, code: int = 0, stdin: str = "") -> Said: ...


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command line in this process."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments: str | Path, code: int = 0, stdin: str = "") -> Said:
        monkeypatch.setattr(sys, "argv", ["sdcdb", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as ended:
            main()
        said = Said(*capsys.readouterr())
        assert (ended.value.code or 0) == code, said
        return said

    return call
