"""`sdcdb serve` as a process: what it says, signals, and SIGKILL under load."""

import json
import os
import random
import re
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest
from support import postgres_door, serve_process, serving
from support.gateway_server import question
from support.serve_process import Served

from sdcdb.gateway.ledger.entry import ActEntry, LoginEntry, QuestionEntry, entries
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.gateway.ledger.read import records
from sdcdb.gateway.ledger.verify import verify


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return serving.create(tmp_path_factory.mktemp("serve"), rows=240)


def wait_for(found: Callable[[], bool]) -> bool:
    for _ in range(300):
        if found():
            return True
        time.sleep(0.1)
    return False


def test_hangup_reloads_or_says_why_and_terminate_drains(path: Path) -> None:
    policy = path.with_suffix(".policy.yaml")
    good = policy.read_text()
    with serve_process.serve(path) as served:
        assert "staff (restricted), dept_dim (public)" in served.said
        with psycopg.connect(served.dsn(), autocommit=True) as con:
            policy.write_text(good.replace("quasi", "quassi"))
            os.kill(served.process.pid, signal.SIGHUP)
            assert wait_for(lambda: "nothing was reloaded" in served.log())
            assert con.execute("SELECT COUNT(*) FROM staff").fetchone() == (240,)
            policy.write_text(good.replace("min_set: 5", "min_set: 100"))
            os.kill(served.process.pid, signal.SIGHUP)
            assert wait_for(lambda: '"message": "reloaded"' in served.log())
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                con.execute("SELECT SUM(salary) FROM staff WHERE dept = 'Legal'")
            policy.write_text(good)
            os.kill(served.process.pid, signal.SIGTERM)
            assert served.process.wait(60) == 0
        log = served.log()
    assert all(isinstance(json.loads(line), dict) for line in log.splitlines())
    assert "SELECT" not in log
    assert "Legal" not in log


def hang_up_until(process: "subprocess.Popen[str]", ready: Callable[[], bool], status: Path) -> int:
    """Send SIGHUP again and again from the moment that it does not end the process; return how often."""
    sent = 0
    while not ready():
        assert process.poll() is None, f"ended with {process.returncode} after {sent} signals"
        if int(re.findall(r"SigCgt:\s*(\w+)", status.read_text())[0], 16) >> (signal.SIGHUP - 1) & 1:
            process.send_signal(signal.SIGHUP)
            sent += 1
        time.sleep(0.01)
    return sent


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="/proc says when a process takes a signal")
def test_hangup_while_it_opens_is_a_reload_and_while_it_closes_nothing(tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=60)
    log = tmp_path / "serve.log"
    command = [sys.executable, "-m", "sdcdb", "serve", str(path), "--pg", "127.0.0.1:0", "--http", "off"]
    with (
        log.open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        status = Path(f"/proc/{process.pid}/status")
        opened = ledger_path(path)
        assert hang_up_until(process, opened.exists, status) >= 1  # the database is open, the doors are not
        assert wait_for(lambda: '"message": "reloaded"' in log.read_text())
        os.kill(process.pid, signal.SIGTERM)
        for _ in range(200):
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGHUP)
            time.sleep(0.01)
        assert process.wait(60) == 0
    acts = [entry for entry in entries(records(ledger_path(path))) if isinstance(entry, ActEntry)]
    assert sum(entry.act == "reload" for entry in acts) >= 1
    assert verify(ledger_path(path)).ok


def cancel_until(con: psycopg.Connection[Any], done: threading.Event) -> None:
    while not done.wait(0.3):
        con.cancel()


def test_an_explanation_that_takes_long_is_cancelled(tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=240)
    public = ", ".join(f"dept_dim d{n}" for n in range(5))
    texts = " || ".join(f"d{n}.dept" for n in range(5))
    looks = f"SELECT d0.dept FROM {public} WHERE md5(repeat({texts}, 300000)) <> ''"  # minutes, if nobody cancels
    with serve_process.serve(path) as served, psycopg.connect(served.dsn(), autocommit=True) as con:
        done = threading.Event()
        cancelling = threading.Thread(target=cancel_until, args=(con, done))
        cancelling.start()
        try:
            with pytest.raises(psycopg.errors.QueryCanceled, match="the statement was cancelled") as refused:
                con.execute(f"EXPLAIN PRIVACY SELECT COUNT(*) FROM staff WHERE dept IN ({looks})".encode())
        finally:
            done.set()
            cancelling.join()
        assert refused.value.sqlstate == "57014"
        assert con.execute("SELECT COUNT(*) FROM staff").fetchone() == (240,)
        assert ("verdict", "allow") in con.execute("EXPLAIN PRIVACY SELECT COUNT(*) FROM staff").fetchall()


