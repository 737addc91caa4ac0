"""Checking a policy against the real database: what is missing, misspelt, or not as declared."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

import duckdb

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import ColumnProfile, TableProfile, column_types, profile, table_names, view_names
from sdcdb.connection.record_key import ROWID, key_sql, key_words
from sdcdb.errors import DatabaseError, Problem, choices, counted
from sdcdb.fields.category_shares import NULL
from sdcdb.fields.histogram import histogram
from sdcdb.policy.decisions import said_of
from sdcdb.policy.links import Equation, parse_link
from sdcdb.policy.load import Document, FieldPath, dotted
from sdcdb.policy.models import Column, Policy, Role, Table
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import Kind
from sdcdb.views.catalogue import kinds
from sdcdb.views.people_check import check_people
from sdcdb.views.pockets import MOST_SHOWN, find_pockets
from sdcdb.views.public_shares_check import far_from, far_off
from sdcdb.views.relations_of_columns import Found, breaks_equation, find_linked
from sdcdb.views.weak_settings import weak


@dataclass(frozen=True)
class Misfit:
    """Something that does not fit, at a field of the policy. A warning does not stop anything, an error does."""

    path: FieldPath
    message: str
    severity: str = "error"


Read = Callable[[str], TableProfile]


def remembered(con: duckdb.DuckDBPyConnection) -> Read:
    """Return what profiles each table once."""
    return cache(partial(profile, con))


def check(
    con: duckdb.DuckDBPyConnection, document: Document, read: Read | None = None, *, strict: bool = False
) -> list[Problem]:
    """Return every misfit between the policy and the database, in the order of the policy's lines.

    `read` profiles a table; a caller who needs the profiles, too, gives one that remembers them. `strict` adds settings
    that are allowed and weak.
    """
    reader = read or remembered(con)
    findings = list(_check_tables(con, document, reader))
    if strict and not any(found.severity == "error" for found in findings):
        for name, table in document.policy.tables.items():
            profiled = None if table.public else reader(name)
            findings += [Misfit(("tables", name, *path), why, "warning") for path, why in weak(table, profiled)]
    problems = [Problem(dotted(f.path), f.message, document.line(f.path), f.severity) for f in findings]
    if strict:
        problems += [Problem("", why, document.decisions[0], "warning") for why in said_of(document.decisions)]
    return sorted(problems, key=lambda problem: problem.line or 0)


def _check_tables(con: duckdb.DuckDBPyConnection, document: Document, read: Read) -> Iterator[Misfit]:
    ours = kinds(con)  # a protected view that was materialised is a table of the database, and no stranger
    names = {fold(name): name for name in table_names(con) if name not in ours}
    views = {fold(name) for name in view_names(con)}
    own = {fold(name): name for name in view_names(con) if name not in ours}  # the owner's views may be protected
    for name, table in document.policy.tables.items():
        path: FieldPath = ("tables", name)
        if fold(name) in own and fold(name) not in names:
            try:
                column_types(con, own[fold(name)])
            except DatabaseError as why:
                yield Misfit(path, str(why))
                continue
            names[fold(name)] = own[fold(name)]
            yield from _check_view(con, path, own[fold(name)], table)
        if fold(name) not in names:
            yield Misfit(path, f"is not a table of the database; {choices(name, names.values())}")
            continue
        for view in table.protect:
            if fold(view) in names:
                yield Misfit((*path, "protect", view), "is already a table of the database: choose another name")
        if not table.public:
            for finding in _check_table(con, table, read(names[fold(name)])):
                yield Misfit((*path, *finding.path), finding.message, finding.severity)
    yield from _check_links(
        con, document.policy, {name: names[fold(name)] for name in document.policy.tables if fold(name) in names}
    )
    declared = {fold(name) for name in document.policy.tables}
    for folded, name in names.items():
        if folded not in declared and folded not in views:
            yield Misfit(("tables",), f"the table {name!r} is not declared: nobody can reach it", "warning")


def _check_view(con: duckdb.DuckDBPyConnection, path: FieldPath, name: str, table: Table) -> Iterator[Misfit]:
    """Say what a view cannot have: it has no rowid, and what is asked about must not change by itself."""
    if table.key == ROWID:
        yield Misfit((*path, "key"), "this is a view, which has no rowid: name a column that is unique in every record")
    if table.restrict is not None and _changes(con, name):
        yield Misfit(
            (*path, "restrict"),
            "this is a view whose records are other ones each time it is read: questions cannot be audited; store them "
            "in a table",
        )


def _changes(con: duckdb.DuckDBPyConnection, view: str) -> bool:
    """Tell whether a view that is read twice has other records, as one with `random()` has."""
    digest = f"SELECT count(*), bit_xor(md5_number(CAST(v AS VARCHAR))) FROM {quoted(table_reference(view))} AS v"
    return con.execute(digest).fetchall() != con.execute(digest).fetchall()


def _check_links(con: duckdb.DuckDBPyConnection, policy: Policy, real: dict[str, str]) -> Iterator[Misfit]:
    """Hold the declared equations against the data, and say which columns determine each other undeclared."""
    try:
        for name in real:
            table = policy.tables[name]
            for number, text in enumerate(table.linked):
                link = parse_link(text)
                off = breaks_equation(con, name, link) if isinstance(link, Equation) else 0
                if off and isinstance(link, Equation):
                    nearly = f"write `{link.left} ~ {link.right}` if it holds nearly"
                    yield Misfit(
                        ("tables", name, "linked", number), f"does not hold in {counted(off, 'record')}: {nearly}"
                    )
        for found in find_linked(con, policy, real):
            yield _told_together(found)
    except duckdb.Error:  # a column that is not there, or is no number, has been reported by itself
        return


def _told_together(found: Found) -> Misfit:
    one, other = (f"{table}.{column}" for table, column in (found.first, found.second))
    path: FieldPath = ("tables", found.first[0]) if found.first[0] == found.second[0] else ()
    how = f"{found.equation} in every record" if found.equation else f"the ranks of {one} and {other} go together"
    where = f"under `{found.first[0]}`" if path else "beside `tables`"
    more = "" if found.equation else f" (correlation {found.rho:.2f})"
    return Misfit(
        path,
        f"{how}{more}: an answer about one of them tells of the other, but they are audited apart. "
        f"Add {where}: `{found.line}`",
        "warning",
    )


def _check_table(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> Iterator[Misfit]:
    real = [column.name for column in found.columns]
    for name, column in table.columns.items():
        here = found.column(name)
        if here is None:
            yield Misfit(("columns", name), f"is not a column of {found.name!r}; {choices(name, real)}")
        else:
            for finding in _check_column(con, found.name, column, here):
                yield Misfit(("columns", name, *finding.path), finding.message, finding.severity)
    declared = {fold(name) for name in table.columns}
    for name in real:
        if fold(name) not in declared:
            yield Misfit(("columns",), f"the column {name!r} has no role; {choices(name, Role)}")
    yield from _check_pockets(con, table, found)
    yield from _check_key(con, table, found)
    yield from (Misfit(*each) for each in check_people(con, table, found))
    yield from _check_methods(table, found)
    yield from _check_size(table, found)


def _check_column(con: duckdb.DuckDBPyConnection, table: str, column: Column, found: ColumnProfile) -> Iterator[Misfit]:
    if column.domain is not None and not found.numeric:
        yield Misfit(("domain",), f"is for numbers; {found.name!r} is {found.type}")
        return
    yield from _check_category(con, table, column, found)
    if column.role is Role.CONFIDENTIAL and found.numeric and column.domain is None and column.known is None:
        yield Misfit((), "needs a domain, the range that is publicly known: {role: confidential, domain: [min, max]}")
    if found.odd and column.role is not Role.IDENTIFIER:
        yield Misfit((), f"holds {found.odd} NaN or infinite values: no bound can be given for them")
    if column.domain is not None and found.low is not None and found.high is not None:
        low, high = column.domain
        if found.low < low or found.high > high:
            yield Misfit(
                ("domain",), f"[{low}, {high}] does not cover the data, which runs from {found.low:g} to {found.high:g}"
            )
        elif column.step is not None and (off := _off_grid(con, table, found.name, low, column.step)):
            yield Misfit(("step",), f"{off} values do not lie on the grid {low}, {low} + {column.step}, ...")
        elif column.known is not None and column.histogram is not None:
            keys = {histogram({key: "1%"}).bins[0]: key for key in column.known}
            for which, why in far_off(con, table, found.name, column.histogram):
                at: FieldPath = ("known",) if which is None else ("known", keys[replace(which, share=1.0)])
                yield Misfit(at, why, "warning")
    if column.role is Role.CONFIDENTIAL and found.distinct == 1:
        yield Misfit((), "has the same value in every record, so it cannot be hidden", "warning")


def _check_category(
    con: duckdb.DuckDBPyConnection, table: str, column: Column, found: ColumnProfile
) -> Iterator[Misfit]:
    """Hold the values and shares of a category against the data."""
    public = column.category
    if public is None:
        return
    if found.type not in {"VARCHAR", "BOOLEAN"} and not found.type.startswith("ENUM(") and not found.integer:
        yield Misfit(("known",), f"names values of a category; {found.name!r} is {found.type}: give it a domain")
        return
    value, source = quoted(identifier(found.name)), quoted(table_reference(table))
    rows = con.execute(f"SELECT CAST({value} AS VARCHAR), count(*) FROM {source} GROUP BY 1 ORDER BY 1").fetchall()
    people = sum(number for _, number in rows)
    missing = [NULL if text is None else str(text) for text, _ in rows if text not in public.values]
    if missing:
        listed = ", ".join(repr(text) for text in missing[:10])
        yield Misfit(("known",), f"does not name every value: {listed} {'is' if len(missing) == 1 else 'are'} missing")
    counts = dict(rows)
    for text, share in zip(public.values, public.shares, strict=True):
        real = counts.get(text, 0) / max(people, 1)
        if people and far_from(real, share, people):
            said = f"{100 * real:.3g}% of the people have it, {100 * share:.3g}% are declared"
            yield Misfit(("known", NULL if text is None else text), said, "warning")


def _check_pockets(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> Iterator[Misfit]:
    """Look for groups in which too many have a sensitive value."""
    quasi = [name for name in table.named(Role.QUASI) if found.column(name) is not None]
    for name, column in table.columns.items():
        if table.restrict is None or column.category is None or found.column(name) is None:
            continue
        sensitive = [value for value in column.category.sensitive_values if value is not None]
        pockets = find_pockets(con, found.name, name, quasi, sensitive, table.restrict.max_belief)
        for pocket in list(pockets)[:MOST_SHOWN]:
            yield Misfit(("columns", name), str(pocket), "warning")


def _off_grid(con: duckdb.DuckDBPyConnection, table: str, column: str, low: float, step: float) -> int:
    """Count values that are not a whole number of steps from the domain's minimum, to a millionth of a step."""
    value = quoted(identifier(column))
    steps = f"(({value}::DOUBLE - ?) / ?)"
    source = quoted(table_reference(table))
    row = con.execute(
        f"SELECT count(*) FROM {source} WHERE abs({steps} - round({steps})) > 1e-6", [low, step, low, step]
    ).fetchone()
    return int(row[0]) if row else 0


