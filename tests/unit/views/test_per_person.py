"""Views of tables with several records per person: what is drawn by the person, what is refused, what `check` says."""

from typing import Any

import duckdb
import pytest
from sqlglot import exp
from support.protecting import ENVIRONMENT, filled, fixed_secret

from sdcdb.assess.gate import stand
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import Row, number, once
from sdcdb.errors import DataError, PolicyError, SdcdbError
from sdcdb.policy.governed import Governed
from sdcdb.policy.load import Document
from sdcdb.policy.models import Policy
from sdcdb.techniques.technique import Fitted
from sdcdb.views import catalogue
from sdcdb.views.check import check
from sdcdb.views.per_person import People, refuse_varying
from sdcdb.views.plan import Plan
from sdcdb.views.protect import protect
from sdcdb.views.secret import Secret
from sdcdb.views.spark import spark_sql

SECRET = "whose record is it, and how many"  # noqa: S105
SELECT = """
    SELECT i AS visit_id, i % 40 AS "Patient id", ['f', 'm'][1 + (i % 40) % 2] AS sex, 1950 + (i % 40) AS born,
           CASE WHEN i < 40 THEN NULL ELSE ['a', 'b', 'c'][1 + (i % 40) % 3] END AS region, (i * 7) % 101 AS cost
    FROM range(200) r(i)
"""
NUMBER = {"role": "confidential", "domain": [0, 3000]}
ROLES = {"visit_id": "identifier", "Patient id": "identifier", "sex": "quasi", "born": NUMBER, "region": "quasi"}
NOISE = {"method": "normal", "sd": 5}

_secret = fixed_secret(SECRET)


def visits(view: dict[str, Any], select: str = SELECT, **more: Any) -> Governed:
    spec = {"key": "visit_id", "person": "Patient id", "columns": ROLES | {"cost": NUMBER}} | more
    spec["protect"] = {"p": {"secret": f"env:{ENVIRONMENT}"} | view}
    return filled(select, Policy.model_validate({"version": 1, "tables": {"visits": spec}}))


def said(database: Governed) -> list[tuple[str, str, str]]:
    found = check(database.con, Document("policy.yaml", database.required_policy(), {}))
    return [(problem.field, problem.severity, problem.message) for problem in found]


def per_person(database: Governed, column: str) -> set[int]:
    """Return how many different values the copies of each person have: the view's records are in the table's order."""
    sql = f"SELECT {column} AS v FROM p", 'SELECT "Patient id" FROM visits'
    values, people = (database.con.execute(each).fetchall() for each in sql)
    seen: dict[Any, set[Any]] = {}
    for (value,), (who,) in zip(values, people, strict=True):
        seen.setdefault(who, set()).update([] if value is None else [value])
    return {len(copies) for copies in seen.values()}


def test_a_plan_keeps_which_columns_are_the_persons_and_renders_again() -> None:
    columns = {
        "sex": {"method": "warner", "p": 0.6},
        "born": NOISE,
        "cost": NOISE,
        "region": {"method": "vicus", "k1": 2, "k2": 20},
    }
    database = visits({"columns": columns})
    (made,) = protect(database)
    assert made.plan.per_person == ("sex", "born", "region")
    assert [per_person(database, name) for name in ("sex", "born", "region")] == [{1}] * 3
    assert min(per_person(database, "cost")) > 1
    assert made.plan.words()["born"].endswith("; once per Patient id")
    again = catalogue.entry(database.con, "p").plan
    subkey = Secret(SECRET.encode()).subkey("visits")
    assert again == made.plan == Plan.model_validate_json(again.model_dump_json())
    rows = database.con.execute(again.select(DuckDBDialect(), subkey, *catalogue.relations(again))).fetchall()
    assert rows == database.con.execute("FROM p").fetchall()


def test_nulls_do_not_make_a_value_differ_and_stay_null() -> None:
    database = visits({"columns": {"region": {"method": "vicus", "k1": 2, "k2": 20}}})
    protect(database)
    assert database.con.execute("SELECT count(*) FROM p WHERE region IS NULL").fetchall() == [(40,)]


