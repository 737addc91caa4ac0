"""One logged statement, accounted for: understood, ignored for a stated reason, a direct read, or assumed unsafe."""

import re
from fractions import Fraction
from typing import Any

import numpy as np
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.auditor.evidence import exactly
from sdcdb.auditor.reading.direct import refused
from sdcdb.auditor.reading.fact import AUDITED, Account, Fact, Outcome
from sdcdb.auditor.reading.reads import merged, named_tables
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.errors import DataError, SdcdbError, Unsupported
from sdcdb.gateway.relations import Restricted
from sdcdb.logs.record import Rows
from sdcdb.logs.script import said

_WORD = re.compile(r"[A-Za-z_][\w$]*|\"(?:[^\"]|\"\")*\"|`[^`]+`")
_PLAN = re.compile(r"\s*(EXPLAIN|DESCRIBE|DESC|SHOW)\b(?!.*\bANALY[SZ]E\b)", re.IGNORECASE | re.DOTALL)
_CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Drop, exp.Alter, exp.TruncateTable)


def account(sql: str, dialect: str, snapshot: Snapshot, answers: Rows | None = None) -> Account:
    """Account for one statement."""
    ignored = _ignored(sql, snapshot)
    if ignored:
        return Account(Outcome.IGNORED, ignored)
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError, ValueError):
        return Account(Outcome.UNSAFE, "cannot be parsed")
    if len(trees) != 1:
        return Account(Outcome.UNSAFE, "several statements in one")
    tree = _local_names(trees[0], snapshot)
    if isinstance(tree, _CHANGES) or not isinstance(tree, exp.Query | exp.Subquery):
        return _not_a_query(tree, snapshot)
    return _query(tree, snapshot, answers)


def _ignored(sql: str, snapshot: Snapshot) -> str | None:
    """Return the reason why a statement can be ignored, if there is one."""
    if not said(sql):
        return "no statement"
    if not _mentions(sql, snapshot):
        return "names no restricted table"
    return "asks for a query plan, not for data" if _PLAN.match(sql) else None


def _query(tree: exp.Expr, snapshot: Snapshot, answers: Rows | None) -> Account:
    through = sorted({table.name.casefold() for table in tree.find_all(exp.Table)} & snapshot.views)
    if through:
        return Account(Outcome.UNSAFE, f"reads a restricted table through the view {through[0]}")
    if not named_tables(tree, snapshot.relations):
        return Account(Outcome.IGNORED, "reads no restricted table")
    try:
        return _understood(tree.sql("duckdb", comments=False), tree, snapshot, answers)
    except Unsupported as refusal:
        again = _flattened(tree, snapshot, answers) or _looked_up(tree, snapshot, answers)
        return again or refused(tree, snapshot, refusal.reason)
    except DataError as problem:
        return Account(Outcome.UNSAFE, str(problem))


def _flattened(tree: exp.Expr, snapshot: Snapshot, answers: Rows | None) -> Account | None:
    """Try again with subqueries merged into the outer query: they may only rename or filter."""
    flat = merged(tree, snapshot.relations)
    try:
        return _understood(flat.sql("duckdb", comments=False), flat, snapshot, answers) if flat else None
    except SdcdbError:
        return None


def _looked_up(tree: exp.Expr, snapshot: Snapshot, answers: Rows | None) -> Account | None:
    """Try again with conditions that the gateway does not allow replaced by the keys of the records they select.

    The auditor may look at the data, so any condition on columns that are not confidential can be evaluated, as long
    as it always selects the same records.
    """
    copy, changed = tree.copy(), False
    for select in copy.find_all(exp.Select):
        where, source = select.args.get("where"), select.args.get("from_")
        table = source.this if source is not None else None
        if where is None or not isinstance(table, exp.Table) or select.args.get("joins"):
            continue
        relation = snapshot.relations.find(table.db, table.name)
        keys = snapshot.chosen(relation, table, where.this) if isinstance(relation, Restricted) else None
        if keys is None:
            return None
        select.set("where", exp.Where(this=keys))
        changed = True
    if not changed:
        return None
    try:
        return _understood(copy.sql("duckdb", comments=False), copy, snapshot, answers)
    except SdcdbError:
        return None


