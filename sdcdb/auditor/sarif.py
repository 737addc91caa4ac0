"""An audit in SARIF 2.1.0, which CI pipelines read: one result per finding, at its line of the log."""

from pathlib import Path
from typing import Any

from sdcdb.auditor.audit import Audit
from sdcdb.auditor.document import number_text, words
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
    results = [
        _result("direct", "error", f"{each.reason}: {_who(each)}", each.first, found)
        for each in found.history.direct.values()
    ]
    results += [_finding(each, found) for each in found.findings if each.level is not Level.DIRECT]
    results += [
        _result("not-understood", "warning", f"{each.reason}: {_who(each)}", each.first, found)
        for each in found.history.unsafe.values()
    ]
    results += [
        {
            "ruleId": "log",
            "level": "note",
            "message": {"text": problem.what},
            "locations": [_location(problem.file, problem.line, None)],
        }
        for problem in found.history.problems
    ]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    tool = {"driver": {"name": "sdcdb audit", "version": __version__, "rules": rules}}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": tool, "results": results}],
    }


def _who(each: Listed) -> str:
    return f"asked {each.times} times by {', '.join(sorted(each.users))}"


def _finding(each: Finding, found: Audit) -> dict[str, Any]:
    shown = (
        f"= {number_text(each.lower)}"
        if each.value is not None
        else f"in [{number_text(each.lower)}, {number_text(each.upper)}]"
    )
    holders = ", ".join(each.users) or each.pool
    text = f"{each.table}.{each.column} of {each.record} is {shown}; known to {holders} together"
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
    return result


def _result(rule: str, level: str, text: str, at: Occurrence, found: Audit) -> dict[str, Any]:
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": text},
        "locations": [_location(at.source, at.line, found.naming.statement(at.sql))],
    }


def _location(file: str, line: int, snippet: str | None) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": max(1, line)}
    if snippet is not None:
        region["snippet"] = {"text": snippet}
    return {"physicalLocation": {"artifactLocation": {"uri": Path(file).as_posix()}, "region": region}}
