"""Writing a starting policy for a database, with a reason beside every guess."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import duckdb

from sdcdb.connection.identifiers import fold
from sdcdb.connection.profile import ColumnProfile, profile, table_names, view_names
from sdcdb.connection.record_key import ROWID
from sdcdb.errors import DatabaseError, counted
from sdcdb.policy.category_draft import propose_shares
from sdcdb.policy.defaults import DEFAULTS
from sdcdb.policy.evidence import Understood, understand
from sdcdb.policy.models import Role
from sdcdb.policy.public_shares import propose_known, said_of, written
from sdcdb.policy.references import find_references
from sdcdb.policy.suggest import K, preview, suggest, suggested_columns

_HEAD = """\
# A starting policy for {database}, written by `sdcdb init`. Read it before you trust it:
# each guessed role has its reason beside it, and every line marked CHECK needs your decision.
# Roles: identifier (never leaves), quasi (usable in predicates and groups), confidential (only inside allowed
# aggregates), class (what a classifier predicts), public (anything goes).
version: 1
tables:
"""

_PROTECT = """\
    # A protected view to release: quasi-identifiers are recoded until every combination belongs to {k} records, and
    # confidential values are exchanged between records. Uncomment it, then: sdcdb protect, compare and release.
{doubtful}    # protect:
    #   {view}:
    #     secret: keyfile        # or env:NAME, or file:PATH
"""
_ROWS = "    #     rows: {{method: kanonymity, k: {k}}}  # {said}; stricter: k: {more}, looser: k: {less}\n"

_DOUBTFUL = """\
    # Columns with ## stay out of it: nothing says what they are, and people who know them might find somebody by them.
    # Decide on their CHECK above first.
"""

_SEVERAL = """\
    # No view is suggested: recoding and exchanging take records for people. Perturb columns instead, such as
    # `cost: {method: normal, sd: 10%}`; what is the same in all records of a person is perturbed once.
