"""What the records of a cell have in common, as one text."""

from collections.abc import Iterable

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.gateway.relations import Restricted


def cell_text(table: Restricted) -> str:
    """Return the SQL of what the records of a cell have in common, as one text."""
    return common_text(table.quasi)


def common_text(quasi: Iterable[str]) -> str:
    """Return the SQL of what records with the same quasi-identifiers have in common, as one text."""
    names = [f"coalesce(CAST({quoted(identifier(name))} AS VARCHAR), chr(1))" for name in quasi]
    return f"concat_ws(chr(31), {', '.join(names)})" if names else "''"
