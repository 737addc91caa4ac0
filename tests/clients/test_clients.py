"""Real clients against a real server. What is not installed is skipped, with a word; `.ci/clients` installs all."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import serve_process, serving
from support.serve_process import Served

pytestmark = pytest.mark.clients
HERE = Path(__file__).parent
JAR = Path(os.environ.get("PGJDBC", "/usr/share/java/postgresql.jar"))
PYTHON = os.environ.get("CLIENTS_PYTHON", sys.executable)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    path = serving.create(tmp_path_factory.mktemp("clients"), rows=400)
    with serve_process.serve(path) as found:
        yield found


def run(served: Served, *command: str | Path) -> str:
    arguments = ["127.0.0.1", str(served.port), "ann", serving.PASSWORD]
    done = subprocess.run([*map(str, command), *arguments], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed: .ci/clients installs it")
    return found


@pytest.mark.parametrize("name", ["asyncpg", "sqlalchemy", "adbc", "odbc"])
def test_python_s_other_drivers(served: Served, name: str) -> None:
    module = {"adbc": "adbc_driver_postgresql", "odbc": "pyodbc"}.get(name, name)
    if subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode:
        pytest.skip(f"{module} is not installed: .ci/clients installs it")
    assert run(served, PYTHON, HERE / f"client_{name}.py").endswith("ok\n")


def test_pgjdbc(served: Served) -> None:
    java = needs("java")
    if not JAR.exists():
        pytest.skip("pgjdbc is not installed: .ci/clients installs it")
    assert run(served, java, "-cp", JAR, HERE / "Client.java").endswith("ok\n")


def test_node_postgres(served: Served) -> None:
    node = needs("node")
    if subprocess.run([node, "-e", "require('pg')"], capture_output=True, check=False).returncode:
        pytest.skip("node-postgres is not installed: .ci/clients installs it")
    assert run(served, node, HERE / "client.js").endswith("ok\n")


def test_r(served: Served) -> None:
    assert run(served, needs("Rscript"), HERE / "client.R").endswith("ok\n")


PSQL = {
    r"\dt": "staff    | table",
    r"\d staff": "salary    | integer",
    r"\d+ staff": "confidential: only inside",
    r"\l": "staff",
    r"\du": "ann",
    r"\dn": "main",
    r"\dv": "Did not find any relations",
    "SELECT COUNT(*) FROM staff": "400",
    "SELECT current_schema()": "main",
    "SHOW transaction_read_only": "on",
    "COPY (SELECT sex, COUNT(*) FROM staff GROUP BY sex) TO STDOUT (FORMAT csv)": "F,",
}


@pytest.mark.parametrize("command", PSQL)
def test_psql(served: Served, command: str) -> None:
    done = subprocess.run(
        [needs("psql"), "-X", served.dsn(), "-c", command], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert PSQL[command] in done.stdout or PSQL[command] in done.stderr


RELATIONS, NOTHING, NO_ROWS = "staff    | table", "Did not find any relations", "(0 rows)"
BACKSLASHES = {
    r"\d": RELATIONS,
    r"\d+": "restricted: aggregates are answered exactly, or denied",
    r"\dt": RELATIONS,
    r"\dv": NOTHING,
    r"\dn": "main | ann",
    r"\dn+": "main",
    r"\dA": "heap",
    r"\dL": NO_ROWS,
    r"\da": NO_ROWS,
    r"\dconfig": NO_ROWS,
    r"\lo_list": NO_ROWS,
    r"\copy (SELECT sex, COUNT(*) FROM staff GROUP BY sex ORDER BY sex) TO STDOUT CSV HEADER": "sex,count_star()",
    r"\l": "staff | ann",
    r"\du": "ann",
    r"\df": NO_ROWS,
    r"\dT": NO_ROWS,
    r"\dp": RELATIONS,
    r"\di": NOTHING,
    r"\ds": NOTHING,
    r"\dd": NO_ROWS,
    r"\dx": NO_ROWS,
    r"\dC": NO_ROWS,
    r"\do": NO_ROWS,
    r"\dF": NO_ROWS,
    r"\sf": "function name is required",
    r"\sf now": "ERROR:  there is no function of this name to look at",
    r"\sv": "view name is required",
    r"\sv staff": '"main.staff" is not a view',
    r"\z": RELATIONS,
    r"\conninfo": 'You are connected to database "staff" as user "ann"',
    r"\encoding": "UTF8",
    r"\d staff": "salary    | integer",
    r"\d+ staff": "confidential: only inside COUNT, SUM, AVG",
    "SELECT COUNT(*) FROM staff": "400",
}


def test_psql_s_backslash_commands_in_one_connection(served: Served) -> None:
    command = [needs("psql"), "-X", served.dsn()]
    for number, each in enumerate(BACKSLASHES):
        command += ["-c", rf"\echo == {number}", "-c", each]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout  # of the last, a question, which needs the connection still
    said = dict(enumerate(re.split(r"^== \d+\n", done.stdout, flags=re.MULTILINE)[1:]))
    wrong = {each: said.get(number) for number, each in enumerate(BACKSLASHES) if BACKSLASHES[each] not in said[number]}
    assert wrong == {}
    refused = [each for number, each in enumerate(BACKSLASHES) if "ERROR" in said[number]]
    assert refused == [r"\sf now"]
