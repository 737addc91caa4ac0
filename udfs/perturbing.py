"""Every technique as a table function, made from the policy's schema: `FROM sdc_vicus('staff', k1 := 5, k2 := 20)`.

The schema lists all methods with their fields, and is read in a millisecond; the techniques themselves are imported by
the first call. A test holds the two against each other.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdcdb.connection.identifiers import fold
from sdcdb.errors import DataError
from sdcdb.udfs.relations import Relation
from sdcdb.udfs.sessions import FRESH
from sdcdb.udfs.table_function import REQUIRED, TABLE, Call, Parameter, TableFunction

if TYPE_CHECKING:
    from sdcdb.connection.profile import ColumnProfile, TableProfile
    from sdcdb.techniques.technique import Technique
    from sdcdb.views.secret import Secret

COLUMNS = Parameter("columns", "the columns to perturb, such as ['dept']; left out, all that suit the method")
DOMAIN = Parameter(
    "domain",
    "the publicly known range of the numbers, [0, 200000], or one for each column, {'age': [16, 99]}; left out, that "
    "of the data, rounded outwards to one digit",
)
STEP = Parameter("step", "the grid that the numbers lie on, as in a policy")
KEY = Parameter("key", "the column that names a record; left out, the primary key, or the rowid of a table without one")
SEED = Parameter("seed", "a number or text that makes the noise reproducible, and removable by those who know it")
SECRET = Parameter("secret", "where the secret is, as in a policy: 'keyfile', 'env:NAME' or 'file:PATH'")
NOISE = (KEY, SEED, SECRET)


@cache
def technique_functions() -> tuple[TableFunction, ...]:
    """Return the function of every technique, and the one that takes several methods at once."""
    schema = json.loads(files("sdcdb.schemas").joinpath("policy.schema.json").read_text(encoding="utf-8"))
    methods = {
        str(model["properties"]["method"]["const"]): model
        for model in schema["$defs"].values()
        if "const" in model.get("properties", {}).get("method", {})
    }
    rows = {name for name in methods if _for_rows(schema, name)}
    return (*(_technique(name, methods[name], rows=name in rows) for name in sorted(methods)), PERTURB)


def _for_rows(schema: Mapping[str, Any], name: str) -> bool:
    """Tell whether a method chooses records: whether a view names it under `rows`."""
    told = json.dumps(schema["$defs"]["View"]["properties"]["rows"])
    model = next(key for key, each in schema["$defs"].items() if _method(each) == name)
    return f'"#/$defs/{model}"' in told


def _method(model: Mapping[str, Any]) -> Any:
    return model.get("properties", {}).get("method", {}).get("const")


def _technique(name: str, model: Mapping[str, Any], *, rows: bool) -> TableFunction:
    own = tuple(
        Parameter(field, _said(field, spec), needed=field in model.get("required", ()))
        for field, spec in model["properties"].items()
        if field != "method"
    )
    columns = () if rows else (COLUMNS,)
    shape = () if rows else (DOMAIN, STEP)
    needed = [(field.name, _example(field.name, model["properties"][field.name])) for field in own if field.needed]
    shown = "".join(f", {field} := {value}" for field, value in needed)
    return TableFunction(
        f"sdc_{name}",
        model["description"].split("\n\n")[0].replace("\n", " "),
        (TABLE, *columns, *own, *shape, *NOISE),
        lambda call: perturb(call, *_asked(call, name, [field.name for field in own], rows=rows)),
        f"FROM sdc_{name}('staff'{_CHOSEN.get(name, '')}{shown})",
    )


_EXAMPLES = {"class": "'dept'", "matrix": "{'leeds': {'leeds': 0.9, 'york': 0.1}, 'york': {'york': 1}}"}
# What an example says besides, of methods that need a choice.
_CHOSEN = {
    "an": ", columns := ['dept']",
    "coding": ", columns := ['pay'], top := 45000",
    "ean": ", columns := ['dept'], categories := {'a': ['sales', 'lab'], 'b': ['office']}",
    "pram": ", columns := ['town']",
    "suppression": ", columns := ['age'], share := '5%'",
    "swapping": ", columns := ['pay'], within := ['dept']",
    "vicus": ", columns := ['dept', 'town']",
}


def _example(field: str, spec: Mapping[str, Any]) -> str:
    """Return a value that a field could have, by what the schema says of it."""
    if field in _EXAMPLES:
        return _EXAMPLES[field]
    if "anyOf" in spec or "pattern" in spec:
        return "'10%'"
    if spec.get("type") == "integer":
        return str(max(3, spec.get("minimum", 0)))
    return "0.8" if spec.get("maximum", 2) <= 1 else "5"


def _said(field: str, spec: Mapping[str, Any]) -> str:
    """Return what a field is for, with the policy's default."""
    text = " ".join(str(spec.get("description", field)).split()).rstrip(".")
    default = spec.get("default")
    return f"{text} (default: {json.dumps(default)})" if default not in (None, [], {}) else text


