"""Accounting for statements, what an audit reports, and its forms: JSON, SARIF, HTML, tables in SQL, checkpoints."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import jsonschema
import numpy as np
import pytest
from support.staff_policy import staff_policy

import sdcdb
from sdcdb.auditor.audit import Audit, Options
from sdcdb.auditor.document import document
from sdcdb.auditor.evidence import Domain, Evidence
from sdcdb.auditor.exposed import Level, enough, exposures
from sdcdb.auditor.finding import holders
from sdcdb.auditor.proofs.interval import intervals
from sdcdb.auditor.proofs.uncertainty import of_interval, of_points
from sdcdb.auditor.reading.checkpoint import basis, load, save
from sdcdb.auditor.reading.fact import Outcome
from sdcdb.auditor.reading.input_history import History, Item, Occurrence
from sdcdb.auditor.reading.log_account import account
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.auditor.run import Request, run
from sdcdb.auditor.sarif import sarif
from sdcdb.database import Database
from sdcdb.errors import DataError
from sdcdb.gateway.gateway import Gateway
from sdcdb.gateway.inference.limits import Limits
from sdcdb.logs.record import LoggedQuery
from sdcdb.pages.audit_report import page
from sdcdb.policy.load import load_policy
from sdcdb.udfs import audit as audit_tables

POLICY = staff_policy(
    (0, 1000), "min_set: 2, min_interval: 10%", quasi=("sex", "dept"), public="dims", more="teams: {office: [ann, ben]}"
)
PEOPLE = """
CREATE TABLE staff AS SELECT i AS id, 'p' || i AS name, ['F', 'M'][1 + i % 2] AS sex,
    ['it', 'hr', 'lab'][1 + i % 3] AS dept, 100 + (i * 37) % 800 AS salary FROM range(60) t(i);
