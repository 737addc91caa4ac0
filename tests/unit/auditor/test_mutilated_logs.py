"""Logs as they arrive: cut, mixed, doubled, in odd encodings. None of them ends with "nothing exceeds the policy"."""

import bz2
import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.corpus import DATA, POLICY

import sdcdb
from sdcdb.auditor.run import Request, run
from sdcdb.database import Database
from sdcdb.errors import SdcdbError

Q = "SELECT name, salary FROM staff WHERE id = 3"
H = "time,user,query\n"
R = f'2026-05-01 10:00:00,eve,"{Q}"\n'
BOB = "2026-05-01 10:00:00,bob,SELECT 1\n"
M = "2026-05-01T10:00:00.000000Z\t    8 "
L = "2026-05-01 10:00:00.000 UTC [77] eve@db "
P = "2026-05-01 10:00:0%d.000 UTC [77] eve@db LOG:  statement: %s\n"
C = (
    '2026-05-01 10:00:00.000 UTC,"eve","db",77,"[local]",6a,%d,"SELECT",2026-05-01 10:00:00 UTC,3/1,0,LOG,00000,'
    '"statement: %s",,,,,,,,,"psql","client backend",,0\n'
)
LOGS: dict[str, bytes] = {
    "utf16-bom.csv": (H + R).encode("utf-16"),
    "utf16-nobom.csv": (H + R).encode("utf-16-le"),
    "latin1.csv": (H + R + "2026-05-01 10:00:00,eve,\"SELECT salary FROM staff WHERE name = 'Müller'\"\n").encode(
        "latin-1"
    ),
    "cr.csv": (H + R).replace("\n", "\r").encode(),
    "crlf.csv": (H + R).replace("\n", "\r\n").encode(),
    "semicolon.csv": ("time;user;query\n" + R.replace(",eve,", ";eve;").replace("00,", "00;")).encode(),
    "tab.tsv": ("time\tuser\tquery\n2026-05-01\teve\t" + Q + "\n").encode(),
    "header-again.csv": (H + "2026-05-01 10:00:00,bob,SELECT 1\n" + H + R).encode(),
    "header-other-order.csv": (
        H + '2026-05-01 10:00:00,bob,SELECT 1\nquery,user,time\n"' + Q + '",eve,2026-05-01 10:00:00\n'
    ).encode(),
    "no-final-newline.csv": (H + R).rstrip("\n").encode(),
    "cut-in-quotes.csv": (H + R)[:-20].encode(),
    "nul.csv": (H + R.replace("salary", "sal\0ary")).encode(),
    "zero-width.csv": (H + R.replace("staff", "st\u200baff")).encode(),
    "fullwidth.csv": (H + R.replace("salary", "ｓａｌａｒｙ")).encode(),
    "bz2.csv.bz2": bz2.compress((H + R).encode()),
    "xz.csv.xz": lzma.compress((H + R).encode()),
    "gz2.csv.gz": gzip.compress(H.encode()) + gzip.compress(R.encode()),
    "gzcut.csv.gz": gzip.compress((H + R * 50).encode())[:-9],
    "gzgarbage.csv.gz": gzip.compress((H + "2026-05-01 10:00:00,bob,SELECT 1\n").encode()) + b"garbage after",
    "jsonl": "\n".join(
        json.dumps(x)
        for x in [{"ts": "2026-05-01", "user": "bob", "sql": "SELECT 1"}, {"ts": "2026-05-01", "user": "eve", "sql": Q}]
    ).encode()
    + b"\n",
    "jsonl-cut": (
        json.dumps({"user": "bob", "sql": "SELECT 1"}) + "\n" + json.dumps({"user": "eve", "sql": Q})[:-12]
    ).encode(),
    "jsonl-renamed": (
        json.dumps({"user": "bob", "sql": "SELECT 1"}) + "\n" + json.dumps({"user": "eve", "request": Q}) + "\n"
    ).encode(),
    "jsonl-nested": (
        json.dumps({"user": "bob", "sql": "SELECT 1"}) + "\n" + json.dumps({"event": {"sql": Q, "user": "eve"}}) + "\n"
    ).encode(),
    "jsonl-list-of-queries": (
        json.dumps({"user": "bob", "sql": "SELECT 1"}) + "\n" + json.dumps({"user": "eve", "sql": [Q]}) + "\n"
    ).encode(),
    "json-array-cut": ('[{"user":"bob","sql":"SELECT 1"},\n{"user":"eve","sql":"' + Q).encode(),
    "json-duplicate-key": (
        '{"user":"bob","sql":"SELECT 1"}\n{"user":"eve","sql":"' + Q + '","sql":"SELECT 1"}\n'
    ).encode(),
    "pgss.csv": (b'userid,query,calls,rows\n10,"SELECT name, salary FROM staff WHERE id = $1",3,3\n'),
    "pgss2.csv": (b'rolname,query,calls\neve,"SELECT sum(salary) FROM staff WHERE id <> $1",3\n'),
    "pg.log": (P % (0, "BEGIN") + P % (1, Q) + P % (2, "ROLLBACK")).encode(),
    "pg-multiline.log": (P % (0, "SELECT name,\n\tsalary\n\tFROM staff")).encode(),
    "pg-syslog.log": (
        f"May  1 10:00:00 host postgres[77]: [3-1] {L}LOG:  statement: SELECT name,\nMay  1 10:00:00 host postgres[77]: [3-2] #011salary FROM staff\n".encode()  # noqa: E501 - one line of a log
    ),
    "pg-cut.log": (P % (0, "SELECT 1") + (P % (1, Q))[:-15]).encode(),
    "pg-duration.log": (f"{L}LOG:  duration: 0.1 ms  statement: " + Q + "\n").encode(),
    "pg-portal.log": (f"{L}LOG:  execute S_1/C_2: SELECT name, salary FROM staff WHERE id = $1\n".encode()),
    "pg-fetch.log": (f"{L}LOG:  execute fetch from S_1/C_2: SELECT name, salary FROM staff WHERE id = 3\n".encode()),
    "pg-german.log": (f"{L}LOG:  Anweisung: " + Q + "\n").encode(),
    "pg-context.log": (P % (0, "SELECT f()f") + '{L}CONTEXT:  SQL statement "' + Q + '"\n').encode(),
    "pg-error-value.log": (
        f'{L}ERROR:  invalid input syntax for type date: "137"\n{L}STATEMENT:  SELECT salary::text::date FROM staff WHERE id = 1\n'.encode()  # noqa: E501 - one line of a log
    ),
    "pg-error-rolled-back.log": (P % (0, Q) + f"{L}ERROR:  division by zero\n{L}STATEMENT:  SELECT 1/0\n").encode(),
    "csvlog.csv": (C % (1, Q)).encode(),
    "csvlog-cut.csv": ((C % (1, "SELECT 1")) + (C % (2, Q))[:-60]).encode(),
    "csvlog-cut-middle.csv": ((C % (1, "SELECT 1")) + (C % (2, Q))[:120] + "\n" + (C % (3, "SELECT 2"))).encode(),
    "csvlog-joined.csv": ((C % (1, "SELECT 1")).rstrip("\n") + (C % (2, Q))).encode(),
    "mysql.log": (f"{M}Connect\teve@localhost on db using Socket\n{M}Query\t" + Q + "\n").encode(),
    "mysql-execute.log": (
        f"{M}Connect\teve@localhost on db using Socket\n{M}Prepare\tSELECT salary FROM staff WHERE id = ?\n{M}Execute\tSELECT salary FROM staff WHERE id = 3\n".encode()  # noqa: E501 - one line of a log
    ),
    "mysql-initdb.log": (
        f"{M}Connect\teve@localhost on db using Socket\n{M}Field List\tstaff\t\n{M}Query\tSELECT name,\nsalary\nFROM staff\n".encode()  # noqa: E501 - one line of a log
    ),
    "psql.sql": (b"\\copy (SELECT name, salary FROM staff) TO 'x.csv'\n"),
    "psql2.sql": (b"SELECT name, salary FROM staff \\g out.txt\n"),
    "psql3.sql": (b"SELECT 1 \\; SELECT salary FROM staff;\n"),
    "psql4.sql": (b"SELECT 'select salary from staff' \\gexec\n"),
    "psql5.sql": (b"\\i other.sql\nSELECT 1;\n"),
    "delimiter.sql": (b"DELIMITER //\nSELECT salary FROM staff//\n"),
    "go.sql": (b"SELECT 1\nGO\nSELECT salary FROM staff\nGO\n"),
    "comment-open.sql": (b"/* never closed SELECT salary FROM staff;\n"),
    "dollar.sql": (b"SELECT $a$ ; SELECT 1; $b$ $a$; SELECT salary FROM staff WHERE id = 1;\n"),
    "quoted-newline.csv": (H + '2026-05-01 10:00:00,eve,"SELECT name, salary\nFROM staff ""s"""\n').encode(),
    "only-digest.csv": (b"time,user,query_hash,rows\n2026-05-01,eve,abc123,3\n"),
    "bigquery.json": (
        json.dumps(
            {
                "protoPayload": {
                    "authenticationInfo": {"principalEmail": "eve"},
                    "metadata": {"jobChange": {"job": {"jobConfig": {"queryConfig": {"query": Q}}}}},
                }
            }
        )
        + "\n"
    ).encode(),
    "truncated-marker.csv": (
        H + "2026-05-01 10:00:00,eve,SELECT count(*) FROM dims WHERE dept = (SELECT ...\n"
    ).encode(),
    "user-empty.csv": (H + f'2026-05-01 10:00:00,,"{Q}"\n').encode(),
    "entity.csv": (H + "2026-05-01 10:00:00,eve,SELECT salary FROM staff WHERE id &lt; 3\n").encode(),
    "url.csv": (H + "2026-05-01 10:00:00,eve,SELECT%20salary%20FROM%20staff\n").encode(),
    "base64.csv": (H + "2026-05-01 10:00:00,eve,U0VMRUNUIHNhbGFyeSBGUk9NIHN0YWZm\n").encode(),
    "hex.csv": (H + "2026-05-01 10:00:00,eve,0x53454c454354\n").encode(),
    "two-queries.csv": f'time,user,query,query\n2026-05-01,eve,"{Q}",SELECT 1\n'.encode(),
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder: Path = tmp_path_factory.mktemp("mutilated")
    with sdcdb.open(folder / "staff.duckdb", create=True) as made:
        made.con.execute(DATA)
    (folder / "staff.policy.yaml").write_text(POLICY)
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as opened:
        yield opened


@pytest.mark.parametrize("name", LOGS)
def test_a_mutilated_log_is_never_clean(database: Database, tmp_path: Path, name: str) -> None:
    log = tmp_path / name
    log.write_bytes(LOGS[name])
    try:
        clean = not run(database.con, database.policy, Request([log])).exceeds
    except SdcdbError as refused:  # exit code 2, and a word on what to do
        clean = name not in str(refused)
    assert not clean