def _asked(call: Call, method: str, own: list[str], *, rows: bool) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the methods of the columns and that of the rows, as a policy writes them."""
    spec = {"method": method} | {field: call[field] for field in own if call[field] is not None}
    return ({}, spec) if rows else ({"": spec}, None)


def perturb(call: Call, columns: Mapping[str, Any], rows: dict[str, Any] | None) -> str:
    """Fit, and return the SELECT of all columns, some of them perturbed. The name "" stands for the call's columns."""
    from sdcdb.connection.profile import profile
    from sdcdb.udfs.fitting import StoringEngine, Wanted, fit_plan, inline_select

    table = call.table
    found = profile(call.cursor, call.reading())
    asked = {name: dict(_shaped(call, found, name, spec)) for name, spec in _spread(call, found, columns)}
    secret = secret_of(call)
    named = f"{table.database}.{table.schema}.{table.table}" if call["seed"] is None else table.name
    engine = StoringEngine(call.cursor, _tell)
    wanted = Wanted(call.name, table.name, key_of(call, table), asked, rows)
    plan = fit_plan(engine, wanted, found, secret.subkey(named))
    call.stored.extend(map(engine.reference, engine.stored))
    return inline_select(plan, secret.subkey(named), table.reference, engine.stored)


def perturbed(call: Call, found: "TableProfile", spec: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the columns that a call perturbs, each with its method, domain and step."""
    return {name: dict(_shaped(call, found, name, own)) for name, own in _spread(call, found, {"": spec})}


def _tell(what: str) -> None:
    """Show what takes long to somebody at a terminal; DuckDB's own progress bar starts when fitting is over."""
    if sys.stderr.isatty():
        sys.stderr.write(f"sdcdb: {what}\n")


def _spread(call: Call, found: "TableProfile", columns: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    from sdcdb.techniques.registry import TECHNIQUES

    for name, spec in columns.items():
        if name:
            yield name, spec
            continue
        given = call["columns"]
        if given is not None and (not isinstance(given, list) or not all(isinstance(each, str) for each in given)):
            raise DataError(f"columns must be a list of names, such as ['dept'], not {given!r}")
        if given == []:
            raise DataError("columns is an empty list: name at least one, or leave it out for all that suit")
        technique = TECHNIQUES[spec["method"]]
        chosen = [call.table.own(each) for each in given] if given else _suited(call, found, technique)
        if not chosen:
            raise DataError(f"{call.table.given!r} has no column that {technique.name} is for ({technique.kind})")
        yield from ((each, spec) for each in dict.fromkeys(chosen))


def _suited(call: Call, found: "TableProfile", technique: "Technique") -> list[str]:
    """Return the columns that a method is for, except the key, and text that names a record."""
    from sdcdb.techniques.technique import Kind

    key = fold(key_of(call, call.table))

    def suits(column: "ColumnProfile") -> bool:
        fits = technique.kind is Kind.ANY or (technique.kind is Kind.NUMBER) == column.numeric
        return fits and not (column.unique and column.text) and fold(column.name) != key

    return [column.name for column in found.columns if suits(column)]


def _shaped(call: Call, found: "TableProfile", name: str, spec: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield a method with the domain and the step of its column."""
    from sdcdb.policy.draft import outward

    if not isinstance(spec, Mapping):
        raise DataError(f"{name}: a method is a struct, such as {{'method': 'normal', 'sd': '10%'}}, not {spec!r}")
    yield from spec.items()
    column = found.column(name)
    if column is None or not column.numeric:
        return
    for field in ("domain", "step"):
        given = call.arguments.get(field)
        own = _for_column(given, name)
        if field not in spec and (own is not None or field == "domain"):
            yield field, list(outward(column.low, column.high)) if own is None else own


def _for_column(given: Any, name: str) -> Any:
    """Return what is given for one column: for all of them alike, or by name."""
    return (
        next((each for key, each in given.items() if fold(key) == fold(name)), None)
        if isinstance(given, dict)
        else given
    )


def key_of(call: Call, table: Relation) -> str:
    """Return the column that names a record: the one given, the primary key, or the rowid."""
    if call["key"] is not None:
        return str(call["key"]) if str(call["key"]) == "rowid" and not table.is_view else table.own(call["key"])
    rows = call.cursor.execute(
        "SELECT constraint_column_names FROM duckdb_constraints() WHERE constraint_type = 'PRIMARY KEY' "
        "AND (database_name, schema_name, table_name) = (?, ?, ?)",
        [table.database, table.schema, table.table],
    ).fetchall()
    if rows and len(rows[0][0]) == 1:
        return str(rows[0][0][0])
    if table.is_view:
        raise DataError(
            f"{table.given!r} is a view, which has no rowid: name the column of its records' key, key := 'id'"
        )
    return "rowid"


def secret_of(call: Call) -> "Secret":
    """Return the secret of the noise: that of the seed, the one from its place, or this process's own."""
    from sdcdb.udfs.fitting import seeded
    from sdcdb.views.secret import Secret, read_secret

    seed, place = call["seed"], call["secret"]
    if seed is not None and place is not None:
        raise DataError("give a seed, to try things out, or a secret, not both")
    if seed is not None:
        return seeded(seed)
    if place is None:
        return Secret(FRESH)
    return read_secret(secret_place(place), database_path(call))


def secret_place(given: Any) -> str:
    """Return a place as a policy has it. What is wrong is not repeated: somebody may have pasted the secret itself."""
    kind, _, rest = str(given).partition(":")
    if given != "keyfile" and not (kind in {"env", "file"} and rest):
        raise DataError(
            "secret says where the secret is, never the secret itself: 'env:NAME', 'file:PATH' or 'keyfile'"
        )
    return str(given)


def database_path(call: Call) -> Path | None:
    """Return the file of the database that the table is in."""
    owner = call.table.database if call.relations else call.database
    rows = call.cursor.execute("SELECT path FROM duckdb_databases() WHERE database_name = ?", [owner]).fetchall()
    return Path(rows[0][0]) if rows and rows[0][0] else None


PERTURB = TableFunction(
    "sdc_perturb",
    "Perturb several columns, each by its own method.",
    (
        TABLE,
        Parameter("methods", "the method of each column: {'pay': {'method': 'normal', 'sd': '10%'}}", REQUIRED),
        Parameter("rows", "a method that chooses records: {'method': 'sampling', 'size': '10%'}"),
        DOMAIN,
        STEP,
        *NOISE,
    ),
    lambda call: perturb(call, _methods(call), call["rows"]),
    "FROM sdc_perturb('staff', {'pay': {'method': 'normal', 'sd': '10%'}})",
)


def _methods(call: Call) -> dict[str, Any]:
    given = call["methods"]
    if not isinstance(given, dict):
        raise DataError("methods must be a struct of columns, such as {'pay': {'method': 'normal', 'sd': '10%'}}")
    return {call.table.own(name): spec for name, spec in given.items()}
