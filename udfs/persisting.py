"""Views that stay: `SELECT sdc_create_view('staff_public', 'vicus', 'staff', {...})`, and `SELECT sdc_protect()`.

They work on a cursor, in a transaction of their own. The views are those of `sdcdb protect`: plain SQL, known to the
catalogue, so that `sdcdb compare`, `release` and `status` know them too. DuckDB does not say that a function changes
the database; these are marked as not to be computed beforehand, so that EXPLAIN does not create anything.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted
from sdcdb.errors import DataError, SdcdbError, choices
from sdcdb.udfs.perturbing import (
    COLUMNS,
    DOMAIN,
    KEY,
    SECRET,
    SEED,
    STEP,
    database_path,
    key_of,
    perturbed,
    secret_of,
)
from sdcdb.udfs.relations import find, use
from sdcdb.udfs.rows import literal
from sdcdb.udfs.sessions import Session
from sdcdb.udfs.table_function import REQUIRED, TABLE, Call, Parameter, given_arguments

if TYPE_CHECKING:
    from sdcdb.connection.profile import TableProfile
    from sdcdb.policy.governed import Governed
    from sdcdb.policy.models import Table
    from sdcdb.views.plan import Plan

PUBLISH = Parameter("publish", "columns that the view shows as they are; left out, those that look harmless")
OPTIONS = (COLUMNS, DOMAIN, STEP, KEY, SEED, SECRET, PUBLISH)


@dataclass(frozen=True)
class Action:
    """A function that is used as `SELECT name(...)` and changes the database."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    act: Callable[[Call], str]
    example: str
    reads: str = "{}"
    """What the macro makes of the text that comes back."""

    def macro(self, connection: int) -> str:
        """Return the statement that creates the macro of one connection."""
        names = [quoted(identifier(parameter.name)) for parameter in self.parameters]
        declared = [
            name if parameter.required else f"{name} := {literal(parameter.default)}"
            for name, parameter in zip(names, self.parameters, strict=True)
        ]
        place = f"{connection}, '{self.name}', current_database(), current_schema()"
        called = f"_sdc_act({', '.join([place, *names])})"
        return f"CREATE OR REPLACE TEMP MACRO {self.name}({', '.join(declared)}) AS {self.reads.format(called)}"

    def call(self, session: Session, database: str, schema: str, given: tuple[Any, ...]) -> str:
        """Do it, in a transaction of its own."""
        arguments = given_arguments(self.name, self.parameters, given, self.example)
        with session.cursor() as cursor:
            try:
                use(cursor, database, schema)
                named = arguments.get("tbl")
                relations = {} if named is None else {"tbl": find(cursor, named, database, schema)}
                return self.act(Call(cursor, database, relations, arguments, ""))
            except SdcdbError as problem:
                raise DataError(f"{self.name}: {problem}") from None
            except duckdb.Error as problem:
                raise DataError(f"{self.name}: nothing was created: {str(problem).splitlines()[0]}") from None


