"""Servers whose texts compare without regard to case, accents and trailing blanks, unlike DuckDB's."""

import unicodedata
from collections.abc import Callable, Sequence

from sqlglot import exp

from sdcdb.auditor.reading.confidential import Columns
from sdcdb.auditor.reading.fact import Fact
from sdcdb.connection.identifiers import fold

FOLDING = frozenset({"mysql", "mariadb", "tsql", "singlestore", "doris", "starrocks"})
"""Dialects of servers that do so by default."""


def folded(tree: exp.Expr, columns: Columns, collapses: Callable[[str], bool]) -> exp.Expr | None:
    """Return the statement with its texts in lower case on both sides; itself if it compares no texts.

    None where a column has values that differ only in case, accents or blanks: such a server takes them for one.
    """
    kinds = {fold(name): kind for own in columns.all.values() for name, kind in own.items()}
    used = [column for column in tree.find_all(exp.Column) if kinds.get(fold(column.name), "").startswith("VARCHAR")]
    if not used:
        return tree
    if any(collapses(fold(column.name)) for column in used):
        return None
    copy = tree.copy()
    for node in list(copy.find_all(exp.Literal)):
        if node.is_string:
            node.replace(exp.Literal.string(folded_text(node.name)))
    for column in list(copy.find_all(exp.Column)):
        text = kinds.get(fold(column.name), "").startswith("VARCHAR")
        if text and column.find_ancestor(exp.Where, exp.If, exp.Join) is not None:
            column.replace(exp.Lower(this=column.copy()))
    return copy


def folded_text(text: str) -> str:
    """Return a text in lower case, without accents and trailing blanks.

    >>> folded_text("Zoë ")
    'zoe'
    """
    apart = unicodedata.normalize("NFD", text.rstrip(" ").lower())
    return "".join(each for each in apart if not unicodedata.combining(each))


def alike(first: Sequence[Fact], second: Sequence[Fact]) -> bool:
    """Tell whether two readings of a statement ask the same of the same people."""

    def asked(facts: Sequence[Fact]) -> list[tuple[str, str, str, bytes]]:
        return sorted((fact.table, fact.column, fact.kind, fact.packed.tobytes()) for fact in facts)

    return asked(first) == asked(second)
