"""Record the logs of real servers in tests/cases/logs: python -m support.record_servers (from tests)."""

import shutil
import time

from support import mariadb_server, mariadb_talk, postgres_server, postgres_talk
from support.paths import CASES

FOLDER = CASES / "logs" / "servers"
KEPT = (
    "statement.log",
    "statement.json",
    "duration.log",
    "all.csv",
    "pgaudit.csv",
    "pgaudit.log",
    "explain.log",
    "both.log",
)

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind, settings in postgres_talk.SETTINGS.items():
        with postgres_server.running(settings) as server:
            postgres_talk.talk(server)
            time.sleep(0.5)
            for name in KEPT:
                if name.startswith(kind + "."):
                    shutil.copyfile(server.log(name.partition(".")[2]), FOLDER / name)
    with mariadb_server.running() as maria:
        mariadb_talk.talk(maria)
        shutil.copyfile(maria.general, FOLDER / "mariadb-general.log")
        shutil.copyfile(maria.slow, FOLDER / "mariadb-slow.log")
