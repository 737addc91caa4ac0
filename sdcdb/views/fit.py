"""Fitting: methods and columns in, a plan out. Protected views, macros and evaluations all fit here."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import ColumnProfile, TableProfile, is_number, profile, table_names
from sdcdb.connection.record_key import ROWID, Key
from sdcdb.engines.expressions import RECORD, Lane, Row
from sdcdb.errors import DataError, counted
from sdcdb.policy.models import Role, Table, View
from sdcdb.techniques.families.numbers import within_type
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import ColumnSpec, Draws, Engine, Fitted, Kind, Params, Source, Technique
from sdcdb.views import catalogue
from sdcdb.views.check import Read
from sdcdb.views.per_person import KEY_TYPES, fit_people, once_per_person, people_of, refuse_among_records
from sdcdb.views.plan import Plan
from sdcdb.views.secret import Secret

Job = tuple[Params, tuple[ColumnSpec, ...]]
"""A method with its parameters, and the columns that it is fitted on together; none for a method of records."""
Lanes = Callable[[Mapping[str, Draws]], Mapping[str, Lane]]
"""Gives each place (`Row.place`) its bits, or its first lane."""
FEW = 64  # values: matrices of more are not rounded to 16 bits


def fit_jobs(
    engine: Engine, source: Source, jobs: Iterable[Job], give_lanes: Lanes
) -> tuple[tuple[Fitted, ...], dict[str, Lane]]:
    """Fit one job after the other; return what was fitted, and the lanes of its draws."""
    fitted: list[Fitted] = []
    lanes: dict[str, Lane] = {}
    for params, given in jobs:
        row = Row({}, scope_of(params), source.row.person)
        technique = TECHNIQUES[params.method]
        refuse_other_kinds(technique, given)
        columns = tuple(map(within_type, given)) if _computes(technique) else given
        refuse_not_finite(engine, source, technique, columns)
        needed = {row.place(column.name): _draws(source, column, technique.draws(column, params)) for column in columns}
        lanes |= give_lanes(needed or {row.place(RECORD): Draws.TWO})
        row = Row(lanes, row.scope, row.person)
        result = technique.fit(engine, replace(source, row=row), columns, params)
        results = result if isinstance(result, tuple) else (result,)
        fitted += [each.model_copy(update={"scope": row.scope}).drawn_from(row) for each in results]
    return tuple(fitted), lanes


def refuse_other_kinds(technique: Technique, columns: Iterable[ColumnSpec]) -> None:
    """Refuse text where a method is for numbers, before the first record cannot be computed with."""
    for column in columns:
        if technique.kind is Kind.NUMBER and not is_number(column.type):
            raise DataError(f"{column.name!r} is {column.type}: this method is for numbers")


def _computes(technique: Technique) -> bool:
    """Return whether a method computes with the numbers of a column, and does not only move or remove them."""
    return not technique.moves and technique.kind in (Kind.NUMBER, Kind.ANY)


def refuse_not_finite(engine: Engine, source: Source, technique: Technique, columns: tuple[ColumnSpec, ...]) -> None:
    """Refuse NaN and infinities where a method computes with numbers: no noise would hide which records have them."""
    names = [column.name for column in columns if column.type in ("DOUBLE", "FLOAT")]
    if not names or not _computes(technique):
        return
    found = ", ".join(f"count_if(NOT isfinite({quoted(identifier(name))}))" for name in names)
    ((*counts,),) = engine.query(f"SELECT {found} FROM {quoted(table_reference(source.name))}")
    for name, count in zip(names, counts, strict=True):
        if count:
            raise DataError(
                f"{name!r} is NaN or infinite in {counted(count, 'record')}: {technique.name!r} cannot perturb that; "
                "make it NULL first"
            )


def _draws(source: Source, column: ColumnSpec, asked: Draws) -> Draws:
    """Let a category of few values have a small draw."""
    return Draws.SMALL if asked is Draws.ONE and source.distinct.get(column.name, FEW + 1) <= FEW else asked


def scope_of(params: Params) -> str:
    """Name a method and its parameters: views that ask for the same agree, views that do not draw apart."""
    return f"{params.method} {hashlib.sha256(params.model_dump_json().encode()).hexdigest()[:8]}"


def join_jobs(rows: Params | None, wanted: Iterable[tuple[Params, ColumnSpec]]) -> Iterator[Job]:
    """Yield what is to be fitted: each column by itself; joint methods with equal parameters go together."""
    if rows is not None:
        yield rows, ()
    together: dict[Params, list[ColumnSpec]] = {}
    for params, spec in wanted:
        if TECHNIQUES[params.method].joint:
            together.setdefault(params, []).append(spec)
        else:
            yield params, (spec,)
    yield from ((params, tuple(specs)) for params, specs in together.items())


def refuse_reserved(found: TableProfile) -> None:
    """Refuse columns that could be taken for a draw: their values would come out instead of noise."""
    for column in found.columns:
        if fold(column.name).startswith("sdc "):
            raise DataError(f"the column {column.name!r} of {found.name!r} has a name that sdcdb reserves: rename it")


def refuse_key(table: str, key: str, column: ColumnProfile | None, *, part: bool = False) -> None:
    """Refuse a key that noise cannot be keyed by; dates and ENUMs may be a part of one."""
    if part and column is not None and (column.type in {"DATE", "TIMESTAMP"} or column.type.startswith("ENUM(")):
        return
    if column is None or column.type not in KEY_TYPES:
        kind = column.type if column else "missing"
        raise DataError(f"the key {key!r} of {table!r} is {kind}: noise needs a key of whole numbers, text or UUIDs")


def refuse_repeated(found: TableProfile, key: ColumnProfile) -> None:
    """Refuse a key that several records have: they have one noise, and whoever knows one of them knows all."""
    if key.nulls or (found.rows > 1 and not key.unique):
        raise DataError(
            f"the key {key.name!r} of {found.name!r} is not unique: noise needs a different key for each record"
        )


@dataclass(frozen=True)
class Wanted:
    """A view that the policy asks for, with its table."""

    name: str
    table_name: str
    table: Table
    view: View


def fit_view(
    con: duckdb.DuckDBPyConnection,
    wanted: Wanted,
    secret: Secret,
    read: Read | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Plan:
    """Fit every method of one view; `tell` is called with what takes long."""
    found = (read or remembered_profiles(con))(wanted.table_name)
    refuse_reserved(found)
    source = Source(
        name=found.name,
        view=wanted.name,
        key=_key(found, wanted.table),
        subkey=secret.subkey(found.name),
        row=Row({}),
        columns=_others(found, wanted.table),
        distinct={column.name: column.distinct for column in found.columns},
        quasi=_of_role(found, wanted, Role.QUASI),
        confidential=_of_role(found, wanted, Role.CONFIDENTIAL),
    )
    asked = list(_wanted_columns(found, wanted.table, wanted.view))
    people = people_of(con, wanted.table, found)
    refuse_among_records(people, [params for params in (wanted.view.rows, *(params for params, _ in asked)) if params])
    per_person = once_per_person(people, wanted.table)
    engine, give_lanes = Engine(con, tell), partial(catalogue.lanes, con, found.name)
    own = [each for each in asked if each[1].name not in per_person]
    fitted, lanes = fit_jobs(engine, source, join_jobs(wanted.view.rows, own), give_lanes)
    if people is not None and len(own) < len(asked):
        theirs = [each for each in asked if each[1].name in per_person]
        more, places = fit_people(
            people, source, theirs, lambda of: fit_jobs(engine, of, join_jobs(None, theirs), give_lanes)
        )
        fitted, lanes = fitted + more, lanes | places
    return Plan(
        view=wanted.name,
        table=wanted.table_name,
        key=source.key,
        columns=tuple(_published(found, wanted, fitted)),
        lanes=lanes,
        fitted=fitted,
        rows=found.rows,
        person=people.column if people else None,
        per_person=tuple(spec.name for _, spec in asked if spec.name in per_person),
    )


def remembered_profiles(con: duckdb.DuckDBPyConnection) -> Read:
    """Return what profiles each table once, however often it is asked: a profile is a scan, with sorting."""
    once = cache(lambda name: profile(con, name))
    names = {fold(name): name for name in table_names(con)}
    return lambda name: once(names.get(fold(name), name))


def _key(found: TableProfile, table: Table) -> Key:
    key = table.key or ROWID
    if not isinstance(key, str):
        return tuple(_part(found, name) for name in key)
    column = found.column(key)  # a table may have a column of its own that is called rowid
    if column is None:
        if key != ROWID:
            refuse_key(found.name, key, None)
        return ROWID
    refuse_key(found.name, key, column)
    refuse_repeated(found, column)
    return column.name


def _part(found: TableProfile, name: str) -> str:
    column = found.column(name)
    refuse_key(found.name, name, column, part=True)
    return column.name if column else name


def _others(found: TableProfile, table: Table) -> tuple[str, ...]:
    """Return the columns that a technique may look at to learn what goes with a value."""
    named = {fold(name) for name in table.named(*(role for role in Role if role is not Role.IDENTIFIER))}
    return tuple(column.name for column in found.columns if fold(column.name) in named)


def _of_role(found: TableProfile, wanted: Wanted, role: Role) -> tuple[str, ...]:
    """Return the columns of a role, as the table spells them; of quasi-identifiers, those without a method."""
    changed = set(wanted.table.methods(wanted.view)) if role is Role.QUASI else set()
    named = {fold(name) for name in wanted.table.named(role) if name not in changed}
    return tuple(column.name for column in found.columns if fold(column.name) in named)


def _wanted_columns(found: TableProfile, table: Table, view: View) -> Iterator[tuple[Params, ColumnSpec]]:
    for name, params in table.methods(view).items():
        column = found.column(name)
        if column is None:
            raise DataError(f"{found.name!r} has no column {name!r}")
        declared = table.columns[name]
        yield params, ColumnSpec(column.name, column.type, declared.domain, declared.step)


def _published(found: TableProfile, wanted: Wanted, fitted: tuple[Fitted, ...]) -> Iterator[str]:
    """Yield the columns that leave: never identifiers, and confidential ones if changed, or published as they are."""
    changed = {fold(column) for each in fitted for column in each.columns if column != RECORD}
    roles = {fold(name): column.role for name, column in wanted.table.columns.items()}
    told = {fold(name) for name in wanted.table.unperturbed(wanted.view)}
    for column in found.columns:
        role = roles.get(fold(column.name), Role.IDENTIFIER)
        hidden = role is Role.IDENTIFIER or (role is Role.CONFIDENTIAL and fold(column.name) not in told)
        if fold(column.name) in changed or not hidden:
            yield column.name
