"""Completion: tables after FROM, columns of the tables that a statement names, functions, keywords."""

import re
from collections.abc import Iterable, Iterator

import duckdb
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.gateway.reading.aggregate import AGGREGATES
from sdcdb.gateway.reading.allowed import ALLOWED
from sdcdb.gateway.relations import Relation, Relations
from sdcdb.shell.session import COMMANDS

WORDS = """
    SELECT DISTINCT FROM JOIN LEFT ON USING WHERE AND OR NOT IN BETWEEN LIKE ILIKE IS NULL CASE WHEN THEN ELSE END
    GROUP BY HAVING ORDER ASC DESC LIMIT OFFSET WITH AS UNION ALL FILTER ROLLUP CUBE GROUPING SETS EXPLAIN PRIVACY
    COALESCE CAST EXTRACT
""".split()  # noqa: SIM905 - a list of words reads best as words
_TABLES = re.compile(r'\b(?:from|join)\s+"?\w*$', re.IGNORECASE)
_WORD = re.compile(r'\\?"?\w*$')
_QUALIFIED = re.compile(r'(\w+|"[^"]+")\.("?\w*)$')
_BARE = re.compile(r"[a-z_][a-z0-9_]*")


def functions() -> list[str]:
    """Return the functions allowed on a restricted table: the gateway's list, by their names in DuckDB."""
    listed = {name.lower() for kind in [*AGGREGATES, *ALLOWED] if issubclass(kind, exp.Func) for name in _names(kind)}
    with duckdb.connect() as con:
        known = con.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    return sorted(listed & {name for (name,) in known} - {"if"})


def _names(kind: type[exp.Func]) -> list[str]:
    return [str(name) for name in kind.sql_names()]


class SqlCompleter(Completer):
    """Completes the word before the cursor with names that the gateway allows."""

    def __init__(self, relations: Relations) -> None:
        self._relations = relations.all
        self._functions = functions()

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002 - the library's signature
        """Yield the possible completions, the likeliest first."""
        before = document.text_before_cursor
        qualified = _QUALIFIED.search(before)
        if qualified:
            yield from self._columns_of(qualified[1], qualified[2], document.text)
            return
        found = _WORD.search(before)
        word = found[0] if found else ""
        if word.startswith("\\"):
            yield from _fitting(word, COMMANDS, "command")
        elif _TABLES.search(before) or before.lstrip().startswith("\\d "):
            for relation in self._relations:
                yield from _fitting(word, [relation.name], relation.kind)
        elif word:
            yield from self._anything(word, document.text)

    def _anything(self, word: str, text: str) -> Iterator[Completion]:
        named = [each for each in self._relations if re.search(rf"\b{re.escape(each.path[1])}\b", text, re.IGNORECASE)]
        columns = dict.fromkeys(column for each in named or self._relations for column in each.columns)
        yield from _fitting(word, columns, "column")
        yield from _fitting(word, [relation.name for relation in self._relations], "table")
        yield from _fitting(word, self._functions, "function", behind="(")
        yield from _fitting(word, WORDS if word[0].isupper() else [each.lower() for each in WORDS], "")

    def _columns_of(self, alias: str, word: str, text: str) -> Iterator[Completion]:
        for relation in self._relations:
            if _means(alias.strip('"'), relation, text):
                yield from _fitting(word, relation.columns, "column")


def _means(alias: str, relation: Relation, text: str) -> bool:
    """Return whether the name before a dot is this relation's name or its alias in the statement."""
    name = relation.path[1]
    given = re.search(rf'\b{re.escape(name)}"?\s+(?:as\s+)?"?{re.escape(alias)}\b', text, re.IGNORECASE)
    return alias.casefold() == name or given is not None


def _fitting(word: str, names: Iterable[str], kind: str, behind: str = "") -> Iterator[Completion]:
    start = word.lstrip('"').casefold()
    for name in names:
        if name.casefold().startswith(start):
            text = name if kind in {"", "function", "command"} or _BARE.fullmatch(name) else _quoted(name)
            yield Completion(text + behind, start_position=-len(word), display=name, display_meta=kind)


def _quoted(name: str) -> str:
    return name if "." in name else quoted(identifier(name))
