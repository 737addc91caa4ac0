"""Statements that change data or definitions: what they read on the way, what they show, and what they leave behind.

A change shows nothing but its row count. It is harmless if no confidential value decides which rows it touches, fails
on, returns or copies elsewhere.
"""

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from sdcdb.auditor.reading.confidential import Columns, reads_confidential
from sdcdb.auditor.reading.fact import Account, Effects, Outcome, harmless, not_understood
from sdcdb.auditor.reading.named import Named, find, renamed_columns
from sdcdb.connection.identifiers import fold
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.affine import linear
from sdcdb.gateway.relations import Relations, Restricted

CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)
DEFINES = (exp.Create, exp.Alter, exp.Drop, exp.TruncateTable, exp.Copy)
Ask = Callable[[exp.Expr], Account]
"""Accounts for a query."""


def changed(tree: exp.Expr, names: Named, relations: Relations, columns: Columns, ask: Ask) -> Account:
    """Account for INSERT, UPDATE, DELETE and MERGE.

    A row count is an answer: that of an UPDATE or DELETE is measured as the same `SELECT count(*)` is, where the data
    can still tell the rows that were chosen.
    """
    target = _target(tree)
    own = find(relations, fold(target.db), fold(target.name)) if target is not None else None
    effects = Effects(changes=(own.name,) if own is not None else ())
    name = fold(target.name) if target is not None else ""
    if names.doubts:
        return not_understood(names.reason, replace(effects, redefines=() if own else (name,)), names.unknown)
    if not names.restricted:
        return harmless("changes data that is not confidential", effects)
    word = tree.key.upper()
    read = reads_confidential(_reading_part(tree), names.restricted, columns)
    if read is None:
        reason = "changes data and reads no confidential column" if own else "copies no confidential column"
        return harmless(f"{reason}, by {word}", effects)
    counted = _count_of(tree, own)
    told = ask(counted) if counted is not None else None
    facts = told.facts if told is not None and told.outcome is Outcome.ANSWERED else ()
    gone = isinstance(tree, exp.Delete) and not any(fact.answer for fact in facts)
    if facts and not gone:
        shown = tuple(dict.fromkeys((fact.table, fact.column) for fact in facts))
        reason = f"its row count tells how many records {read} chooses"
        return Account(Outcome.FINDING, reason, facts, shown, effects=effects)
    why = f"reads {read} in {word}, whose row count, result or effect can show it"
    if facts:
        why = f"its row count tells how many records {read} chose; whom it removed is not in the data"
    left = replace(effects, redefines=() if own else (name,), stores=own is not None)
    return replace(not_understood(why, left), facts=facts)


def _count_of(tree: exp.Expr, own: Restricted | None) -> exp.Select | None:
    """Return the query that counts the rows of an UPDATE or DELETE, if the data can still answer it.

    An UPDATE must have left the columns of its condition as they were. What a DELETE removed is gone, unless the data
    are those of before; that whoever is left was not chosen is true in either case.
    """
    where = tree.args.get("where")
    if own is None or where is None or not isinstance(tree, exp.Update | exp.Delete):
        return None
    if not isinstance(tree.this, exp.Table) or tree.this.args.get("joins"):
        return None
    if any(tree.args.get(part) for part in ("from_", "using", "tables", "returning", "limit", "order", "with_")):
        return None
    if isinstance(tree, exp.Update) and not _leaves(tree, where):
        return None
    return exp.Select().select(exp.Count(this=exp.Star())).from_(tree.this.copy()).where(where.this.copy())


def _leaves(tree: exp.Update, where: exp.Expr) -> bool:
    """Tell whether an UPDATE leaves the columns of its condition as they were, and reads no other table."""
    written = {fold(each.this.name) for each in tree.expressions if isinstance(each, exp.EQ)}
    if len(written) != len(tree.expressions) or written & {fold(each.name) for each in where.find_all(exp.Column)}:
        return False
    return not any(each.expression.find(exp.Query) for each in tree.expressions)


