"""Real servers are started, asked, and their logs read. `.ci/servers` installs them; where absent, the tests say so."""

import shutil
import time
from pathlib import Path

import pytest
from support import mariadb_server, mariadb_talk, postgres_server, postgres_talk

from sdcdb.logs.formats import Options

pytestmark = pytest.mark.soak
HERE = Path(__file__).parent

no_postgres = pytest.mark.skipif(
    postgres_server.programs() is None or shutil.which("psql") is None,
    reason="PostgreSQL is not installed: apt-get install postgresql",
)
no_mariadb = pytest.mark.skipif(
    not mariadb_server.installed(), reason="MariaDB is not installed: apt-get install mariadb-server"
)


@no_postgres
@pytest.mark.parametrize("kind", postgres_talk.SETTINGS)
def test_postgresql_tells_every_read_and_every_failure_in_every_format(kind: str) -> None:
    settings = postgres_talk.SETTINGS[kind]
    if "pgaudit" in settings.get("shared_preload_libraries", "") and not postgres_server.has_pgaudit():
        pytest.skip("pgAudit is not installed: apt-get install postgresql-15-pgaudit")
    with postgres_server.running(settings) as server:
        postgres_talk.talk(server)
        time.sleep(0.5)  # the collector of the log is a separate process
        for ending in ("csv", "json", "log"):
            postgres_talk.check(server.log(ending), kind)
        postgres_talk.check(server.log("log"), kind, Options(prefix=settings["log_line_prefix"]))


@no_mariadb
def test_mariadb_tells_who_read_what_in_both_of_its_logs() -> None:
    with mariadb_server.running() as server:
        mariadb_talk.talk(server)
        mariadb_talk.check(server.general)
        mariadb_talk.check(server.slow)
