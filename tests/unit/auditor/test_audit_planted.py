"""Planted attacks among ten thousand harmless queries: every one is found, nobody else is accused, and each
certificate is checked by plain arithmetic on the data, without the auditor's own code."""

import csv
import gzip
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import pytest
import sqlglot
from sqlglot import exp
from support.staff_policy import staff_policy

import sdcdb
from sdcdb.auditor.audit import Audit
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.finding import Finding
from sdcdb.auditor.run import Request, run
from sdcdb.cli.datasets import datasets
from sdcdb.database import Database

POLICY = staff_policy((10_000, 250_000), "min_set: 5")
DEPARTMENTS = ("Engineering", "Finance", "IT", "Legal", "Marketing", "Operations", "Research", "Sales", "Support")


def harmless(rng: random.Random) -> str:
    dept, age, sex = rng.choice(DEPARTMENTS), rng.choice([30, 40, 50]), rng.choice("FM")
    return rng.choice(
        [
            f"SELECT avg(salary) FROM staff WHERE dept = '{dept}'",
            f"SELECT sum(salary), count(*) FROM staff WHERE dept = '{dept}' AND age >= {age}",
            f"SELECT sex, avg(salary) AS mean FROM staff WHERE age BETWEEN {age} AND {age + 9} GROUP BY sex",
            f"SELECT avg(salary) FROM staff WHERE sex = '{sex}' AND age < {age}",
            "SELECT dept, count(*) FROM staff GROUP BY dept ORDER BY 2 DESC",
            "SELECT campus, sum(salary) FROM staff JOIN dept_dim USING (dept) GROUP BY campus",
            "SELECT max(salary) FROM staff",
            "SELECT * FROM dept_dim",
            "SELECT 42",
        ]
    )


@dataclass(frozen=True)
class Planted:
    user: str
    sql: str


def planted(top: int, department: str) -> list[Planted]:
    others = ", ".join(str(n) for n in (301, 302, 303))
    return [
        # A difference of two sums.
        Planted("eve", "SELECT sum(salary) FROM staff"),
        Planted("eve", "SELECT sum(salary) FROM staff WHERE id <> 17"),
        # A tracker: neither set is small, nor is a difference of two of them.
        Planted("tim", "SELECT sum(salary) FROM staff WHERE sex = 'F' OR id = 23"),
        Planted("tim", "SELECT sum(salary) FROM staff WHERE sex <> 'F' OR id = 23"),
        # A linear system of three unknown pairs.
        *(
            Planted("lin", f"SELECT avg(salary) FROM staff WHERE id IN ({pair})")
            for pair in ("301, 302", "302, 303", "301, 303")
        ),
        # The greatest salary of a department, and of all but one in it.
        Planted("max", f"SELECT max(salary) FROM staff WHERE dept = '{department}' AND education <> 'none'"),
        Planted("max", f"SELECT max(salary) FROM staff WHERE dept = '{department}' AND id <> {top}"),
        # Two users, each harmless alone.
        Planted("ann", "SELECT sum(salary) FROM staff WHERE dept = 'Human Resources'"),
        Planted(
            "bob", "SELECT sum(salary) FROM staff WHERE dept = 'Human Resources' AND id <> (SELECT 0) AND id <> {hr}"
        ),
        # Direct reads.
        Planted("mal", "SELECT name, salary FROM staff WHERE id = 99"),
        Planted("mal", "SELECT s.salary FROM (SELECT * FROM staff) AS s WHERE s.id = 100"),
        # A closed list in which a minimum and a maximum leave two values.
        Planted("two", "SELECT min(salary), max(salary) FROM staff WHERE id IN (401, 402)"),
        # Not understood.
        Planted("odd", "SELECT count(*) FROM staff WHERE salary > 100000"),
        Planted("odd", f"SELECT corr(salary, age) FROM staff WHERE id IN ({others})"),
    ]


@dataclass(frozen=True)
class Case:
    database: Database
    found: Audit
    accused: set[str]


def postgres_log(person: int) -> str:
    """Write what another server logged: casts and schemas of its own dialect, parameters in DETAIL."""
    asked = [
        ("statement: SELECT SUM(salary)::numeric FROM public.staff WHERE age::int >= 30 AND dept = 'Finance'", ""),
        ("execute <unnamed>: SELECT SUM(salary) FROM public.staff WHERE age >= $1 AND dept = $2 AND id != $3",
         f"parameters: $1 = '30', $2 = 'Finance', $3 = '{person}'"),
    ]  # fmt: skip
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for n, (message, detail) in enumerate(asked):
        fields = [f"2026-06-01 12:00:0{n}.000 UTC", "pat", "db", "7", "[local]", "5f.7", str(n), "SELECT", "", "3/1",
                  "0", "LOG", "00000", message, detail, *[""] * 7, "psql", "client backend", "", "0"]  # fmt: skip
        writer.writerow(fields)
    return out.getvalue()


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Case]:
    folder = tmp_path_factory.mktemp("planted")
    datasets("staff", folder / "staff.duckdb", 1_000, 1, quiet=True)
    (folder / "staff.policy.yaml").write_text(POLICY)
    with sdcdb.open(folder / "staff.duckdb", read_only=True) as database:
        one = database.con.execute
        top, department = one(
            "SELECT arg_max(id, salary), dept FROM staff WHERE dept = 'Research' GROUP BY dept"
        ).fetchone() or (0, "")
        (hr,) = one("SELECT min(id) FROM staff WHERE dept = 'Human Resources'").fetchone() or (0,)
        (finance,) = one("SELECT min(id) FROM staff WHERE dept = 'Finance' AND age >= 30").fetchone() or (0,)
        rng = random.Random(7)  # noqa: S311 - the same log every time
        log = [(f"user{rng.randrange(12)}", harmless(rng)) for _ in range(10_000)]
        attacks = planted(top, department)
        for n, each in enumerate(attacks):
            log.insert(
                400 + 600 * n, (each.user, each.sql.replace("{hr}", str(hr)).replace("id <> (SELECT 0) AND ", ""))
            )
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["time", "user", "query"])
        writer.writerows(
            (f"2026-05-01 {n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}", user, sql) for n, (user, sql) in enumerate(log)
        )
        lines = text.getvalue().encode().splitlines(keepends=True)
        lines.insert(5_000, b'2026-05-01 01:00:00,broken,"never closed\n')
        lines.insert(6_000, b"2026-05-01 01:40:00,caf\xe9,SELECT 42\n")
        (folder / "log.csv.gz").write_bytes(gzip.compress(b"".join(lines)))
        (folder / "server.csv").write_text(postgres_log(finance))
        found = run(database.con, database.policy, Request([folder / "log.csv.gz", folder / "server.csv"]))
        people = {17, 23, 301, 302, 303, top, hr, finance, 99, 100, 401, 402}
        yield Case(database, found, {str(each) for each in people})


