"""One logged statement, accounted for: answered, a finding by itself, harmless for a reason, or not understood.

Nothing is taken for harmless because a name was not seen in it. A statement is harmless when it could be read, every
relation and function in it is known, and none of its parts can show a confidential value.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.auditor.evidence import exactly
from sdcdb.auditor.reading import commands
from sdcdb.auditor.reading.carried import LEFT, NOTHING_LEFT, carries
from sdcdb.auditor.reading.changes import CHANGES, DEFINES, changed, defined
from sdcdb.auditor.reading.collation import FOLDING, alike, folded
from sdcdb.auditor.reading.confidential import reads_confidential
from sdcdb.auditor.reading.direct import refused
from sdcdb.auditor.reading.fact import AUDITED, Account, Effects, Fact, Outcome, harmless, not_understood
from sdcdb.auditor.reading.lexical_doubt import QUOTED_TEXTS, decoded, doubt, quoted_name
from sdcdb.auditor.reading.named import Context, Named, find, named
from sdcdb.auditor.reading.reads import merged
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.connection.identifiers import fold
from sdcdb.errors import DataError, SdcdbError, Unsupported
from sdcdb.gateway.relations import Restricted
from sdcdb.logs.record import Rows
from sdcdb.logs.script import said

NO_CONTEXT = Context()


def account(
    sql: str, dialect: str, snapshot: Snapshot, answers: Rows | None = None, context: Context = NO_CONTEXT
) -> Account:
    """Account for one statement."""
    text = decoded(sql)
    why = "has an escape sign of its own" if text is None else doubt(text, dialect)
    if text is None or why:
        return not_understood(why or "")
    if not said(text):
        return harmless("no statement")
    if dialect in QUOTED_TEXTS and (name := quoted_name(text, snapshot.secret_names)):
        return not_understood(f'has "{name}" in double quotes, which is a name or a text as the server was set')
    found = _by_words(commands.leading(text), dialect, snapshot, answers, context)
    if found.outcome is Outcome.HARMLESS and carries(text):
        return replace(found, reason=NOTHING_LEFT) if not context.left else not_understood(LEFT, found.effects)
    return found


def _by_words(text: str, dialect: str, snapshot: Snapshot, answers: Rows | None, context: Context) -> Account:
    plan = commands.explained(text)
    if plan is not None:
        return _explained(*plan, dialect, snapshot, context)
    if dialect != "tsql" and (prepares := commands.prepared(text)) is not None:
        return _prepared(*prepares, dialect, snapshot, context)
    cursor = commands.declared(text)
    if cursor is not None:
        found = account(cursor[1], dialect, snapshot, None, context)
        return _with(found, Effects(opens=cursor[0]))
    known = commands.by_first_words(text)
    if known is not None:
        return known
    try:
        trees = [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError, ValueError):
        return not_understood("cannot be parsed")
    if len(trees) != 1:
        return not_understood("several statements in one")
    return _tree(trees[0], dialect, snapshot, answers, context)


def _tree(tree: exp.Expr, dialect: str, snapshot: Snapshot, answers: Rows | None, context: Context) -> Account:
    made = isinstance(tree, exp.Create) and isinstance(tree.expression, exp.Expr)
    names = named(tree.expression if made else tree, snapshot.relations, snapshot.surroundings, context)
    local = _local_names(tree, snapshot)
    if isinstance(local, exp.Query | exp.Subquery | exp.Values):
        return _query(local, names, snapshot, answers, dialect)
    if isinstance(local, CHANGES):
        return changed(
            local, names, snapshot.relations, snapshot.columns,
            lambda query: _tree(query, dialect, snapshot, None, context),
        )  # fmt: skip
    if isinstance(local, DEFINES):
        return defined(
            local, names, snapshot.relations, snapshot.columns,
            lambda query: _tree(query, dialect, snapshot, None, context),
        )  # fmt: skip
    return _other(local, names, snapshot)


def _other(tree: exp.Expr, names: Named, snapshot: Snapshot) -> Account:
    """Account for statements that are neither queries nor changes: variables, descriptions."""
    if isinstance(tree, exp.Set | exp.Declare):
        if names.doubts:
            return not_understood(names.reason, Effects(stores=True), names.unknown)
        read = reads_confidential(tree, names.restricted, snapshot.columns) if names.restricted else None
        if read is not None:
            return not_understood(f"stores {read} in a variable", Effects(stores=True))
        return harmless("sets a variable to nothing confidential")
    if isinstance(tree, exp.Describe):
        inner = tree.this
        if isinstance(inner, exp.Query):
            return _plan(inner, names, snapshot)
        return harmless("describes the database, and shows no data")
    if isinstance(tree, exp.Show):
        return _described(tree, names)
    if isinstance(tree, exp.Kill | exp.Attach | exp.Detach | exp.Install):
        return harmless("changes the session, and shows no data")
    return not_understood(f"not an understood statement ({tree.key.upper()})", unknown=names.unknown)


def _described(tree: exp.Show, names: Named) -> Account:
    if tree.find(exp.Query) and (names.restricted or names.doubts):
        return not_understood(names.reason or "chooses what it describes by a query on a restricted table")
    if str(tree.name).upper().startswith(("ENGINE", "BINLOG", "RELAYLOG")):
        return not_understood("not an understood statement (SHOW)", unknown=names.unknown)
    return harmless("describes the database, and shows no data")


def _with(found: Account, effects: Effects) -> Account:
    return Account(found.outcome, found.reason, found.facts, found.shown, found.selected, found.unknown, effects)


def _prepared(name: str, body: str, dialect: str, snapshot: Snapshot, context: Context) -> Account:
    effects = Effects(prepares=(name, body))
    found = account(body, dialect, snapshot, None, context) if body else not_understood("prepares a text it computes")
    if found.outcome is Outcome.HARMLESS:
        return harmless("prepares a statement that shows nothing confidential", effects)
    return not_understood("prepares a statement on a restricted table; it may have been run under its name", effects)


def _explained(sql: str, ran: bool, dialect: str, snapshot: Snapshot, context: Context) -> Account:  # noqa: FBT001
    inner = account(sql, dialect, snapshot, None, context)
    if inner.outcome is Outcome.HARMLESS:
        return harmless("shows the plan of a harmless statement", inner.effects if ran else Effects())
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
    except (SqlglotError, RecursionError, ValueError):
        return not_understood("cannot be parsed")
    if not isinstance(tree, exp.Query):
        return not_understood("shows how many rows a change by confidential values would touch")
    return _plan(tree, named(tree, snapshot.relations, snapshot.surroundings, context), snapshot)


def _plan(tree: exp.Expr, names: Named, snapshot: Snapshot) -> Account:
    """A plan shows estimates and counts of rows: they are harmless if no confidential value decides about rows."""
    if names.doubts:
        return not_understood(names.reason, unknown=names.unknown)
    rest = tree.copy()
    if isinstance(rest, exp.Select) and not rest.args.get("distinct"):
        rest.set("expressions", [exp.Literal.number(1)])
    read = reads_confidential(rest, names.restricted, snapshot.columns) if names.restricted else None
    if read is None:
        return harmless("asks for a query plan, not for data")
    return not_understood(f"the plan's numbers of rows depend on {read}")


def _query(tree: exp.Expr, names: Named, snapshot: Snapshot, answers: Rows | None, dialect: str) -> Account:
    into = tree.args.get("into")
    inside = tree.find(*CHANGES)
    if inside is not None and names.restricted:
        changes = tuple(table.name for table in names.restricted)
        return not_understood(f"changes a table inside a query, by {inside.key.upper()}", Effects(changes=changes))
    read = reads_confidential(tree, names.restricted, snapshot.columns) if names.restricted else None
    if read is None:
        if names.doubts:
            return not_understood(names.reason, unknown=names.unknown)
        reason = "reads no confidential column" if names.restricted else "reads only data that is not confidential"
        if not names.restricted and not names.open:
            variable = tree.find(exp.Parameter, exp.SessionParameter)
            reason = "reads no table" + (", and variables that hold nothing confidential" if variable else "")
        return harmless(reason, Effects(creates=_into(into)))
    if into is not None or tree.find(exp.PropertyEQ) or _assigns(tree):
        return not_understood(f"stores {read}", Effects(redefines=_into(into), stores=True))
    found = _read(tree, snapshot, answers)
    if found.outcome in (Outcome.ANSWERED, Outcome.HARMLESS) and names.doubts:
        return not_understood(names.reason, unknown=names.unknown)
    if dialect in FOLDING and found.outcome in (Outcome.ANSWERED, Outcome.HARMLESS):
        return _folded(tree, found, snapshot)
    return found


def _into(into: exp.Expr | None) -> tuple[str, ...]:
    return tuple(fold(table.name) for table in into.find_all(exp.Table)) if into is not None else ()


def _folded(tree: exp.Expr, found: Account, snapshot: Snapshot) -> Account:
    """Keep an account only if the statement is about the same people when texts compare without regard to case."""
    copy = folded(tree, snapshot.columns, snapshot.collapses)
    if copy is tree:
        return found
    again = _read(copy, snapshot, None) if copy is not None else None
    if again is not None and alike(again.facts, found.facts):
        return found
    return not_understood("is about other people under a case-insensitive collation")


def _assigns(tree: exp.Expr) -> bool:
    """Tell whether a SELECT list fills variables, as in T-SQL."""
    return any(
        isinstance(each, exp.EQ) and isinstance(each.this, exp.Parameter) for each in getattr(tree, "selects", [])
    )


def _read(tree: exp.Expr, snapshot: Snapshot, answers: Rows | None) -> Account:
    try:
        return _understood(tree.sql("duckdb", comments=False), tree, snapshot, answers)
    except Unsupported as refusal:
        again = _flattened(tree, snapshot, answers) or _looked_up(tree, snapshot, answers)
        return again or refused(tree, snapshot, refusal.reason)
    except DataError as problem:
        return not_understood(str(problem))


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


def _local_names(tree: exp.Expr, snapshot: Snapshot) -> exp.Expr:
    """Drop schemas and catalogues of another database, such as `public.staff`, where only the bare name is known."""
    for table in list(tree.find_all(exp.Table)):
        relations = snapshot.relations
        meant = find(relations, fold(table.db), fold(table.name))
        if meant is not None and relations.find(table.db, table.name) is not meant:
            schema, name = meant.path
            table.set("db", None if schema == "main" else exp.to_identifier(schema))
            table.set("this", exp.to_identifier(name, quoted=table.this.args.get("quoted")))
        elif table.db and relations.find(table.db, table.name) is None and relations.find("", table.name) is not None:
            table.set("db", None)
        if isinstance(table.this, exp.Identifier):
            table.set("catalog", None)
    return tree


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
    if not facts:
        return harmless("asks only how many values there are, or about nobody")
    return Account(Outcome.ANSWERED, "", tuple(facts))


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
