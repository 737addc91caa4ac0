"""The OpenAPI document of the API. Tests hold it against the server with generated requests."""

from typing import Any

from sdcdb.version import __version__

_TEXT: dict[str, Any] = {"type": "string"}
_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER: dict[str, Any] = {"type": "number"}
_WHOLE: dict[str, Any] = {"type": "integer", "minimum": 0}


def document(server: str) -> dict[str, Any]:
    """Return the document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sdcdb",
            "version": __version__,
            "description": "Exact answers or denials about sensitive tables, and who learnt what.",
        },
        "servers": [{"url": server}],
        "security": [{"token": []}, {"password": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "password": {"type": "http", "scheme": "basic"},
            },
            "schemas": _schemas(),
        },
    }


def _paths() -> dict[str, Any]:
    answer = {
        "application/json": {"schema": _ref("Answer")},
        "text/csv": {"schema": _TEXT},
        "application/vnd.apache.arrow.stream": {"schema": {"type": "string", "format": "binary"}},
    }
    denied = {
        "406": _problem("No offered type is accepted."),
        "415": _problem("The body is not said to be JSON."),
        "422": _problem("The statement was not understood."),
    }
    return {
        "/api/v1/ask": {"post": _operation("ask", "Answer a statement.", answer, body="Question", more=denied)},
        "/api/v1/explain": {
            "post": _operation(
                "explain", "The verdict, without an answer.", _json("Verdict"), body="Question", more=denied
            )
        },
        "/api/v1/tables": {"get": _operation("tables", "What may be named, and how.", _json("Tables"))},
        "/api/v1/status": {"get": _operation("status", "What is known by now.", _json("Status"))},
        "/api/v1/ledger": {"get": _operation("ledger", "Records of the ledger.", _json("Ledger"), _FILTER)},
        "/api/v1/findings": {"get": _operation("findings", "What the policy check finds.", _json("Findings"))},
    }


_FILTER = [
    {"name": "user", "in": "query", "schema": _TEXT},
    {"name": "kind", "in": "query", "schema": _TEXT},
    {"name": "denied", "in": "query", "schema": {"type": "boolean"}},
    {"name": "text", "in": "query", "schema": _TEXT},
    {"name": "since", "in": "query", "schema": {"type": "string", "format": "date-time"}},
    {"name": "until", "in": "query", "schema": {"type": "string", "format": "date-time"}},
    {"name": "last", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 10000}},
]


def _operation(
    name: str,
    words: str,
    content: dict[str, Any],
    parameters: list[dict[str, Any]] | None = None,
    body: str | None = None,
    more: dict[str, Any] | None = None,
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": name,
        "summary": words,
        "responses": {
            "200": {"description": words, "content": content},
            "400": _problem("The request does not say what it should."),
            "401": _problem("Nobody is logged in."),
            "403": _problem("Denied by a rule, or not allowed."),
            "413": _problem("The request is too large."),
            "503": _problem("Too many statements wait."),
            **(more or {}),
        },
    }
    if parameters:
        found["parameters"] = parameters
    if body:
        found["requestBody"] = {"required": True, "content": _json(body)}
    return found


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": _ref(name)}}


def _problem(words: str) -> dict[str, Any]:
    return {"description": words, "content": {"application/problem+json": {"schema": _ref("Problem")}}}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None, *, open_: bool = False) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {})},
        "additionalProperties": open_,
    }


def _list(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": of}


def _schemas() -> dict[str, Any]:
    score = _object({"interval": _NUMBER, "h0": _NUMBER, "area": _NUMBER, "closest": _TEXT}, open_=True)
    verdict = _object(
        {
            "kind": {"enum": ["allow", "suppress", "estimate", "deny", "unsupported"]},
            "rule": _OR_NULL,
            "reason": _TEXT,
            "hint": _TEXT,
            "suppressed": _WHOLE,
            "changes": {"type": "object", "additionalProperties": _object({"before": score, "after": score})},
        }
    )
    column = _object({"name": _TEXT, "type": _TEXT, "role": _TEXT, "use": _TEXT})
    table = _object({"name": _TEXT, "kind": {"enum": ["restricted", "public", "protected"]}, "use": _TEXT,
                     "columns": _list(column)})  # fmt: skip
    return {
        "Question": _object({"sql": _TEXT}, {"params": {"type": ["array", "object", "null"]}}),
        "Answer": _object(
            {
                "columns": _list(_object({"name": _TEXT, "type": _TEXT})),
                "rows": _list({"type": "array"}),
                "verdict": _ref("Verdict"),
                "merged": _list(_WHOLE),
                "estimated": {"type": "boolean"},
                "errors": _list({"type": "array", "items": {"type": ["number", "null"]}}),
            }
        ),
        "Verdict": verdict,
        "Tables": _object({"tables": _list(table)}),
        "Status": _object(
            {
                "known": _list({"type": "object"}),
                "questions": _list({"type": "object"}),
                "halted": _list({"type": "object"}),
            }
        ),
        "Ledger": _object({"records": _list(_object({"n": _WHOLE, "time": _TEXT, "kind": _TEXT}, open_=True))}),
        "Findings": _object({"findings": _list(_object({"severity": _TEXT, "message": _TEXT}, open_=True))}),
        "Problem": _object(
            {"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}},
            {"detail": _TEXT, "rule": _OR_NULL, "reason": _TEXT, "hint": _TEXT},
        ),
    }
