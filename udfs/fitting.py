"""Fitted techniques as table macros: Python fits once, `FROM my_macro()` perturbs from any SQL prompt.

No catalogue is kept. The fit is part of the macro itself, as a one-row subquery of lists, and each column has its own
digests, numbered by how it is perturbed: macros fitted separately agree where they ask for the same, and share no draw
where they do not.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
from pydantic import ValidationError
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.profile import ColumnProfile, TableProfile, profile, table_names, view_names
from sdcdb.engines.dialect import text_literal
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import LANES, Row
from sdcdb.errors import DataError, InternalError, choices
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import ColumnSpec, Draws, Engine, Kind, Params, Source
from sdcdb.views.fit import Job, fit_jobs, join_jobs, refuse_key, refuse_reserved
from sdcdb.views.plan import Plan
from sdcdb.views.secret import LEAST, Secret

Method = Mapping[str, Any]
"""As a policy has it, `{"method": "normal", "sd": "10%"}`, with the column's `domain` and `step` where needed."""


def fit(  # noqa: PLR0913 - all but what to fit on is by name
    con: duckdb.DuckDBPyConnection,
    macro: str,
    table: str,
    columns: Mapping[str, Method],
    *,
    key: str,
    rows: Method | None = None,
    seed: str | int | None = None,
    secret: str | None = None,
    temporary: bool = True,
) -> Plan:
    """Fit methods on the columns of a table, or on its rows, and create the macro that perturbs it: `FROM macro()`.

    The macro returns every column of the table. With `temporary=False` it is written into the database and runs from
    every DuckDB client; its text, which any of them can read, then contains what undoes the noise. Use a `seed` to try
    things out and a `secret` for anything else. `words()` of the returned plan explains it.
    """
    subkey = _secret(seed, secret)
    found = profile(con, table)
    refuse_reserved(found)
    name = next(each for each in [*table_names(con), *view_names(con)] if each.casefold() == table.casefold())
    unique = _column(found, key)
    refuse_key(table, key, unique)
    if unique.nulls or (found.rows > 1 and not unique.unique):
        raise DataError(f"the key {key!r} of {table!r} is not unique: noise needs a different key for each record")
    distinct = {column.name: column.distinct for column in found.columns}
    source = Source(name, macro, unique.name, subkey.subkey(name), Row({}), _others(found, unique.name), distinct)
    fitted, lanes = fit_jobs(_MacroEngine(con), source, _jobs(found, columns, rows), _own_blocks)
    names = tuple(column.name for column in found.columns)
    plan = Plan(view=macro, table=name, key=unique.name, columns=names, lanes=lanes, fitted=fitted, rows=found.rows)
    select = plan.select(_MacroDialect(), source.subkey, _lists(plan), {})
    kind = "TEMP MACRO" if temporary else "MACRO"
    con.execute(f"CREATE OR REPLACE {kind} {quoted(identifier(macro))}() AS TABLE {select}")
    return plan


class _MacroDialect(DuckDBDialect):
    """DuckDB with ENUMs written out: there is no schema to create them in."""

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - the ENUM stands for the list
        """Take the code of the value in the list's ENUM."""
        listed = ", ".join(text_literal(str(each)) for each in values)
        return f"CAST(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS ENUM({listed}))) AS BIGINT)"


@dataclass(frozen=True)
class _MacroEngine(Engine):
    """An engine that keeps nothing."""

    def store(self, name: str, query: str) -> None:  # noqa: ARG002 - nothing is stored
        """Refuse: a macro cannot store a row per record."""
        raise DataError("this method stores a row for each record, which a macro cannot: use a protected view")


def _secret(seed: str | int | None, secret: str | None) -> Secret:
    if (seed is None) == (secret is None):
        raise DataError("pass either a seed, to try things out, or a secret")
    if secret is None:
        return Secret(f"sdcdb seed {seed}".encode())
    if len(secret) < LEAST:
        raise DataError(f"the secret is too short: use at least {LEAST} characters, such as 32 random ones")
    return Secret(secret.encode())


def _column(found: TableProfile, name: str) -> ColumnProfile:
    column = found.column(name)
    if column is None:
        there = [each.name for each in found.columns]
        raise DataError(f"{found.name!r} has no column {name!r}; {choices(name, there)}")
    return column


def _others(found: TableProfile, key: str) -> tuple[str, ...]:
    """Return the other columns that a technique may use."""
    return tuple(column.name for column in found.columns if column.name != key)


def _jobs(found: TableProfile, columns: Mapping[str, Method], rows: Method | None) -> Iterator[Job]:
    if not columns and rows is None:
        raise DataError("nothing to fit: pass columns with their methods, or a method for the rows")
    records = None if rows is None else _params("rows", rows, records=True)
    yield from join_jobs(records, [_wanted_column(found, name, method) for name, method in columns.items()])


def _wanted_column(found: TableProfile, name: str, method: Method) -> tuple[Params, ColumnSpec]:
    column = _column(found, name)
    shape = {"domain": method.get("domain"), "step": method.get("step")}
    params = _params(name, {each: value for each, value in method.items() if each not in shape}, records=False)
    domain = tuple(float(end) for end in shape["domain"]) if shape["domain"] else None
    if domain is not None and not (len(domain) == 2 and domain[0] < domain[1]):
        raise DataError(f"the domain of {name!r} must be two numbers, the lower one first: [0, 100]")
    return params, ColumnSpec(column.name, column.type, domain and (domain[0], domain[1]), shape["step"])


def _params(place: str, method: Method, *, records: bool) -> Params:
    """Read a method as a policy would."""
    name = str(method.get("method"))
    allowed = [each.name for each in TECHNIQUES.values() if (each.kind is Kind.RECORD) == records]
    if name not in allowed:
        raise DataError(f"{place}: method {name!r}; {choices(name, allowed)}")
    try:
        return TECHNIQUES[name].params.model_validate(method)
    except ValidationError as problem:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in problem.errors())
        raise DataError(f"{place}: {name}: {wrong}") from None


def _own_blocks(needed: Mapping[str, Draws]) -> dict[str, int]:
    """Give each place its own block of digests: no catalogue records which ones are taken."""
    return {place: LANES * int(hashlib.sha256(place.encode()).hexdigest()[:12], 16) for place in needed}


def _lists(plan: Plan) -> exp.Expr:
    """Return the one-row relation of a plan's lists."""
    columns = [exp.alias_(_literal(values), name, quoted=True) for name, values in plan.lists().items()]
    return exp.Select().select(*columns).subquery()


def _literal(values: Sequence[Any]) -> exp.Expr:
    """Write a list. Numbers are cast from one text: long lists of literals are slow to bind."""
    if all(isinstance(value, str) for value in values):
        return exp.Array(expressions=[exp.Literal.string(value) for value in values])
    if all(isinstance(value, int | float) for value in values):
        kind = "BIGINT[]" if all(isinstance(value, int) for value in values) else "DOUBLE[]"
        text = exp.Literal.string(f"[{', '.join(map(repr, values))}]")
        return exp.cast(text, exp.DataType.build(kind, dialect="duckdb"))
    raise InternalError("a list of a plan contains something other than texts or numbers")
