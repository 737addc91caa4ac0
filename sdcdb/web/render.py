"""Pages from templates: escaped by default, with the navigation that somebody's access allows."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from sdcdb.errors import counted
from sdcdb.gateway.auth.access import Act, Identity, may
from sdcdb.terminal.values import shown
from sdcdb.version import __version__
from sdcdb.web.sessions import Session


@dataclass(frozen=True)
class Link:
    """An entry of the navigation, and what somebody must be allowed for it."""

    path: str
    words: str
    act: Act


NAVIGATION = (
    Link("/", "Ask", Act.ASK),
    Link("/tables", "Tables", Act.BROWSE),
    Link("/history", "My questions", Act.ASK),
    Link("/status", "What is known", Act.OWN_STATUS),
    Link("/ledger", "Ledger", Act.LEDGER),
    Link("/audit", "Audit", Act.AUDIT),
    Link("/policy", "Policy", Act.FINDINGS),
    Link("/views", "Views", Act.VIEWS),
    Link("/users", "Users", Act.USERS),
)


def links(identity: Identity) -> list[Link]:
    """Return the navigation of somebody."""
    return [link for link in NAVIGATION if may(identity, link.act)]


def home(identity: Identity) -> str:
    """Return where somebody begins."""
    return links(identity)[0].path if may(identity, Act.ASK) else "/status"


def page(request: Request, template: str, session: Session | None, code: int = 200, **values: Any) -> HTMLResponse:
    """Render a page, or a part of one."""
    common = {
        "version": __version__,
        "session": session,
        "links": links(session.identity) if session is not None else [],
        "here": request.url.path,
        "csrf": session.csrf if session is not None else "",
    }
    return HTMLResponse(_environment().get_template(template).render({**common, **values}), code)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("sdcdb.web", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(counted=counted, shown=shown, number=_number, percent=_percent, drawn=Markup)
    return made


def _number(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}"


def _percent(value: float) -> str:
    return f"{value:.0%}"