def _target(tree: exp.Expr) -> exp.Table | None:
    this = tree.this
    if isinstance(this, exp.Table):
        return this
    return this.find(exp.Table) if isinstance(this, exp.Expr) else tree.find(exp.Table)


def _reading_part(tree: exp.Expr) -> exp.Expr:
    """Return the statement without the columns that it only writes, and without changes by a fixed rule."""
    copy = tree.copy()
    for holder in copy.find_all(exp.Schema):  # the list of columns that an INSERT fills
        if isinstance(holder.parent, exp.Insert):
            holder.set("expressions", [])
    for update in copy.find_all(exp.Update, exp.OnConflict):
        for assignment in update.expressions or []:
            if isinstance(assignment, exp.EQ) and isinstance(assignment.this, exp.Column):
                written = assignment.this
                if _by_a_fixed_rule(written, assignment.expression):
                    assignment.set("expression", exp.null())
                written.replace(exp.Column(this=exp.to_identifier("ctid")))
    for insert in copy.find_all(exp.Insert):
        for column in insert.args.get("columns") or []:
            column.pop()
    return copy


def _by_a_fixed_rule(written: exp.Column, value: exp.Expr) -> bool:
    """Tell whether a value is the old one of the same column, times and plus constants, or one that was proposed."""
    if isinstance(value, exp.Column) and fold(value.table) in ("excluded", "new", "values"):
        return True
    try:
        form = linear(value)
    except Unsupported:
        return False
    return form.column is not None and fold(form.column.name) == fold(written.name) and not form.column.table


def defined(tree: exp.Expr, names: Named, relations: Relations, columns: Columns, ask: Ask) -> Account:
    """Account for CREATE, ALTER, DROP, TRUNCATE and COPY."""
    if isinstance(tree, exp.Copy):
        return _copied(tree, relations, ask)
    if isinstance(tree, exp.Create):
        return _created(tree, names, relations, columns)
    touched = [find(relations, fold(table.db), fold(table.name)) for table in tree.find_all(exp.Table)]
    changes = tuple(each.name for each in touched if each is not None)
    redefines = tuple(fold(table.name) for table in tree.find_all(exp.Table) if _renamed(table, relations))
    if tree.find(exp.RenameColumn):
        redefines += tuple(renamed_columns(each.path[1]) for each in touched if each is not None)
    effects = Effects(changes=changes, redefines=redefines if isinstance(tree, exp.Alter) else ())
    if isinstance(tree, exp.Alter) and changes and _alters_by_value(tree, columns.hidden(names.restricted)):
        return not_understood("ALTER succeeds or fails by confidential values", effects)
    return harmless(
        f"changes a table by {tree.key.upper().replace('TRUNCATETABLE', 'TRUNCATE')}, and shows no data", effects
    )


def _renamed(table: exp.Table, relations: Relations) -> bool:
    return find(relations, fold(table.db), fold(table.name)) is None


def _alters_by_value(tree: exp.Alter, hidden: frozenset[str]) -> bool:
    """Tell whether a constraint, a conversion or a generated column looks at confidential values."""
    for action in tree.args.get("actions") or []:
        plain = isinstance(action, exp.Drop | exp.AlterRename | exp.RenameColumn)
        if not plain and any(fold(node.name) in hidden for node in action.find_all(exp.Identifier)):
            return not (isinstance(action, exp.AlterColumn) and action.args.get("default") is not None)
    return False