def _check_key(con: duckdb.DuckDBPyConnection, table: Table, found: TableProfile) -> Iterator[Misfit]:
    if isinstance(table.key, tuple):
        yield from _check_together(con, table.key, found)
        return
    key = found.column(table.key) if table.key else None  # a column that is called rowid hides DuckDB's own
    if key is None:
        return
    if key.nulls:
        yield Misfit(("key",), f"{key.name!r} is NULL in {key.nulls} of {found.rows} records: every record needs a key")
    if key.distinct < found.rows - key.nulls:
        twice = found.rows - key.nulls - key.distinct
        yield Misfit(("key",), f"{key.name!r} is not unique: {twice} records repeat another record's key")


def _check_together(con: duckdb.DuckDBPyConnection, key: tuple[str, ...], found: TableProfile) -> Iterator[Misfit]:
    """Say what is wrong with a key of several columns: a part that is NULL, or a combination that repeats."""
    parts = [column for name in key if (column := found.column(name)) is not None]
    for column in parts:
        if column.nulls:
            yield Misfit(
                ("key",),
                f"{column.name!r} is NULL in {column.nulls} of {found.rows} records: every record needs a whole key",
            )
    if len(parts) == len(key) and not any(column.nulls for column in parts):
        whole = key_sql(tuple(column.name for column in parts))
        ((different,),) = con.execute(
            f"SELECT count(DISTINCT {whole}) FROM {quoted(table_reference(found.name))}"
        ).fetchall()
        if different < found.rows:
            twice = found.rows - different
            yield Misfit(
                ("key",),
                f"{key_words(key)} are not unique together: {counted(twice, 'record')} with the key of another",
            )


def _check_methods(table: Table, found: TableProfile) -> Iterator[Misfit]:
    for view_name, view in table.protect.items():
        for name, method in table.methods(view).items():
            column = found.column(name)
            if column is not None and TECHNIQUES[method.method].kind is Kind.NUMBER and not column.numeric:
                place = ("columns", name) if name in view.columns else ("all",)
                path: FieldPath = ("protect", view_name, *place, "method")
                yield Misfit(path, f"{method.method!r} is for numbers; {name!r} is {column.type}")


def _check_size(table: Table, found: TableProfile) -> Iterator[Misfit]:
    if found.rows == 0:
        yield Misfit((), "the table is empty: there is nothing to protect yet", "warning")
    elif table.restrict is not None and found.rows < 2 * table.restrict.min_set:
        yield Misfit(
            ("restrict", "min_set"),
            f"{table.restrict.min_set} leaves only questions about all {counted(found.rows, 'record')} at once",
            "warning",
        )
