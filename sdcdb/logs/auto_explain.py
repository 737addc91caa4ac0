"""auto_explain's messages: `duration: 1 ms  plan:` with the text of the query, in any of its four formats."""

import json
import re
from dataclasses import dataclass
from html import unescape

from sdcdb.logs.binding import parameters

_PLAN = re.compile(r"duration: [\d.]+ ms  plan:\s*")
_NODE = re.compile(r"^\S.*  \((?:cost=[\d.]+\.\.|actual )", re.MULTILINE)
_GIVEN = re.compile(r"^Query Parameters: (.*)$", re.MULTILINE)
_XML = re.compile(r"<Query-Text>(.*?)</Query-Text>", re.DOTALL)
_YAML = re.compile(r'^\s*Query Text: ("(?:[^"\\]|\\.)*")', re.MULTILINE)


@dataclass(frozen=True)
class Explained:
    """A statement that ended, with its parameters (since PostgreSQL 16). `sql` is None where it cannot be found."""

    sql: str | None
    values: tuple[str | None, ...]


def explained(message: str) -> Explained | None:
    """Read a message of auto_explain; None when it is something else.

    >>> explained("duration: 0.1 ms  plan:\\nQuery Text: SELECT 1\\nResult  (cost=0.00..0.01 rows=1 width=4)").sql
    'SELECT 1'
    """
    found = _PLAN.match(message)
    if found is None:
        return None
    body = message[found.end() :]
    if body.startswith("{"):
        return _from_json(body)
    if (xml := _XML.search(body)) is not None:
        return Explained(unescape(xml[1]).strip(), ())
    if (yaml := _YAML.match(body)) is not None:
        return Explained(json.loads(yaml[1]), ())
    if not body.startswith("Query Text: "):
        return Explained(None, ())
    text = body.removeprefix("Query Text: ")
    node = _NODE.search(text)
    text = text[: node.start()] if node else text
    given = _GIVEN.search(text)
    values = parameters("parameters: " + given[1]) if given else None
    return Explained((text[: given.start()] if given else text).strip() or None, tuple(values or ()))


def _from_json(body: str) -> Explained:
    try:
        plan = json.loads(body)
    except ValueError:
        return Explained(None, ())
    text = plan.get("Query Text")
    values = parameters("parameters: " + str(plan.get("Query Parameters", "")))
    return Explained(text.strip() if isinstance(text, str) and text.strip() else None, tuple(values or ()))