CREATE TABLE dims AS SELECT * FROM (VALUES ('it', 'north'), ('hr', 'south'), ('lab', 'north')) t(dept, site);
CREATE VIEW everybody AS FROM staff;
"""


def staff(folder: Path) -> Path:
    """Write the database and its policy into a folder."""
    with sdcdb.open(folder / "staff.duckdb", create=True) as made:
        made.con.execute(PEOPLE)
    (folder / "staff.policy.yaml").write_text(POLICY)
    return folder / "staff.duckdb"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with sdcdb.open(staff(tmp_path_factory.mktemp("audit")), read_only=True) as opened:
        yield opened


@pytest.fixture(scope="module")
def snapshot(database: Database) -> Iterator[Snapshot]:
    assert database.policy is not None
    made = Snapshot(database.con, database.policy)
    yield made
    made.close()


def log(folder: Path, text: str) -> Path:
    file = folder / "log.sql"
    file.write_text(text)
    return file


def audited(database: Database, text: str, options: Options | None = None) -> Audit:
    assert database.path is not None
    return run(database.con, database.policy, Request([log(database.path.parent, text)], options=options or Options()))


ATTACK = """
-- user: ann
SELECT sum(salary) FROM staff WHERE sex = 'F';
-- user: ben
SELECT sum(salary) FROM staff WHERE sex = 'F' AND id <> 4;
-- user: cat
SELECT dept, avg(salary) FROM staff GROUP BY dept;
"""


@pytest.mark.parametrize(
    ("sql", "dialect", "outcome", "facts"),
    [
        ("SELECT sum(salary) FROM staff WHERE dept = 'it'", "duckdb", Outcome.ANSWERED, 1),
        ("SELECT sex, min(salary), max(salary) FROM staff GROUP BY sex", "duckdb", Outcome.ANSWERED, 4),
        ("SELECT avg(salary) * 12 FROM staff WHERE name = 'p7'", "duckdb", Outcome.ANSWERED, 1),
        ("SELECT sum(salary) FROM staff JOIN dims USING (dept) WHERE site = 'north'", "duckdb", Outcome.ANSWERED, 1),
        ("SELECT sum(x) FROM (SELECT salary AS x FROM staff WHERE id < 30) t", "duckdb", Outcome.ANSWERED, 1),
        ("SELECT sum(salary) FROM staff WHERE regexp_matches(name, '^p[1-5]$')", "duckdb", Outcome.ANSWERED, 1),
        ("SELECT `dept`, SUM(`salary`) FROM `staff` GROUP BY `dept`", "mysql", Outcome.ANSWERED, 3),
        ("SELECT avg(salary)::numeric FROM public.staff WHERE id >= '30'", "postgres", Outcome.ANSWERED, 1),
        ("SELECT avg(salary) FROM staff WHERE name RLIKE 'p1.*'", "spark", Outcome.ANSWERED, 1),
        ("SELECT dept, count(*) FROM staff GROUP BY dept", "duckdb", Outcome.HARMLESS, 0),
        ("SELECT salary FROM staff WHERE id = 7", "duckdb", Outcome.FINDING, 1),
        ("SELECT * FROM staff", "duckdb", Outcome.FINDING, 60),
        ("SELECT salary FROM staff WHERE dept = 'it'", "duckdb", Outcome.FINDING, 3),
        ("WITH t AS (SELECT salary AS s, id FROM staff) SELECT s FROM t WHERE id = 3", "duckdb", Outcome.FINDING, 1),
        ("SELECT arg_max(salary, id) FROM staff", "duckdb", Outcome.FINDING, 0),
        ("SELECT id FROM staff ORDER BY salary", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("SELECT count(*) FROM staff WHERE salary > 500", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("SELECT stddev(salary) FROM staff", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("SELECT sum(salary) FROM staff WHERE random() < 0.5", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("SELECT sum(salary) FROM everybody", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("CREATE TABLE copied AS SELECT * FROM staff", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("UPDATE staff SET dept = 'it' RETURNING salary", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("SELEC salary FRM staff", "duckdb", Outcome.NOT_UNDERSTOOD, 0),
        ("UPDATE staff SET dept = 'it' WHERE id = 3", "duckdb", Outcome.HARMLESS, 0),
        ("EXPLAIN SELECT salary FROM staff", "duckdb", Outcome.HARMLESS, 0),
        ("SELECT * FROM dims", "duckdb", Outcome.HARMLESS, 0),
        ("-- nothing about staff\n", "duckdb", Outcome.HARMLESS, 0),
        ("BEGIN", "postgres", Outcome.HARMLESS, 0),
    ],
)  # fmt: skip
def test_every_statement_has_one_outcome(
    snapshot: Snapshot, sql: str, dialect: str, outcome: Outcome, facts: int
) -> None:
    found = account(sql, dialect, snapshot)
    assert (found.outcome, len(found.facts)) == (outcome, facts), found.reason
    assert found.reason or facts


def test_answers_of_the_facts_are_the_datas_own(snapshot: Snapshot, database: Database) -> None:
    (fact,) = account("SELECT avg(salary) FROM staff WHERE sex = 'F'", "duckdb", snapshot).facts
    (total,) = database.con.execute("SELECT sum(salary) FROM staff WHERE sex = 'F'").fetchone() or (0,)
    assert (fact.kind, fact.answer) == ("sum", total)


def test_a_recorded_answer_is_used_instead_of_the_data(snapshot: Snapshot) -> None:
    (fact,) = account("SELECT avg(salary) FROM staff WHERE sex = 'F'", "duckdb", snapshot, ((500.5,),)).facts
    assert fact.answer == 500.5 * 30
    assert not fact.computed


def test_two_users_together_hold_what_neither_holds_alone(database: Database) -> None:
    found = audited(database, ATTACK)
    (each,) = found.findings
    (salary,) = database.con.execute("SELECT salary FROM staff WHERE id = 4").fetchone() or (0,)
    assert (each.record, each.level, each.value, each.users) == ("4", Level.EXACT, salary, ("ann", "ben"))
    apart = audited(database, ATTACK, Options(together="user"))
    assert apart.findings == []
    assert [reason for reason in apart.tally.harmless if reason.endswith("with all other answers")] == []  # not true
    (team,) = audited(database, ATTACK, Options(together="team")).findings
    assert team.pool == "team office"


def test_failed_and_denied_statements_told_nothing(snapshot: Snapshot) -> None:
    history = History(snapshot)
    history.add(LoggedQuery(1, None, "ann", "SELECT salary FROM staff", None, "log", error="permission denied"))
    history.add(LoggedQuery(2, None, "ann", "SELECT salary FROM staff", None, "log", verdict="deny"))
    history.add(LoggedQuery(3, None, "ann", "SELECT sum(salary) FROM staff WHERE id = ?", None, "log", unbound=True))
    assert not history.items
    assert not history.direct
    assert [each.reason for each in history.unsafe.values()] == ["has parameters whose values are not in the log"]


def test_repeated_queries_are_counted_and_kept_once(database: Database) -> None:
    found = audited(database, "SELECT sum(salary) FROM staff;\n" * 500)
    (item,) = found.history.items.values()
    assert item.times == 500


def test_answers_of_another_version_are_set_aside(database: Database, tmp_path: Path) -> None:
    rows = [{"user": "ann", "query": "SELECT sum(salary) FROM staff", "answer": total} for total in (24_000, 26_000)]
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (column,) = run(database.con, database.policy, Request([file])).columns
    assert [item.fact.answer for item in column.contradicting] == [26_000]


def test_a_minimum_and_a_maximum_of_two_leave_two_values() -> None:
    """The CAE paper's Layla and Angela: one interval of 57,000, but only two values for each."""
    known = Evidence.of([1, 1], Domain.of(0, 200_000, 1), np.ones((2, 2), bool), ["min", "max"], [50_000, 107_000])
    found = exposures(known, intervals(known), Limits(1, 20_000, 1.0, 0.0))
    assert [(each.candidates, each.doubt.h0, each.doubt.area) for each in found] == [
        ((50_000, 107_000), 1.0, 57_000)
    ] * 2


