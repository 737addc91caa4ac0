"""Fitted techniques as plain SELECTs: `FROM sdc_vicus('staff', ...)`, and macros that Python fits once.

No catalogue is kept. The fit is part of the SELECT itself, as a one-row subquery of lists, and each column has its own
digests, numbered by how it is perturbed: fits made separately agree where they ask for the same, and share no draw
where they do not.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import duckdb
from pydantic import ValidationError
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.profile import ColumnProfile, TableProfile, profile, table_names, view_names
from sdcdb.connection.record_key import ROWID
from sdcdb.engines.dialect import Binding, text_literal
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import LANES, Row
from sdcdb.errors import DataError, InternalError, choices
from sdcdb.policy.guess import guess_role
from sdcdb.policy.models import Role
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import ColumnSpec, Draws, Engine, Kind, Params, Source
from sdcdb.views.fit import Job, fit_jobs, join_jobs, refuse_key, refuse_repeated, refuse_reserved
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
    name = next(each for each in [*table_names(con), *view_names(con)] if each.casefold() == table.casefold())
    engine = _MacroEngine(con)
    plan = fit_plan(engine, Wanted(macro, name, key, columns, rows), found, subkey.subkey(name))
    select = plan.select(InlineDialect(), subkey.subkey(name), _lists(plan), {})
    kind = "TEMP MACRO" if temporary else "MACRO"
    con.execute(f"CREATE OR REPLACE {kind} {quoted(identifier(macro))}() AS TABLE {select}")
    return plan


@dataclass(frozen=True)
class Wanted:
    """What is to be fitted: for which name, on which table, by which key, and how columns and rows are perturbed."""

    name: str
    table: str
    key: str
    columns: Mapping[str, Method]
    rows: Method | None = None


def fit_plan(engine: Engine, wanted: Wanted, found: TableProfile, subkey: str) -> Plan:
    """Fit what is wanted; the plan publishes every column of the table."""
    refuse_reserved(found)
    key = _key(found, wanted.key)
    distinct = {column.name: column.distinct for column in found.columns}
    others = tuple(column.name for column in found.columns if column.name != key)
    roles = {column.name: guess_role(column).role for column in found.columns}  # nobody declares any here
    quasi, confidential = (
        tuple(name for name in others if roles[name] is role and name not in wanted.columns)
        for role in (Role.QUASI, Role.CONFIDENTIAL)
    )
    source = Source(wanted.table, wanted.name, key, subkey, Row({}), others, distinct, quasi, confidential)
    fitted, lanes = fit_jobs(engine, source, _jobs(found, wanted.columns, wanted.rows), _own_blocks)
    names = tuple(column.name for column in found.columns)
    return Plan(
        view=wanted.name, table=wanted.table, key=key, columns=names, lanes=lanes, fitted=fitted, rows=found.rows
    )


def inline_select(plan: Plan, subkey: str, table: exp.Table, joined: Mapping[str, exp.Table]) -> str:
    """Return the SELECT of a plan with all that it needs inside, on a table by its full name."""
    return plan.select(InlineDialect(table), subkey, _lists(plan), joined)


@dataclass(frozen=True)
class InlineDialect(DuckDBDialect):
    """DuckDB with ENUMs written out, for there is no schema to create them in; and the table by its full name."""

    table: exp.Table | None = None

    def adapted(self, expression: exp.Expr, binding: Binding) -> exp.Expr:
        """Name the table in full before the layers are laid."""
        if self.table is not None and isinstance(expression, exp.Select):
            expression = expression.copy()
            source = expression.args["from_"].this.find(exp.Table)
            source.set("db", self.table.args["db"].copy())
            source.set("catalog", self.table.args["catalog"].copy())
        return super().adapted(expression, binding)

    def code(self, column: str, value: str, values: tuple[Any, ...]) -> str:  # noqa: ARG002 - the ENUM stands for the list
        """Take the code of the value in the list's ENUM."""
        listed = ", ".join(text_literal(str(each)) for each in values)
        return f"CAST(enum_code(TRY_CAST(CAST({value} AS VARCHAR) AS ENUM({listed}))) AS INT)"


@dataclass(frozen=True)
class _MacroEngine(Engine):
    """An engine that keeps nothing."""

    def store(self, name: str, query: str) -> None:  # noqa: ARG002 - nothing is stored
        """Refuse: a macro cannot store a row per record."""
        raise DataError("this method stores a row for each record, which a macro cannot: use a protected view")


@dataclass(frozen=True)
class StoringEngine(Engine):
    """An engine that stores a row for each record in a database of its own, in memory, beside the caller's.

    Every connection of the process sees it, also where the caller's database is read-only.
    """

    database: str = "sdc_memory"
    stored: dict[str, exp.Table] = field(default_factory=dict)

    def store(self, name: str, query: str) -> None:
        """Keep the rows of a query in memory."""
        self.con.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {quoted(identifier(self.database))} (READ_WRITE)")
        self.stored[name] = exp.Table(this=identifier(name), db=identifier("main"), catalog=identifier(self.database))
        self.con.execute(f"CREATE OR REPLACE TABLE {self.reference(name)} AS {query}")

    def reference(self, name: str) -> str:
        """Return the table that keeps them."""
        return quoted(self.stored[name])


def seeded(seed: str | int) -> Secret:
    """Return the secret of a seed, which is none: it is for trying out."""
    return Secret(f"sdcdb seed {seed}".encode())


def _secret(seed: str | int | None, secret: str | None) -> Secret:
    if (seed is None) == (secret is None):
        raise DataError("pass either a seed, to try things out, or a secret")
    if secret is None:
        return seeded(seed if seed is not None else "")
    if len(secret) < LEAST:
        raise DataError(f"the secret is too short: use at least {LEAST} characters, such as 32 random ones")
    return Secret(secret.encode())


def _key(found: TableProfile, key: str) -> str:
    """Return the key as the table spells it, or refuse it."""
    if key == ROWID and found.column(key) is None:
        return ROWID
    unique = _column(found, key)
    refuse_key(found.name, key, unique)
    refuse_repeated(found, unique)
    return unique.name


def _column(found: TableProfile, name: str) -> ColumnProfile:
    column = found.column(name)
    if column is None:
        there = [each.name for each in found.columns]
        raise DataError(f"{found.name!r} has no column {name!r}; {choices(name, there)}")
    return column


def _jobs(found: TableProfile, columns: Mapping[str, Method], rows: Method | None) -> Iterator[Job]:
    if not columns and rows is None:
        raise DataError("nothing to fit: pass columns with their methods, or a method for the rows")
    records = None if rows is None else _params("rows", rows, records=True)
    yield from join_jobs(records, [_wanted_column(found, name, method) for name, method in columns.items()])


def _wanted_column(found: TableProfile, name: str, method: Method) -> tuple[Params, ColumnSpec]:
    column = _column(found, name)
    shape = {"domain": method.get("domain"), "step": method.get("step")}
    params = _params(name, {each: value for each, value in method.items() if each not in shape}, records=False)
    return params, ColumnSpec(column.name, column.type, _domain(name, shape["domain"]), _step(name, shape["step"]))


def _domain(name: str, given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not low < high:
        raise DataError(f"the domain of {name!r} must be two numbers, the lower one first: [0, 100]")
    return low, high


def _step(name: str, given: Any) -> float | None:
    if given is None:
        return None
    step = float(given) if isinstance(given, int | float | Decimal) and not isinstance(given, bool) else math.nan
    if not (step > 0 and math.isfinite(step)):
        raise DataError(f"the step of {name!r} must be a number above zero, such as 0.5, not {given!r}")
    return step


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
