"""The auditor's pages: what is known to whom, the ledger, and reports on the ledger or on a log from elsewhere."""

import os
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sdcdb.auditor.audit import Options
from sdcdb.auditor.document import document
from sdcdb.auditor.run import Request as AuditRequest
from sdcdb.auditor.run import own_ledger, run
from sdcdb.errors import SdcdbError
from sdcdb.gateway.auth.access import Act
from sdcdb.gateway.server.shown import LedgerFilter
from sdcdb.logs.formats import FORMATS
from sdcdb.logs.formats import Options as LogOptions
from sdcdb.pages.audit_report import page as audit_page
from sdcdb.terminal.status import WHY
from sdcdb.web.entrance import Visit, blocking, for_people
from sdcdb.web.render import page
from sdcdb.web.report import report

MOST_RECORDS = 500
UPLOAD = "/audit"


@for_people(Act.OWN_STATUS)
async def status(request: Request, visit: Visit) -> Response:
    """Show what all answers together reveal, and how much room is left."""
    found = await blocking(visit.service.status, visit.identity)
    return page(request, "status.html", visit.session, status=found, why=WHY)


@for_people(Act.LEDGER)
async def ledger(request: Request, visit: Visit) -> Response:
    """Show the ledger through a filter, and whether it is whole."""
    given = request.query_params
    wanted = LedgerFilter(
        user=given.get("user") or None,
        text=given.get("text") or None,
        kind=given.get("kind") or None,
        denied=given.get("denied") == "on",
        last=MOST_RECORDS,
    )
    rows = await blocking(visit.service.ledger, visit.identity, wanted)
    checked = await blocking(visit.service.verify_ledger, visit.identity) if "verify" in given else None
    days = Counter(f"{row.time:%Y-%m-%d}" for row in rows)
    return page(
        request, "ledger.html", visit.session,
        rows=rows[::-1], wanted=wanted, checked=checked, most=MOST_RECORDS, days=dict(sorted(days.items())),
    )  # fmt: skip


@for_people(Act.AUDIT)
async def audit(request: Request, visit: Visit) -> Response:
    """Offer an audit of the ledger, or of a log from elsewhere."""
    return page(request, "audit.html", visit.session, formats=FORMATS)


@for_people(Act.AUDIT)
async def audited(request: Request, visit: Visit) -> Response:  # noqa: ARG001 - as every handler
    """Return the report on the ledger or on an uploaded log."""
    log = visit.form.get("log")
    kind = str(visit.form.get("format", "")) or None
    pseudonymise = visit.form.get("pseudonymise") == "on"
    if visit.form.get("what") == "ledger":
        return await blocking(_report, visit, own_ledger(visit.service.path), None, pseudonymise)
    if not isinstance(log, UploadFile) or not log.filename:
        raise SdcdbError("choose a log file first")
    with tempfile.TemporaryDirectory(prefix="sdcdb-audit-") as folder:
        file = Path(folder) / f"log{Path(log.filename).suffix[:10]}"
        await blocking(_keep, log, file)
        return await blocking(_report, visit, file, kind, pseudonymise)


ROUTES = [
    Route("/status", status, methods=["GET"]),
    Route("/ledger", ledger, methods=["GET"]),
    Route(UPLOAD, audit, methods=["GET"]),
    Route(UPLOAD, audited, methods=["POST"]),
]


def _keep(log: UploadFile, file: Path) -> None:
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as kept:  # noqa: PTH123 - with a mode
        while part := log.file.read(1 << 20):
            kept.write(part)


def _report(visit: Visit, log: Path, kind: str | None, pseudonymise: bool) -> HTMLResponse:  # noqa: FBT001 - a form's box
    if not visit.context.heavy.acquire(timeout=1.0):
        raise SdcdbError("another report is being made: try again in a moment")
    try:
        request = AuditRequest([log], LogOptions(kind), replace(Options(), pseudonymise=pseudonymise))
        with visit.service.database.con.cursor() as cursor:
            found = run(cursor, visit.service.database.policy, request)
            return report(audit_page(found, document(found)))
    finally:
        visit.context.heavy.release()
