"""`sdcdb ask`, `shell`, `status` and `refresh` as people run them: real files, pipes, and a real terminal."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from support.in_process import Run
from support.staff_policy import staff_policy

SDCDB = [sys.executable, "-m", "sdcdb"]
POLICY = staff_policy((10_000, 250_000), "min_set: 5, pool: user", quasi=("sex", "age", "dept"), public="places")
NASTY = "\x1b]0;owned\x07\x9b2J"
ROWS = f"""
    CREATE TABLE staff AS
    SELECT i AS id, 'Person ' || i AS name, if(i % 2 = 0, 'F', 'M') AS sex, 20 + i % 20 AS age,
        CASE WHEN i = 7 THEN 'Lab' WHEN i % 3 = 0 THEN 'IT' ELSE 'Sales' END AS dept,
        (40000 + (i * 7919) % 90000)::INTEGER AS salary
    FROM range(120) t(i);
    CREATE TABLE places AS SELECT 'IT' AS dept, '{NASTY}' AS place;
"""
TOTAL = "SELECT SUM(salary) AS total FROM staff WHERE dept = 'Sales'"
WITHOUT_ONE = "SELECT SUM(salary) FROM staff WHERE dept = 'Sales' AND NOT (sex = 'F' AND age = 22)"
BY_DEPT = "SELECT dept, COUNT(*) AS n FROM staff GROUP BY dept ORDER BY dept"


@pytest.fixture
def run(run_here: Run) -> Run:
    return run_here


@pytest.fixture
def db(tmp_path: Path) -> Path:
    file = tmp_path / "staff.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute(ROWS)
    (tmp_path / "staff.policy.yaml").write_text(POLICY, encoding="utf-8")
    return file


def told(db: Path, sql: str) -> Any:
    """Return what plain DuckDB says."""
    with duckdb.connect(str(db), read_only=True) as con:
        return con.execute(sql).fetchall()


def test_ask_prints_the_exact_answer(run: Run, db: Path) -> None:
    lines = run("ask", db, TOTAL, "--user", "ann").stdout.splitlines()
    assert [lines[0].strip(), lines[2].strip()] == ["total", str(told(db, TOTAL)[0][0])]


def test_ask_leaves_the_database_alone(run: Run, db: Path) -> None:
    before = db.read_bytes()
    with duckdb.connect(str(db), read_only=True):  # as another reader would
        run("ask", db, TOTAL)
    assert db.read_bytes() == before


def test_small_groups_are_merged_and_marked(run: Run, db: Path) -> None:
    said = run("ask", db, BY_DEPT, "-u", "ann").stdout
    assert [line.split() for line in said.splitlines()[2:4]] == [["IT", "40"], ["*", "80"]]
    assert "* groups merged (size)" in said
    assert run("ask", db, BY_DEPT, "--csv").stdout == "dept,n\nIT,40\n*,80\n"
    data = json.loads(run("ask", db, BY_DEPT, "--json").stdout)
    assert (data["rows"], data["merged"]) == ([["IT", 40], [None, 80]], [1])
    assert (data["verdict"]["kind"], data["verdict"]["suppressed"]) == ("suppress", 1)


def test_a_difference_attack_is_denied_in_words(run: Run, db: Path) -> None:
    assert told(db, "SELECT count(*) FROM staff WHERE dept = 'Sales' AND sex = 'F' AND age = 22")[0][0] < 5
    run("ask", db, TOTAL, "-u", "eve")
    said = run("ask", db, WITHOUT_ONE, "-u", "eve", code=1)
    assert said.stdout == ""
    assert "denied (exact): together with earlier answers" in said.stderr
    assert "try: " in said.stderr


def test_with_json_a_denial_is_json(run: Run, db: Path) -> None:
    said = run("ask", db, "SELECT name FROM staff", "--json", code=1)
    verdict = json.loads(said.stdout)["verdict"]
    assert (verdict["kind"], verdict["rule"]) == ("unsupported", "shape")
    assert verdict["reason"]


def test_explaining_is_counted_and_tells_nothing(run: Run, db: Path) -> None:
    said = run("ask", db, TOTAL, "--explain", "-u", "ann")
    assert said.stdout.split()[:2] == ["verdict", "allow"]
    assert str(told(db, TOTAL)[0][0]) not in said.stdout
    assert run("ask", db, f"EXPLAIN PRIVACY {TOTAL}").stdout.split()[:2] == ["verdict", "allow"]
    run("ask", db, "EXPLAIN PRIVACY SELECT name FROM staff", code=1)
    found = json.loads(run("status", db, "--json").stdout)
    assert (found["known"], found["halted"]) == ([], [])
    assert [(each["answered"], each["denied"], each["explained"]) for each in found["questions"]] == [
        (0, 0, 1),
        (0, 0, 2),
    ]


def test_statements_from_stdin_and_parameters(run: Run, db: Path) -> None:
    sql = "SELECT COUNT(*) AS n FROM staff WHERE sex = $1 AND age < $2"
    said = run("ask", db, "-", "--param", "2=30", "--param", "1=F", "--csv", stdin=sql + "\n;\n")
    assert said.stdout == f"n\n{told(db, sql.replace('$1', chr(39) + 'F' + chr(39)).replace('$2', '30'))[0][0]}\n"


def test_no_value_and_no_name_writes_control_characters(run: Run, db: Path) -> None:
    sql = 'SELECT place AS "a\u202e" FROM places'
    for options in ((), ("--csv",), ("--json",)):
        said = run("ask", db, sql, *options)
        assert all(char.isprintable() or char == "\n" for char in said.stdout + said.stderr)
    refused = run("ask", db, f'SELECT count(*) FROM "{NASTY}"', code=1).stderr
    assert all(char.isprintable() or char == "\n" for char in refused)
    piped = run("shell", db, "-u", NASTY, stdin=f"{sql};\n\\d {NASTY}\n\\{NASTY}\n", code=1)
    assert all(char.isprintable() or char == "\n" for char in piped.stdout + piped.stderr)
    assert "\x1b" not in run("status", db).stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ask", "staff.duckdb", "SELECT 1", "--json", "--csv"], "choose one"),
        (["ask", "staff.duckdb", "SELECT 1", "--param", "x"], "write 1=VALUE"),
        (["ask", "staff.duckdb", "SELECT 1", "--user", " "], "--user must not be empty"),
        (["ask", "stuff.duckdb", "SELECT 1"], "did you mean 'staff.duckdb'"),
        (["refresh", "staff.duckdb", "stuff"], "did you mean 'staff'"),
        (["status", "bare.duckdb"], "there is no policy"),
    ],
)
def test_mistakes_exit_with_2(
    run: Run, db: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(db.parent)
    shutil.copy(db, "bare.duckdb")
    said = run(*arguments, code=2)
    assert says in " ".join(said.stderr.split())


def test_status_shows_what_is_known_by_whom(run: Run, db: Path) -> None:
    assert "Nothing is known yet" in run("status", db).stdout
    run("ask", db, TOTAL, "-u", "ann")
    run("ask", db, BY_DEPT, "-u", "bob")
    run("ask", db, "SELECT name FROM staff", "-u", "bob", code=1)
    found = json.loads(run("status", db, "--json").stdout)
    (known,) = found["known"]
    assert (known["table"], known["pool"], known["column"]) == ("staff", "user ann", "salary")
    assert 0 < known["room"] <= 1
    assert known["share"] == pytest.approx(known["interval"] / 240_000)
    assert found["questions"] == [
        {"user": "ann", "answered": 1, "suppressed": 0, "denied": 0, "explained": 0},
        {"user": "bob", "answered": 0, "suppressed": 1, "denied": 1, "explained": 0},
    ]
    drawn = run("status", db).stdout
    assert "staff.salary  user ann" in drawn
    assert "█" in drawn
    only = json.loads(run("status", db, "--user", "bob", "--json").stdout)
    assert (only["known"], [each["user"] for each in only["questions"]]) == ([], ["bob"])


def test_a_change_is_found_stops_answers_and_is_declared(run: Run, db: Path) -> None:
    run("ask", db, TOTAL)
    assert run("refresh", db).stdout == "No table has changed\n"
    with duckdb.connect(str(db)) as con:
        con.execute("UPDATE staff SET salary = 50000 WHERE id = 8")
    assert "denied (version)" in run("ask", db, TOTAL, code=1).stderr
    assert "staff has changed since its last answers" in run("status", db, code=1).stdout
    assert json.loads(run("refresh", db, "staff", "--json").stdout) == {"changed": ["staff"], "accepted": []}
    assert run("refresh", db, "staff").stdout == "staff has not changed\n"
    run("status", db)


def test_looser_limits_wait_for_the_owner(run: Run, db: Path) -> None:
    run("ask", db, TOTAL)
    policy = db.with_suffix(".policy.yaml")
    policy.write_text(policy.read_text("utf-8").replace("min_set: 5", "min_set: 4"), "utf-8")
    assert "denied (policy)" in run("ask", db, TOTAL, code=1).stderr
    said = run("status", db, code=1).stdout
    assert "staff has looser limits than before" in said
    assert "salary: min_set fell from 5 to 4" in said
    accepted = run("refresh", db, "--accept-looser", "the board agreed").stdout
    assert "Accepted staff: salary: min_set fell from 5 to 4" in accepted
    run("ask", db, TOTAL)
    assert "the board agreed" in db.with_name(f"{db.stem}.ledger.jsonl").read_text("utf-8")


def test_a_pipe_runs_one_statement_after_the_other(run: Run, db: Path) -> None:
    script = f"-- a comment; and\n{TOTAL};\nSELECT 'a;b' AS text; SELECT\n  1 AS one;\n\\d staff\nSELECT 2 AS last"
    said = run("shell", db, "--user", "ann", stdin=script)
    lines = [line.strip() for line in said.stdout.splitlines()]
    assert [lines[n] for n in (0, 2, 3, 5, 6, 8)] == ["total", str(told(db, TOTAL)[0][0]), "text", "a;b", "one", "1"]
    assert lines[-1] == "2"
    assert "salary" in said.stdout
    assert "name" not in said.stdout


def test_a_pipe_goes_on_after_a_denial_and_exits_with_1(run: Run, db: Path) -> None:
    said = run("shell", db, "-u", "eve", stdin=f"{TOTAL};{WITHOUT_ONE};SELECT 1 AS one;\n", code=1)
    assert "denied (exact)" in said.stderr
    assert said.stdout.split()[-1] == "1"


def test_status_of_a_table_that_has_changed_says_what_was_known(run: Run, db: Path) -> None:
    run("ask", db, TOTAL, "-u", "ann")
    before = json.loads(run("status", db, "--json").stdout)["known"]
    with duckdb.connect(str(db)) as con:
        con.execute("UPDATE staff SET salary = salary + 1 WHERE id = 3")
    said = json.loads(run("status", db, "--json", code=1).stdout)
    assert said["known"] == before != []
    assert "this was known before it changed" in run("status", db, code=1).stdout


def test_commands_of_the_shell(run: Run, db: Path) -> None:
    said = run("shell", db, "-u", "ann", stdin=f"\\?\n\\d\n\\explain {TOTAL}\n{TOTAL};\n\\status\n\\q\nSELECT 1;\n")
    for words in ("\\explain SELECT", "places   public", "verdict", "allow", "staff.salary  user ann"):
        assert words in said.stdout
    assert "1\n" not in said.stdout[-5:]
    wrong = run("shell", db, stdin="\\e\n\\d stuff\n", code=1).stderr
    assert "did you mean '\\\\explain'" in wrong or "is not a command" in wrong
    assert "did you mean 'staff'" in wrong


@pytest.fixture
def terminal(db: Path) -> Iterator["Terminal"]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed: the shell is not tried in a terminal (apt-get install tmux)")
    made = Terminal(db)
    try:
        made.see("staff>")
        yield made
    finally:
        made.close()


class Terminal:
    """A shell in a real terminal: keys in, screen out."""

    def __init__(self, db: Path) -> None:
        self.state = db.parent / "state"
        self._tmux = ["tmux", "-S", str(db.parent / "tmux")]
        environment = {**os.environ, "XDG_STATE_HOME": str(self.state), "TERM": "xterm-256color"}
        command = f"{sys.executable} -m sdcdb shell {db} --user ann; echo left with $?; sleep 60"
        subprocess.run(
            [*self._tmux, "-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "50", command],
            env=environment,
            check=True,
        )

    def keys(self, *names: str) -> None:
        subprocess.run([*self._tmux, "send-keys", *names], check=True)

    def type(self, text: str) -> None:
        """Type a text as it is, then Enter."""
        self.keys("-H", *(f"{byte:02x}" for byte in text.encode()))
        self.keys("Enter")

    def see(self, wanted: str, *, colours: bool = False) -> str:
        """Wait until the screen shows a text; return the screen."""
        screen = ""
        for _ in range(600):
            options = ["-e"] if colours else []
            done = subprocess.run(
                [*self._tmux, "capture-pane", "-p", *options], capture_output=True, text=True, check=True
            )
            screen = done.stdout
            if wanted in screen:
                return screen
            time.sleep(0.1)
        raise AssertionError(f"{wanted!r} is not on the screen:\n{screen}")

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False)


def test_the_shell_in_a_terminal(terminal: Terminal, db: Path) -> None:
    terminal.type("SELECT SUM(salary) AS total")
    terminal.see("...>")
    terminal.type("FROM staff WHERE dept = 'Sales';")
    terminal.see(str(told(db, TOTAL)[0][0]))
    terminal.type(WITHOUT_ONE + ";")
    screen = terminal.see("try: ", colours=True)
    assert "\x1b[1m\x1b[31mdenied (exact)" in screen
    terminal.keys("-l", "SELECT COUNT(*) AS everybody FROM sta")
    terminal.keys("Tab")
    terminal.see("everybody FROM staff")
    terminal.keys("C-c")
    terminal.see("everybody FROM staff\nstaff>")
    terminal.keys("Up", "Up")
    terminal.see("staff> SELECT SUM(salary) AS total")
    terminal.keys("C-c")
    terminal.type("SELECT sum(sin(range)) FROM range(100000000000);")
    terminal.see("asking ...")
    terminal.keys("C-c")
    terminal.see("cancelled")
    terminal.type("SELECT COUNT(*) AS everybody FROM staff;")
    terminal.see("120")
    terminal.keys("C-d")
    terminal.see("left with 0")
    kept = terminal.state / "sdcdb" / "history"
    assert "everybody" in kept.read_text(encoding="utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_ctrl_c_ends_a_question_at_once(db: Path) -> None:
    sql = "SELECT sum(sin(range)) FROM range(100000000000)"
    ask = subprocess.Popen([*SDCDB, "ask", db, sql], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ledger = db.with_name("staff.ledger.jsonl")
        while not ledger.exists() or not ledger.read_bytes():
            time.sleep(0.1)
        time.sleep(1)
        ask.send_signal(2)
        _, errors = ask.communicate(timeout=60)
    finally:
        ask.kill()
    assert (ask.returncode, errors.strip()) == (130, "interrupted")