def test_other_draws_than_the_records() -> None:
    """The draws of person 7 are not those of record 7, though both are digests of '7'."""
    alone = visits({"columns": {"cost": NOISE}}, person=None)
    alone.con.execute("ALTER TABLE visits ALTER cost SET DATA TYPE DOUBLE USING 50")
    theirs = visits({"columns": {"cost": NOISE}})
    theirs.con.execute("ALTER TABLE visits ALTER cost SET DATA TYPE DOUBLE USING 50")
    published = []
    for database in (alone, theirs):
        protect(database)
        published.append({value for (value,) in database.con.execute("SELECT cost FROM p LIMIT 40").fetchall()})
    assert len(published[1]) == 40
    assert not published[0] & published[1]


def test_spark_draws_by_the_person_too() -> None:
    database = visits({"columns": {"born": NOISE, "cost": NOISE}})
    (made,) = protect(database)
    sql = spark_sql(made.plan, Secret(SECRET.encode()), "visits")
    assert ":person bits 0:', COALESCE(CAST(`t`.`Patient id` AS STRING)" in sql.replace("coalesce", "COALESCE")
    assert ":bits 0:', COALESCE(CAST(`t`.`visit_id` AS STRING)" in sql.replace("coalesce", "COALESCE")


def test_a_record_that_comes_without_a_person_is_never_read() -> None:
    database = visits({"columns": {"born": NOISE}})
    protect(database)
    database.con.execute("INSERT INTO visits VALUES (999, NULL, 'f', 1999, 'a', 3)")
    with pytest.raises(duckdb.Error, match="a record has no key"):
        database.con.execute("SELECT born FROM p").fetchall()


def test_a_method_that_looks_at_other_columns_looks_at_constant_ones() -> None:
    tree = {"method": "framework", "class": "sex", "min_cases": 5}
    database = visits({"columns": {"born": tree, "sex": tree}})
    protect(database)
    assert [per_person(database, name) for name in ("sex", "born")] == [{1}] * 2


@pytest.mark.parametrize(
    ("view", "why"),
    [
        ({"rows": {"method": "sampling", "size": "10%"}}, "'sampling' takes every record for a person"),
        ({"rows": {"method": "kanonymity", "k": 5}}, "'kanonymity' takes every record for a person"),
        ({"columns": {"sex": {"method": "swapping", "share": "50%"}}}, "'swapping' takes every record"),
        ({"columns": {"cost": {"method": "microaggregation", "k": 5}}}, "one Patient id has 5 records"),
    ],
)
def test_methods_among_records_are_refused(view: dict[str, Any], why: str) -> None:
    database = visits(view)
    assert [message for _, severity, message in said(database) if severity == "error" and why in message]
    with pytest.raises(PolicyError, match="does not fit") as refused:
        protect(database)
    assert why in str(refused.value)
    one_each = visits(view, f"SELECT * FROM ({SELECT}) WHERE visit_id < 40")
    assert not [found for found in said(one_each) if found[1] == "error"]


class ByCost(Fitted):
    """Looks at another column inside a value that is computed once, and inside one within that."""

    def expressions(self, row: Row) -> dict[str, exp.Expr]:
        inner = once("inner", row.value("cost") + number(1))
        return {"born": row.value("born") + once("outer", inner + number(1))}


def test_a_value_that_is_computed_once_hides_no_column() -> None:
    fitted = ByCost.model_construct(technique="by_cost", columns=("born",), scope="")
    for same in (frozenset({"born"}), frozenset({"born", "cost"})):
        people = People("Patient id", 5, same, same)
        if "cost" in same:
            refuse_varying(people, fitted, Row({}))
        else:
            with pytest.raises(DataError, match="also looks at 'cost'"):
                refuse_varying(people, fitted, Row({}))


def test_a_tree_on_what_differs_between_records_is_refused() -> None:
    database = visits({"columns": {"born": {"method": "framework", "class": "sex", "attributes": ["cost"]}}})
    with pytest.raises(SdcdbError, match="a method may look at no column that differs between the records of a person"):
        protect(database)


