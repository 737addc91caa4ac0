"""Audit logs against a database from start to end; called by the command line and by SQL."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb

from sdcdb.auditor.audit import Audit, Options, audit
from sdcdb.auditor.reading.checkpoint import basis, load, save
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.resume import go_on, remember
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.auditor.replay import replay
from sdcdb.errors import SdcdbError
from sdcdb.gateway.ledger.places import ledger_path
from sdcdb.logs.formats import Options as LogOptions
from sdcdb.logs.formats import read
from sdcdb.logs.record import LoggedQuery, LogProblem
from sdcdb.policy.models import Policy

EVERY = 5.0  # seconds between checkpoints
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Request:
    """What to audit, and how."""

    logs: Sequence[Path]
    reading: LogOptions = field(default_factory=LogOptions)
    options: Options = field(default_factory=Options)
    resume: Path | None = None
    replay_with: Policy | None = None


def run(
    con: duckdb.DuckDBPyConnection,
    policy: Policy | None,
    request: Request,
    progress: Progress | None = None,
    say: Callable[[str], None] | None = None,
) -> Audit:
    """Read the logs, account for every statement, and find what they reveal."""
    if policy is None:
        raise SdcdbError("an audit needs a policy that says what is confidential: `sdcdb init DB` drafts one")
    with quiet_parser():
        snapshot = Snapshot(con, policy)
        try:
            history, dialects = _gathered(con, snapshot, request, progress)
            found = audit(history, request.options, say)
            if request.replay_with is None:
                return found
            if say:
                say("replaying under the other policy")
            return replace(found, replay=replay(con, request.replay_with, list(history.understood()), dialects))
        finally:
            snapshot.close()


def own_ledger(database: Path | None) -> Path:
    """Return the gateway's ledger of a database: the log to audit when no other is named."""
    file = ledger_path(database) if database is not None else None
    if file is None or not file.exists():
        there = f" (the gateway has no ledger {file})" if file else ""
        raise SdcdbError(f"name the query log with --log FILE{there}")
    return file


def _gathered(
    con: duckdb.DuckDBPyConnection, snapshot: Snapshot, request: Request, progress: Progress | None
) -> tuple[History, dict[str, str]]:
    of = basis(con, snapshot) if request.resume else ""
    history = load(request.resume, snapshot, of) if request.resume else History(snapshot)
    sizes = {str(path): path.stat().st_size for path in request.logs if path.exists()}
    dialects: dict[str, str] = {}
    last = time.monotonic()
    done = 0

    def tick() -> None:
        nonlocal last, done
        done += 1
        if done % 50:
            return
        now = time.monotonic()
        if progress:
            reached = sum(
                min(size, history.places[name].offset) for name, size in sizes.items() if name in history.places
            )
            progress(reached, sum(sizes.values()))
        if request.resume and now - last > EVERY:
            last = now
            remember(history)
            save(request.resume, history, of)

    logs, replaced = go_on(history, request.logs)

    def noted() -> Iterator[LoggedQuery | LogProblem]:
        yield from replaced
        for each in read(logs, request.reading, dict(history.places)):
            if isinstance(each, LoggedQuery):
                dialects[each.source] = each.dialect
            yield each

    try:
        history.gather(noted(), tick)
    finally:
        if request.resume:
            remember(history)
            save(request.resume, history, of)
    return history, dialects


@contextmanager
def quiet_parser() -> Iterator[None]:
    """Keep sqlglot from writing to stderr about statements it does not know: the account lists them."""
    logger = logging.getLogger("sqlglot")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


__all__ = ["Request", "own_ledger", "run"]