def _create_view(call: Call) -> str:
    """Create one protected view by one method, and say what it shows."""
    from sdcdb.connection.profile import profile
    from sdcdb.connection.transaction import transaction
    from sdcdb.views import catalogue
    from sdcdb.views.fit import Wanted, fit_view
    from sdcdb.views.protect import create_view
    from sdcdb.views.secret import read_secret

    options, spec = _options(call)
    asking = Call(
        call.cursor, call.database, call.relations, {each.name: options.get(each.name) for each in OPTIONS}, ""
    )
    table, view = call.table, str(call["view"])
    use(call.cursor, table.database, table.schema)
    if table.is_view:
        raise DataError(f"{table.given!r} is a view: a protected view is made on a table")
    found = profile(call.cursor, table.name)
    _refuse_taken(call.cursor, view)
    if options.get("key") is None:
        asking = replace(asking, arguments={**asking.arguments, "key": _lasting_key(asking, found)})
    declared = _declared(asking, found, view, spec)
    secret = (
        secret_of(asking)
        if options.get("seed") is not None
        else read_secret(secret_place_of(options), database_path(call))
    )
    with transaction(call.cursor):
        catalogue.prepare(call.cursor)
        plan = fit_view(call.cursor, Wanted(view, table.name, declared, declared.protect[view]), secret)
        create_view(call.cursor, plan, secret, materialise=False)
    changed = {name for each in plan.fitted for name in each.columns}
    parts = {
        "perturbed": [name for name in plan.columns if name in changed],
        "as they are": [name for name in plan.columns if name not in changed],
        "left out": [column.name for column in found.columns if column.name not in plan.columns],
    }
    told = "; ".join(f"{words}: {', '.join(names)}" for words, names in parts.items() if names)
    made = f"created the view {view} on {table.name}, by the key {plan.key}. {told}"
    twice = _perturbed_elsewhere(call.cursor, plan)
    return f"{made}. {twice}, with other noise: who reads several views learns more" if twice else made


def _perturbed_elsewhere(cursor: duckdb.DuckDBPyConnection, plan: "Plan") -> str:
    """Say which columns other views of the table perturb in another way: two noises of one value can be averaged."""
    from sdcdb.views import catalogue

    own = {(column, each.scope) for each in plan.fitted for column in each.columns}
    places: dict[str, list[str]] = {}
    for name in catalogue.kinds(cursor):
        other = catalogue.entry(cursor, name).plan
        if other.view != plan.view and other.table == plan.table:
            theirs = {(column, each.scope) for each in other.fitted for column in each.columns}
            for column in {column for column, _ in own - theirs} & {column for column, _ in theirs - own}:
                places.setdefault(column, []).append(other.view)
    return "; ".join(f"{column} is also in {' and '.join(sorted(views))}" for column, views in sorted(places.items()))


def _lasting_key(call: Call, found: "TableProfile") -> str:
    """Return the primary key, or a column that is unique: the rowid changes when the table does."""
    from sdcdb.policy.guess import guess_key

    primary = key_of(call, call.table)
    return primary if primary != "rowid" else guess_key(found) or primary


def secret_place_of(options: Mapping[str, Any]) -> str:
    """Return where the secret is: by default where a policy has it."""
    from sdcdb.udfs.perturbing import secret_place

    return secret_place(options.get("secret") or "keyfile")