def _copied(tree: exp.Copy, relations: Relations, ask: Ask) -> Account:
    stored = [each for each in tree.args.get("files") or [] if isinstance(each, exp.Table | exp.Subquery)]
    read = [each for each in stored if each.find(exp.Identifier)]
    if fold(tree.this.name) == "database":
        return not_understood("copies a whole database")
    if tree.args.get("kind") and read:  # COPY INTO @stage FROM staff, COPY INTO t FROM (SELECT ...)
        source = read[0].this if isinstance(read[0], exp.Subquery) else exp.Select().select("*").from_(read[0].copy())
        told = ask(source)
        unloaded = not isinstance(tree.this.this, exp.Identifier)
        return (
            told
            if unloaded or told.outcome is Outcome.HARMLESS
            else not_understood(f"{told.reason or 'answers'}, by COPY")
        )
    if tree.args.get("kind"):
        target = tree.this.find(exp.Table)
        own = find(relations, fold(target.db), fold(target.name)) if target is not None else None
        return harmless("fills a table from a file by COPY", Effects(changes=(own.name,) if own else ()))
    source = tree.this
    if isinstance(source, exp.Subquery):
        return ask(source.this)
    listed = [exp.column(each.name) for each in source.expressions] if isinstance(source, exp.Schema) else []
    table = source.this if isinstance(source, exp.Schema) else source
    if not isinstance(table, exp.Table):
        return not_understood("COPY of something that is not understood")
    return ask(exp.Select(expressions=listed or [exp.Star()]).from_(table.copy()))


def _created(tree: exp.Create, names: Named, relations: Relations, columns: Columns) -> Account:
    kind = str(tree.args.get("kind") or "").upper()
    target = tree.this.find(exp.Table) if isinstance(tree.this, exp.Expr) and kind != "INDEX" else None
    name = fold(target.name) if target is not None else ""
    own = find(relations, fold(target.db), name) if target is not None else None
    redefines = Effects(changes=(own.name,) if own else (), redefines=(name,) if name else ())
    if kind in ("TRIGGER", "RULE", "EVENT"):
        return not_understood(f"CREATE {kind} runs code later that is not in the log", redefines)
    if kind in ("FUNCTION", "PROCEDURE", "MACRO"):
        return not_understood(f"CREATE {kind}: what it reads when it is called is not in the log", redefines)
    if kind == "INDEX":
        return _indexed(tree, names, columns)
    if tree.args.get("clone") or tree.find(exp.ExecuteAsProperty):
        how = "as a whole" if tree.args.get("clone") else "from a prepared statement"
        return not_understood(f"creates a table {how}, of what is not shown", redefines)
    query = tree.expression
    if isinstance(query, exp.Expr) and query.find(exp.Query, exp.Table):
        within = [find(relations, fold(table.db), fold(table.name)) for table in query.find_all(exp.Table)]
        restricted = [each for each in within if each is not None]
        read = reads_confidential(query, restricted, columns) if restricted else None
        if read is not None:
            return not_understood(f"copies {read} of a restricted table by CREATE {kind}", redefines)
        if names.doubts:
            return not_understood(names.reason, redefines, names.unknown)
    elif kind not in ("TABLE", "VIEW", "SCHEMA", "SEQUENCE", "TYPE", "DATABASE"):
        return not_understood(f"CREATE {kind} is not understood", redefines)
    part = _part_of_restricted(tree, relations)
    why = f"creates an empty {kind.lower()} as a part of a restricted one" if part else ""
    why = why or f"creates a {kind.lower()} without confidential data"
    return harmless(why, redefines if part else Effects(creates=(name,) if name else ()))


def _part_of_restricted(tree: exp.Create, relations: Relations) -> bool:
    """Tell whether a new table is to hold records of a restricted one: its partition, or one that inherits it."""
    named_in = tree.find(exp.InheritsProperty, exp.PartitionedOfProperty)
    tables = named_in.find_all(exp.Table) if named_in is not None else ()
    return any(find(relations, fold(table.db), fold(table.name)) is not None for table in tables)


def _indexed(tree: exp.Create, names: Named, columns: Columns) -> Account:
    """An index on plain columns always succeeds; one that is unique, partial or computed may fail by a value."""
    index = tree.this
    plain = not tree.args.get("unique") and index.find(exp.Where) is None
    given = index.args.get("params")
    keys = (given.args.get("columns") or []) if given is not None else []
    if plain and all(isinstance(key.this if isinstance(key, exp.Ordered) else key, exp.Column) for key in keys):
        return harmless("builds an index, and shows no data")
    hidden = columns.hidden(names.restricted)
    if not any(fold(column.name) in hidden for column in index.find_all(exp.Column)):
        return harmless("builds an index on columns that are not confidential")
    return not_understood("CREATE INDEX succeeds or fails by confidential values")
