"""Query histories as the consoles of other systems export them: which column contains what, and the dialect.

Names are compared without case, with `_` for spaces and hyphens; nested JSON objects have dotted names.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

_JOB = "protopayload.metadata.jobchange.job"
_OLD_JOB = "protopayload.servicedata.jobcompletedevent.job"


@dataclass(frozen=True)
class Export:
    """One kind of export. `needs` names columns that it must have; of the candidates for a column the first counts."""

    name: str
    dialect: str
    needs: frozenset[str]
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    longest: int | None = None
    """Characters after which the system cuts a statement."""
    kinds: tuple[str, Collection[str]] | None = None
    """A column, and its values on rows that are statements; others are known to be none."""
    optional: bool = False
    """Rows without a statement are other events, not problems."""


EXPORTS = (
    Export(
        "Snowflake's QUERY_HISTORY", "snowflake", frozenset({"query_text", "query_id", "execution_status"}),
        {"query": ("query_text",), "user": ("user_name",), "time": ("start_time",), "status": ("execution_status",),
         "error": ("error_message",)}, longest=100_000,
    ),
    Export(
        "Snowflake's history page", "snowflake", frozenset({"sql_text", "query_id", "warehouse"}),
        {"query": ("sql_text",), "user": ("user",), "time": ("start_time",), "status": ("status",)}, longest=100_000,
    ),
    Export(
        "BigQuery's INFORMATION_SCHEMA.JOBS", "bigquery", frozenset({"query", "job_id", "user_email"}),
        {"query": ("query",), "user": ("user_email",), "time": ("creation_time", "start_time"),
         "error": ("error_result.message", "error_result_message", "error_result")}, optional=True,
    ),
    Export(
        "BigQuery's audit log", "bigquery", frozenset({"protopayload.authenticationinfo.principalemail"}),
        {"query": (f"{_JOB}.jobconfig.queryconfig.query", f"{_OLD_JOB}.jobconfiguration.query.query"),
         "user": ("protopayload.authenticationinfo.principalemail",), "time": ("timestamp",),
         "error": (f"{_JOB}.jobstatus.errorresult.message", f"{_OLD_JOB}.jobstatus.error.message",
                   "protopayload.status.message"),
         "cut": (f"{_JOB}.jobconfig.queryconfig.querytruncated",)}, optional=True,
    ),
    Export(
        "Databricks' system.query.history", "databricks", frozenset({"statement_text", "executed_by"}),
        {"query": ("statement_text",), "user": ("executed_by",), "time": ("start_time",),
         "status": ("execution_status",), "error": ("error_message",)},
    ),
    Export(
        "Databricks' query history", "databricks", frozenset({"query_text", "query_start_time_ms"}),
        {"query": ("query_text",), "user": ("user_name",), "time": ("query_start_time_ms",), "status": ("status",),
         "error": ("error_message",)},
    ),
    Export(
        "SQL Server's audit", "tsql", frozenset({"statement", "server_principal_name", "action_id"}),
        {"query": ("statement",), "user": ("server_principal_name",), "time": ("event_time",),
         "status": ("succeeded",)}, longest=4_000, optional=True,
    ),
    Export(
        "SQL Server's Query Store", "tsql", frozenset({"query_sql_text"}),
        {"query": ("query_sql_text",), "time": ("last_execution_time", "first_execution_time"),
         "status": ("execution_type_desc",)},
    ),
    Export(
        "SQL Server's Extended Events", "tsql", frozenset({"name", "timestamp", "batch_text"}),
        {"query": ("batch_text", "statement", "sql_text"),
         "user": ("server_principal_name", "session_server_principal_name", "username", "nt_username"),
         "time": ("timestamp",), "status": ("result",)},
        kinds=("name", ("sql_batch_completed", "rpc_completed", "sql_statement_completed", "sp_statement_completed")),
    ),
    Export(
        "SQL Server's Extended Events", "tsql", frozenset({"name", "timestamp", "statement"}),
        {"query": ("statement", "sql_text"),
         "user": ("server_principal_name", "session_server_principal_name", "username", "nt_username"),
         "time": ("timestamp",), "status": ("result",)},
        kinds=("name", ("sql_batch_completed", "rpc_completed", "sql_statement_completed", "sp_statement_completed")),
    ),
    Export(
        "MySQL's general_log table", "mysql", frozenset({"argument", "command_type", "user_host"}),
        {"query": ("argument",), "user": ("user_host",), "time": ("event_time",)},
        kinds=("command_type", ("query", "execute")),
    ),
    Export(
        "MySQL's slow_log table", "mysql", frozenset({"sql_text", "user_host", "query_time"}),
        {"query": ("sql_text",), "user": ("user_host",), "time": ("start_time",)},
    ),
)  # fmt: skip
FAILED = frozenset({"fail", "failed", "failed_with_error", "failed_with_incident", "incident", "error", "exception",
                    "canceled", "cancelled", "aborted", "abort", "closed", "false", "0"})  # fmt: skip
"""What the consoles write in a column for the status when a statement got no answer."""
STOPPED = frozenset({"canceled", "cancelled", "aborted", "abort", "closed"})


def normal(name: str) -> str:
    """Return a column's name as it is compared.

    >>> normal("SQL Text")
    'sql_text'
    """
    return name.strip().strip("\ufeff").casefold().replace(" ", "_").replace("-", "_")


def export_of(names: Collection[str]) -> Export | None:
    """Return the export that a table with these columns is."""
    there = {normal(name) for name in names}
    return next((each for each in EXPORTS if each.needs <= there), None)
