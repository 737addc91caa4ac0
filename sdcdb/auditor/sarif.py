"""An audit in SARIF 2.1.0, which CI pipelines read: one result per finding, at its line of the log."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sdcdb.auditor.audit import Audit
from sdcdb.auditor.document import finding_data, number_text, words
from sdcdb.auditor.exposed import Level
from sdcdb.auditor.finding import Finding
from sdcdb.auditor.reading.input_history import Listed, Occurrence
from sdcdb.version import __version__

RULES = {
    "direct": "A statement shows confidential values themselves.",
    "exact": "Answers together determine a record's confidential value.",
    "interval": "Answers together leave a narrower interval for a record than the policy allows.",
    "cae": "Answers together leave less uncertainty about a record (H(0) or area) than the policy allows.",
    "not-understood": "A statement on a restricted table is not understood, and therefore assumed unsafe.",
    "log": "A line of the log could not be read.",
}


def sarif(found: Audit) -> dict[str, Any]:
    """Return the audit as a SARIF log."""
    naming = found.naming
    results = [
        _result("direct", "error", f"{each.reason}: {_who(each, found)}", each.first, found)
        for each in found.history.direct.values()
    ]
    results += [_finding(each, found) for each in found.findings if each.level is not Level.DIRECT]
    results += [
        _result("not-understood", "warning", f"{each.reason}: {_who(each, found)}", each.first, found)
        for each in found.history.unsafe.values()
    ]
    results += [
        _marked({
            "ruleId": "log",
            "level": "warning",
            "message": {"text": naming.problem(problem.what)},
            "locations": [_location(problem.file, problem.line, None)],
        }, problem.file, str(problem.line), problem.what)
        for problem in found.history.problems
    ]  # fmt: skip
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    tool = {"driver": {"name": "sdcdb audit", "version": __version__, "rules": rules}}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": tool, "results": results}],
    }


def _marked(result: dict[str, Any], *parts: str) -> dict[str, Any]:
    """Add a fingerprint: the same for the same finding in the next run, whatever line it is then on.

    It identifies a record only to whoever can guess all its parts; under pseudonyms these differ in each run.
    """
    digest = sha256(json.dumps([result["ruleId"], *parts]).encode()).hexdigest()
    return {**result, "partialFingerprints": {"sdcdb/v1": digest}}


def _who(each: Listed, found: Audit) -> str:
    return f"asked {each.times} times by {', '.join(sorted(map(found.naming.person, each.users)))}"


def _finding(each: Finding, found: Audit) -> dict[str, Any]:
    data = finding_data(found, each)
    holders = (
        " + ".join(data["users"]) + (" together" if len(data["users"]) > 1 else "") if data["users"] else data["pool"]
    )
    text = f"{each.table}.{each.column} of {each.record} {_closely(each)}; known to {holders}"
    level = "error" if each.level >= Level.EXACT else "warning"
    result = _result(each.level.name.lower(), level, f"{text}. {words(each)}", each.first, found)
    result["relatedLocations"] = [
        {
            **_location(step.statement.source, step.statement.line, found.naming.statement(step.statement.sql)),
            "id": position,
            "message": {"text": f"({position}) {step.kind} of {step.records} records = {number_text(step.answer)}"},
        }
        for position, step in enumerate(each.steps, start=1)
    ]
    return _marked(result, each.table, each.column, each.record, data["pool"])


def _closely(each: Finding) -> str:
    if each.possible:
        return f"is {' or '.join(each.possible)}"
    if each.value is not None:
        return f"is {number_text(each.lower)}"
    return f"is in [{number_text(each.lower)}, {number_text(each.upper)}]"


def _result(rule: str, level: str, text: str, at: Occurrence, found: Audit) -> dict[str, Any]:
    sql = found.naming.statement(at.sql)
    result = {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [_location(at.source, at.line, sql)],
    }
    return _marked(result, at.source, sql)


def _location(file: str, line: int, snippet: str | None) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(1, line)}
    if snippet is not None:
        region["snippet"] = {"text": snippet}
    return {"physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region}}


def uri(file: str) -> str:
    """Return a file's name as a URI reference, percent-encoded.

    >>> uri("logs/a b%.log"), uri("/var/log/ü.csv")
    ('logs/a%20b%25.log', 'file:///var/log/%C3%BC.csv')
    """
    path = Path(file).as_posix()
    encoded = quote(path)
    return f"file://{encoded}" if path.startswith("/") else encoded