def test_the_demo_is_served_to_the_users_that_it_names(tmp_path: Path) -> None:
    with serve_process.serve(tmp_path / "demo", "--demo", http=True, until="Log in as") as served:
        people = dict(re.findall(r"(\w+) \(password (\S+)\)", served.said))
        assert list(people) == ["ann", "eve", "olga"]
        with psycopg.connect(served.dsn().replace(serving.PASSWORD, people["ann"]), autocommit=True) as con:
            assert con.execute("SELECT COUNT(*) FROM staff").fetchone() == (2000,)
        login = {"name": "olga", "password": people["olga"]}
        with httpx2.Client(base_url=served.url, follow_redirects=True) as browser:
            assert "/login" in str(browser.get("/users").url)
            assert browser.post("/login", data=login).status_code == 200
            assert all(name in browser.get("/users").text for name in people)


def ask_over_http(served: Served, name: str, sql: str, trusted: Path) -> Any:
    """Ask as a program does, over TLS."""
    verify = ssl.create_default_context(cafile=trusted)
    known = (name, serving.PASSWORD)
    response = httpx2.post(f"{served.url}api/v1/ask", json={"sql": sql}, auth=known, verify=verify, timeout=30)
    return response.raise_for_status().json()["rows"]


def ask_over_postgres(served: Served, name: str, sql: str, trusted: Path) -> Any:
    tls = f"sslmode=verify-full sslrootcert={trusted} channel_binding=require"
    with psycopg.connect(served.dsn(name, tls), autocommit=True) as con:
        return con.execute(sql).fetchall()


def test_two_doors_keep_one_ledger_and_hangup_reloads_the_certificate(tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=60)
    cert, key = postgres_door.certificate(tmp_path)
    first, count = tmp_path / "first.pem", "SELECT COUNT(*) AS n FROM staff"
    first.write_bytes(cert.read_bytes())
    with serve_process.serve(path, "--tls-cert", str(cert), "--tls-key", str(key), http=True) as served:
        assert ask_over_postgres(served, "ann", count, first) == [(60,)]
        assert ask_over_http(served, "bob", count, first) == [[60]]
        good = key.read_bytes()
        key.write_bytes(b"no key")
        os.kill(served.process.pid, signal.SIGHUP)
        assert wait_for(lambda: "nothing was reloaded" in served.log())
        key.write_bytes(good)
        assert ask_over_http(served, "bob", count, first) == [[60]]
        postgres_door.certificate(tmp_path)
        os.kill(served.process.pid, signal.SIGHUP)
        assert wait_for(lambda: '"message": "reloaded"' in served.log())
        for ask in (ask_over_postgres, ask_over_http):
            with pytest.raises((psycopg.OperationalError, httpx2.ConnectError), match=r"(?i)certificate"):
                ask(served, "ann", count, first)
        assert ask_over_postgres(served, "ann", count, cert) == [(60,)]
        assert ask_over_http(served, "bob", count, cert) == [[60]]
        os.kill(served.process.pid, signal.SIGTERM)
        assert served.process.wait(60) == 0
    assert verify(ledger_path(path)).ok
    kept = list(entries(records(ledger_path(path))))
    assert [entry.user for entry in kept if isinstance(entry, QuestionEntry)] == ["ann", "bob", "bob", "ann", "bob"]
    assert {(entry.user, entry.door) for entry in kept if isinstance(entry, LoginEntry)} == {
        ("ann", "postgres"),
        ("bob", "http"),
    }


def ask_for_ever(served: Served, seed: int, received: list[tuple[str, int]]) -> None:
    rng = random.Random(seed)  # noqa: S311 - no secret
    try:
        with psycopg.connect(served.dsn(), autocommit=True) as con:
            while True:
                sql = question(rng)
                try:
                    row = con.execute(sql).fetchone()
                except psycopg.errors.InsufficientPrivilege:
                    continue
                if row is not None:
                    received.append((sql, int(row[0])))
    except psycopg.OperationalError:
        return  # the server was killed


def test_no_answer_that_a_client_received_is_missing_after_sigkill(tmp_path: Path) -> None:
    path = serving.create(tmp_path, rows=600)
    received: list[tuple[str, int]] = []
    with serve_process.serve(path) as served:
        threads = [threading.Thread(target=ask_for_ever, args=(served, seed, received)) for seed in range(4)]
        for thread in threads:
            thread.start()
        assert wait_for(lambda: len(received) >= 20)
        os.kill(served.process.pid, signal.SIGKILL)
        for thread in threads:
            thread.join(60)
    ledger = ledger_path(path)
    assert verify(ledger).ok
    kept = {
        (entry.sql, int(fact.answers["sum"]))
        for entry in entries(records(ledger))
        if isinstance(entry, QuestionEntry)
        for fact in entry.facts
    }
    assert len(received) >= 20
    assert set(received) <= kept


def test_a_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sdcdb", "serve", str(tmp_path / "nothere.duckdb")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "no such file" in done.stderr
    assert "nothere.duckdb" in done.stderr
    assert "policy" not in done.stderr
