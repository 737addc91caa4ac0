"""Errors for programs: RFC 9457 `application/problem+json`, with the rule, the reason and what to try."""

from typing import Any

from starlette.responses import JSONResponse

from sdcdb.errors import Denied, Unsupported


def problem(
    status: int, title: str, detail: str = "", headers: dict[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return an error response."""
    body = {"type": "about:blank", "title": title, "status": status, **({"detail": detail} if detail else {}), **more}
    return JSONResponse(body, status, media_type="application/problem+json", headers=headers)


def denial(refusal: Denied) -> JSONResponse:
    """Return a denial: 403, or 422 for a statement that was not understood."""
    unsupported = isinstance(refusal, Unsupported)
    title = "not supported" if unsupported else "denied"
    return problem(
        422 if unsupported else 403,
        title,
        refusal.reason,
        rule=refusal.rule,
        reason=refusal.reason,
        hint=refusal.hint,
    )
