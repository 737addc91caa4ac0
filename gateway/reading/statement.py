"""From SQL text to a statement: what runs in the lobby, and the blocks that the vault must answer first."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sdcdb.connection.identifiers import fold
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading.block import Block, Literals, block
from sdcdb.gateway.reading.duckdb_parser import NativeParse, NativeParser
from sdcdb.gateway.reading.flatten import flatten
from sdcdb.gateway.reading.lexical import screen
from sdcdb.gateway.reading.literals import literal, must_be_plain
from sdcdb.gateway.reading.regroup import regroup
from sdcdb.gateway.reading.reserved import is_released_relation
from sdcdb.gateway.relations import Relations, Restricted, unknown

Params = Sequence[Any] | Mapping[str, Any] | None
_EXPLAIN = re.compile(r"\s*EXPLAIN\s+PRIVACY\b", re.IGNORECASE)
_DESCRIBE = re.compile(r"(DESCRIBE|DESC|SHOW)\b", re.IGNORECASE)  # the lobby's stand-ins have columns and no rows
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*|\"(?:[^\"]|\"\")*\"")
_QUOTED = re.compile(r"'(?:[^']|'')*'|(\"(?:[^\"]|\"\")*\")")
_READS_NAMES = frozenset(
    {
        *("query", "query_table", "json_execute_serialized_sql", "json_serialize_plan", "getvariable"),
        *("sql_auto_complete", "stats", "nextval", "currval", "table_info"),
    }
)


@dataclass(frozen=True)
class Statement:
    """A statement: what runs in the lobby, the relations that it reads there, and the blocks behind released results.

    A statement on restricted tables is a `tree`, with parameters put in, until the lobby renders it. Any other is the
    analyst's own `text`, with its parameters beside it: DuckDB reads more SQL than a tree can hold.
    """

    reads: tuple[str, ...]
    text: str = ""
    params: Params = None
    tree: exp.Query | None = None
    blocks: tuple[Block, ...] = ()

    def sql(self) -> str:
        """Render the statement for the lobby."""
        return self.text if self.tree is None else self.tree.sql("duckdb", identify=True, comments=False)


def privacy_question(text: object) -> str | None:
    """Return the statement behind EXPLAIN PRIVACY, or None."""
    if not isinstance(text, str):
        return None
    found = _EXPLAIN.match(text)
    return text[found.end() :] if found else None


def statement(text: str, params: Params, relations: Relations, parser: NativeParser, literals: Literals) -> Statement:
    """Read a statement. Restricted tables may be read by blocks only; everything else runs in the lobby."""
    clean = screen(text)
    must_be_plain(params)
    native = parser.parse(clean)
    # A literal is no name, except where DuckDB does not say what it reads (PIVOT).
    named = _QUOTED.sub(lambda quote: quote.group(1) or "''", clean) if native.serialised else clean
    words = [word.strip('"').replace('""', '"') for word in _WORD.findall(named)]
    _must_not_read_names(native, words)
    if _DESCRIBE.match(clean) or not relations.mentions_restricted([*words, *(table for _, table in native.tables)]):
        found = [relations.find(schema, table) for schema, table in native.tables]
        reads = {relation.name for relation in found if relation is not None}
        if not native.serialised:  # PIVOT does not tell: every relation whose name appears may be read
            folded = {fold(word) for word in words}
            reads |= {relation.name for relation in relations.all if relation.path[1] in folded}
        return Statement(tuple(sorted(reads)), clean, params)
    return _restricted(clean, params, relations, native.tables, literals)


def _must_not_read_names(native: NativeParse, words: Sequence[str]) -> None:
    """Refuse functions that take a table, a variable or a statement by a text: no parser sees what they read."""
    used = native.functions if native.serialised else {fold(word) for word in words}
    if found := sorted(_READS_NAMES & used):
        raise Unsupported(f"{found[0].upper()} reads a name from a text", "write the name into the statement")


def _restricted(
    clean: str, params: Params, relations: Relations, native: tuple[tuple[str, str], ...], literals: Literals
) -> Statement:
    try:
        trees = sqlglot.parse(clean, read="duckdb")
    except (SqlglotError, RecursionError):
        raise Unsupported("the statement is not understood", "a plainer SELECT") from None
    root = trees[0] if len(trees) == 1 else None
    if not isinstance(root, exp.Select | exp.SetOperation | exp.Subquery):
        raise Unsupported("on a restricted table only SELECT is answered", "a SELECT with aggregates")
    if params or "$" in clean:
        _bind(root, params)
    found = [node for node in root.walk() if isinstance(node, exp.Table | exp.CTE | exp.Subquery)]
    tables = [node for node in found if isinstance(node, exp.Table)]
    ctes = {fold(node.alias) for node in found if isinstance(node, exp.CTE)}
    if any(relations.find("", name) is not None for name in ctes):
        raise Unsupported("a CTE has the name of a table", "give it another name")
    _must_agree(tables, native)
    if len(found) > len(tables):
        flatten(root, relations)
        tables = list(root.find_all(exp.Table))
    regroup(root, relations)
    selects = [table.find_ancestor(exp.Select) for table in tables if _is_restricted(table, relations)]
    if not selects:
        raise _not_read(tables, ctes, relations)
    blocks: list[Block] = []
    for select in {id(each): each for each in selects}.values():
        if select is None or not _direct(select, relations):
            raise Unsupported("a restricted table may stand in FROM and JOIN only", "SELECT ... FROM the table")
        blocks.append(block(select, relations, len(blocks), literals))
    reads = set()
    for table in root.find_all(exp.Table):
        relation = relations.find(table.db, table.name) if isinstance(table.this, exp.Identifier) else None
        if isinstance(relation, Restricted):
            raise Unsupported("a restricted table is read outside of an aggregate", "aggregate it first")
        if relation is not None:
            reads.add(relation.name)
        elif not is_released_relation(table.name) and fold(table.name) not in ctes:
            raise unknown(table.name, relations)
    return Statement(tuple(sorted(reads)), tree=root, blocks=tuple(blocks))


def _not_read(tables: list[exp.Table], ctes: set[str], relations: Relations) -> Unsupported:
    """Say why no restricted table is found though one is named: mostly `visits` where it is hr.visits."""
    for table in tables:
        if relations.find(table.db, table.name) is None and fold(table.name) not in ctes:
            return unknown(table.name, relations)
    return Unsupported("a restricted table is named but not read in a way that is understood", "a plain SELECT")


def _is_restricted(table: exp.Table, relations: Relations) -> bool:
    return isinstance(table.this, exp.Identifier) and isinstance(relations.find(table.db, table.name), Restricted)


def _direct(select: exp.Select, relations: Relations) -> bool:
    """Tell whether the restricted tables below this SELECT, and in no SELECT between, stand in its FROM or JOIN."""
    sources = [select.args["from_"].this] if select.args.get("from_") else []
    sources += [join.this for join in select.args.get("joins") or []]
    inside = [
        table
        for table in select.find_all(exp.Table)
        if _is_restricted(table, relations) and table.find_ancestor(exp.Select) is select
    ]
    return all(any(table is source for source in sources) for table in inside)


def _must_agree(tables: list[exp.Table], native: tuple[tuple[str, str], ...]) -> None:
    """Refuse a statement in which sqlglot and DuckDB do not see the same tables."""
    ours = sorted((fold(table.db), fold(table.name)) for table in tables)
    theirs = sorted((fold(schema), fold(name)) for schema, name in native)
    if ours != theirs or any(table.args.get("catalog") for table in tables):
        raise Unsupported("the statement can be read in two ways", "a plainer SELECT")


def _bind(root: exp.Expr, params: Params) -> None:
    """Put parameters into the tree as literals."""
    holders = [node for node in root.walk() if isinstance(node, exp.Placeholder | exp.Parameter)]
    values = params if isinstance(params, Mapping) else dict(enumerate(params or (), start=1))
    used = set()
    for holder in holders:
        name = holder.name
        key: Any = int(name) if name.isdigit() and int(name) in values else name
        if isinstance(holder, exp.Parameter) or key not in values:
            raise Unsupported(f"there is no value for the parameter {name!r}", "pass one value for each parameter")
        used.add(key)
        holder.replace(literal(values[key]))
    if len(used) < len(values):
        raise Unsupported("there are more values than parameters", "pass one value for each parameter")