def _options(call: Call) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part the options of the view from the parameters of its method."""
    given = call["options"] if call["options"] is not None else {}
    if not isinstance(given, dict):
        raise DataError("options must be a struct, such as {'columns': ['dept'], 'k1': 5, 'k2': 20}")
    general = {parameter.name for parameter in OPTIONS}
    options = {name: value for name, value in given.items() if name in general}
    return options, {"method": call["method"]} | {name: each for name, each in given.items() if name not in general}


def _refuse_taken(cursor: duckdb.DuckDBPyConnection, view: str) -> None:
    from sdcdb.connection.profile import table_names, view_names
    from sdcdb.views import catalogue

    ours = {fold(name) for name in catalogue.kinds(cursor)}
    if fold(view) in {fold(name) for name in [*table_names(cursor), *view_names(cursor)]} - ours:
        raise DataError(f"{view!r} exists, and is not a protected view: choose another name")


def _declared(call: Call, found: "TableProfile", view: str, spec: Mapping[str, Any]) -> "Table":
    """Return the table as a policy would declare it: what names a person or looks confidential stays out."""
    from pydantic import ValidationError

    from sdcdb.policy.guess import guess_role
    from sdcdb.policy.models import Role, Table
    from sdcdb.techniques.registry import TECHNIQUES
    from sdcdb.techniques.technique import Kind

    method = str(spec["method"])
    if method not in TECHNIQUES:
        raise DataError(f"no method {method!r}; {choices(method, TECHNIQUES)}")
    key, rows = key_of(call, call.table), TECHNIQUES[method].kind is Kind.RECORD
    methods = {} if rows else perturbed(call, found, spec)
    shown = {fold(call.table.own(name)) for name in call["publish"] or ()}
    columns: dict[str, Any] = {}
    for column in found.columns:
        role = Role.IDENTIFIER if column.name == key else guess_role(column).role
        if fold(column.name) in shown:
            role = Role.PUBLIC
        if column.name in methods:
            shape = {name: methods[column.name].pop(name, None) for name in ("domain", "step")}
            columns[column.name] = {"role": Role.CONFIDENTIAL, **{n: v for n, v in shape.items() if v is not None}}
        else:
            columns[column.name] = {"role": Role.QUASI if role is Role.CLASS else role}
    made = {"rows": dict(spec)} if rows else {"columns": methods}
    try:
        return Table.model_validate({"key": key, "columns": columns, "protect": {view: made}})
    except ValidationError as problem:
        wrong = [f"{'.'.join(map(str, each['loc'][-2:]))}: {each['msg']}" for each in problem.errors()]
        raise DataError("; ".join(dict.fromkeys(wrong))) from None  # once, however many columns it is wrong for


def governed(call: Call) -> "Governed":
    """Return the caller's database with its policy: the file that was named, or the one beside the database."""
    from sdcdb.policy.governed import Governed, policy_path
    from sdcdb.policy.load import load_policy

    path = database_path(call)
    if call["policy"] is None and path is None:
        raise DataError("a database in memory has no policy beside it: name one, policy := 'staff.policy.yaml'")
    file = Path(str(call["policy"])) if call["policy"] is not None else policy_path(str(path))
    if not file.exists():
        raise DataError(f"no policy {file}: `sdcdb init` writes one, or name another, policy := 'FILE'")
    return Governed(path, call.cursor, load_policy(file))


def _protect(call: Call) -> str:
    """Create the views of the policy, and say which."""
    from sdcdb.views.protect import protect

    return f"created {', '.join(each.plan.view for each in protect(governed(call)))}"


def _explain(call: Call) -> str:
    """Ask the gateway for its verdict, which the ledger keeps, as for everybody who asks."""
    from sdcdb.gateway.gateway import Gateway

    with Gateway(governed(call)) as gateway:
        verdict = gateway.explain(str(call["statement"]), user=str(call["user"]))
    parts = {"verdict": verdict.kind, "rule": verdict.rule, "reason": verdict.reason, "hint": verdict.hint}
    return json.dumps(parts)


ACTIONS = (
    Action(
        "sdc_create_view",
        "Create a protected view, which runs in every DuckDB client, and say what it shows.",
        (
            Parameter("view", "the name of the view", REQUIRED),
            Parameter("method", "the technique, such as 'vicus'", REQUIRED),
            TABLE,
            Parameter(
                "options", "a struct of columns, domain, key, seed, secret, publish, and the method's parameters"
            ),
        ),
        _create_view,
        "SELECT sdc_create_view('pay_public', 'normal', 'staff', options := {'columns': ['pay'], 'sd': '10%'})",
    ),
    Action(
        "sdc_protect",
        "Create the protected views of the policy, all of them or none, and say which.",
        (Parameter("policy", "the policy file; left out, the one beside the database"),),
        _protect,
        "SELECT sdc_protect()",
    ),
    Action(
        "sdc_explain",
        "Say what the gateway would do with a statement: verdict, rule, reason, hint. The ledger keeps the question.",
        (
            Parameter("statement", "the statement, as a text", REQUIRED),
            Parameter("user", "who would ask", "analyst"),
            Parameter("policy", "the policy file; left out, the one beside the database"),
        ),
        _explain,
        "SELECT sdc_explain('SELECT avg(pay) FROM staff')",
        'from_json({}, \'{{"verdict": "VARCHAR", "rule": "VARCHAR", "reason": "VARCHAR", "hint": "VARCHAR"}}\')',
    ),
)
