"""What if: the same log, put to the gateway under another policy. Which statements would it have refused?"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import duckdb
import sqlglot
from sqlglot.errors import SqlglotError

from sdcdb.auditor.reading.input_history import Occurrence
from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.gateway import Gateway
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Policy


@dataclass(frozen=True)
class Refused:
    """A statement that the gateway would have denied."""

    statement: Occurrence
    rule: str
    reason: str


@dataclass(frozen=True)
class Replay:
    """How the gateway would have answered, by verdict and by rule. Each user's repeated statements count once."""

    asked: int
    verdicts: dict[str, int]
    rules: dict[str, int]
    refused: tuple[Refused, ...]


def replay(
    con: duckdb.DuckDBPyConnection,
    policy: Policy,
    statements: Iterable[Occurrence],
    dialects: dict[str, str],
    progress: Callable[[int], None] | None = None,
) -> Replay:
    """Put every statement to the gateway again, in order, starting from an empty history."""
    verdicts, rules, refused, asked = Counter[str](), Counter[str](), list[Refused](), 0
    with Gateway(Governed(None, con, policy)) as gateway:
        for each in statements:
            asked += 1
            try:
                kind = gateway.ask(
                    _in_duckdb(each.sql, dialects.get(each.source, "duckdb")), user=each.user
                ).verdict.kind
            except Unsupported as refusal:
                kind, rule, reason = "unsupported", refusal.rule, refusal.reason
            except Denied as refusal:
                kind, rule, reason = "deny", refusal.rule, refusal.reason
            else:
                rule = ""
            verdicts[kind] += 1
            if rule:
                rules[rule] += 1
                refused.append(Refused(each, rule, reason))
            if progress:
                progress(asked)
    return Replay(asked, dict(verdicts), dict(rules), tuple(refused))


def _in_duckdb(sql: str, dialect: str) -> str:
    if dialect == "duckdb":
        return sql
    try:
        return ";".join(sqlglot.transpile(sql, read=dialect, write="duckdb", comments=False))
    except (SqlglotError, RecursionError, ValueError):
        return sql
