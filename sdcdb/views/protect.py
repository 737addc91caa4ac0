"""Fitting what the policy asks for, and creating the protected views: all of them, or none."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import duckdb

from sdcdb.connection.identifiers import quoted, table_reference
from sdcdb.connection.transaction import transaction
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.errors import PolicyError, Problem, SdcdbError, choices
from sdcdb.policy.governed import Governed
from sdcdb.policy.load import Document
from sdcdb.policy.models import Policy
from sdcdb.views import catalogue
from sdcdb.views.check import Read, check
from sdcdb.views.fit import Wanted, fit_view, remembered_profiles
from sdcdb.views.plan import Plan
from sdcdb.views.secret import Secret, read_secret, redacted

Progress = Callable[[str, int, int], None]


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
    read = remembered_profiles(database.con)
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


def _wanted(policy: Policy, views: list[str] | None) -> Iterator[Wanted]:
    tables = policy.tables.items()
    every = {name: Wanted(name, table, spec, view) for table, spec in tables for name, view in spec.protect.items()}
    if not every:
        raise SdcdbError("the policy asks for no protected view: add a `protect` section to a table")
    for name in views or every:
        if name not in every:
            raise SdcdbError(f"the policy has no protected view {name!r}; {choices(name, every)}")
        yield every[name]


def _must_fit(database: Governed, policy: Policy, read: Read) -> None:
    document = Document(str(database.path), policy, {})
    errors = [problem for problem in check(database.con, document, read) if problem.severity == "error"]
    if errors:
        raise PolicyError(
            "the policy does not fit the database (sdcdb check names the lines)",
            [Problem(e.field, e.message) for e in errors],
        )


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
