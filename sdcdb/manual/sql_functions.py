"""reference/sql-functions.md: every `sdc_*` function, with its signature and columns as DuckDB itself reports them."""

from collections.abc import Iterable

import duckdb

from sdcdb.manual.page import Page, table
from sdcdb.manual.sql_example import TABLES, example_database
from sdcdb.udfs.auditing import RESULTS
from sdcdb.udfs.persisting import ACTIONS
from sdcdb.udfs.perturbing import COLUMNS, DOMAIN, KEY, SECRET, SEED, STEP, technique_functions
from sdcdb.udfs.registration import table_functions
from sdcdb.udfs.scalars import SCALARS
from sdcdb.udfs.table_function import Parameter, TableFunction

# Every macro of udfs/macros: an example, and what it gives. A macro without a line here stops `make docs`.
MACROS = {
    "sdc_k_anonymity": ("FROM sdc_k_anonymity('staff', ['town'])", "k, the number of classes and of unique records"),
    "sdc_l_diversity": ("FROM sdc_l_diversity('staff', ['town'], 'pay')", "distinct and entropy l-diversity"),
    "sdc_t_closeness": ("FROM sdc_t_closeness('staff', ['town'], 'pay')", "t-closeness by the Earth Mover's Distance"),
    "sdc_classes": ("FROM sdc_classes('staff', ['town'])", "every equivalence class with its number of records"),
    "sdc_uniqueness": ("FROM sdc_uniqueness('staff', ['town'])", "sample uniques, and how likely a match is right"),
    "sdc_population_uniqueness": (
        "FROM sdc_population_uniqueness('noisy', 'staff', ['town'])",
        "sample uniques that are population uniques",
    ),
    "sdc_ean_loss": ("FROM sdc_ean_loss('lists', 'pays', ['town'])", "information loss of a table published by EAN"),
    "sdc_sensitive_loss": ("SELECT sdc_sensitive_loss(3)", "EAN eq. 1: loss of a list of l values"),
    "sdc_record_loss": ("SELECT sdc_record_loss(3, [0, 0])", "EAN eq. 2: loss of a record"),
    "sdc_noise_belief": (
        "SELECT sdc_noise_belief([1, 2], [[0.75, 0.25], [0.25, 0.75]])",
        "p_i of each domain value after noise, by Bayes, from the place of each matching record's value",
    ),
    "sdc_chi_square": (
        "SELECT sdc_chi_square(list(dept), list(town)) FROM staff",
        "chi-square and likelihood ratio of two lists of values of the same records, with p-values",
    ),
}
# An example of every scalar function.
CALLS = {
    "sdc_entropy": "SELECT sdc_entropy([0.5, 0.25, 0.25])",
    "sdc_disclosure_risk": "SELECT sdc_disclosure_risk([0.5, 0.5])",
    "sdc_reidentification_entropy": "SELECT sdc_reidentification_entropy([0.2, 0.2, 0.2, 0.2])",
    "sdc_class_entropy": "SELECT sdc_class_entropy([1, 1], [0, 1])",
    "sdc_normalise": "SELECT sdc_normalise([1, 3])",
    "sdc_h": "SELECT sdc_h([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05], 6)",
    "sdc_cae": "SELECT sdc_cae([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05])",
    "sdc_cae_curve": "SELECT sdc_cae_curve([1, 3, 8, 9], [0.15, 0.1, 0.7, 0.05])",
    "sdc_sampling_belief": "SELECT sdc_sampling_belief([20, 20, 30], 4, [10, 20, 30, 40])",
    "sdc_restriction_belief": "SELECT sdc_restriction_belief([10, 20], [40, 30], [10, 20, 30, 40])",
    "sdc_security": "SELECT sdc_security([1.0, 2.4, 3.0], 2.45, 0.05)",
}


def examples() -> dict[str, list[str]]:
    """Return all examples of the page, by function."""
    found: dict[str, list[str]] = {name: [call] for name, call in CALLS.items()}
    for name, (call, _) in MACROS.items():
        found.setdefault(name, []).append(call)
    called = [(each.name, each.example) for each in table_functions().values()]
    for name, call in [*called, *((each.name, each.example) for each in ACTIONS)]:
        found.setdefault(name, []).append(call)
    return found


def _scalars() -> str:
    rows = [
        (f"`{each.name}({', '.join(each.parameters)})`", f"`{each.returns}`", each.summary, f"`{CALLS[each.name]}`")
        for each in SCALARS
        if not each.name.startswith("_")
    ]
    return table(("function", "returns", "meaning", "example"), rows)


def _macros() -> str:
    made = {*(result.name for result in RESULTS), *table_functions(), *(action.name for action in ACTIONS)}
    with example_database() as con:
        found = con.execute("""
            SELECT function_name, parameters, function_type FROM duckdb_functions()
            WHERE function_name LIKE 'sdc\\_%' ESCAPE '\\' AND function_type IN ('macro', 'table_macro')
            ORDER BY function_name
        """).fetchall()
        rows = [
            (
                f"`{name}({', '.join(parameters)})`",
                MACROS[name][1],
                _columns(con, MACROS[name][0]),
                f"`{MACROS[name][0]}`",
            )
            for name, parameters, kind in found
            if name not in made or (name in MACROS and kind == "macro")
        ]
    return table(("function", "gives", "columns", "example"), rows)


def _columns(con: duckdb.DuckDBPyConnection, example: str) -> str:
    described = con.execute(f"DESCRIBE {example}").fetchall()
    if not example.startswith("FROM"):
        return f"`{described[0][1]}`"
    return ", ".join(f"`{name}`" for name, *_ in described)


def _signature(function: TableFunction) -> str:
    return f"`{function.name}({', '.join(parameter.name for parameter in function.parameters)})`"


def _techniques() -> str:
    rows = [(f"`{each.name}`", each.summary, f"`{each.example}`") for each in technique_functions()]
    return table(("function", "what it does", "example"), rows)


def _shared() -> str:
    return _parameters((COLUMNS, DOMAIN, STEP, KEY, SEED, SECRET))


def _parameters(parameters: Iterable[Parameter]) -> str:
    rows = [
        (f"`{each.name}`", each.says, "" if each.required or each.default is None else f"`{each.default}`")
        for each in parameters
    ]
    return table(("parameter", "meaning", "default"), rows)


def _measures() -> str:
    techniques = {each.name for each in technique_functions()}
    parts = []
    with example_database() as con:
        for each in table_functions().values():
            if each.name not in techniques:
                given = f"{_signature(each)} gives {_columns(con, each.example)}. Example: `{each.example}`"
                parts.append(f"### {each.name}\n\n{each.summary}\n\n{given}\n\n{_parameters(each.parameters)}")
    return "\n\n".join(parts)


def _actions() -> str:
    parts = [
        f"### {each.name}\n\n{each.summary} Example: `{each.example}`\n\n{_parameters(each.parameters)}"
        for each in ACTIONS
    ]
    return "\n\n".join(parts)


def _audits() -> str:
    rows = [(f"`{result.name}(log, ...)`", ", ".join(f"`{name}`" for name, _ in result.columns)) for result in RESULTS]
    return table(("function", "columns"), rows)


def _tables() -> str:
    return "```sql\n" + ";\n".join(TABLES) + ";\n```"


PAGE = Page(
    "reference/sql-functions.md",
    {
        "tables": _tables,
        "scalars": _scalars,
        "macros": _macros,
        "techniques": _techniques,
        "shared": _shared,
        "actions": _actions,
        "measures": _measures,
        "audits": _audits,
    },
)
