"""Functions for DuckDB: scalars and table macros named `sdc_*`, on any existing connection."""

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import duckdb

from sdcdb.udfs.auditing import audit, create_audit
from sdcdb.udfs.registration import create_table_functions
from sdcdb.udfs.scalars import create_scalars

if TYPE_CHECKING:
    from sdcdb.udfs.fitting import fit

__all__ = ["audit", "fit", "register"]


def register(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Add the `sdc_*` functions and macros to a connection, and return it.

    Nothing is written into the user's database: scalar functions live in the process, macros in the connection's
    temporary schema, so that read-only databases work too. Calling it again, or on another cursor, is harmless.
    """
    there = _functions_there(con)
    create_scalars(con, there)
    create_audit(con, there)
    for file in sorted(files(__name__).joinpath("macros").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".sql"):
            con.execute(file.read_text(encoding="utf-8"))
    create_table_functions(con, there)
    return con


def _functions_there(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the scalar functions of the database, which may have ours already; none if it lacks the last of them."""
    with con.cursor() as cursor:
        try:
            cursor.execute("SELECT _sdc_select(0, '', '', '', '') WHERE false")
        except duckdb.CatalogException:  # listing all functions takes a hundred times longer than this
            return set()
        listed = cursor.execute("SELECT function_name FROM duckdb_functions() WHERE function_type = 'scalar'")
        return {name for (name,) in listed.fetchall()}


def __getattr__(name: str) -> Any:
    """Load fitting on first use: it imports the techniques, and `register` must not wait for them."""
    if name == "fit":
        from sdcdb.udfs.fitting import fit

        return fit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
