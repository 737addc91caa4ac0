"""A ledger that is tampered with, cut short, or has no room: answers stop with a clear word, and nothing is lost."""

import base64
import json
import shutil
import zlib
from pathlib import Path

import duckdb
import numpy as np
import pytest
from support import victims
from support.command import run

import sdcdb
from sdcdb.errors import Denied, LedgerError
from sdcdb.gateway.ledger.verify import verify

DIGEST = "CAST(md5_number(concat_ws(chr(31), ?, ?)) & 9223372036854775807 AS BIGINT)"
SQL = "SELECT SUM(salary) FROM staff WHERE age BETWEEN {n} AND {n} + 15"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ask a few questions once; every test gets a copy of what they leave behind."""
    path = victims.create(tmp_path_factory.mktemp("asked") / "staff.duckdb", rows=120)
    with victims.gateway(path) as gateway:
        for n in (25, 40, 45):
            gateway.ask(SQL.replace("{n}", str(n)))
        with pytest.raises(Denied):
            gateway.ask("SELECT salary FROM staff")
    return path


@pytest.fixture
def path(asked: Path, tmp_path: Path) -> Path:
    shutil.copytree(asked.parent, tmp_path, dirs_exist_ok=True)
    return tmp_path / asked.name


def ledger_of(path: Path) -> Path:
    return path.with_name("staff.ledger.jsonl")


def changed(data: bytes) -> bytes:
    return data.replace(b'"user":"analyst"', b'"user":"nobody!"', 1)


def forgotten(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(lines[:2] + lines[3:])


def cut(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:-2])


def half_cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


def swapped(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join([lines[0], lines[2], lines[1], *lines[3:]])


@pytest.mark.parametrize("harm", [changed, forgotten, cut, half_cut, swapped, lambda _: b"", lambda _: b"\0" * 4096])
def test_a_ledger_that_is_not_as_it_was_written_opens_no_gateway(path: Path, harm: object) -> None:
    before = ledger_of(path).read_bytes()
    after = harm(before)  # type: ignore[operator]  # a function of bytes
    assert after != before
    ledger_of(path).write_bytes(after)
    with pytest.raises(LedgerError), victims.gateway(path):
        pass
    assert ledger_of(path).read_bytes() == after, "evidence is left as it is"
    ledger_of(path).write_bytes(before)  # put back, it goes on where it was
    with victims.gateway(path) as gateway:
        assert gateway.ask(SQL.replace("{n}", "25")).rows


def test_a_ledger_that_is_gone_begins_no_new_history(path: Path) -> None:
    ledger_of(path).unlink()
    with pytest.raises(LedgerError), victims.gateway(path):
        pass


FULL = """
import json, resource, sys
from pathlib import Path
import sdcdb
from sdcdb.errors import Denied
path, policy = Path(sys.argv[1]), Path(sys.argv[2])
ledger = path.with_name("staff.ledger.jsonl")
answered, refused = [], []
with sdcdb.open(path, policy=policy) as db, db.gateway() as gateway:
    room = max(ledger.stat().st_size, 8192) + 3000  # the anchor beside it has 8,192 bytes
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    for n in range(80):
        sql = f"SELECT COUNT(*) + {n}, AVG(age) FROM staff"
        try:
            gateway.ask(sql)
            answered.append(sql)
        except Denied as denial:
            refused.append(denial.rule)
    status = str(gateway.explain("SELECT COUNT(*) FROM staff").kind)
print(json.dumps({"answered": answered, "refused": refused, "status": status}))
"""


def test_a_full_disk_stops_answers_and_loses_none(path: Path) -> None:
    policy = path.with_suffix(".policy.yaml")
    done = run(path, policy, cwd=path.parent, python=FULL)
    result = json.loads(done.stdout)
    assert result["answered"]
    assert result["refused"]
    assert set(result["refused"]) == {"ledger"}
    assert len(result["answered"]) + len(result["refused"]) == 80
    assert verify(ledger_of(path)).ok
    booked = ledger_of(path).read_text("utf-8")
    assert all(json.dumps(sql)[1:-1] in booked for sql in result["answered"])
    with sdcdb.open(path, policy=policy) as db, db.gateway() as gateway:
        assert gateway.ask("SELECT COUNT(*) FROM staff").rows == ((120,),)


def test_a_second_gateway_on_the_same_ledger_does_not_open(path: Path) -> None:
    """Two gateways with a history each could answer the halves of a tracker."""
    policy = path.with_suffix(".policy.yaml")
    with sdcdb.open(path, policy=policy) as db, db.gateway(), pytest.raises(LedgerError):
        db.gateway(wait=0.1)


def test_the_ledger_does_not_say_what_was_not_answered(path: Path) -> None:
    secrets = victims.Secrets(victims.people(120))
    assert not secrets.in_text(ledger_of(path).read_text("utf-8"))


def test_the_ledger_s_digests_give_nobody_away(path: Path) -> None:
    """An auditor gets the ledger, not the data. With a record's key, trying all salaries must not find the one."""
    entries = [json.loads(line) for line in ledger_of(path).read_text("utf-8").splitlines()]
    version = next(entry for entry in entries if entry["kind"] == "version")
    held = json.loads(zlib.decompress(base64.b64decode(version["cells"])))["columns"]["salary"]
    assert set(held) == {"counts", "digest"}  # one digest of all records, and none of a cell or a person
    sketch = np.frombuffer(base64.b64decode(version["sketches"]["salary"]), dtype="<i8").tolist()
    assert len(sketch) == 120
    everybody = victims.people(120)
    with duckdb.connect() as con:
        weak = [_digest(con, f"{row[0]}", row[6]) for row in everybody]
        assert _tried(con, everybody[0][0], weak) == [everybody[0][6]]  # without a key, the attack does find it
        assert _tried(con, everybody[0][0], sketch) == []


def _digest(con: duckdb.DuckDBPyConnection, *parts: object) -> int:
    """Return the digest of a record as the ledger's are made, but for the key."""
    row = con.execute(f"SELECT {DIGEST}", [*map(str, parts)]).fetchone()
    assert row is not None
    return int(row[0])


def _tried(con: duckdb.DuckDBPyConnection, key: int, digests: list[int]) -> list[int]:
    """Return the salaries whose digest with a record's key is among these."""
    found = con.execute(
        f"SELECT s FROM range({victims.LOW}, {victims.HIGH}) AS t(s) "
        f"WHERE {DIGEST.replace('?, ?', '?, s')} IN (SELECT unnest(?)::BIGINT)",
        [str(key), digests],
    ).fetchall()
    return [int(row[0]) for row in found]