def test_doubt_of_an_interval_is_that_of_its_values() -> None:
    domain = Domain.of(0, 1000, 1)
    assert of_interval(10, 17, domain).h0 == 3
    assert of_interval(10, 10, domain).area == 0
    assert of_points([50_000, 107_000]).area == 57_000
    assert enough(Limits(1, 5.0, 3.0, 0.0), domain) == 7


def test_as_few_users_as_hold_all_answers() -> None:
    def item(*users: str) -> Item:
        return Item(None, {user: Occurrence(1, "log", 1, None, user, "") for user in users})  # type: ignore[arg-type]

    assert holders([item("ann", "ben"), item("ben", "cat"), item("ben")]) == ("ben",)
    assert holders([item("ann"), item("ben", "cat")]) == ("ann", "ben")


def test_under_pseudonyms_nobody_can_be_told(database: Database) -> None:
    text = ATTACK + "SELECT salary, name FROM staff WHERE name = 'p7';"
    written = json.dumps(document(audited(database, text, Options(pseudonymise=True))))
    assert "p7" not in written
    assert "id <> 4" not in written
    assert re.search(r'"record": "record [0-9a-f]{10}"', written)


def test_the_course_counts_records_below_each_threshold(database: Database) -> None:
    (column,) = audited(database, ATTACK).columns
    assert column.course is not None
    assert column.course.moments[0].below == (0,) * len(column.course.shares)
    assert column.course.moments[-1].below[0] == 1
    assert column.course.costs[0].answer == 1


def test_sarif_names_the_line_of_the_log(database: Database) -> None:
    found = sarif(audited(database, ATTACK + "SELECT * FROM staff WHERE id = 9;"))
    (run_,) = found["runs"]
    assert [result["ruleId"] for result in run_["results"]] == ["direct", "exact"]
    exact = run_["results"][1]
    assert exact["locations"][0]["physicalLocation"]["region"]["startLine"] == 5
    assert len(exact["relatedLocations"]) == 2
    required = {"type": "object", "required": ["version", "runs"], "properties": {"version": {"const": "2.1.0"}}}
    jsonschema.validate(found, required)


def test_the_page_escapes_what_it_shows_and_needs_no_network(database: Database) -> None:
    found = audited(
        database, ATTACK + "-- user: <b>mal</b>\nSELECT salary, '<script>x</script>' FROM staff WHERE id = 9;"
    )
    text = page(found, document(found))
    assert "<script>x" not in text
    assert "&lt;b&gt;mal" in text
    assert not re.search(r"(src|href)=|url\(|https?://", text)


def test_a_checkpoint_gives_the_history_back(database: Database, snapshot: Snapshot, tmp_path: Path) -> None:
    history = History(snapshot)
    for n, sql in enumerate(["SELECT sum(salary) FROM staff", "SELECT * FROM staff WHERE id = 3", "SELECT 1"]):
        history.add(LoggedQuery(n + 1, None, "ann", sql, None, "log"))
    file, of = tmp_path / "audit.checkpoint", basis(database.con, snapshot)
    save(file, history, of)
    again = load(file, snapshot, of)
    assert document_of(again) == document_of(history)
    with pytest.raises(DataError, match="other data or another policy"):
        load(file, snapshot, "another")
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(DataError, match="not a checkpoint of an audit"):
        load(file, snapshot, of)


