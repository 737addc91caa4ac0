"""reference/sql-functions.md: every `sdc_*` function, with its signature and columns as DuckDB itself reports them."""

import duckdb

from sdcdb.manual.page import Page, table
from sdcdb.udfs import register
from sdcdb.udfs.auditing import RESULTS
from sdcdb.udfs.scalars import SCALARS

# Every macro: an example call on the table `t` below, and what it gives. A macro without a line here stops `make docs`.
MACROS = {
    "sdc_k_anonymity": ("FROM sdc_k_anonymity('t', ['city'])", "k, the number of classes and of unique records"),
    "sdc_l_diversity": ("FROM sdc_l_diversity('t', ['city'], 'pay')", "distinct and entropy l-diversity"),
    "sdc_t_closeness": ("FROM sdc_t_closeness('t', ['city'], 'pay')", "t-closeness by the Earth Mover's Distance"),
    "sdc_classes": ("FROM sdc_classes('t', ['city'])", "every equivalence class with its number of records"),
    "sdc_uniqueness": ("FROM sdc_uniqueness('t', ['city'])", "sample uniques, and how likely a match is right"),
    "sdc_population_uniqueness": (
        "FROM sdc_population_uniqueness('t', 't', ['city'])",
        "sample uniques that are population uniques",
    ),
    "sdc_ean_loss": ("FROM sdc_ean_loss('e', 'pays', ['city'])", "information loss of a table published by EAN"),
    "sdc_sensitive_loss": ("SELECT sdc_sensitive_loss(3)", "EAN eq. 1: loss of a list of l values"),
    "sdc_record_loss": ("SELECT sdc_record_loss(3, [0, 0])", "EAN eq. 2: loss of a record"),
    "sdc_sample": ("FROM sdc_sample('t', size := 2, key := 'id', seed := 1)", "a simple random sample"),
    "sdc_normal_noise": (
        "FROM sdc_normal_noise('t', 'pay', sd := 1, key := 'id', seed := 1)",
        "normal noise on one column",
    ),
    "sdc_pram": ("FROM sdc_pram('t', 'city', p := 0.8, key := 'id', seed := 1)", "randomised response on one column"),
    "sdc_ean": (
        "FROM sdc_ean('t', 'city', categories := [['a'], ['b']], key := 'id', seed := 1)",
        "the true value among one of every other category",
    ),
}
EXAMPLE = (
    "CREATE TABLE t AS SELECT i AS id, ['a', 'b'][1 + i % 2] AS city, 10 * i AS pay FROM range(8) r(i)",
    "CREATE TABLE e AS SELECT city, [pay, pay + 1] AS pays FROM t",
)


def _connection() -> duckdb.DuckDBPyConnection:
    con = register(duckdb.connect())
    for statement in EXAMPLE:
        con.execute(statement)
    return con


def _scalars() -> str:
    rows = [(f"`{each.name}({', '.join(each.parameters)})`", f"`{each.returns}`", each.summary) for each in SCALARS]
    return table(("function", "returns", "meaning"), rows)


def _macros() -> str:
    audits = {result.name for result in RESULTS}
    with _connection() as con:
        found = con.execute("""
            SELECT function_name, parameters FROM duckdb_functions()
            WHERE function_name LIKE 'sdc\\_%' ESCAPE '\\' AND function_type IN ('macro', 'table_macro')
            ORDER BY function_name
        """).fetchall()
        rows = [
            (f"`{name}({', '.join(parameters)})`", MACROS[name][1], _columns(con, MACROS[name][0]))
            for name, parameters in found
            if name not in audits
        ]
    return table(("function", "gives", "columns"), rows)


def _columns(con: duckdb.DuckDBPyConnection, example: str) -> str:
    if not example.startswith("FROM"):
        return "one number"
    columns = [name for name, *_ in con.execute(f"DESCRIBE {example}").fetchall()]
    return "those of the table" if columns == ["id", "city", "pay"] else ", ".join(f"`{name}`" for name in columns)


def _audits() -> str:
    rows = [(f"`{result.name}(log, ...)`", ", ".join(f"`{name}`" for name, _ in result.columns)) for result in RESULTS]
    return table(("function", "columns"), rows)


PAGE = Page("reference/sql-functions.md", {"scalars": _scalars, "macros": _macros, "audits": _audits})
