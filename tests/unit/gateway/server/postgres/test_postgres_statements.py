"""Reading what clients send: scripts, COPY, parameters, settings."""

import pytest

from sdcdb.gateway.relations import Relation, Relations
from sdcdb.gateway.server.postgres.copying import read_copy
from sdcdb.gateway.server.postgres.parameters import infer
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.settings import Settings
from sdcdb.gateway.server.postgres.split import split
from sdcdb.gateway.server.postgres.types import Oid

STAFF = Relations(
    (Relation("staff", "public", {"age": "INTEGER", "Name": "VARCHAR", "born": "DATE", "pay": "DOUBLE"}),)
)


@pytest.mark.parametrize(
    ("script", "statements"),
    [
        ("SELECT 1", ["SELECT 1"]),
        ("SELECT 1;;  ; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("SELECT ';' ; SELECT \";\"", ["SELECT ';'", 'SELECT ";"']),
        (r"SELECT '\'; SELECT 2", [r"SELECT '\'", "SELECT 2"]),
        (r"SELECT E'\'; SELECT 2'", [r"SELECT E'\'; SELECT 2'"]),
        ("SELECT $a$;$a$; SELECT 2", ["SELECT $a$;$a$", "SELECT 2"]),
        ("/* ; /* ; */ ; */ SELECT 1 -- ;\n; SELECT 2", ["/* ; /* ; */ ; */ SELECT 1 -- ;", "SELECT 2"]),
        ("-- nothing", []),
        ("", []),
        ("SELECT 'open; SELECT 2", ["SELECT 'open; SELECT 2"]),
        ("/* open; SELECT 2", []),
    ],
)
def test_a_script_is_split_where_postgresql_would(script: str, statements: list[str]) -> None:
    assert split(script) == statements


@pytest.mark.parametrize(
    ("sql", "oids"),
    [
        ("SELECT 1", []),
        ("SELECT avg(pay) FROM staff WHERE age > $1", [Oid.INT4]),
        ('SELECT avg(pay) FROM staff WHERE $1 <= age AND "Name" = $2', [Oid.INT4, Oid.TEXT]),
        ("SELECT avg(pay) FROM staff WHERE age BETWEEN $1 AND $2", [Oid.INT4, Oid.INT4]),
        ("SELECT avg(pay) FROM staff WHERE age IN ($1,$2) AND born < $3", [Oid.INT4, Oid.INT4, Oid.DATE]),
        ("SELECT $1::numeric, CAST($2 AS timestamp)", [Oid.NUMERIC, Oid.TIMESTAMP]),
        ("SELECT 1 LIMIT $1 OFFSET $2", [Oid.INT8, Oid.INT8]),
        ("SELECT '$1', $2", [Oid.TEXT, Oid.TEXT]),
        ("SELECT avg(pay) FROM staff GROUP BY born HAVING count(*) > $1", [Oid.INT8]),
        ("this is no SQL $1 $2", []),
    ],
)
def test_types_of_parameters_are_taken_from_the_statement(sql: str, oids: list[int]) -> None:
    assert infer(sql, STAFF) == oids


@pytest.mark.parametrize(
    ("statement", "form", "delimiter", "header"),
    [
        ("COPY (SELECT 1) TO STDOUT", "text", "\t", False),
        ("copy (select 1) to stdout with (format csv, header)", "csv", ",", True),
        ("COPY (SELECT (1)) TO STDOUT (FORMAT csv, HEADER false, DELIMITER ';')", "csv", ";", False),
        ("COPY (SELECT 1) TO STDOUT WITH CSV HEADER", "csv", ",", True),
        ("COPY (SELECT 1) TO STDOUT (FORMAT binary)", "binary", "\t", False),
        ('COPY (SELECT 1) TO STDOUT (FORMAT "binary")', "binary", "\t", False),
    ],
)
def test_copy_takes_its_options(statement: str, form: str, delimiter: str, *, header: bool) -> None:
    found = read_copy(statement)
    assert (found.form, found.delimiter, found.header) == (form, delimiter, header)


@pytest.mark.parametrize(
    ("statement", "state"),
    [
        ("COPY staff TO STDOUT", "0A000"),
        ("COPY staff FROM STDIN", "0A000"),
        ("COPY (SELECT 1) TO '/etc/passwd'", "0A000"),
        ("COPY (SELECT 1) TO PROGRAM 'sh'", "0A000"),
        ("COPY (SELECT 1) TO STDOUT (FORMAT xml)", "22023"),
        ("COPY (SELECT 1) TO STDOUT (FORCE_QUOTE *)", "0A000"),
        ("COPY (SELECT 1) TO STDOUT (DELIMITER 'ab')", "22023"),
    ],
)
def test_other_copies_are_refused(statement: str, state: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_copy(statement)
    assert refused.value.state == state


def test_settings_are_kept_and_what_is_fixed_stays() -> None:
    settings = Settings("ann")
    assert settings.run_set("SET application_name TO 'mine'") == "application_name"
    assert settings.run_show("SHOW application_name") == ("application_name", "mine")
    assert settings.run_set("SET TimeZone = 'Europe/Berlin'") is None
    assert settings.run_show("show time zone")[1] == "UTC"
    for statement, state in (("SET client_encoding TO latin1", "22023"), ("SET transaction_read_only = off", "25006")):
        with pytest.raises(Refusal) as refused:
            settings.run_set(statement)
        assert refused.value.state == state
    with pytest.raises(Refusal):
        settings.get("nothing_of_the_kind")