def test_declared_constant_must_hold() -> None:
    database = visits({"columns": {"cost": NOISE}}, constant=["sex", "cost"])
    wrong = ("tables.visits.constant[1]", "error", "'cost' is not: some Patient id has several values of it")
    assert wrong[1:] in [each[1:] for each in said(database)]
    with pytest.raises(PolicyError, match="does not fit"):
        protect(database)


def test_declared_constant_counts_before_anybody_has_a_second_record() -> None:
    one_each = f"SELECT * FROM ({SELECT}) WHERE visit_id < 40"
    database = visits({"columns": {"born": NOISE, "cost": NOISE}}, one_each, constant=["born"])
    (made,) = protect(database)
    assert made.plan.per_person == ("born",)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"constant": ["sexe"]}, "'sexe' is not a column"),
        ({"constant": ["visit_id"]}, "is an identifier"),
        ({"constant": ["sex"], "person": None}, "name the person column"),
    ],
)
def test_what_constant_may_name(more: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        visits({"columns": {}}, **more)


def test_check_names_what_is_constant_until_it_is_declared() -> None:
    view = {"columns": {"sex": {"method": "warner", "p": 0.6}, "cost": NOISE}}
    told = [found[2] for found in said(visits(view)) if "person" in found[0]]
    assert told == [
        "each Patient id has one value of sex: perturbed once per person. If that is no accident, add `constant: [sex]`"
    ]
    assert not [found for found in said(visits(view, constant=["sex"])) if "person" in found[0]]


def test_check_finds_the_person_that_a_policy_forgets() -> None:
    (told,) = [found for found in said(visits({"columns": {}}, person=None)) if found[0].endswith("key")]
    assert told[1] == "warning"
    assert told[2] == (
        "'visit_id' names a record, and 'Patient id' up to 5 of them; each has one value of sex, born, region. If it "
        "names a person, add `person: Patient id`: else records are counted where people should be"
    )
    assert not [
        f for f in said(visits({"columns": {}}, person="visit_id")) if f[0].endswith("key")
    ]  # the owner said so


@pytest.mark.parametrize("select", [f"SELECT * FROM ({SELECT}) LIMIT 0", f"SELECT * FROM ({SELECT}) LIMIT 1"])
def test_tables_of_no_and_of_one_record(select: str) -> None:
    database = visits({"columns": {"sex": {"method": "suppression", "share": "10%"}}}, select)
    protect(database)
    assert database.con.execute("SELECT count(*) <= 1 FROM p").fetchall() == [(True,)]
    assert not [found for found in said(database) if "person" in found[0]]


def test_a_person_that_is_sometimes_missing_is_refused() -> None:
    database = visits({"columns": {"born": NOISE}})
    database.con.execute('UPDATE visits SET "Patient id" = NULL WHERE visit_id = 3')
    with pytest.raises(PolicyError, match="NULL in 1 of 200 records"):
        protect(database)


def test_a_release_counts_people_not_records() -> None:
    """Five records of one patient share sex and year of birth with nobody: k is 1 of people, 5 of records."""
    columns = ROLES | {"born": "quasi", "region": "identifier", "cost": NUMBER}
    database = visits({"columns": {"cost": NOISE}}, columns=columns)
    protect(database)
    (floor,) = [each for each in stand(database, "p").floors if each.name == "min_k"]
    assert floor.measured == 1
    assert floor.words.startswith("k is 1 people")
    by_record = visits({"columns": {"cost": NOISE}}, person=None, columns=columns)
    protect(by_record)
    assert [each.measured for each in stand(by_record, "p").floors if each.name == "min_k"] == [5]


def test_a_view_from_before_the_person_was_named_is_fitted_again() -> None:
    database = visits({"columns": {"cost": NOISE}}, person=None)
    protect(database)
    named = visits({"columns": {"cost": NOISE}}).policy
    with pytest.raises(SdcdbError, match="fit it again"):
        stand(Governed(None, database.con, named), "p")
