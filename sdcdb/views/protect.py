"""Fitting what the policy asks for, and creating the protected views: all of them, or none."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import duckdb

from sdcdb.connection.identifiers import quoted, table_reference
from sdcdb.connection.profile import TableProfile, profile, table_names
from sdcdb.connection.transaction import transaction
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.engines.expressions import RECORD, Row
from sdcdb.errors import DataError, PolicyError, Problem, SdcdbError, choices
from sdcdb.policy.governed import Governed
from sdcdb.policy.load import Document
from sdcdb.policy.models import ROWID, Policy, Role, Table, View
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import ColumnSpec, Draws, Engine, Fitted, Params, Source
from sdcdb.views import catalogue
from sdcdb.views.check import Read, check
from sdcdb.views.plan import Plan
from sdcdb.views.secret import Secret, read_secret, redacted

Progress = Callable[[str, int, int], None]
KEY_TYPES = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "HUGEINT",
    "VARCHAR",
    "UUID",
)


@dataclass(frozen=True)
class Protected:
    """A view that was created: its plan, and the SQL behind it, which holds the key of its draws."""

    plan: Plan
    sql: str


def protect(
    database: Governed,
    views: list[str] | None = None,
    *,
    materialise: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> list[Protected]:
    """Fit and create the protected views of the database's policy, or those named. One transaction: all or nothing."""
    policy = database.required_policy()
    wanted = list(_wanted(policy, views))
    read = _profiles(database.con)
    _must_fit(database, policy, read)
    secrets = {view.secret: read_secret(view.secret, database.path) for view in (each.view for each in wanted)}
    made: list[Protected] = []
    try:
        with transaction(database.con):
            catalogue.prepare(database.con)
            for number, each in enumerate(wanted):
                tell = partial(_told, progress, each.name, number, len(wanted))
                tell("")
                plan = fit_view(database.con, each, secrets[each.view.secret], read, tell)
                made.append(create_view(database.con, plan, secrets[each.view.secret], materialise=materialise))
            if dry_run:
                raise _DryRunError
    except _DryRunError:
        pass
    except duckdb.Error as problem:
        raise SdcdbError(f"nothing was created: {redacted(str(problem).splitlines()[0])}") from None
    return made


def _told(progress: Progress | None, view: str, number: int, total: int, what: str) -> None:
    if progress:
        progress(f"{view}: {what}" if what else view, number, total)


class _DryRunError(Exception):
    """Everything was tried out; now roll it back."""


@dataclass(frozen=True)
class Wanted:
    """A view that the policy asks for, with its table."""

    name: str
    table_name: str
    table: Table
    view: View


def _wanted(policy: Policy, views: list[str] | None) -> Iterator[Wanted]:
    tables = policy.tables.items()
    every = {name: Wanted(name, table, spec, view) for table, spec in tables for name, view in spec.protect.items()}
    if not every:
        raise SdcdbError("the policy asks for no protected view: add a `protect` section to a table")
    for name in views or every:
        if name not in every:
            raise SdcdbError(f"the policy has no protected view {name!r}; {choices(name, every)}")
        yield every[name]


def _profiles(con: duckdb.DuckDBPyConnection) -> Read:
    """Return what profiles each table once, however often it is asked: a profile is a scan, with sorting."""
    once = cache(lambda name: profile(con, name))
    names = {name.casefold(): name for name in table_names(con)}
    return lambda name: once(names.get(name.casefold(), name))


def _must_fit(database: Governed, policy: Policy, read: Read) -> None:
    document = Document(str(database.path), policy, {})
    errors = [problem for problem in check(database.con, document, read) if problem.severity == "error"]
    if errors:
        raise PolicyError(
            "the policy does not fit the database (sdcdb check names the lines)",
            [Problem(e.field, e.message) for e in errors],
        )


