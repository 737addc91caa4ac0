"""Every technique is a table function of SQL: found by itself, with the policy's parameters, whatever the names."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from ruamel.yaml import YAML
from support.contract import COLUMNS, SELECT, TABLE, Case, first_cases
from support.paths import CASES

import sdcdb
from sdcdb.connection.identifiers import identifier, quoted, table_name
from sdcdb.fields.strict import written
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.udfs import fit
from sdcdb.udfs.perturbing import NOISE, technique_functions
from sdcdb.udfs.rows import literal

DOMAINS = {name: spec["domain"] for name, spec in COLUMNS.items() if isinstance(spec, dict)} | {"unbounded": [0, 1000]}
STEPS = {name: spec["step"] for name, spec in COLUMNS.items() if isinstance(spec, dict) and "step" in spec}
ROWS = 500


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with sdcdb.register(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE {quoted(identifier(TABLE))} AS {SELECT.format(rows=ROWS)}")
        yield connection


def call(case: Case, **given: Any) -> str:
    """Return the call that does what a case of the contract asks for."""
    shape = {"domain": DOMAINS, "step": STEPS, "columns": list(case.columns)} if case.columns else {}
    named = {**case.params, **shape, "key": "key", **given}
    arguments = ", ".join(f"{quoted(identifier(name))} := {literal(value)}" for name, value in named.items())
    return f"sdc_{case.method}({literal(table_name('main', TABLE))}, {arguments})"


def test_every_technique_has_its_function_with_the_policys_parameters() -> None:
    """A new technique needs `make docs`, which writes the schema that the functions are made from, and nothing else."""
    made = {function.name: function for function in technique_functions()}
    assert set(made) == {f"sdc_{name}" for name in TECHNIQUES} | {"sdc_perturb"}
    for name, technique in TECHNIQUES.items():
        parameters = {parameter.name: parameter for parameter in made[f"sdc_{name}"].parameters}
        own = {field: info for field, info in written(technique.params).items() if field != "method"}
        shared = {"tbl", "columns", "domain", "step", *(each.name for each in NOISE)}
        assert parameters.keys() - shared == own.keys() - shared
        assert parameters.keys() >= own.keys()
        assert {field for field in own if parameters[field].needed} == {
            field for field, info in own.items() if info.is_required()
        }
        assert made[f"sdc_{name}"].summary == " ".join((technique.params.__doc__ or "").split("\n\n")[0].split())


def test_the_function_does_what_the_technique_does(con: duckdb.DuckDBPyConnection, first_case: Case) -> None:
    published = con.execute(f"FROM {call(first_case, seed=7)} ORDER BY untouched").fetchall()
    original = con.execute(f"FROM {quoted(identifier(TABLE))} ORDER BY untouched").fetchall()
    kept = {row[0]: row for row in original}
    assert len(published) == ROWS or not first_case.columns
    for row in published:
        for name, before, after in zip(["key", *COLUMNS], kept[row[0]], row, strict=True):
            assert name in first_case.columns or before == after
            assert before is not None or after is None
    if first_case.method not in {"kanonymity", "microaggregation", "swapping"}:  # a macro stores no rows
        assert published == by_python(con, first_case)


def by_python(con: duckdb.DuckDBPyConnection, case: Case) -> list[tuple[Any, ...]]:
    """Return what the macro publishes that Python fits."""
    spec = {"method": case.method, **case.params}
    shapes = {name: {"domain": DOMAINS.get(name), "step": STEPS.get(name)} for name in case.columns}
    methods = {name: {**spec, **{n: v for n, v in shapes[name].items() if v}} for name in case.columns}
    rows = None if case.columns else spec
    fit(con, "by_python", table_name("main", TABLE), methods, key="key", rows=rows, seed=7)
    return con.execute("FROM by_python() ORDER BY untouched").fetchall()


def digest_of(con: duckdb.DuckDBPyConnection, view: str) -> str:
    """Return the query for a digest of a view's rows. Processors may differ in the last digits of a DOUBLE."""
    shown = {name: kind for name, kind, *_ in con.execute(f"DESCRIBE {quoted(identifier(view))}").fetchall()}
    cells = [
        f"coalesce(CAST({f'round({name}, 6)' if kind == 'DOUBLE' else name} AS VARCHAR), 'NULL')"
        for name, kind in ((quoted(identifier(column)), kind) for column, kind in shown.items())
    ]
    rows = f"SELECT concat_ws(';', {', '.join(cells)}) AS cells FROM {quoted(identifier(view))}"
    return f"SELECT count(*) || ' ' || md5(string_agg(cells, '|' ORDER BY cells)) FROM ({rows})"


def test_a_view_of_every_technique_runs_from_the_command_line(tmp_path: Path) -> None:
    path, made = tmp_path / "views.duckdb", {}
    with sdcdb.register(duckdb.connect(str(path), config={"storage_compatibility_version": "v1.5.0"})) as con:
        con.execute(f"CREATE TABLE {quoted(identifier(TABLE))} AS {SELECT.format(rows=ROWS)}")
        for case in first_cases():
            shape = {"domain": DOMAINS, "step": STEPS, "columns": list(case.columns)} if case.columns else {}
            options = {**case.params, **shape, "key": "key", "seed": 7, "publish": ["untouched"]}
            listed = ", ".join(f"{literal(name)}: {literal(value)}" for name, value in options.items())
            named = f"'of {case.method}', '{case.method}', {literal(table_name('main', TABLE))}"
            con.execute(f"SELECT sdc_create_view({named}, {{{listed}}})").fetchall()
            asked = digest_of(con, f"of {case.method}")
            ((found,),) = con.execute(asked).fetchall()
            made[asked] = found
    assert len(made) == len(TECHNIQUES)
    shell = [str(Path(sys.executable).with_name("duckdb")), "-readonly", "-noheader", "-list", str(path)]
    done = subprocess.run(shell, input=";\n".join(made) + ";\n", capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == list(made.values())


@pytest.mark.parametrize("case", YAML(typ="safe").load(CASES / "sql_functions.yaml"), ids=lambda case: case["name"])
def test_odd_tables_and_numbers_by_hand(case: dict[str, Any]) -> None:
    with sdcdb.register(duckdb.connect()) as con:
        con.execute(case["with"])
        if "says" in case:
            with pytest.raises(duckdb.InvalidInputException, match=re.escape(case["says"])):
                con.execute(case["ask"])
            return
        found = con.execute(case["ask"]).fetchall()
    assert [[round(cell, 9) if isinstance(cell, float) else cell for cell in row] for row in found] == case["gives"]
