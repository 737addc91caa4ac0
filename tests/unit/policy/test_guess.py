"""Roles that `sdcdb init` guesses, and the policy that follows from them."""

import re
import runpy

import duckdb
import pytest
from support.paths import ROOT

import sdcdb
from sdcdb.connection.profile import profile
from sdcdb.database import Database
from sdcdb.policy.draft import draft_policy
from sdcdb.policy.evidence import Understood, understand
from sdcdb.policy.load import parse_document
from sdcdb.policy.models import Policy, Role
from sdcdb.policy.value_shapes import read_values

PERSONS = """
    CREATE TABLE persons AS SELECT i AS person_id,
        ['Anna', 'Peter', 'Maria', 'Jean', 'José', 'Giulia'][1 + (hash(i) % 6)::INTEGER] AS first_name,
        ['Smith', 'Müller', 'Dupont', 'Garcia', 'Rossi', 'Jansen'][1 + (hash(i + 9) % 6)::INTEGER] AS last_name,
        DATE '1940-01-01' + (hash(i + 1) % 25000)::INTEGER AS birth_date,
        lpad((10000 + hash(i + 2) % 3000)::VARCHAR, 5, '0') AS postcode,
        ['m', 'f'][1 + (hash(i + 3) % 2)::INTEGER] AS gender,
        round(exp(3 + (hash(i + 4) % 1000) / 250.0), 2)::DECIMAL(10, 2) AS bill,
        ['flu', 'cold', 'asthma'][1 + (hash(i + 5) % 3)::INTEGER] AS diagnosis,
        'call back about the leg and arm of ' || i AS remarks
    FROM range(2000) AS r(i)
"""


def uncommented(text: str) -> str:
    """Return a drafted policy with its protected view uncommented, as it tells its reader to."""
    return re.sub(r"(?m)^    # (?=protect:|  )", "    ", text)


def drafted(con: duckdb.DuckDBPyConnection, *tables: str) -> Policy:
    return parse_document(uncommented(draft_policy(con, "x.duckdb", list(tables) or None))).policy


def understood(sql: str) -> list[Understood]:
    con = duckdb.connect()
    con.execute(sql)
    names = [name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY table_oid").fetchall()]
    return understand(con, [profile(con, name) for name in names])


def test_the_suggested_view_publishes_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    with sdcdb.open(":memory:") as database:
        database.con.execute(PERSONS)
        text = uncommented(draft_policy(database.con, "x.duckdb")).replace(
            "secret: keyfile", "secret: env:GUESS_SECRET"
        )
        monkeypatch.setenv("GUESS_SECRET", "a secret for tests of guesses")
        database.policy = parse_document(text).policy
        (made,) = database.protect()
        assert not {"first_name", "last_name", "remarks", "person_id"} & set(made.plan.columns)
        assert not [name for name in ("birth_date", "postcode", "bill") if made.plan.words()[name] == "as it is"]
        rows = database.con.execute("SELECT birth_date, postcode, gender, count(*) FROM persons_public GROUP BY ALL")
        assert min(count for *_, count in rows.fetchall()) >= 5
        assert database.standing("persons_public").passed
        means = database.con.execute(
            "SELECT (SELECT avg(bill) FROM persons), (SELECT avg(bill) FROM persons_public)"
        ).fetchone()
        assert means is not None
        assert means[1] == pytest.approx(means[0], rel=0.02)


def test_roles_on_public_schemas() -> None:
    """Numbers that the documentation gives; the errors that show too much are listed by name."""
    found = runpy.run_path(str(ROOT / "benchmarks" / "roles" / "measure.py"))["measure"]()
    assert sum(part["columns"] for part in found.values()) >= 300
    assert found["held_out"]["columns"] >= 100
    for part in found.values():
        assert part["identifiers_that_leave"] == []
        assert len(part["unsafe"]) <= 2
    assert min(found[part]["accuracy"] for part in ("tuned", "held_out")) >= 0.9
    assert [found[part]["unsafe"] for part in ("fresh", "unseen")] == [[], []]
    assert min(found[part]["accuracy"] for part in ("fresh", "unseen")) >= 0.85  # unknown abbreviations are kept safe


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("dateOfBirth", "quasi"),
        ("GEBURTSDATUM", "quasi"),
        ("CURRENTILLNESSDATE", "confidential"),
        ("lohnsteuerklasse", "confidential"),
        ("Staatsangehörigkeit", "quasi"),
        ("Versichertennummer", "identifier"),
        ("religion", "confidential"),
        ("orientation_sexuelle", "confidential"),
        ("vakbond", "confidential"),
        ("antecedentes_penales", "confidential"),
        ("codice_fiscale", "identifier"),
        ("saldo", "confidential"),
        ("etnia", "confidential"),
        ("cidade", "quasi"),
        ("xqzv", "confidential"),
    ],
)
def test_names_in_seven_languages(name: str, role: str) -> None:
    (table,) = understood(f"CREATE TABLE t AS SELECT i AS id, 'v' || (i % 7) AS \"{name}\" FROM range(100) AS r(i)")
    assert table.guesses[name].role.value == role, table.guesses[name]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("month", "1 + i % 12", "quasi"),
        ("year", "1990 + i % 30", "quasi"),
        ("visit_date", "20240101 + i % 28", "quasi"),
        ("hours_per_week", "1 + i % 50", "confidential"),
        ("days", "1 + i % 20", "confidential"),
        ("stop_search", "i % 4", "confidential"),
        ("visit", "i % 9", "confidential"),
        ("start", "'v' || i % 4", "confidential"),
        ("ic_code", "1 + i % 6", "confidential"),
        ("gesl", "['M', 'V'][1 + i % 2]", "quasi"),
        ("civ", "['M.', 'Mme', 'X'][1 + i % 3]", "quasi"),
        ("grp", "['A', 'M', 'V'][1 + i % 3]", "confidential"),
        ("created_by", "'u' || i % 90", "identifier"),
        ("klasse", "'5' || ['a', 'b', 'c'][1 + i % 3]", "confidential"),
        ("label", "['hiv', 'none'][1 + i % 2]", "confidential"),
        ("lehrkraft", "['KRA', 'VOG'][1 + i % 2]", "identifier"),
        ("phone", "['yes', 'no'][1 + i % 2]", "quasi"),
        ("erfasst_von", "['as', 'pm', 'jd'][1 + i % 3]", "identifier"),
        ("leitung", "['Fr. Vogel', 'Hr. Brandt'][1 + i % 2]", "identifier"),
    ],
)
def test_names_and_values_together(name: str, values: str, role: str) -> None:
    (table,) = understood(f"CREATE TABLE t AS SELECT i AS id, {values} AS {name} FROM range(300) AS r(i)")
    assert table.guesses[name].role.value == role, table.guesses[name]