"""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_YAML_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


Publishable = Callable[[duckdb.DuckDBPyConnection, str, str, Sequence[str], str, str], bool]
"""Tells whether the counts of a category could be public: table, key, quasi-identifiers, name and shares as YAML."""


def draft_policy(
    con: duckdb.DuckDBPyConnection,
    database: str,
    tables: list[str] | None = None,
    publishable: Publishable | None = None,
) -> str:
    """Return the text of a policy for all tables, or for those named, which may be views as well."""
    names = tables or [name for name in table_names(con) if not is_protected(con, name)]
    if not names:
        raise DatabaseError(f"{database} has no tables yet: there is nothing to write a policy for")
    views = {fold(name) for name in view_names(con)}
    understood = understand(con, [profile(con, name) for name in names])
    askable = [table for table in understood if fold(table.profile.name) not in views]
    parts = [
        _table(con, table, find_references(con, table, askable) if table in askable else None, publishable)
        for table in understood
    ]
    return _HEAD.format(database=database.replace("\n", " ")) + "".join(parts)


def is_protected(con: duckdb.DuckDBPyConnection, table: str) -> bool:
    """Tell whether a table is a protected view that was materialised: it needs no policy."""
    sql = (
        "SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND (schema_name, table_name) = (?, ?)"
    )
    if not con.execute(sql, ["sdc", "plans"]).fetchall():
        return False
    return bool(con.execute("SELECT 1 FROM sdc.plans WHERE lower(view_name) = lower(?)", [table]).fetchall())


def _table(
    con: duckdb.DuckDBPyConnection,
    found: Understood,
    refers: Mapping[str, str] | None,
    publishable: Publishable | None,
) -> str:
    """Write one table; `refers` are the tables that it refers to, or None for a view, about which nothing is asked."""
    view = refers is None
    table, name = found.profile, yaml_name(found.profile.name)
    if found.public:
        return f"  {name}: public  # CHECK: {found.public}\n"
    lines = [
        f"  {name}:  # {counted(table.rows, 'record')}",
        f"    key: {_key(found)}  # {_why_key(found, view=view)}",
        *_person(found),
        *_refers(found, refers or {}),
        "    columns:",
    ]
    lines += [
        f"      {line}"
        for column in table.columns
        for line in _column(con, found, column, None if view else publishable)
    ]
    if not view:  # the gateway answers questions about tables
        lines += ["    restrict:"]
        lines += [f"      {name}: {_flow(value)}" for name, value in DEFAULTS["restrict"].items() if value is not None]
    return "\n".join(lines) + "\n" + _protect(con, found)


def _person(found: Understood) -> Iterator[str]:
    """Say whose the records are: counted by records, many records of one person would pass for many people."""
    if found.person:
        said = f"CHECK: somebody has {found.most} records; people are counted, not records"
        yield f"    person: {yaml_name(found.person)}  # {said}"


def _refers(found: Understood, refers: Mapping[str, str]) -> Iterator[str]:
    """Propose references: not in use, because each adds to the combinations that records are told apart by."""
    if refers and _key(found) != ROWID:
        listed = ", ".join(f"{yaml_name(column)}: {yaml_name(parent)}" for column, parent in refers.items())
        tables = " and ".join(repr(parent) for parent in dict.fromkeys(refers.values()))
        yield f"    # CHECK: to choose and group records by the quasi-identifiers of {tables}, which they refer to:"
        yield f"    # refers: {{{listed}}}"


def _key(found: Understood) -> str:
    named = _named_together(found)
    return f"[{', '.join(map(yaml_name, named))}]" if named else yaml_name(found.key or ROWID)


def _named_together(found: Understood) -> tuple[str, ...]:
    """Return the columns that are the key together; none of them may be confidential, or the class."""
    roles = {found.guesses[name].role for name in found.together}
    return () if found.key or roles & {Role.CONFIDENTIAL, Role.CLASS} else found.together


def _names_most(found: Understood) -> str | None:
    """Return the part of a key that becomes an identifier because no part is one: the one with most values."""
    named = _named_together(found)
    if not named or any(found.guesses[name].role is Role.IDENTIFIER for name in named):
        return None
    distinct = {column.name: column.distinct for column in found.profile.columns}
    return max(named, key=lambda name: distinct[name])


def _why_key(found: Understood, *, view: bool) -> str:
    if found.key:
        return "unique in every record"
    if _named_together(found):
        return "CHECK: unique together; right if no other record can ever have the same"
    if view:
        return "CHECK: no column is unique: add one that names a record, a view has no rowid"
    together = f"({', '.join(found.together)}) are unique together, " if found.together else ""
    return f"CHECK: {together or 'no column is unique; '}rowid is right only if the table never changes" + (
        ": name them as the key if none of them is confidential, or add a column that names a record"
        if together
        else ""
    )


def _protect(con: duckdb.DuckDBPyConnection, found: Understood) -> str:
    table = found.profile
    roles = {column.name: _role(found, column) for column in table.columns}
    quasi = [name for name, role in roles.items() if role is Role.QUASI]
    secret = suggested_columns(table, roles)
    if not (quasi or secret) or table.rows < 2:
        return ""
    if found.person:
        return _SEVERAL
    doubtful = [c for c in secret if not found.guesses[c.name].sure]
    said = _DOUBTFUL if doubtful else ""
    text = _PROTECT.format(view=yaml_name(_view_name(table.name)), k=K, doubtful=said)
    if quasi:
        text += _ROWS.format(k=K, said=preview(con, table, quasi, K), more=2 * K, less=K - 2)
    if secret:
        text += f"    #     {'## ' if len(doubtful) == len(secret) else ''}columns:\n"
        marks = {c.name: "## " if c in doubtful else "" for c in secret}
        text += "".join(f"    #       {marks[c.name]}{yaml_name(c.name)}: {suggest(con, table, c)}\n" for c in secret)
    return text


def _view_name(table: str) -> str:
    """Return a name for a protected view beside its table: `hr.staff_public`, or `"odd.name_public"`."""
    return f'{table[:-1]}_public"' if table.endswith('"') else f"{table}_public"


def _flow(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _role(found: Understood, column: ColumnProfile) -> Role:
    return Role.IDENTIFIER if column.name in {found.key, _names_most(found)} else found.guesses[column.name].role


def _column(
    con: duckdb.DuckDBPyConnection, found: Understood, column: ColumnProfile, publishable: Publishable | None
) -> Iterator[str]:
    name, role, table = yaml_name(column.name), _role(found, column), found.profile.name
    reason = "the key" if column.name in {found.key, _names_most(found)} else found.guesses[column.name].said
    if role is not Role.CONFIDENTIAL or not column.numeric:
        yield f"{name}: {role.value}  # {reason}"
        if role is Role.CONFIDENTIAL and (shares := propose_shares(con, table, column.name)) is not None:
            yield "# CHECK: to have records counted by its values, declare them with shares that may be public:"
            yield f"# {name}: {{role: confidential, known: {shares}}}  # sensitive: [...] if only some values are"
            if publishable is not None and _adds_up(found) and not found.person:
                quasi = [yaml_name(c.name) for c in found.profile.columns if _role(found, c) is Role.QUASI]
                if publishable(con, yaml_name(table), _key(found), quasi, name, shares):
                    beside = f"in any combination of {', '.join(quasi)}" if quasi else "of the whole table"
                    yield f"# CHECK: its counts tell nobody too much {beside}. If they may be known, and the table does"
                    yield "# not change, add `counts: public` to that line: numbers by it are answered then"
        return
    low, high = outward(column.low, column.high)
    step = 1 if column.integer else 10**-(column.decimals) if column.decimals else None
    grid = f", step: {step:.10f}".rstrip("0").rstrip(".") if step else ""
    public = "CHECK the domain: put what the public knows, not what the data shows"
    yield f"{name}: {{role: confidential, domain: [{low}, {high}]{grid}}}  # {reason}. {public}"
    if (known := propose_known(con, table, column, (low, high), step)) is not None:
        yield f"# CHECK: if shares like these are or may be public, this in place of the line above ({said_of(known)}):"
        yield f"# {name}: {{role: confidential, domain: [{low}, {high}]{grid}, known: {written(known)}}}"


def _adds_up(found: Understood) -> bool:
    """Tell whether a table has a confidential number that could be added up by a category."""
    return any(column.numeric and _role(found, column) is Role.CONFIDENTIAL for column in found.profile.columns)


def outward(low: float | None, high: float | None) -> tuple[float | int, float | int]:
    """Round a range outwards to one significant digit of its width, so that the data's own ends do not show.

    >>> outward(12_345, 231_873)
    (0, 300000)
    """
    if low is None or high is None:
        return 0, 1
    width = high - low or 1.0  # a constant column still gets a domain
    if not math.isfinite(width):
        return low, high  # a policy with it can be written; methods that compute with it refuse it
    width = max(width, 1e-6 * max(abs(low), abs(high)), 1e-9)  # and a narrow one enough digits
    unit = 10.0 ** math.floor(math.log10(width))
    bottom, top = math.floor(low / unit) * unit, math.ceil(high / unit) * unit
    if bottom == top:
        top += unit
    return _tidy(bottom), _tidy(top)


def _tidy(number: float) -> float | int:
    return int(number) if number == int(number) and abs(number) < 1e15 else float(f"{number:.12g}")


def yaml_name(name: str) -> str:
    """Return a name as a YAML key, quoted where YAML would read it as something else."""
    plain = _PLAIN.fullmatch(name) and name.lower() not in _YAML_WORDS
    return name if plain else json.dumps(name, ensure_ascii=False)
