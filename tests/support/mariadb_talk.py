"""What people ask a MariaDB server in the tests: attacks beside errors, backslashes and prepared statements."""

from pathlib import Path

from sdcdb.logs.formats import read
from sdcdb.logs.record import LoggedQuery
from sdcdb.logs.tally import Tally
from support.mariadb_server import MariadbServer

TABLE = """
CREATE TABLE staff (id int primary key, name varchar(20), sex char(1), age int, dept varchar(10), salary int);
INSERT INTO staff SELECT seq, concat('p', seq), if(seq % 2, 'M', 'F'), 20 + seq % 40, concat('d', seq % 5),
  2000 + 13 * seq FROM seq_1_to_200;
CREATE TABLE secret (id int);
CREATE USER alice@localhost; CREATE USER bob@localhost; CREATE USER 'carol o''neil'@localhost;
GRANT SELECT ON test.staff TO alice@localhost, bob@localhost, 'carol o''neil'@localhost;
"""


def talk(server: MariadbServer) -> None:
    """Each person reads a salary successfully; other statements fail or look odd."""
    server.ask(TABLE)
    server.ask("SELECT salary FROM staff WHERE id = 1;\nSELEC nonsense;\nSELECT * FROM secret;\n", "alice")
    server.ask(
        "SELECT salary FROM staff WHERE name <> 'it\\'s; -- odd' AND id = 2;\n"
        "SELECT sum(salary)\n  FROM staff\n\n  WHERE dept = 'd1';\n",
        "bob",
    )
    server.ask(
        "PREPARE q FROM 'SELECT salary FROM staff WHERE id = ?';\nSET @n = 3;\nEXECUTE q USING @n;\n"
        "SELECT /*! max(salary) */ FROM staff;\nUSE test;\nSELECT 1 # done\n;\n",
        "carol o'neil",
    )


def check(file: Path) -> None:
    """Assert that a general or slow log tells who read what, and accounts for every line."""
    tallies: dict[str, Tally] = {}
    found = list(read([file], tallies=tallies))
    queries = [each for each in found if isinstance(each, LoggedQuery)]
    assert len(queries) == len(found)
    (tally,) = tallies.values()
    assert tally.lines == len(file.read_text(encoding="utf-8").splitlines()) == sum(tally.fates.values())
    assert {each.dialect for each in queries} == {"mysql"}
    assert [(each.user, each.sql) for each in queries if each.user != "root"] == [
        ("alice", "SELECT salary FROM staff WHERE id = 1"),
        ("alice", "SELEC nonsense"),
        ("alice", "SELECT * FROM secret"),
        ("bob", "SELECT salary FROM staff WHERE name <> 'it\\'s; -- odd' AND id = 2"),
        ("bob", "SELECT sum(salary)\n  FROM staff\n\n  WHERE dept = 'd1'"),
        ("carol o'neil", "SET @n = 3"),
        ("carol o'neil", "SELECT salary FROM staff WHERE id = 3"),
        ("carol o'neil", "SELECT /*! max(salary) */ FROM staff"),
        ("carol o'neil", "SELECT DATABASE()"),
        ("carol o'neil", "SELECT 1 # done"),
    ]
    assert all(each.time is not None for each in queries)
