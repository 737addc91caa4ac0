"""Subqueries and CTEs that only filter a restricted table, put in the place where they are read.

    WITH women AS (SELECT * FROM staff WHERE sex = 'F') SELECT AVG(salary) FROM women
    -> SELECT AVG(salary) FROM staff AS women WHERE women.sex = 'F'

What comes out is validated like a statement that was written so. Anything but `SELECT * FROM table [WHERE ...]` is left
alone, and then refused as rows of a restricted table are.
"""

from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier
from sdcdb.gateway.relations import Relations, Restricted

MOST = 50  # replacements in one statement


def flatten(root: exp.Expr, relations: Relations) -> None:
    """Replace filters of restricted tables in a tree, in place."""
    names = [fold(cte.alias) for cte in root.find_all(exp.CTE)]
    if len(set(names)) < len(names):
        return  # which of them is meant depends on where it is read
    for _ in range(MOST):
        if not (_replace_subquery(root, relations) or _replace_cte(root, relations)):
            return


def _replace_subquery(root: exp.Expr, relations: Relations) -> bool:
    for node in root.find_all(exp.Subquery):
        alias = node.args.get("alias")
        plain = not node.args.get("with_") and (alias is None or not alias.args.get("columns"))
        if plain and isinstance(node.parent, exp.From | exp.Join) and _filters(node.this, relations):
            _inline(node, node.this, alias.name if alias is not None else None)
            return True
    return False


def _replace_cte(root: exp.Expr, relations: Relations) -> bool:
    for cte in root.find_all(exp.CTE):
        recursive = cte.parent is not None and cte.parent.args.get("recursive")
        named = cte.args["alias"]
        if recursive or cte.args.get("materialized") is not None or named.args.get("columns"):
            continue
        if not _filters(cte.this, relations):
            continue
        name = named.name
        for table in list(root.find_all(exp.Table)):
            if _refers(table, name) and isinstance(table.parent, exp.From | exp.Join):
                _inline(table, cte.this, table.alias or name)
        if not any(_refers(table, name) for table in root.find_all(exp.Table)):
            _remove(cte)
            return True
        return False  # it is read in a way that is not understood, and will be refused
    return False


def _filters(query: exp.Expr, relations: Relations) -> bool:
    """Tell whether a query is a restricted table, all of its columns, and some of its rows."""
    if not isinstance(query, exp.Select) or any(v for k, v in query.args.items() if k not in _PARTS and v):
        return False
    source = query.args["from_"].this if query.args.get("from_") else None
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return False
    if any(value for name, value in source.args.items() if name not in {"this", "db", "alias"} and value):
        return False
    alias = source.args.get("alias")
    if alias is not None and alias.args.get("columns"):
        return False
    listed = query.expressions
    star = len(listed) == 1 and isinstance(listed[0], exp.Star) and not any(listed[0].args.values())
    where = query.args.get("where")
    nested = where is not None and where.find(exp.Query, exp.Subquery) is not None
    return star and not nested and isinstance(relations.find(source.db, source.name), Restricted)


_PARTS = frozenset({"expressions", "from_", "where"})


def _refers(table: exp.Table, name: str) -> bool:
    return not table.db and isinstance(table.this, exp.Identifier) and fold(table.name) == fold(name)


def _inline(place: exp.Expr, query: exp.Expr, alias: str | None) -> None:
    """Put the filtered table in a place in FROM or JOIN, and its condition into the SELECT around it."""
    source: exp.Table = query.args["from_"].this.copy()
    inner = source.alias or source.name
    outer = alias or inner
    select = place.find_ancestor(exp.Select)
    where = query.args.get("where")
    source.set("alias", exp.TableAlias(this=identifier(outer)))
    place.replace(source)
    if where is None or select is None:
        return
    condition = exp.Paren(this=where.this.copy())
    for column in list(condition.find_all(exp.Column)):
        if not column.table or fold(column.table) == fold(inner):
            column.set("table", identifier(outer))
    select.where(condition, copy=False)


def _remove(cte: exp.CTE) -> None:
    holder = cte.parent
    cte.pop()
    if isinstance(holder, exp.With) and not holder.expressions and holder.parent is not None:
        holder.parent.set("with_", None)
