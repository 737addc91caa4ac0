"""Whether a statement on restricted tables reads a confidential column at all, even in a condition.

The answer is no only where every column is resolved to one that is not confidential. Whole rows, stars, positions,
renamed columns and joins on all common columns are a yes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from sdcdb.connection.identifiers import fold
from sdcdb.gateway.relations import Restricted

SYSTEM = frozenset({"ctid", "oid", "xmin", "xmax", "cmin", "cmax", "tableoid", "rowid"})


@dataclass(frozen=True)
class Columns:
    """Of every table by folded name: all columns, and which of them are confidential."""

    all: Mapping[str, Mapping[str, str]]
    confidential: Mapping[str, frozenset[str]]

    def hidden(self, tables: Sequence[Restricted]) -> frozenset[str]:
        """Return the confidential columns of these tables, folded."""
        return frozenset(fold(name) for table in tables for name in self.confidential[table.name])


def reads_confidential(tree: exp.Expr, tables: Sequence[Restricted], columns: Columns) -> str | None:
    """Return what a statement reads that is or may be confidential; None if it surely reads nothing of that."""
    hidden = columns.hidden(tables)
    excluding = any(star.args.get("except_") for star in tree.find_all(exp.Star))  # names what it does not read
    found = (None if excluding else _by_name(tree, hidden)) or _by_other_means(tree)
    if found is not None:
        return found
    plain = _without_stars(tree, columns)
    if plain is None:
        return "columns that cannot be resolved"
    if any(True for star in plain.find_all(exp.Star) if not _only_counts(star)):
        return "all columns"
    return _by_name(plain, hidden) or _unresolved(plain, columns)


def _by_name(tree: exp.Expr, hidden: frozenset[str]) -> str | None:
    for name in tree.find_all(exp.Identifier):
        if fold(name.name) in hidden:
            return fold(name.name)
    return None


def _by_other_means(tree: exp.Expr) -> str | None:
    """Return how a statement reads columns without naming them: whole rows, positions, other names, natural joins."""
    sources = {fold(table.alias or table.name) for table in tree.find_all(exp.Table)}
    for column in tree.find_all(exp.Column):
        if not column.table and fold(column.name) in sources:
            return f"whole rows of {column.name}"
    if any(isinstance(each.this, exp.Literal) and not each.this.is_string for each in tree.find_all(exp.Parameter)):
        return "columns by their numbers"  # $6; a parameter whose value is not in the log is none of our columns
    odd = tree.find(exp.PositionalColumn, exp.Pivot, exp.Columns, exp.Command)
    if odd is not None:
        return f"columns by {odd.key.upper()}"
    renamed = (alias for alias in tree.find_all(exp.TableAlias) if isinstance(alias.parent, exp.Table))
    if any(alias.args.get("columns") for alias in renamed):
        return "columns under other names"
    if any(str(join.args.get("method") or "").upper() == "NATURAL" for join in tree.find_all(exp.Join)):
        return "all common columns"
    return None


def _unresolved(tree: exp.Expr, columns: Columns) -> str | None:
    known = {fold(name) for own in columns.all.values() for name in own} | SYSTEM
    known |= {fold(alias.alias) for alias in tree.find_all(exp.Alias, exp.TableAlias, exp.CTE)}
    known |= {fold(each.name) for alias in tree.find_all(exp.TableAlias) for each in alias.args.get("columns") or []}
    known |= {fold(each.name) for node in tree.find_all(exp.Lambda) for each in node.expressions}
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Identifier) and fold(column.name) not in known:
            return f"{column.name!r}, which the table does not have"
    return None


def _only_counts(star: exp.Star) -> bool:
    parent = star.parent
    if isinstance(parent, exp.Count):
        return True
    select = star.find_ancestor(exp.Select)
    return select is not None and isinstance(select.parent, exp.Exists)


def _without_stars(tree: exp.Expr, columns: Columns) -> exp.Expr | None:
    """Write out stars as columns, where all relations are known."""
    stars = [star for star in tree.find_all(exp.Star) if not _only_counts(star)]
    if not stars:
        return tree
    copy = tree.copy()
    for table in copy.find_all(exp.Table):
        table.set("db", None)
        table.set("catalog", None)
    try:
        return qualify(copy, schema=dict(columns.all), dialect="duckdb", validate_qualify_columns=False)
    except (SqlglotError, RecursionError, AttributeError, KeyError, TypeError, ValueError):
        return None