def _mentions(sql: str, snapshot: Snapshot) -> bool:
    words = {word.strip('"`').casefold() for word in _WORD.findall(sql)}
    names = {relation.path[1] for relation in snapshot.relations.restricted()} | snapshot.views
    return bool(words & names)


def _local_names(tree: exp.Expr, snapshot: Snapshot) -> exp.Expr:
    """Drop schemas and catalogues of another database, such as `public.staff`, where only the bare name is known."""
    for table in list(tree.find_all(exp.Table)):
        relations = snapshot.relations
        if table.db and relations.find(table.db, table.name) is None and relations.find("", table.name) is not None:
            table.set("db", None)
        table.set("catalog", None)
    return tree


def _not_a_query(tree: exp.Expr, snapshot: Snapshot) -> Account:
    if isinstance(tree, exp.Create | exp.Copy | exp.Insert) and named_tables(tree, snapshot.relations):
        target = tree.this.find(exp.Table) if isinstance(tree.this, exp.Expr) else None
        changed = target is not None and isinstance(snapshot.relations.find(target.db, target.name), Restricted)
        if not changed or tree.find(exp.Query):
            return Account(Outcome.UNSAFE, f"copies from a restricted table by {tree.key.upper()}")
    if tree.find(exp.Returning):
        return Account(Outcome.UNSAFE, f"shows the data it changes, by {tree.key.upper()} with RETURNING")
    if isinstance(tree, _CHANGES):
        return Account(Outcome.IGNORED, f"changes data by {tree.key.upper()} and shows none")
    if isinstance(tree, exp.Describe | exp.Analyze | exp.Comment | exp.Grant | exp.Set | exp.Use | exp.Transaction):
        return Account(Outcome.IGNORED, "asks for no data")
    return Account(Outcome.UNSAFE, f"not an understood query ({tree.key.upper()})")


def _understood(text: str, tree: exp.Expr, snapshot: Snapshot, answers: Rows | None) -> Account:
    read = snapshot.read(text)
    facts: list[Fact] = []
    recorded = _recorded(tree, answers) if len(read.blocks) == 1 else None
    for block in read.blocks:
        table = snapshot.tables[block.table.name]
        evaluated = snapshot.evaluate(block)
        for group in evaluated.groups:
            for measure in block.measures:
                kind = AUDITED.get(measure.kind)
                if measure.confidential is None or kind is None:
                    continue
                cells = group.of(measure)
                value = table.answer(measure.confidential, kind, cells)
                if value is None:
                    continue
                number = int(table.counts(measure.confidential)[cells].sum())
                told = (
                    recorded.get((kind, measure.confidential.casefold()))
                    if recorded and len(evaluated.groups) == 1
                    else None
                )
                given = None if told is None else told[0] * (number if told[1] else 1)
                flags = np.zeros(table.cells.size, bool)
                flags[cells] = True
                flags &= table.counts(measure.confidential) > 0
                facts.append(
                    Fact(block.table.name, measure.confidential, kind, np.packbits(flags),
                         value if given is None else given, computed=given is None)
                )  # fmt: skip
    reason = "" if facts else "asks for no confidential value"
    return Account(Outcome.UNDERSTOOD, reason, tuple(facts))


def _recorded(tree: exp.Expr, answers: Rows | None) -> dict[tuple[str, str], tuple[Fraction, bool]] | None:
    """Return recorded answers of an ungrouped SELECT of bare aggregates: the value, and whether it is an average."""
    if answers is None or len(answers) != 1 or not isinstance(tree, exp.Select) or tree.args.get("group"):
        return None
    projections = tree.selects
    if len(answers[0]) != len(projections):
        return None
    found: dict[tuple[str, str], tuple[Fraction, bool]] = {}
    for projection, value in zip(projections, answers[0], strict=True):
        bare = projection.unalias()
        if isinstance(bare, exp.Sum | exp.Avg | exp.Min | exp.Max) and isinstance(bare.this, exp.Column):
            kind = "sum" if isinstance(bare, exp.Avg) else bare.key
            number = _number(value)
            if number is not None and (kind, bare.this.name.casefold()) not in found:
                found[kind, bare.this.name.casefold()] = (number, isinstance(bare, exp.Avg))
    return found


def _number(value: Any) -> Fraction | None:
    try:
        return exactly(value)
    except (ValueError, ZeroDivisionError):
        return None
