"""The history of earlier sessions, in a file that only its owner can read: statements may name people."""

import os
from pathlib import Path

from prompt_toolkit.history import FileHistory, History, InMemoryHistory


def history_path() -> Path:
    """Return the history file: `sdcdb/history` in the user's state folder."""
    given = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    folder = Path(given) if given else Path.home() / ".local" / "state"
    return folder / "sdcdb" / "history"


def history(*, kept: bool) -> tuple[History, str | None]:
    """Return the history, and if it cannot be kept, the reason."""
    if not kept:
        return InMemoryHistory(), None
    try:
        file = history_path()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        file.chmod(0o600)
    except (OSError, RuntimeError) as problem:  # RuntimeError: no home folder
        return InMemoryHistory(), f"history will not be kept: {getattr(problem, 'strerror', None) or problem}"
    return FileHistory(str(file)), None
