"""`sdcdb serve --demo`: the demo company in a new folder, with a user of each access."""

import os
import secrets
from importlib.resources import files
from pathlib import Path

from sdcdb.cli.datasets import datasets
from sdcdb.cli.protect import protect
from sdcdb.cli.serve_config import ServeConfig
from sdcdb.cli.tour import new_folder

ROWS = 2_000


def create_demo(settings: ServeConfig) -> tuple[ServeConfig, dict[str, str]]:
    """Create database, policy, view and users; return the settings for it, and the passwords by name."""
    from sdcdb.gateway.auth.access import Access
    from sdcdb.gateway.auth.users import UserStore
    from sdcdb.gateway.auth.users_file import users_path

    place = new_folder(settings.database)
    database = place / "staff.duckdb"
    datasets("staff", database, ROWS, 1, quiet=True)
    text = files("sdcdb.cli").joinpath("demo.policy.yaml").read_text(encoding="utf-8")
    if "SDCDB_SECRET" not in os.environ:
        text = text.replace("env:SDCDB_SECRET", "keyfile")
    Path(place / "staff.policy.yaml").write_text(text, encoding="utf-8")
    protect(database, quiet=True)
    users = UserStore(users_path(database))
    people = {}
    for name, access in (("ann", Access.ANALYST), ("eve", Access.AUDITOR), ("olga", Access.OWNER)):
        people[name] = f"{name}-{secrets.token_hex(4)}"
        users.add(name, people[name], access)
    return settings.model_copy(update={"database": database, "policy": None}), people
