"""What a long run came to, as a small JSON file in the folder that SDCDB_SOAK_RECORD names; without it, nowhere."""

import json
import os
from pathlib import Path


def record(name: str, **outcome: object) -> None:
    """Write an outcome."""
    folder = os.environ.get("SDCDB_SOAK_RECORD")
    if folder:
        text = json.dumps(outcome, indent=2) + "\n"
        (Path(folder) / f"{name}.json").write_text(text, encoding="utf-8")
