"""Query histories as other systems' consoles export them: columns, dialect, failures and cut statements are seen."""

import json
from pathlib import Path

import pytest

from sdcdb.logs.formats import Options, read
from sdcdb.logs.record import LoggedQuery, LogProblem
from sdcdb.logs.tsql_call import put_together

READ = "SELECT salary FROM staff WHERE id = 1"
JOB = {"jobConfig": {"type": "QUERY", "queryConfig": {"query": READ}}, "jobStatus": {"jobState": "DONE"}}
AUDIT = {"timestamp": "2026-01-15T10:00:00Z", "resource": {"type": "bigquery_project"}, "protoPayload": {
    "authenticationInfo": {"principalEmail": "ann@x.org"}, "metadata": {"jobChange": {"job": JOB}}}}  # fmt: skip
FILES: dict[str, tuple[str, str]] = {
    "snowflake.csv": (
        "snowflake",
        (
        "QUERY_ID,QUERY_TEXT,USER_NAME,START_TIME,EXECUTION_STATUS,ERROR_CODE,ERROR_MESSAGE\n"
        f"q1,{READ},ann@x.org,2026-01-15 10:00:00.000 -0800,SUCCESS,,\n"
        "q2,SELECT nothing FROM staff,ann@x.org,2026-01-15 10:00:01.000 -0800,FAIL,904,invalid identifier\n"
        ),
    ),
    "snowsight.csv": (
        "snowflake",
        (
        "Query ID,SQL Text,Status,User,Warehouse,Start time\n"
        f"q1,{READ},Success,ann@x.org,WH,2026-01-15T10:00:00Z\n"
        "q2,SELECT nothing FROM staff,Failed,ann@x.org,WH,2026-01-15T10:00:01Z\n"
        ),
    ),
    "bigquery-jobs.json": (
        "bigquery",
        json.dumps([
            {"job_id": "1", "user_email": "ann@x.org", "creation_time": "2026-01-15 10:00:00 UTC", "query": READ,
             "error_result": None},
            {"job_id": "2", "user_email": "ann@x.org", "creation_time": "2026-01-15 10:00:01 UTC",
             "query": "SELECT nothing FROM staff", "error_result": {"reason": "invalid", "message": "no nothing"}},
        ], indent=2),
    ),
    "bigquery-audit.json": (
        "bigquery",
        "\n".join(json.dumps(each) for each in (
            AUDIT,
            {**AUDIT, "protoPayload": {**AUDIT["protoPayload"], "metadata": {"jobChange": {"job": {  # type: ignore[dict-item]
                "jobConfig": {"queryConfig": {"query": "SELECT nothing FROM staff"}},
                "jobStatus": {"errorResult": {"message": "no nothing"}}}}}}},
            {**AUDIT, "protoPayload": {"authenticationInfo": {"principalEmail": "ann@x.org"}, "methodName": "list"}},
        )) + "\n",
    ),
    "databricks.json": (
        "databricks",
        json.dumps({"res": [
            {"query_id": "1", "status": "FINISHED", "query_text": READ, "user_name": "ann@x.org",
             "query_start_time_ms": 1768471200000},
            {"query_id": "2", "status": "FAILED", "query_text": "SELECT nothing FROM staff", "user_name": "ann@x.org",
             "query_start_time_ms": 1768471201000, "error_message": "no nothing"}],
            "has_next_page": False}),
    ),
    "databricks.csv": (
        "databricks",
        (
        "statement_id,executed_by,execution_status,statement_text,start_time,error_message\n"
        f"1,ann@x.org,FINISHED,{READ},2026-01-15T10:00:00.000+00:00,null\n"
        "2,ann@x.org,FAILED,SELECT nothing FROM staff,2026-01-15T10:00:01.000+00:00,no nothing\n"
        ),
    ),
    "extended-events.csv": (
        "tsql",
        (
        "name,timestamp,batch_text,statement,server_principal_name,result\n"
        "sql_batch_starting,2026-01-15 10:00:00.0000000 +00:00,SELECT 0,,ann@x.org,\n"
        f"sql_batch_completed,2026-01-15 10:00:00.1000000 +00:00,{READ},,ann@x.org,OK\n"
        "sql_batch_completed,2026-01-15 10:00:01.1000000 +00:00,SELECT nothing FROM staff,,ann@x.org,Error\n"
        ),
    ),
    "sql-server-audit.csv": (
        "tsql",
        (
        "event_time,action_id,succeeded,server_principal_name,statement\n"
        f"2026-01-15 10:00:00.0000000,SL,True,ann@x.org,{READ}\n"
        "2026-01-15 10:00:01.0000000,SL,False,ann@x.org,SELECT nothing FROM staff\n"
        ),
    ),
    "general_log.csv": (
        "mysql",
        (
        "event_time,user_host,thread_id,server_id,command_type,argument\n"
        f"2026-01-15 10:00:00.000000,ann@x.org,8,1,Query,{READ}\n"
        "2026-01-15 10:00:00.000000,ann@x.org,8,1,Quit,\n"
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_known_export_needs_no_mapping(tmp_path: Path, name: str) -> None:
    dialect, text = FILES[name]
    file = tmp_path / name
    file.write_text(text)
    found = list(read([file]))
    queries = [each for each in found if isinstance(each, LoggedQuery)]
    assert len(queries) == len(found), found
    first, *others = queries
    assert (first.sql, first.user, first.dialect, first.error) == (READ, "ann@x.org", dialect, None)
    assert first.time is not None
    assert [(each.sql, each.error is None) for each in others] == (
        [] if name == "general_log.csv" else [("SELECT nothing FROM staff", False)]
    )


def test_the_mapping_can_be_given(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps({"who": {"name": "ann"}, "body": {"q": READ}}) + "\n")
    (query,) = read([file], Options(columns={"user": "who.name", "query": "body.q"}, dialect="snowflake"))
    assert isinstance(query, LoggedQuery)
    assert (query.user, query.sql, query.dialect) == ("ann", READ, "snowflake")


@pytest.mark.parametrize(
    "sql", ["SELECT salary FROM sta...", "SELECT '" + "x" * 1015, "SELECT salary FROM staff -- " + "x" * 996]
)
def test_a_statement_that_was_cut_short_is_a_problem_and_marked(tmp_path: Path, sql: str) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps({"user": "ann", "sql": sql}) + "\n")
    problem, query = read([file])
    assert isinstance(problem, LogProblem)
    assert "cut short" in problem.what
    assert isinstance(query, LoggedQuery)
    assert query.cut


def test_truncated_by_bigquery(tmp_path: Path) -> None:
    payload = {"authenticationInfo": {"principalEmail": "ann"}, "metadata": {"jobChange": {"job": {
        "jobConfig": {"queryConfig": {"query": "SELECT sal", "queryTruncated": True}}}}}}  # fmt: skip
    file = tmp_path / "log.json"
    file.write_text(json.dumps({"protoPayload": payload, "timestamp": "2026-01-15T10:00:00Z"}) + "\n")
    assert [each.cut for each in read([file]) if isinstance(each, LoggedQuery)] == [True]


def test_parameters_in_a_column_are_put_in_and_missing_ones_seen(tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    rows = [{"sql": "select ? + ?", "params": [1, "x"]}, {"sql": "select $1"}]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [(each.sql, each.unbound) for each in read([file]) if isinstance(each, LoggedQuery)]
    assert found == [("select '1' + 'x'", False), ("select $1", True)]


def test_parameters_of_sql_server_are_put_in() -> None:
    call = "exec sp_executesql N'SELECT salary FROM [staff] WHERE name = @n AND id = @i',N'@n nvarchar(9),@i int',"
    assert put_together(f"{call}@n=N'it''s',@i=17") == (
        "SELECT salary FROM [staff] WHERE name = 'it''s' AND id = 17",
        False,
    )
    assert put_together(f"{call}@n=N'it''s'")[1]
    assert not put_together("DECLARE @x int = 3; SELECT salary FROM staff WHERE id = @x")[1]
    assert put_together("SELECT salary FROM staff WHERE id = @x")[1]
