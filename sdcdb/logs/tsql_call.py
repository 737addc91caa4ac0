"""`exec sp_executesql N'...', N'@p0 int', @p0 = 17`: how programs send parameters to SQL Server, put together again."""

import re

_CALL = re.compile(
    r"\s*exec(?:ute)?\s+(?:sys\.)?sp_executesql\s+(?:@(?:stmt|statement)\s*=\s*)?N?'((?:[^']|'')*)'\s*"
    r"(?:,\s*(?:@params?\s*=\s*)?N?'((?:[^']|'')*)'\s*(?:,(.*))?)?$",
    re.IGNORECASE | re.DOTALL,
)
_GIVEN = re.compile(r"\s*(?:@(\w+)\s*=\s*)?(N?'(?:[^']|'')*'|0x[0-9A-Fa-f]*|[-+\w.]+)\s*(?:,|$)", re.DOTALL)
_NAMED = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|\[[^\]]*\]|(?<![@\w])@(\w+)", re.DOTALL)


def put_together(sql: str) -> tuple[str, bool]:
    """Return the statement with its parameters inserted, and whether a parameter has no value.

    >>> put_together("exec sp_executesql N'select 1 from t where a = @p0',N'@p0 int',@p0=17")
    ('select 1 from t where a = 17', False)
    >>> put_together("(@id int)select 1 from t where a = @id")
    ('(@id int)select 1 from t where a = @id', True)
    """
    found = _CALL.match(sql)
    if found is None:
        return sql, _open(sql, sql)
    text, declared, rest = found[1].replace("''", "'"), found[2] or "", found[3] or ""
    order = re.findall(r"@(\w+)", declared)
    values: dict[str, str] = {}
    at = 0
    while at < len(rest):
        given = _GIVEN.match(rest, at)
        if given is None:
            return text, True
        name = given[1] or (order[len(values)] if len(values) < len(order) else "")
        values[name.casefold()] = given[2].removeprefix("N") if given[2].startswith("N'") else given[2]
        at = given.end()
    filled = _NAMED.sub(lambda each: values.get((each[1] or "").casefold(), each[0]) if each[1] else each[0], text)
    return filled, _open(filled, text)


def _open(sql: str, whole: str) -> bool:
    """Return whether a parameter has no value: a name with @ that the text itself does not declare."""
    declared = {name.casefold() for name in re.findall(r"\bDECLARE\s+@(\w+)", whole, re.IGNORECASE)}
    declared |= {name.casefold() for name in re.findall(r",\s*@(\w+)\s+\w+", whole) if declared}
    named = {found[1].casefold() for found in _NAMED.finditer(sql) if found[1]}
    return bool(named - declared)