def test_what_nobody_knows_stays_out_of_the_suggested_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exchanged values of many unknown columns would let people be found who know them."""
    monkeypatch.setenv("GUESS_SECRET", "a secret for tests of guesses")
    unknown = ", ".join(f"['a', 'b', 'c'][1 + (hash(i, {n}) % 3)::INTEGER] AS xq{n}" for n in range(3))
    create = f"CREATE TABLE t AS SELECT i AS id, 20 + i % 9 AS age, {{}}{unknown} FROM range(300) AS r(i)"
    for known, published in (("", ["age"]), ("i % 7 AS salary, ", ["age", "salary"])):
        with sdcdb.open(":memory:") as database:
            database.con.execute(create.format(known))
            text = uncommented(draft_policy(database.con, "x.duckdb")).replace("keyfile", "env:GUESS_SECRET")
            database.policy = parse_document(text).policy
            (made,) = database.protect()
            assert list(made.plan.columns) == published
            decided = text.replace("## ", "")
            database.policy = parse_document(decided).policy
            assert len(database.protect()[0].plan.columns) == len(published) + 3


def test_what_is_unknown_is_kept_safe_and_marked() -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT i AS id, i % 3 AS xqzv, 'w' || i % 90 AS qqqq FROM range(200) AS r(i)")
    text = draft_policy(con, "x.duckdb")
    assert re.search(r"xqzv: \{role: confidential.*CHECK", text)
    assert re.search(r"qqqq: identifier  # CHECK", text)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a@b.org", "c.d@e.com", "x@y.de"], "e-mail addresses"),
        (["+49 170 1234567", "+44 20 7946 0958", "0151/2345678"], "phone numbers"),
        (["DE89370400440532013000", "GB29NWBK60161331926819", "FR7630006000011234567890189"], "IBANs"),
        (["SW1A 1AA", "M1 1AE", "EC1A 1BB"], "postcodes"),
        (["52.5200, 13.4050", "48.8566, 2.3522", "40.4168, -3.7038"], "coordinates"),
        (["1980-02-03", "1999-12-31", "2001-01-01"], "dates"),
        (["Anna Smith", "Peter Müller", "José García", "Zork Blub"], "names of people"),
        (["12 Main Street", "7 Oak Road", "250 Elm Avenue"], "street addresses"),
        (["Fr. Vogel", "Hr. Brandt", "Dr. Krause", "Frau Prof. Öz"], "people with their titles"),
        (["Mr. Zuurv", "Mw. Oplok"], "people with their titles"),
        (["a@b.org", "c@d.org"], "e-mail addresses"),
        (["+49 170 1234567"], "phone numbers"),
        (["anna", "peter", "maria garcia"], "names of people"),
    ],
)
def test_shapes_of_values(values: list[str], kind: str) -> None:
    found = read_values(values)
    assert found is not None
    assert found.kind == kind


def test_sentences_and_names_never_pass_however_few_they_are() -> None:
    with sdcdb.open(":memory:") as db:
        db.con.execute(
            "CREATE TABLE t AS SELECT i AS id, i % 3 AS x, CASE i WHEN 7 THEN 'said Dr Smith hurt her' END AS anm, "
            "CASE WHEN i % 2 = 0 THEN 'Maria Lopez' ELSE 'Peter Smith' END AS q FROM range(300) r(i)"
        )
        text = draft_policy(db.con, "t.duckdb")
    assert "anm: identifier  # CHECK: sentences, which may name somebody" in text
    assert "q: identifier  # its values are names of people" in text


def test_the_key_of_people_under_another_prefix_never_passes() -> None:
    with sdcdb.open(":memory:") as db:
        db.con.execute(
            "CREATE TABLE customer AS SELECT i AS c_custkey, 'c' || i || '@a.example' AS c_mail FROM range(300) r(i);"
            "CREATE TABLE lineorder AS SELECT i // 3 AS lo_orderkey, i % 3 AS lo_linenumber, "
            "i // 3 % 300 AS lo_custkey, i * 7 % 500 AS lo_revenue FROM range(1800) r(i)"
        )
        text = draft_policy(db.con, "star.duckdb")
    assert "lo_orderkey: identifier" in text
    assert "lo_custkey: identifier  # the key of a person in 'customer'" in text
    assert "person: lo_custkey  # CHECK: somebody has 6 records" in text
    assert "key: [lo_orderkey, lo_linenumber]  # CHECK: unique together" in text


def test_persons_with_several_records_and_keys_of_two_columns() -> None:
    customers, lines = understood("""
        CREATE TABLE customers AS SELECT i AS customer_id, 'N' || i AS name, i % 7 AS region FROM range(100) AS r(i);
        CREATE TABLE lines AS SELECT i // 3 AS order_no, i % 3 AS line_no, i % 100 AS customer_id,
            'C' || (i % 100) AS handle, i * 1.5 AS amount FROM range(900) AS r(i)
    """)
    assert customers.key == "customer_id"
    assert lines.key is None
    assert lines.together == ("order_no", "line_no")
    assert lines.person == "customer_id"
    assert lines.guesses["customer_id"].role.value == "identifier"
    assert lines.guesses["handle"].role.value == "identifier"
    assert "each customer_id" in lines.guesses["handle"].reason


def test_several_records_of_one_person_do_not_count_as_several_people() -> None:
    con = duckdb.connect()
    con.execute("""
        CREATE TABLE visits AS SELECT i AS visit_id, i // 4 AS patient_id, (hash(i) % 9)::INTEGER AS ward,
            DATE '2020-01-01' + (hash(i // 4) % 300)::INTEGER AS admitted, i * 1.5 AS cost FROM range(2000) AS r(i)
    """)
    policy = drafted(con)
    assert policy.tables["visits"].person == "patient_id"
    assert not policy.tables["visits"].protect, "what is suggested for other tables takes records for people"


@pytest.mark.parametrize("key", [', PRIMARY KEY ("Xylo Nr", jahr)', ""])
def test_an_unknown_number_that_repeats_is_taken_for_a_person(key: str) -> None:
    con = duckdb.connect()
    con.execute(f'CREATE TABLE noten ("Xylo Nr" INTEGER, jahr INTEGER, geschlecht VARCHAR, note DECIMAL(3, 1){key})')
    con.execute(
        "INSERT INTO noten SELECT 70000 + i % 500, 2020 + i // 500, ['m', 'w'][1 + i % 2], i % 5 FROM range(2000) r(i)"
    )
    text = draft_policy(con, "x.duckdb")
    assert re.search(r'person: "?Xylo Nr"?  # CHECK: somebody has 4 records', text)
    assert drafted(con).tables["noten"].person == "Xylo Nr"


def test_views_and_other_schemas() -> None:
    con = duckdb.connect()
    con.execute("CREATE SCHEMA hr")
    con.execute("CREATE TABLE hr.staff AS SELECT i AS id, i % 60 AS age, i * 10 AS salary FROM range(300) AS r(i)")
    con.execute("CREATE VIEW old AS SELECT * FROM hr.staff WHERE age > 20")
    assert list(drafted(con).tables) == ["hr.staff"]
    policy = drafted(con, "old")
    assert policy.tables["old"].restrict is None
    database = Database(None, con, policy)
    assert [problem for problem in database.check() if problem.severity == "error"] == []


def test_a_composite_primary_key_with_a_part_that_may_be_confidential_is_named_and_not_taken() -> None:
    with duckdb.connect() as con:
        con.execute('CREATE SCHEMA "Prüfungs Amt"')
        odd = '"Prüfungs Amt"."an""odd.名前"'
        con.execute(f'CREATE TABLE {odd} ("Straße" VARCHAR, haus INT, x INT, PRIMARY KEY ("Straße", haus))')
        con.execute(f"INSERT INTO {odd} SELECT 's' || i // 9, i % 9, i % 4 FROM range(90) AS r(i)")
        text = draft_policy(con, "uni.duckdb")
    assert "key: rowid  # CHECK: (Straße, haus) are unique together" in text
    assert "if none of them is confidential" in text


def test_an_amount_that_differs_everywhere_is_no_key() -> None:
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE visits AS SELECT i // 3 AS patient_id, 1 + i % 3 AS visit, 100 + i * 7919 % 5000 AS costs "
            "FROM range(3000) t(i)"
        )
        (found,) = understand(con, [profile(con, "visits")])
    assert (found.key, found.together) == (None, ("patient_id", "visit"))
    assert found.guesses["costs"].role is Role.CONFIDENTIAL
