"""sdcdb: statistical disclosure control inside DuckDB.

>>> import duckdb, sdcdb
>>> con = sdcdb.register(duckdb.connect())
>>> con.execute("SELECT sdc_entropy([0.5, 0.5])").fetchone()
(1.0,)
"""

from typing import TYPE_CHECKING, Any

from sdcdb.errors import DatabaseError, DataError, Denied, InternalError, PolicyError, SdcdbError, Unsupported
from sdcdb.version import __version__

if TYPE_CHECKING:
    from sdcdb.database import Database, open  # noqa: A004 - sdcdb.open mirrors the built-in on purpose
    from sdcdb.udfs import register

__all__ = [
    "DataError",
    "Database",
    "DatabaseError",
    "Denied",
    "InternalError",
    "PolicyError",
    "SdcdbError",
    "Unsupported",
    "__version__",
    "open",
    "register",
]

# Loaded on first use: `import sdcdb` and `sdcdb --help` must not wait for DuckDB, pyarrow and pydantic.
_LAZY = {"Database": "sdcdb.database", "open": "sdcdb.database", "register": "sdcdb.udfs"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'sdcdb' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
