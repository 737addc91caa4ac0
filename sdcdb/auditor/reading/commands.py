"""Statements that are known by their first words: settings, transactions, rights, upkeep, plans, cursors.

Only forms made of plain words are taken for harmless. A parenthesis, a subquery or a text in an unusual place leaves
the statement to the parser, or to the list of what is not understood.
"""

import re

from sdcdb.auditor.reading.fact import Account, Effects, harmless, not_understood

_FLAGS = re.IGNORECASE | re.DOTALL
_LEADING = re.compile(r"(?:\s+|--[^\n]*(?:\n|$)|/\*.*?\*/|;)+", re.DOTALL)
_READS = re.compile(r"\b(SELECT|EXEC|EXECUTE|CALL|INSERT|MERGE|RETURNING|OUTPUT|VALUES)\b|\bFROM\s*\(", re.IGNORECASE)
_WORDS = r"[\w\s,.\"`\[\]$@*=:+%/-]*"
_PATH = re.compile(r"\bsearch_path\b|^\s*USE\b|\bcurrent_schema\b|\bSET\s+SCHEMA\b|^\s*SET\s+schema\b", re.IGNORECASE)
_USUAL = {"main", "public", "dbo", "pg_catalog", "pg_temp", "$user", "user", "default", "temp", "memory", "master", ""}
_OBJECTS = (
    "ROLE|USER|GROUP|LOGIN|DATABASE|SCHEMA|EXTENSION|TABLESPACE|SEQUENCE|TYPE|DOMAIN|COLLATION|SERVER|"
    "LANGUAGE|SECRET|ACCESS METHOD|TEXT SEARCH|CONVERSION|OPERATOR|AGGREGATE|CAST|POLICY"
)
_PRAGMAS = "table_info|show_tables|database_list|version|show|collations|functions|user_agent|platform"
_PROCEDURES = (
    "sp_help|sp_columns|sp_tables|sp_helptext|sp_who2?|sp_databases|sp_helpdb|sp_spaceused|sp_pkeys|sp_fkeys|"
    "sp_helpindex|sp_reset_connection"
)
_HARMLESS = tuple(
    (re.compile(form, _FLAGS), reason)
    for form, reason in (
        (rf"(BEGIN|START|COMMIT|END|ROLLBACK|ABORT|SAVEPOINT|RELEASE)\b(?!\s+TRY){_WORDS}", "controls a transaction"),
        (r"(GRANT|REVOKE|DENY)\b[\w\s,.\"`@'%()*\[\]-]*", "changes who may do what, and shows no data"),
        (rf"ALTER\s+DEFAULT\s+PRIVILEGES\b{_WORDS}", "changes who may do what, and shows no data"),
        (r"(VACUUM|REINDEX|CLUSTER|CHECKPOINT|FORCE\s+CHECKPOINT|OPTIMIZE|REPAIR)\b[\w\s,.\"`()-]*",
         "maintains storage, and shows no data"),
        (r"(ANALY[SZ]E|UPDATE\s+STATISTICS|REFRESH\s+MATERIALIZED\s+VIEW)\b[\w\s,.\"`()-]*",
         "maintains storage or statistics, and shows no data"),
        (rf"(CREATE(\s+OR\s+REPLACE)?|ALTER|DROP)\s+({_OBJECTS})\b[\w\s,.\"`'@%=*-]*",
         "creates or changes an object that holds no data"),
        (r"DROP\s+(PUBLICATION|SUBSCRIPTION)\b[\w\s,.\"]*", "ends a publication"),
        (rf"(LOCK|UNLOCK)\b{_WORDS}", "locks or unlocks tables, and shows no data"),
        (r"(LISTEN|UNLISTEN|NOTIFY|DISCARD|RESET|DEALLOCATE|CLOSE|GO|FLUSH|KILL|DETACH|INSTALL)\b[\w\s,.\"`']*",
         "changes the session, and shows no data"),
        (r"CREATE\s+STATISTICS\b[\w\s,.\"]*", "has statistics kept for plans, and shows no data"),
        (r"SHOW\s+(FULL\s+)?(PROCESSLIST|PROFILES)", "lists statements, and shows no data"),
        (r"(SHOW|DESCRIBE|DESC)\b(?!\s+(?:TABLE\s+)?(?:EXTENDED|FORMATTED)\s+[\w.`\"]+\s+[\w`\"]+\s*$)(?![\w\s]*\b(STATS|HISTOGRAM|STATS_\w+|ENGINE|BINLOG|RELAYLOG)\b)[\w\s,.\"`'%=_-]*",
         "describes the database, and shows no data"),
        (r"COMMENT\s+ON\b[\w\s,.\"()]*\bIS\s+(NULL|'(?:[^']|'')*')", "writes a comment, and shows no data"),
        (r"SECURITY\s+LABEL\b[\w\s,.\"]*\bIS\s+(NULL|'(?:[^']|'')*')", "writes a label, and shows no data"),
        (r"PRINT\s+N?'(?:[^']|'')*'", "prints a text of its own"),
        (rf"PRAGMA\s+({_PRAGMAS})\b[\w\s\"'().]*", "describes the database, and shows no data"),
        (r"PRAGMA\s+\w+(\s*=\s*'?[\w.]+'?)?", "changes a setting"),
        (r"(SET|USE|RESET)\b[\w\s,.\"`'\[\]$@:=+%/!-]*", "changes a setting"),
        (rf"EXEC(UTE)?\s+(sys\.)?({_PROCEDURES})\b[\w\s,.@='\[\]]*", "describes the database, and shows no data"),
        (r"CALL\s+(pragma_version|pragma_database_list|pragma_show|disable_logging)\s*\(\s*\)",
         "describes the database, and shows no data"),
        (r"ATTACH\b[\w\s,.\"'/:()=-]*", "attaches a database, whose tables are then named with it"),
        (r"LOAD\s+[\w\"']+", "loads an extension"),
        (r"DROP\s+(FUNCTION|PROCEDURE|MACRO|TRIGGER|RULE|INDEX|CAST)\b[\w\s,.\"`()]*", "drops code or an index"),
    )
)  # fmt: skip


