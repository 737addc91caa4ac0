"""What describes a database and holds none of its data: catalogues, and functions that servers bring along.

The default is no. Catalogues with statistics of columns (pg_stats, column_statistics, histograms) are not listed: they
show common and extreme values.
"""

SCHEMAS = frozenset({"information_schema", "pg_catalog", "sys", "mysql", "performance_schema"})
_PG = """
aggregate am amop amproc attrdef attribute auth_members authid available_extension_versions available_extensions
backend_memory_contexts cast class collation config constraint conversion cursors database db_role_setting default_acl
depend description enum event_trigger extension file_settings foreign_data_wrapper foreign_server foreign_table group
hba_file_rules index indexes inherits init_privs language locks matviews namespace opclass operator opfamily
partitioned_table policies policy prepared_statements prepared_xacts proc publication publication_rel
publication_tables range replication_slots rewrite roles rules seclabel sequence sequences settings shadow shdepend
shdescription shseclabel stat_all_indexes stat_all_tables stat_archiver stat_bgwriter stat_database stat_io
stat_replication stat_ssl stat_sys_tables stat_user_functions stat_user_indexes stat_user_tables stat_wal
statio_all_tables statio_user_tables subscription tables tablespace timezone_abbrevs timezone_names transform trigger
ts_config ts_dict ts_parser ts_template type user user_mappings views
"""
_INFORMATION = """
applicable_roles character_sets check_constraints collations column_domain_usage column_privileges columns
columns_extensions constraint_column_usage constraint_table_usage domain_constraints domains element_types
enabled_roles engines events files foreign_tables information_schema_catalog_name key_column_usage keywords parameters
partitions plugins referential_constraints role_table_grants routine_privileges routines schema_privileges schemata
sequences session_variables statistics table_constraints table_privileges tables tablespaces triggers usage_privileges
user_privileges view_column_usage view_table_usage views
"""
_SYS = """
all_columns all_objects all_views check_constraints columns computed_columns data_spaces database_files
database_principals databases default_constraints extended_properties filegroups foreign_key_columns foreign_keys
identity_columns index_columns indexes key_constraints objects parameters partitions procedures schemas
server_principals sql_modules synonyms sysobjects syscolumns tables triggers types views configurations
dm_exec_sessions dm_exec_connections dm_os_sys_info
"""
_DUCKDB = """
columns constraints databases dependencies extensions functions indexes keywords memory schemas sequences settings
tables temporary_files types variables views
"""
_MASTER = frozenset({"sqlite_master", "sqlite_schema", "dual", "inserted", "deleted"})
CATALOGUES: dict[str, frozenset[str]] = {
    "pg_catalog": frozenset(f"pg_{name}" for name in _PG.split()),
    "information_schema": frozenset(_INFORMATION.split()),
    "sys": frozenset(_SYS.split()),
    "": frozenset({*(f"pg_{name}" for name in _PG.split()), "sysobjects", "syscolumns", *_MASTER}),
}
TABLE_FUNCTIONS = frozenset(
    {
        *(f"duckdb_{name}" for name in _DUCKDB.split()),
        *("generate_series", "range", "unnest", "json_each", "json_tree", "jsonb_each", "jsonb_each_text"),
        *("json_array_elements", "jsonb_array_elements", "json_array_elements_text", "jsonb_array_elements_text"),
        *("json_each_text", "jsonb_object_keys", "json_object_keys", "regexp_split_to_table", "regexp_matches"),
        *("string_to_table", "string_split", "generate_subscripts", "generate_dates", "pragma_table_info"),
        *("pragma_show", "pragma_version", "pragma_database_list", "pragma_collations", "pragma_platform"),
        *("pg_get_keywords", "pg_options_to_table", "aclexplode", "pg_timezone_names", "json_to_recordset"),
        *("jsonb_to_recordset", "json_to_record", "jsonb_to_record", "repeat_row", "repeat", "glob_match"),
        *("test_all_types", "sql_keywords", "icu_calendar_names", "which_secret", "openjson", "json_table"),
        *("pg_listening_channels", "pg_show_all_settings", "pg_lock_status", "explode", "posexplode", "flatten"),
    }
)
_FUNCTIONS = """
acos adddate addtime age any array_agg array_append array_length array_position array_to_json array_to_string ascii asin
atan atan2 avg benchmark bin bit_and bit_count bit_length bit_or btrim cardinality cbrt ceil ceiling char char_length
character_length charindex chr coalesce col_description concat concat_ws connection_id convert convert_from convert_to
convert_tz cos cot count crc32 cume_dist curdate current_database current_query current_schema current_schemas
current_setting current_user curtime database date date_add date_diff date_format date_part date_sub date_trunc dateadd
datediff datename datepart day dayname dayofmonth dayofweek dayofyear db_name decode degrees dense_rank div elt encode
enum_first enum_last enum_range exp export_set extract field find_in_set first_value floor format format_type
formatmessage from_base64 from_days from_unixtime getdate getutcdate greatest group_concat grouping
has_any_column_privilege has_column_privilege has_database_privilege has_function_privilege has_schema_privilege
has_sequence_privilege
has_table_privilege has_tablespace_privilege host_name hour ident_current identity ifnull iif inet_aton inet_ntoa
inet_server_addr inet_server_port inet_client_addr inet_client_port initcap insert instr isdate isnull isnumeric
json_agg json_array json_build_array json_build_object json_extract json_length json_object json_object_agg json_typeof
json_unquote json_valid jsonb_agg jsonb_build_array jsonb_build_object jsonb_object_agg jsonb_set jsonb_typeof
justify_days justify_hours justify_interval lag last_day last_insert_id last_value lastval lcase lead least left len
length ln localtime localtimestamp locate log log10 log2 lower lpad ltrim make_date make_interval make_time
make_timestamp make_timestamptz makedate maketime max md5 microsecond mid min minute mod month monthname newid nextval
now nth_value ntile nullif num_nonnulls num_nulls obj_description object_id object_name octet_length ord overlay
parsename patindex percent_rank percentile_cont percentile_disc period_add period_diff pi position pow power quarter
quote quote_ident quote_literal quote_nullable quotename radians rand random rank regexp_like regexp_match
regexp_matches regexp_replace regexp_split_to_array regexp_substr repeat replace replicate reverse right round row_count
row_number rpad rtrim schema schema_name scope_identity sec_to_time second session_user set_config setval sha1 sha2
shobj_description sign sin space split_part sqrt starts_with stdev stdevp str str_to_date strcmp string_agg
string_to_array strpos stuff subdate substr substring substring_index subtime sum suser_name suser_sname switchoffset
sysdate sysdatetime sysutcdatetime system_user tan time time_format time_to_sec timediff timeofday timestampadd
timestampdiff to_ascii to_base64 to_char to_date to_days to_hex to_json to_jsonb to_number to_timestamp todatetimeoffset
transaction_timestamp translate trim trunc truncate try_cast try_convert type_name ucase unhex unicode unix_timestamp
upper user user_id user_name utc_date utc_time utc_timestamp uuid var variance varp version week weekday weekofyear
width_bucket year yearweek clock_timestamp statement_timestamp isfinite txid_current gen_random_uuid uuid_generate_v4
servername serverproperty object_schema_name found_rows row_to_json
"""
FUNCTIONS = frozenset(_FUNCTIONS.split())
READ_BY_NAME = frozenset(
    {
        *(
            "query",
            "query_table",
            "identifier",
            "json_execute_serialized_sql",
            "json_serialize_plan",
            "stats",
            "sql_auto_complete",
        ),
        *("storage_info", "pragma_storage_info", "getvariable", "read_csv", "read_csv_auto", "read_parquet"),
        *("parquet_scan", "read_json", "read_json_auto", "read_ndjson", "read_text", "read_blob", "sniff_csv", "glob"),
        *("parquet_metadata", "parquet_schema", "sqlite_scan", "postgres_scan", "postgres_query", "mysql_scan"),
        *("mysql_query", "iceberg_scan", "delta_scan", "table_info", "checkpoint", "seq_scan", "python_map_function"),
        *("duckdb_logs", "duckdb_logs_parsed", "duckdb_prepared_statements", "duckdb_profiling_settings"),
        *("query_to_xml", "query_to_xmlschema", "query_to_xml_and_xmlschema", "table_to_xml", "cursor_to_xml"),
        *("schema_to_xml", "database_to_xml", "dblink", "dblink_exec", "dblink_open", "crosstab", "connectby"),
        *("ts_stat", "xpath_table", "pg_read_file", "pg_read_binary_file", "pg_ls_dir", "pg_stat_file", "lo_export"),
        *("lo_get", "lo_import", "load_file", "openquery", "openrowset", "opendatasource", "xp_cmdshell", "sys_exec"),
        *("pg_logical_slot_get_changes", "pg_logical_slot_peek_changes", "heap_page_items", "get_raw_page"),
        *("tuple_data_split", "bt_page_items", "extractvalue", "updatexml", "pg_column_size", "to_regclass"),
    }
)
"""Functions that take a table or a statement by a text, or show pages and statistics of storage."""


def describes(schema: str, name: str) -> bool:
    """Tell whether a relation is a catalogue without data."""
    return name in CATALOGUES.get(schema, frozenset())


def is_catalogue_schema(schema: str) -> bool:
    """Tell whether a schema is a server's own."""
    return schema in SCHEMAS
