"""Names as sqlglot expressions. SQL is rendered from these, never concatenated from bare names."""

import re
from collections.abc import Iterable

from sqlglot import exp

from sdcdb.errors import DataError

_PART = re.compile(r'"((?:[^"]|"")*)"|([^."]+)')
_NAME = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern}))?")
_FULL_NAME = re.compile(rf"(?:{_PART.pattern})(?:\.(?:{_PART.pattern})){{0,2}}")


def identifier(name: str) -> exp.Identifier:
    """Return a quoted identifier."""
    return exp.to_identifier(name, quoted=True)


_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


def fold(name: str) -> str:
    """Fold a name as DuckDB does when it compares two: the letters A to Z, and no others.

    >>> fold("STAFF"), fold("GRÖSSE"), fold("straße") == fold("strasse")
    ('staff', 'grÖsse', False)
    """
    return name.translate(_LOWER)


def folded_alike(names: Iterable[str]) -> list[str]:
    """Return the names that an earlier one equals, as DuckDB compares them.

    >>> folded_alike(["age", "sex", "Age"])
    ['Age']
    """
    first: dict[str, str] = {}
    return [name for name in names if first.setdefault(fold(name), name) != name]


def quoted(expression: exp.Expr) -> str:
    """Render for DuckDB with every name in quotes."""
    if (
        type(expression) is exp.Identifier
    ):  # the most frequent case, for which sqlglot would take a tenth of a millisecond
        return '"' + str(expression.this).replace('"', '""') + '"'
    return expression.sql("duckdb", identify=True)


def table_name(schema: str, table: str) -> str:
    """Return the name by which users and policies know a table: `staff`, `hr.staff`, or `"odd.name"`.

    >>> table_name("main", "staff"), table_name("hr", "staff"), table_name("main", "odd.name")
    ('staff', 'hr.staff', '"odd.name"')
    """
    parts = [table] if schema == "main" else [schema, table]
    return ".".join(f'"{part.replace(chr(34), chr(34) * 2)}"' if re.search(r'[."]', part) else part for part in parts)


def name_parts(name: str) -> tuple[str, ...]:
    """Return the one to three parts of a name as a statement writes it: table, schema.table, database.schema.table.

    >>> name_parts('hr."odd.name"')
    ('hr', 'odd.name')
    """
    if not _FULL_NAME.fullmatch(name):
        raise DataError(
            f"cannot read the name {name!r}: write table, schema.table or database.schema.table; put a part that "
            'contains a dot or a double quote in double quotes, as in "odd.name"'
        )
    return tuple(plain or inside.replace('""', '"') for inside, plain in _PART.findall(name))


def table_reference(name: str) -> exp.Table:
    """Return the table that `table_name` named.

    >>> quoted(table_reference("hr.staff"))
    '"hr"."staff"'
    """
    if not _NAME.fullmatch(name):
        raise DataError(
            f"cannot read the name {name!r}: write table or schema.table; put a part that contains a dot or "
            'a double quote in double quotes, as in "odd.name"'
        )
    parts = [plain or inside.replace('""', '"') for inside, plain in _PART.findall(name)]
    return exp.Table(this=identifier(parts[-1]), db=identifier(parts[-2]) if len(parts) > 1 else None)
