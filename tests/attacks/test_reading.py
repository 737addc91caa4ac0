"""Reading a value, a name or a key: whatever shows one to plain DuckDB shows none to the gateway."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML
from support import victims
from support.paths import CASES

import sdcdb
from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway
from sdcdb.views.protect import protect
from sdcdb.views.secret import read_secret

READING = YAML(typ="safe").load(CASES / "attacks" / "reading.yaml")
ATTACKS = [pytest.param(sql, id=f"{family}-{n}") for family, all_of in READING.items() for n, sql in enumerate(all_of)]


class Target:
    """The same people twice: in plain DuckDB and behind the gateway, with a protected view and a file beside."""

    def __init__(self, folder: Path) -> None:
        self.path = victims.create(folder / "staff.duckdb")
        self.copy = victims.create(folder / "copy.duckdb")
        self.csv = folder / "staff.csv"
        rules = victims.policy(folder / "staff.policy.yaml", protect=True)
        self.db = sdcdb.open(self.path, policy=rules)
        protect(self.db)
        key = read_secret("env:SDCDB_ATTACKED", None).subkey("staff")
        self.secrets = victims.Secrets(victims.people(240), key, "SDCDB_ATTACKED_VALUE")
        self.definition = str(self.db.con.execute("SELECT sql FROM duckdb_views() WHERE NOT internal").fetchone())
        self.db.con.execute(f"COPY staff TO '{self.csv}'")
        self.gateway: Gateway = self.db.gateway()
        self.plain = self._plain()

    def filled_in(self, sql: str) -> str:
        return sql.replace("{csv}", str(self.csv)).replace("{db}", str(self.copy))

    def _plain(self) -> duckdb.DuckDBPyConnection:
        """Make a DuckDB without a gateway: in memory, with the raw tables, the view and a macro with the key."""
        con = duckdb.connect()
        victims.fill(con, victims.people(240))
        con.execute(f"CREATE VIEW staff_public AS SELECT '{self.secrets.words[0]}' AS secret_of_{len(self.definition)}")
        con.execute(f"CREATE MACRO noise_of(x) AS sha256('{self.secrets.words[0]}:' || x)")
        con.execute("PREPARE p AS SELECT salary FROM staff")
        return con


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    os.environ["SDCDB_ATTACKED"] = "SDCDB_ATTACKED_VALUE of thirty and more characters"
    found = Target(tmp_path_factory.mktemp("target"))
    yield found
    found.gateway.close()
    found.db.close()
    found.plain.close()
    del os.environ["SDCDB_ATTACKED"]


def seen_in_plain_duckdb(target: Target, sql: str) -> list[str]:
    """Return the secrets that plain DuckDB shows; DuckDB 1.5 cannot read what is SQL only since 2.0."""
    target.plain.execute("BEGIN")
    try:
        return target.secrets.in_value(target.plain.execute(sql).fetchall())
    except duckdb.ParserException as problem:
        return [f"not yet SQL: {problem}"] if duckdb.__version__ < "2" else []
    except duckdb.Error as problem:
        return target.secrets.in_text(str(problem))
    finally:
        target.plain.execute("ROLLBACK")


def seen_through_the_gateway(target: Target, sql: str, params: Any = None) -> list[str]:
    try:
        return target.secrets.in_answer(target.gateway.ask(sql, params, user="mallory"))
    except Denied as refusal:
        return target.secrets.in_error(refusal)


@pytest.mark.parametrize("sql", ATTACKS)
def test_a_secret_is_read_from_plain_duckdb_and_not_from_the_gateway(target: Target, sql: str) -> None:
    sql = target.filled_in(sql)
    assert seen_in_plain_duckdb(target, sql)
    assert not seen_through_the_gateway(target, sql)
    explained = target.gateway.explain(sql, user="mallory")
    assert not target.secrets.in_text(repr(explained))


def test_the_view_s_key_is_in_the_database_and_not_in_the_lobby(target: Target) -> None:
    assert target.secrets.words[0] in target.definition
    for source in ("duckdb_views()", "duckdb_tables()", "duckdb_functions()", "sqlite_master", "duckdb_settings()"):
        assert not seen_through_the_gateway(target, f"FROM {source}")


@pytest.mark.parametrize("name", ["staff", "cells 1", "sdc c", "sdc released 0", "sdc copied", "copy.staff"])
def test_nothing_of_the_vault_has_a_name_in_the_lobby(target: Target, name: str) -> None:
    for sql in (f'FROM "{name}"', f"FROM query_table('{name}')", f'SELECT "{name}" FROM dept_dim'):
        try:
            answer = target.gateway.ask(sql, user="mallory")
        except Denied:
            continue
        assert answer.rows == ()


@pytest.mark.parametrize(
    "params",
    [
        ["salary"],
        ["name"],
        ["staff"],
        ["staff.salary"],
        [["salary"]],
        [{"salary": "salary"}],
        ["*"],
        ["1; SELECT name"],
    ],
)
def test_a_parameter_is_a_value_and_never_a_name(target: Target, params: list[Any]) -> None:
    pasted = params[0] if isinstance(params[0], str) else "salary"  # by an application that knows no parameters
    assert seen_in_plain_duckdb(target, f"SELECT {pasted} FROM staff")
    for sql in ("SELECT ? FROM staff", "SELECT COUNT(*), ? FROM staff", "SELECT MAX(?) FROM staff GROUP BY dept",
                "SELECT COUNT(*) FROM staff GROUP BY ?", "SELECT COUNT(*) FROM staff ORDER BY ?",
                "SELECT COUNT(*) FROM query_table(?)", "FROM query(?)", "SELECT COLUMNS(?) FROM staff"):  # fmt: skip
        assert not seen_through_the_gateway(target, sql, params)


def test_neither_are_names_of_people_told_by_wrong_ones(target: Target) -> None:
    """DuckDB's 'did you mean' lists columns: the gateway's lists those that may be used."""
    with pytest.raises(Denied) as refusal:
        target.gateway.ask("SELECT COUNT(*) FROM staff WHERE nam = 'x'")
    assert "name" not in refusal.value.hint.split(": ")[1].split(", ")


def test_the_ledger_holds_no_secret_after_all_this(target: Target) -> None:
    asked = [str(attack.values[0]) for attack in ATTACKS[::10]]
    for sql in asked:
        seen_through_the_gateway(target, target.filled_in(sql))
    found = (target.path.parent / "staff.ledger.jsonl").read_text("utf-8")
    assert len(found.splitlines()) >= len(asked)
    assert not target.secrets.in_text(found.replace(str(target.csv), ""))
