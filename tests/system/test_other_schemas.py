"""The owner's path on tables of other schemas, on views, and on what is in no schema of this file."""

import json
from pathlib import Path

import duckdb
import pytest
from support import command

ROWS = """
    CREATE SCHEMA hr;
    CREATE TABLE hr.staff AS SELECT i AS id, if(i % 2 = 0, 'F', 'M') AS sex, 20 + i % 9 AS age, 30000 + i AS salary
    FROM range(400) t(i);
    CREATE VIEW hr.adults AS SELECT * FROM hr.staff WHERE age > 21;
    CREATE VIEW moving AS SELECT id, sex, age + floor(random() * 5)::INTEGER AS age, salary FROM hr.staff;
    ATTACH ':memory:' AS other;
    CREATE TABLE other.t AS SELECT 1 AS id;
    CREATE VIEW far AS SELECT * FROM other.t;
"""
TABLE = """{key: id, columns: {id: identifier, sex: quasi, age: quasi,
    salary: {role: confidential, domain: [0, 100000], step: 1}}, restrict: {min_set: 5}"""
VIEW = """, protect: {hr.shared: {rows: {method: kanonymity, k: 5},
    columns: {salary: {method: swapping, range: 10%}}}}"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "firm.duckdb")) as con:
        con.execute(ROWS)
    return tmp_path


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    done = command.run(*arguments, cwd=folder, code=None)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def declare(folder: Path, *tables: str) -> None:
    (folder / "firm.policy.yaml").write_text("version: 1\ntables:\n" + "".join(f"  {each}\n" for each in tables))


@pytest.mark.parametrize("name", ["hr.staff", "hr.adults"])
def test_a_table_and_a_view_of_another_schema_go_all_the_way(folder: Path, name: str) -> None:
    declare(folder, f"{name}: {TABLE}{VIEW}}}")
    assert run(folder, "check", "firm.duckdb")[0] == 0
    assert run(folder, "protect", "firm.duckdb")[0] == 0
    assert run(folder, "compare", "firm.duckdb", "hr.shared")[0] == 0
    code, said = run(folder, "release", "firm.duckdb", "hr.shared", "-o", "out.duckdb", "--accept-risk", "a test")
    assert code == 0, said
    with duckdb.connect(str(folder / "firm.duckdb"), read_only=True) as con:
        number, pay = con.execute(f"SELECT count(*), sum(salary) FROM {name}").fetchall()[0]
    with duckdb.connect(str(folder / "out.duckdb"), read_only=True) as con:
        assert con.execute("SELECT count(*), sum(salary) FROM hr.shared").fetchall() == [(number, pay)]
    code, said = run(folder, "ask", "firm.duckdb", f"SELECT count(*), sum(salary) FROM {name}", "-u", "ann", "--json")
    assert [int(value) for value in json.loads(said)["rows"][0]] == [number, pay]


def test_a_view_that_moves_by_itself_cannot_be_asked(folder: Path) -> None:
    declare(folder, f"moving: {TABLE}}}")
    code, said = run(folder, "check", "firm.duckdb")
    assert code == 1
    assert "other ones each time it is read" in said


@pytest.mark.parametrize(
    ("arguments", "code"), [(("check", "firm.duckdb"), 1), (("ask", "firm.duckdb", "SELECT 1"), 2)]
)
def test_a_view_of_another_file_is_refused_in_words(folder: Path, arguments: tuple[str, ...], code: int) -> None:
    declare(folder, "far: {key: id, columns: {id: identifier}, restrict: {min_set: 5}}")
    done, said = run(folder, *arguments)
    assert done == code
    assert "'far' cannot be read" in said
    assert "store its records in a table" in said


def test_a_restricted_table_named_without_its_schema_is_named_in_full(folder: Path) -> None:
    declare(folder, f"hr.staff: {TABLE}}}")
    code, said = run(folder, "ask", "firm.duckdb", "SELECT sum(salary) FROM staff")
    assert code == 1
    assert 'there is no table "staff"' in said
    assert "one of: hr.staff" in said


@pytest.mark.parametrize("ending", ["parquet", "csv", "duckdb"])
def test_a_release_without_room_ends_in_words_and_leaves_nothing(folder: Path, ending: str) -> None:
    """A limit on the size of files stands for a full disk."""
    declare(folder, f"hr.staff: {TABLE}{VIEW}}}")
    assert run(folder, "protect", "firm.duckdb")[0] == 0
    program = (
        "import resource, sys; from sdcdb.entry import main; sys.dont_write_bytecode = True;"  # no module cut off
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        f"sys.argv = ['sdcdb', 'release', 'firm.duckdb', 'hr.shared', '-o', 'out.{ending}', '--accept-risk', 'a test'];"
        "main()"
    )
    before = sorted(folder.iterdir())
    done = command.run(cwd=folder, code=2, python=program)
    assert f"out.{ending}" in done.stderr
    assert "disk" in done.stderr
    assert sorted(folder.iterdir()) == before
