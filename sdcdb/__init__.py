"""sdcdb: statistical disclosure control inside DuckDB.

>>> import duckdb, sdcdb
>>> con = sdcdb.register(duckdb.connect())
>>> con.execute("SELECT sdc_entropy([0.5, 0.5])").fetchone()
(1.0,)
"""

from sdcdb.lazy import lazily
from sdcdb.version import __version__

TYPE_CHECKING = False  # not from typing, which takes hundredths of a second in which Ctrl-C is not understood yet
if TYPE_CHECKING:
    from sdcdb.assess.compare import Comparison
    from sdcdb.auditor.audit import Audit
    from sdcdb.database import Database, open  # noqa: A004 - sdcdb.open mirrors the built-in on purpose
    from sdcdb.errors import (
        DatabaseError,
        DatabaseInUse,
        DataError,
        Denied,
        InternalError,
        LedgerError,
        MissingExtraError,
        PolicyError,
        ReleaseRefused,
        SdcdbError,
        Unsupported,
    )
    from sdcdb.gateway.answer import Answer
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.gateway.rules.verdict import Verdict
    from sdcdb.policy.load import load_policy
    from sdcdb.policy.models import Policy
    from sdcdb.udfs import register
    from sdcdb.views.plan import Plan

__all__ = [
    "Answer",
    "Audit",
    "Comparison",
    "DataError",
    "Database",
    "DatabaseError",
    "DatabaseInUse",
    "Denied",
    "Gateway",
    "InternalError",
    "LedgerError",
    "MissingExtraError",
    "Plan",
    "Policy",
    "PolicyError",
    "ReleaseRefused",
    "SdcdbError",
    "Unsupported",
    "Verdict",
    "__version__",
    "load_policy",
    "open",
    "register",
]

# Loaded on first use: `import sdcdb` and `sdcdb --help` must not wait for DuckDB, pyarrow and pydantic.
__getattr__ = lazily(
    __name__,
    {
        "Answer": "sdcdb.gateway.answer",
        "Audit": "sdcdb.auditor.audit",
        "Comparison": "sdcdb.assess.compare",
        "DataError": "sdcdb.errors",
        "Database": "sdcdb.database",
        "DatabaseError": "sdcdb.errors",
        "DatabaseInUse": "sdcdb.errors",
        "Denied": "sdcdb.errors",
        "Gateway": "sdcdb.gateway.gateway",
        "InternalError": "sdcdb.errors",
        "LedgerError": "sdcdb.errors",
        "MissingExtraError": "sdcdb.errors",
        "Plan": "sdcdb.views.plan",
        "Policy": "sdcdb.policy.models",
        "PolicyError": "sdcdb.errors",
        "ReleaseRefused": "sdcdb.errors",
        "SdcdbError": "sdcdb.errors",
        "Unsupported": "sdcdb.errors",
        "Verdict": "sdcdb.gateway.rules.verdict",
        "load_policy": "sdcdb.policy.load",
        "open": "sdcdb.database",
        "register": "sdcdb.udfs",
    },
)