def document_of(history: History) -> object:
    items = {key: (item.times, item.users) for key, item in history.items.items()}
    counted = history.number, history.statements, history.outcomes, history.weighed, history.unknown, history.changes
    return counted, items, history.places, history.users, list(history.direct), history.sessions


def test_an_interrupted_audit_goes_on_and_reads_what_was_added(database: Database, tmp_path: Path) -> None:
    first, second = ATTACK.split("-- user: ben")
    file, checkpoint = log(tmp_path, first), tmp_path / "audit.checkpoint"
    assert run(database.con, database.policy, Request([file], resume=checkpoint)).findings == []
    file.write_text(first + "-- user: ben" + second)
    found = run(database.con, database.policy, Request([file], resume=checkpoint))
    assert [each.users for each in found.findings] == [("ann", "ben")]
    assert found.history.number == 3


def test_replay_tells_what_the_gateway_would_have_denied(database: Database) -> None:
    assert database.path is not None
    assert database.policy is not None
    file = log(
        database.path.parent, "SELECT avg(salary) FROM staff WHERE sex = 'F';\nSELECT salary FROM staff WHERE id = 4;"
    )
    other = database.path.parent / "strict.yaml"
    other.write_text(POLICY.replace("min_set: 2", "min_set: 31"))
    found = run(database.con, database.policy, Request([file], replay_with=load_policy(other)))
    assert found.replay is not None
    assert [(each.rule, each.statement.line) for each in found.replay.refused] == [("size", 1), ("shape", 2)]


def test_the_gateways_ledger_is_audited_by_what_it_answered(tmp_path: Path) -> None:
    with sdcdb.open(staff(tmp_path)) as writable, Gateway(writable) as gateway:
        gateway.ask("SELECT dept, avg(salary) FROM staff GROUP BY dept", user="ann")
        with pytest.raises(sdcdb.Denied):
            gateway.ask("SELECT salary FROM staff", user="ann")
    with sdcdb.open(tmp_path / "staff.duckdb", read_only=True) as opened:
        ledger = tmp_path / "staff.ledger.jsonl"
        found = run(opened.con, opened.policy, Request([ledger]))
        assert found.tally.harmless["denied by the gateway"] == 1
        assert len(found.history.items) == 3
        assert not found.exceeds
        ledger.write_bytes(ledger.read_bytes().replace(b'"user":"ann"', b'"user":"ben"', 1))
        assert (
            "content does not match its hash"
            in run(opened.con, opened.policy, Request([ledger])).history.problems[0].what
        )


def test_findings_bounds_and_certificates_are_tables_in_sql(tmp_path: Path, database: Database) -> None:
    file = log(tmp_path, ATTACK)
    con = sdcdb.register(duckdb.connect(str(database.path), read_only=True))
    rows = con.execute(f"SELECT s.name, a.level, a.value = s.salary, a.users FROM sdc_audit('{file}') a "
                       "JOIN staff s ON a.record = s.id::VARCHAR").fetchall()  # fmt: skip
    assert rows == [("p4", "exact", True, ["ann", "ben"])]
    weights = con.execute(f"SELECT position, weight, line FROM sdc_audit_certificates('{file}')").fetchall()
    assert weights == [(1, "1", 3), (2, "-1", 5)]
    right = "count(*), bool_and(s.salary BETWEEN lower AND upper)"
    joined = f"sdc_audit_bounds('{file}') b JOIN staff s ON b.record = s.id::VARCHAR"
    assert con.execute(f"SELECT {right} FROM {joined}").fetchone() == (60, True)
    assert con.execute(f"FROM sdc_audit_statements('{file}')").fetchall() == []
    con.close()


def test_a_database_in_memory_gets_the_tables_from_python(tmp_path: Path) -> None:
    con = duckdb.connect()
    con.execute(PEOPLE)
    policy = tmp_path / "p.yaml"
    policy.write_text(POLICY)
    audit_tables(con, log(tmp_path, ATTACK), policy)
    assert con.execute("SELECT record, level FROM sdc_audit").fetchall() == [("4", "exact")]
    sdcdb.register(con)
    with pytest.raises(duckdb.Error, match=r"sdcdb\.udfs\.audit"):
        con.execute(f"FROM sdc_audit('{tmp_path}/log.sql')").fetchall()
    assert load_policy(policy).teams == {"office": ("ann", "ben")}
    con.close()