def leading(sql: str) -> str:
    """Return a text without the white space, comments and semicolons around it."""
    start = _LEADING.match(sql)
    return sql[start.end() if start else 0 :].rstrip().rstrip(";").rstrip()


def by_first_words(text: str) -> Account | None:
    """Account for a statement that its first words and plain form show to be harmless; None otherwise."""
    if re.match(r"ALTER\s+(ROLE|USER|DATABASE|SYSTEM)\b", text, re.IGNORECASE) and _PATH.search(text):
        return not_understood("changes where the names of others are looked for")
    if _READS.search(text) and not re.match(r"(GRANT|REVOKE|DENY|ALTER\s+DEFAULT|EXEC)\b", text, re.IGNORECASE):
        return None
    for form, reason in _HARMLESS:
        if form.fullmatch(text):
            return harmless(reason, Effects(elsewhere=_elsewhere(text)))
    return None


def _elsewhere(text: str) -> bool | None:
    """Tell whether a setting changes where names are looked for, and whether to an unusual place."""
    if not re.match(r"(SET|USE)\b", text, re.IGNORECASE) or not _PATH.search(text):
        return None
    listed = re.sub(
        r"(?i)^\s*(USE|SET\s+(SESSION\s+|LOCAL\s+)?(SCHEMA|search_path|current_schema))\s*(TO\b|=)?", "", text
    )
    names = {part.strip(" \t\n\"'`[]").lower() for part in listed.split(",")}
    return not names <= _USUAL


_EXPLAIN = re.compile(
    r"EXPLAIN\s*(?:\((?P<options>[^()]*)\)|(?P<words>(?:(?:ANALY[SZ]E|VERBOSE|EXTENDED|FORMAT\s*=\s*\w+|QUERY\s+PLAN|"
    r"LOGICAL|CODEGEN|COST|FORMATTED)\s+)*))\s*",
    _FLAGS,
)
_PREPARE = re.compile(r"PREPARE\s+(\"[^\"]+\"|`[^`]+`|\w+)\s*(?:\([^)]*\))?\s*(?:AS\s+(.*)|FROM\s+(.*))", _FLAGS)
_EXECUTE = re.compile(r"EXECUTE\s+(\"[^\"]+\"|`[^`]+`|\w+)\b(.*)", _FLAGS)
_DECLARE = re.compile(
    r"DECLARE\s+(\"[^\"]+\"|\w+)\s+[\w\s]*?\bCURSOR\b(?:\s+WITH(?:OUT)?\s+HOLD)?\s+FOR\s+(.*)", _FLAGS
)
_FETCH = re.compile(
    r"(?:FETCH|MOVE)\b(?:\s+(?:NEXT|PRIOR|FIRST|LAST|ABSOLUTE|RELATIVE|FORWARD|BACKWARD|ALL|-?\d+))*"
    r"(?:\s+(?:FROM|IN))?\s+(\"[^\"]+\"|\w+)",
    _FLAGS,
)


def explained(text: str) -> tuple[str, bool] | None:
    """Return the statement behind EXPLAIN, and whether it was run; None for any other statement."""
    found = _EXPLAIN.match(text)
    if found is None:
        return None
    options = f"{found['options'] or ''} {found['words'] or ''}"
    ran = re.search(r"\bANALY[SZ]E\b(?!\s*(FALSE|OFF|0))", options, re.IGNORECASE) is not None
    return text[found.end() :], ran


def prepared(text: str) -> tuple[str, str] | None:
    """Return the name and the body of PREPARE; the body is empty where it comes from a variable."""
    found = _PREPARE.fullmatch(text)
    if found is None:
        return None
    body = found[2]
    if body is None:
        quoted = re.fullmatch(r"\s*'((?:[^']|'')*)'\s*", found[3])
        body = quoted[1].replace("''", "'") if quoted else ""
    return found[1].strip('"`').lower(), body


def executes(text: str) -> str | None:
    """Return the name of the prepared statement that EXECUTE runs."""
    found = _EXECUTE.fullmatch(text)
    return found[1].strip('"`').lower() if found else None


def declared(text: str) -> tuple[str, str] | None:
    """Return the name and the query of a cursor."""
    found = _DECLARE.fullmatch(text)
    return (found[1].strip('"').lower(), found[2]) if found else None


def fetched(text: str) -> str | None:
    """Return the name of the cursor that FETCH reads."""
    found = _FETCH.fullmatch(text)
    return found[1].strip('"').lower() if found else None
