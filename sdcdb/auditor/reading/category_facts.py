"""What a statement reveals about a confidential column without a numeric domain: how many of a set have which values.

Understood are SELECTs on one restricted table whose conditions fall into parts on the confidential column alone and
parts without it: rows shown, with the column or chosen by it, and counts, also by groups.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from sqlglot import exp

from sdcdb.auditor.reading.fact import Account, Fact, Outcome
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Restricted

MOST_FACTS = 50_000
_PARTS = frozenset({"expressions", "from_", "where", "group", "order", "limit", "distinct"})


@dataclass(frozen=True)
class _Asked:
    table: Restricted
    source: exp.Table
    column: str
    others: list[exp.Expr]
    own: list[exp.Expr]


def category_account(tree: exp.Expr, snapshot: Snapshot) -> Account | None:
    """Account for a statement on one column of categories; None if it is not of a form that is understood."""
    select = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    asked = _asked(select, snapshot) if isinstance(select, exp.Select) else None
    if asked is None or not isinstance(select, exp.Select):
        return None
    cells = snapshot.cells_where(asked.table, asked.source, asked.others)
    chosen = snapshot.categories_where(asked.table, asked.source, asked.column, asked.own)
    if cells is None or chosen is None:
        return None
    if select.args.get("group") or _counts(select):
        return _grouped(select, asked, cells, chosen, snapshot)
    return _shown(select, asked, cells, chosen, snapshot)


def _asked(select: exp.Select, snapshot: Snapshot) -> _Asked | None:
    if any(value for name, value in select.args.items() if name not in _PARTS and value):
        return None
    source = select.args["from_"].this if select.args.get("from_") else None
    if not isinstance(source, exp.Table) or (source.args.get("alias") and source.args["alias"].args.get("columns")):
        return None
    relation = snapshot.relations.find(source.db, source.name)
    if not isinstance(relation, Restricted) or select.find(exp.Subquery, exp.Window, exp.SetOperation):
        return None
    hidden = {fold(name): name for name in snapshot.confidential(relation.name)}
    used = {fold(name.name) for name in select.find_all(exp.Identifier)} & hidden.keys()
    if any(True for star in select.find_all(exp.Star) if not isinstance(star.parent, exp.Count)):
        used = set(hidden)
    plain = [name for name in used if hidden[name] not in relation.confidential]
    if len(plain) != 1 or (len(used) > 1 and (select.args.get("group") or select.args.get("where"))):
        if len(used) != 1 and not select.args.get("group"):
            return None
        if len(plain) != 1:
            return None
    own, others = [], []
    where = select.args.get("where")
    for term in where.this.flatten() if where and isinstance(where.this, exp.And) else [where.this] if where else []:
        names = {fold(column.name) for column in term.find_all(exp.Column)}
        if not names & hidden.keys():
            others.append(term)
        elif names == {plain[0]}:
            own.append(term)
        else:
            return None
    return _Asked(relation, source, hidden[plain[0]], others, own)


def _counts(select: exp.Select) -> bool:
    return any(each.find(exp.AggFunc) for each in select.expressions)


def _grouped(
    select: exp.Select, asked: _Asked, cells: list[int], chosen: frozenset[str | None], snapshot: Snapshot
) -> Account | None:
    """Read counts of groups, where the column groups or chooses, and nothing else is computed from it."""
    group = select.args.get("group")
    if group is not None and any(value for name, value in group.args.items() if name != "expressions" and value):
        return None
    keys = list(group.expressions) if group is not None else []
    keys = [_meant(key, select) for key in keys]
    by_column = [key for key in keys if isinstance(key, exp.Column) and fold(key.name) == fold(asked.column)]
    rest = [key for key in keys if key not in by_column]
    if any(fold(name.name) == fold(asked.column) for key in rest for name in key.find_all(exp.Identifier)):
        return None
    for each in select.expressions:
        bare = each.unalias()
        counted = isinstance(bare, exp.Count) and isinstance(_inner(bare), exp.Star | exp.Literal | exp.Column)
        if (not counted and bare.find(exp.AggFunc)) or _counts_different(bare, asked.column):
            return None
    groups = snapshot.groups_of(asked.table, asked.source, rest, cells)
    if groups is None:
        return None
    facts: list[Fact] = []
    for members in groups:
        facts += _histogram(asked, members, snapshot) if by_column else _one_count(asked, members, chosen, snapshot)
        if by_column and chosen != snapshot.all_categories(asked.table.name, asked.column):
            facts += _one_count(asked, members, chosen, snapshot)
        if len(facts) > MOST_FACTS:
            return None
    return Account(Outcome.ANSWERED, "", tuple(facts)) if facts else None


def _counts_different(each: exp.Expr, column: str) -> bool:
    """Tell whether different values of the column are counted: how many tells who has the same."""
    return any(
        fold(name.name) == fold(column)
        for distinct in each.find_all(exp.Distinct)
        for name in distinct.find_all(exp.Identifier)
    )


def _inner(count: exp.Count) -> exp.Expr:
    inner: exp.Expr = count.this
    if isinstance(inner, exp.Distinct) and inner.expressions:
        inner = inner.expressions[0]
    return inner


def _meant(key: exp.Expr, select: exp.Select) -> exp.Expr:
    if isinstance(key, exp.Literal) and not key.is_string and 1 <= int(str(key.this)) <= len(select.expressions):
        bare: exp.Expr = select.expressions[int(str(key.this)) - 1].unalias()
        return bare
    named = {fold(each.alias): each.this for each in select.expressions if isinstance(each, exp.Alias)}
    if not isinstance(key, exp.Column) or key.table:
        return key
    meant: exp.Expr = named.get(fold(key.name), key)
    return meant


def _histogram(asked: _Asked, members: list[int], snapshot: Snapshot) -> list[Fact]:
    values = snapshot.categories(asked.table.name, asked.column)
    counted = Counter(values[cell] for cell in members)
    present = frozenset(counted)
    facts = [_fact(asked, members, frozenset({value}), number, snapshot) for value, number in counted.items()]
    if len(counted) > 1:
        facts.append(_fact(asked, members, present, len(members), snapshot))
    return facts


def _one_count(asked: _Asked, members: list[int], chosen: frozenset[str | None], snapshot: Snapshot) -> list[Fact]:
    values = snapshot.categories(asked.table.name, asked.column)
    return [_fact(asked, members, chosen, sum(values[cell] in chosen for cell in members), snapshot)]


def _shown(
    select: exp.Select, asked: _Asked, cells: list[int], chosen: frozenset[str | None], snapshot: Snapshot
) -> Account | None:
    """Read rows: each value, if the result says whose it is; otherwise how many of the set have which values."""
    names = {fold(each.unalias().name) for each in select.expressions if isinstance(each.unalias(), exp.Column)}
    star = any(each.is_star for each in select.expressions)
    shown = star or fold(asked.column) in names
    plain = star or all(isinstance(each.unalias(), exp.Column | exp.Literal) for each in select.expressions)
    people = {fold(name) for name in asked.table.quasi}
    linked = star or bool(names & people)
    reason = f"shows values of {asked.table.name}.{asked.column}"
    columns = ((asked.table.name, asked.column),)
    if not plain or select.args.get("limit") or len(cells) * len(snapshot.tables[asked.table.name].names) > 4e8:
        return Account(Outcome.FINDING, reason, (), columns)
    values = snapshot.categories(asked.table.name, asked.column)
    kept = [cell for cell in cells if values[cell] in chosen]
    facts: list[Fact] = []
    if not linked and len(kept) > 1:
        facts = _histogram(asked, cells if not asked.own else kept, snapshot) if shown else []
        facts += _one_count(asked, cells, chosen, snapshot) if asked.own else []
    elif shown:
        facts = [_fact(asked, [cell], frozenset({values[cell]}), 1, snapshot, direct=True) for cell in kept]
    if linked and asked.own:
        facts += [
            _fact(asked, [cell], chosen, int(values[cell] in chosen), snapshot, direct=True)
            for cell in (cells if not shown else set(cells) - set(kept))
        ]
    return Account(Outcome.FINDING, reason, tuple(facts), columns)


def _fact(
    asked: _Asked, members: Iterable[int], values: frozenset[str | None], number: int, snapshot: Snapshot,
    *, direct: bool = False,
) -> Fact:  # fmt: skip
    flags = np.zeros(snapshot.tables[asked.table.name].cells.size, bool)
    flags[list(members)] = True
    return Fact(
        asked.table.name, asked.column, "sum", np.packbits(flags), Fraction(number), direct=direct, values=values
    )