def finding(case: Case, record: int | str) -> Finding:
    (each,) = [each for each in case.found.findings if each.record == str(record)]
    return each


def records(case: Case, sql: str) -> set[int]:
    """Return the keys of the records that a statement's own WHERE chooses, asked of DuckDB."""
    tree = sqlglot.parse_one(sql, read="postgres" if "public." in sql else "duckdb")
    for table in tree.find_all(exp.Table):
        table.set("db", None)
    select = exp.Select().select("id").from_("staff")
    if tree.args.get("where"):
        select = select.where(tree.args["where"].this)
    return {row[0] for row in case.database.con.execute(select.sql("duckdb")).fetchall()}


def test_all_attacks_are_found_and_nobody_else_is_accused(case: Case) -> None:
    assert {each.record for each in case.found.findings} == case.accused
    assert case.found.exceeds


def test_every_statement_is_accounted_for(case: Case) -> None:
    history = case.found.history
    assert history.number == sum(history.outcomes.values()) == 10_000 + len(planted(0, "")) + 1 + 2
    assert {each.first.sql for each in history.direct.values()} == {p.sql for p in planted(0, "") if p.user == "mal"}
    assert {each.first.user for each in history.unsafe.values()} == {"odd"}


def test_values_and_intervals_are_the_truth(case: Case) -> None:
    truth = {str(key): value for key, value in case.database.con.execute("SELECT id, salary FROM staff").fetchall()}
    for each in case.found.findings:
        assert each.lower <= truth[each.record] <= each.upper
        if each.level >= Level.EXACT:
            assert each.value == truth[each.record]
        else:
            assert truth[each.record] in each.candidates


def test_combinations_isolate_the_record_by_plain_arithmetic(case: Case) -> None:
    checked = 0
    for each in case.found.findings:
        if each.certificate is None or each.certificate.combination is None or each.level is Level.DIRECT:
            continue
        weights: dict[int, Fraction] = {}
        total = Fraction(0)
        for step in each.steps:
            assert step.weight is not None
            for key in records(case, step.statement.sql):
                weights[key] = weights.get(key, Fraction(0)) + step.weight
            total += step.weight * step.answer
        assert {key: weight for key, weight in weights.items() if weight} == {int(each.record): 1}
        assert total == each.value
        checked += 1
    assert checked >= 7


def test_a_greatest_value_has_one_holder_by_plain_set_arithmetic(case: Case) -> None:
    (each,) = [each for each in case.found.findings if each.users == ("max",)]
    whole, *others = each.steps
    covered = set[int]().union(*(records(case, step.statement.sql) for step in others))
    assert records(case, whole.statement.sql) - covered == {int(each.record)}
    assert all(step.answer < whole.answer for step in others)
    assert each.value == whole.answer


@pytest.mark.parametrize(
    ("record", "users", "queries"), [(17, ("eve",), 2), (23, ("tim", "eve"), 3), (302, ("lin",), 3), (401, ("two",), 2)]
)
def test_certificates_are_the_smallest_and_name_who_holds_them(
    case: Case, record: int, users: tuple[str, ...], queries: int
) -> None:
    each = finding(case, record)
    assert each.certificate is not None
    assert each.certificate.smallest
    assert len(each.steps) == queries
    assert set(each.users) <= set(users) | {f"user{n}" for n in range(12)}
    assert users[0] in each.users


def test_two_colluding_users_are_named_together_and_neither_alone(case: Case) -> None:
    (column,) = case.found.columns
    (each,) = [each for each in case.found.findings if "bob" in each.users]
    assert len(each.users) == 2
    alone = {user.name: user.levels for user in column.users}
    assert not alone["ann"]
    assert not alone["bob"]


def test_the_first_moment_is_the_statement_that_completed_the_attack(case: Case) -> None:
    assert finding(case, 17).first.sql == "SELECT sum(salary) FROM staff WHERE id <> 17"
    assert finding(case, 302).first.sql.endswith("(301, 303)")
    assert finding(case, 99).first.user == "mal"


def test_the_other_servers_dialect_is_audited_too(case: Case) -> None:
    each = next(each for each in case.found.findings if any(step.statement.user == "pat" for step in each.steps))
    assert each.level is Level.EXACT
    assert "id != '" in each.first.sql


def test_broken_lines_are_reported_and_the_rest_is_audited(case: Case) -> None:
    places = sorted((problem.line, problem.what) for problem in case.found.history.problems)
    assert [line for line, _ in places] == [5001, 6001]
    assert "never closed" in places[0][1]
    assert "UTF-8" in places[1][1]