def fit_view(
    con: duckdb.DuckDBPyConnection,
    wanted: Wanted,
    secret: Secret,
    read: Read | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Plan:
    """Fit every method of one view; `tell` is called with what takes long."""
    found = (read or _profiles(con))(wanted.table_name)
    refuse_reserved(found)
    key = _key(found, wanted.table)
    fitted: list[Fitted] = []
    lanes: dict[str, int] = {}
    for params, columns in _jobs(found, wanted.table, wanted.view):
        row = Row({}, _scope(params))
        technique = TECHNIQUES[params.method]
        needed = {row.place(column.name): technique.draws(column, params) for column in columns}
        lanes |= catalogue.lanes(con, found.name, needed or {row.place(RECORD): Draws.TWO})
        source = Source(
            name=found.name,
            view=wanted.name,
            key=key,
            subkey=secret.subkey(found.name),
            row=Row(lanes, row.scope),
            columns=_others(found, wanted.table),
            distinct={column.name: column.distinct for column in found.columns},
        )
        result = technique.fit(Engine(con, tell), source, columns, params)
        fitted += [
            one.model_copy(update={"scope": row.scope}) for one in (result if isinstance(result, tuple) else (result,))
        ]
    return Plan(
        view=wanted.name,
        table=wanted.table_name,
        key=key,
        columns=tuple(_published(found, wanted, tuple(fitted))),
        lanes=lanes,
        fitted=tuple(fitted),
        rows=found.rows,
    )


def refuse_reserved(found: TableProfile) -> None:
    """Refuse columns that could be taken for a draw: what stands in them would come out instead of noise."""
    for column in found.columns:
        if column.name.casefold().startswith("sdc "):
            raise DataError(f"the column {column.name!r} of {found.name!r} has a name of sdcdb's own: rename it")


def _scope(params: Params) -> str:
    """Name a method and its parameters: views that ask for the same agree, views that do not draw apart."""
    return f"{params.method} {hashlib.sha256(params.model_dump_json().encode()).hexdigest()[:8]}"


def _key(found: TableProfile, table: Table) -> str:
    key = table.key or ROWID
    column = found.column(key)  # a table may have a column of its own that is called rowid
    if (column is None and key != ROWID) or (column is not None and column.type not in KEY_TYPES):
        kind = column.type if column else "missing"
        raise DataError(
            f"the key {key!r} of {found.name!r} is {kind}: noise needs a key of whole numbers, text or UUIDs"
        )
    return column.name if column else ROWID


def _others(found: TableProfile, table: Table) -> tuple[str, ...]:
    """Return the columns that a technique may look at to learn what goes with a value."""
    named = {name.casefold() for name in table.named(*(role for role in Role if role is not Role.IDENTIFIER))}
    return tuple(column.name for column in found.columns if column.name.casefold() in named)


def _jobs(found: TableProfile, table: Table, view: View) -> Iterator[tuple[Params, tuple[ColumnSpec, ...]]]:
    """Yield what is to be fitted: each column by itself; joint methods with equal parameters go together."""
    if view.rows is not None:
        yield view.rows, ()
    together: dict[Params, list[ColumnSpec]] = {}
    for name, params in table.methods(view).items():
        column = found.column(name)
        if column is None:
            raise DataError(f"{found.name!r} has no column {name!r}")
        declared = table.columns[name]
        spec = ColumnSpec(column.name, column.type, declared.domain, declared.step)
        if TECHNIQUES[params.method].joint:
            together.setdefault(params, []).append(spec)
        else:
            yield params, (spec,)
    yield from ((params, tuple(specs)) for params, specs in together.items())


def _published(found: TableProfile, wanted: Wanted, fitted: tuple[Fitted, ...]) -> Iterator[str]:
    """Yield the columns that leave: never identifiers, and confidential ones only when something was done to them."""
    changed = {column.casefold() for each in fitted for column in each.columns if column != RECORD}
    roles = {name.casefold(): column.role for name, column in wanted.table.columns.items()}
    for column in found.columns:
        role = roles.get(column.name.casefold(), Role.IDENTIFIER)
        hidden = role is Role.IDENTIFIER or (role is Role.CONFIDENTIAL and wanted.view.rows is None)
        if column.name.casefold() in changed or not hidden:
            yield column.name


def create_view(con: duckdb.DuckDBPyConnection, plan: Plan, secret: Secret, *, materialise: bool) -> Protected:
    """Store the plan and create its view, or a table with the same contents, in place of its own predecessor."""
    name, kind = quoted(table_reference(plan.view)), "table" if materialise else "view"
    if plan.view in (before := catalogue.kinds(con)):
        con.execute(f"DROP {before[plan.view]} IF EXISTS {name}")
        catalogue.forget_stored(con, catalogue.entry(con, plan.view).plan, keep=plan)
    catalogue.store(con, plan, kind)
    select = plan.select(DuckDBDialect(), secret.subkey(plan.table), *catalogue.relations(plan))
    sql = f"CREATE {kind.upper()} {name} AS {select}"
    con.execute(sql)
    return Protected(plan, sql)
