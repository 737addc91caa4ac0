"""Writing a starting policy for a database, with a reason beside every guess."""

import json
import math
import re
from collections.abc import Iterator

import duckdb

from sdcdb.connection.profile import ColumnProfile, TableProfile, profile, table_names
from sdcdb.errors import DatabaseError, counted
from sdcdb.policy.category_draft import propose_shares
from sdcdb.policy.defaults import DEFAULTS
from sdcdb.policy.guess import guess_key, guess_public, guess_role
from sdcdb.policy.models import ROWID, Role
from sdcdb.policy.public_shares import propose_known, said_of, written

_HEAD = """\
# A starting policy for {database}, written by `sdcdb init`. Read it before you trust it:
# each guessed role has its reason beside it, and every line marked CHECK needs your decision.
# Roles: identifier (never leaves), quasi (usable in predicates and groups), confidential (only inside allowed
# aggregates), class (what a classifier predicts), public (anything goes).
version: 1
tables:
"""

_PROTECT = """\
    # A protected view that anyone may query; uncomment to create it.
    # protect:
    #   {view}:
    #     secret: keyfile        # or env:NAME, or file:PATH
    #     columns:
    #       {column}: {{method: normal, sd: 10%}}
"""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_YAML_WORDS = frozenset(["true", "false", "null", "yes", "no", "on", "off", "y", "n"])


def draft_policy(con: duckdb.DuckDBPyConnection, database: str, tables: list[str] | None = None) -> str:
    """Return the text of a policy for all tables, or for those named."""
    names = tables or table_names(con)
    if not names:
        raise DatabaseError(f"{database} has no tables yet: there is nothing to write a policy for")
    profiles = [profile(con, name) for name in names]
    parts = [_table(con, table, [other for other in profiles if other is not table]) for table in profiles]
    return _HEAD.format(database=database.replace("\n", " ")) + "".join(parts)


def _table(con: duckdb.DuckDBPyConnection, table: TableProfile, others: list[TableProfile]) -> str:
    name = yaml_name(table.name)
    if why := guess_public(table, others):
        return f"  {name}: public  # CHECK: {why}\n"
    key = guess_key(table)
    why_key = (
        "unique in every record"
        if key
        else "CHECK: no column is unique; rowid is right only if the table never changes"
    )
    lines = [
        f"  {name}:  # {counted(table.rows, 'record')}",
        f"    key: {yaml_name(key or ROWID)}  # {why_key}",
        "    columns:",
    ]
    lines += [f"      {line}" for column in table.columns for line in _column(con, table.name, column, key)]
    lines += ["    restrict:"]
    lines += [f"      {field}: {_flow(value)}" for field, value in DEFAULTS["restrict"].items() if value is not None]
    text = "\n".join(lines) + "\n"
    numbers = [c for c in table.columns if _role(c, key) is Role.CONFIDENTIAL and c.numeric]
    if numbers:
        text += _PROTECT.format(view=yaml_name(_view_name(table.name)), column=yaml_name(numbers[0].name))
    return text


def _view_name(table: str) -> str:
    """Return a name for a protected view beside its table: `hr.staff_public`, or `"odd.name_public"`."""
    return f'{table[:-1]}_public"' if table.endswith('"') else f"{table}_public"


def _flow(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _role(column: ColumnProfile, key: str | None) -> Role:
    return Role.IDENTIFIER if column.name == key else guess_role(column).role


def _column(con: duckdb.DuckDBPyConnection, table: str, column: ColumnProfile, key: str | None) -> Iterator[str]:
    name, role = yaml_name(column.name), _role(column, key)
    reason = "the key" if column.name == key else guess_role(column).reason
    if role is not Role.CONFIDENTIAL or not column.numeric:
        yield f"{name}: {role.value}  # {reason}"
        if role is Role.CONFIDENTIAL and (shares := propose_shares(con, table, column.name)) is not None:
            yield "# CHECK: to have records counted by its values, declare them with shares that may be public:"
            yield f"# {name}: {{role: confidential, known: {shares}}}  # sensitive: [...] if only some values are"
        return
    low, high = outward(column.low, column.high)
    step = 1 if column.integer else 10**-(column.decimals) if column.decimals else None
    grid = f", step: {step:.10f}".rstrip("0").rstrip(".") if step else ""
    public = "CHECK the domain: put what the public knows, not what the data shows"
    yield f"{name}: {{role: confidential, domain: [{low}, {high}]{grid}}}  # {reason}. {public}"
    if (known := propose_known(con, table, column, (low, high), step)) is not None:
        yield f"# CHECK: if shares like these are or may be public, this in place of the line above ({said_of(known)}):"
        yield f"# {name}: {{role: confidential, domain: [{low}, {high}]{grid}, known: {written(known)}}}"


def outward(low: float | None, high: float | None) -> tuple[float | int, float | int]:
    """Round a range outwards to one significant digit of its width, so that the data's own ends do not show.

    >>> outward(12_345, 231_873)
    (0, 300000)
    """
    if low is None or high is None:
        return 0, 1
    width = high - low or 1.0  # a constant column still gets a domain
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
