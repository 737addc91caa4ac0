"""What DuckDB's own parser says of a statement: a second opinion, asked of an instance that holds nothing."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import duckdb

from sdcdb.connection.identifiers import fold
from sdcdb.errors import Unsupported

LOCKED: dict[str, Any] = {
    "enable_external_access": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "python_enable_replacements": False,
}
_QUERIES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE", "BOUND_SUBQUERY_NODE"}


@cache
def aggregate_names() -> frozenset[str]:
    """Return the names of DuckDB's aggregates, and of its macros that are made of aggregates."""
    made_of = r"\b(sum|avg|count|list|array_agg|geomean|weighted_avg)\("
    with duckdb.connect(config=dict(LOCKED)) as con:
        rows = con.execute(
            "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE function_type = 'aggregate' "
            "OR regexp_matches(lower(coalesce(macro_definition, '')), ?)",
            [made_of],
        ).fetchall()
    return frozenset(str(name) for (name,) in rows)


@dataclass(frozen=True)
class NativeParse:
    """Every table and function that a statement names, as DuckDB reads it.

    `serialised` is False for PIVOT and EXPLAIN, of which nothing more is known.
    """

    tables: tuple[tuple[str, str], ...]
    ctes: frozenset[str]
    serialised: bool
    functions: frozenset[str] = frozenset()


class NativeParser:
    """DuckDB's parser, in an empty and locked instance. Safe to call from many threads."""

    def __init__(self) -> None:
        self._con = duckdb.connect(config={**LOCKED, "threads": 1})
        self._con.execute("SET lock_configuration = true")
        self._lock = threading.Lock()

    def parse(self, text: str) -> NativeParse:
        """Return what the statement names; refuse anything but one query that only reads."""
        with self._lock:
            kinds = self._kinds(text)
            if kinds == ["SELECT"]:
                row = self._con.execute("SELECT json_serialize_sql(CAST(? AS VARCHAR))", [text]).fetchone()
                found = json.loads(row[0]) if row else {"error": True}
            else:
                found = {"error": True}
        if found.get("error"):
            # DuckDB 1.5 calls a PRAGMA a SELECT, and cannot serialise it either.
            pivot = kinds in (["SELECT"], ["MULTI"], ["CREATE", "SELECT"]) and "pivot" in text.lower()
            if kinds != ["EXPLAIN"] and not (pivot and not text.lower().startswith("pragma")):
                raise Unsupported("only a single query that reads is answered", "write one SELECT")
            return NativeParse((), frozenset(), serialised=False)
        nodes = list(_nodes(found))
        for node in nodes:
            kind = str(node.get("type", ""))
            if kind.endswith("_NODE") and kind not in _QUERIES:
                raise Unsupported("a query may not change anything", "write a SELECT without INSERT, UPDATE or DELETE")
        tables = [
            (str(node.get("schema_name", "")), str(node["table_name"]))
            for node in nodes
            if node.get("type") == "BASE_TABLE" and "table_name" in node
        ]
        ctes = {
            fold(str(entry["key"]))
            for node in nodes
            for entry in (node.get("cte_map") or {}).get("map", ())
            if isinstance(entry, dict)
        }
        functions = {fold(str(node["function_name"])) for node in nodes if node.get("function_name")}
        return NativeParse(tuple(tables), frozenset(ctes), serialised=True, functions=frozenset(functions))

    def _kinds(self, text: str) -> list[str]:
        try:
            return [str(statement.type).rsplit(".", 1)[-1] for statement in self._con.extract_statements(text)]
        except duckdb.Error as problem:
            # The instance holds no data: its words can only repeat the analyst's own text.
            first = str(problem).splitlines()[0]
            raise Unsupported(f"DuckDB cannot read the statement ({first})", "mend the syntax") from None


@cache
def native_parser() -> NativeParser:
    """Return the parser of this process: it keeps nothing of what it reads, so all gateways can share it."""
    return NativeParser()


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            yield node
            pending.extend(node.values())
        elif isinstance(node, list):
            pending.extend(node)
