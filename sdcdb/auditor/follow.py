"""Follow logs that grow: report each new exposure when it happens, until somebody stops it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb

from sdcdb.auditor.audit import Audit, audit
from sdcdb.auditor.document import finding_data, listed_data, people_data, problem_text
from sdcdb.auditor.reading.checkpoint import basis, load, save
from sdcdb.auditor.reading.input_history import History
from sdcdb.auditor.reading.resume import go_on, remember
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.auditor.run import Request, quiet_parser
from sdcdb.errors import SdcdbError
from sdcdb.logs.formats import read
from sdcdb.logs.record import LoggedQuery, LogProblem
from sdcdb.policy.models import Policy

PAUSE = 0.5  # seconds between two looks at the logs
SETTLED = 2.0  # seconds without a new line after which nothing more is expected about the last statements
Emit = Callable[[dict[str, Any]], None]
Ends = Callable[[float], bool]  # waits for so many seconds; whether somebody asked for the end


@dataclass
class _Told:
    """What has been reported: each thing once, a finding again when it becomes closer."""

    findings: dict[tuple[str, str, str, int], int] = field(default_factory=dict)
    statements: set[tuple[str, str]] = field(default_factory=set)
    problems: set[LogProblem] = field(default_factory=set)
    maybe: dict[tuple[str, str], int] = field(default_factory=dict)
    people: set[tuple[str, str]] = field(default_factory=set)

    def news(self, found: Audit) -> Iterator[dict[str, Any]]:
        """Yield what is new as events."""
        for problem in found.history.problems:
            if problem not in self.problems:
                self.problems.add(problem)
                yield {"event": "log_problem", "problem": problem_text(found, problem)}
        for kind, kept in (("direct_read", found.history.direct), ("not_understood", found.history.unsafe)):
            for each in kept.values():
                new = [user for user in each.users if (user, each.first.sql) not in self.statements]
                self.statements.update((user, each.first.sql) for user in new)
                if new:
                    yield {"event": kind, **listed_data(found, each)}
        for finding in found.findings:
            key = (finding.table, finding.column, finding.pool, finding.cell)
            if self.findings.get(key, -1) < int(finding.level):
                self.findings[key] = int(finding.level)
                data = finding_data(found, finding)
                del data["curve"]
                yield {"event": "exposure", **data}
        for known in found.people:
            new = [name for name in known.people if (known.column, name) not in self.people]
            self.people.update((known.column, name) for name in new)
            if new:
                yield {"event": "people", **people_data(found, replace(known, people=tuple(new)))}
        for table, column, records in found.not_excluded:
            if records > self.maybe.get((table, column), 0):
                self.maybe[table, column] = records
                yield {"event": "not_excluded", "table": table, "column": column, "records": records}


def follow(con: duckdb.DuckDBPyConnection, policy: Policy | None, request: Request, emit: Emit, ends: Ends) -> Audit:
    """Read the logs as they grow, rotation included, and emit events, until somebody ends it; return the last audit."""
    if policy is None:
        raise SdcdbError("an audit needs a policy that says what is confidential: `sdcdb init DB` drafts one")
    with quiet_parser():
        snapshot = Snapshot(con, policy)
        try:
            return _Follower(con, snapshot, request, emit).until(ends)
        finally:
            snapshot.close()


class _Follower:
    """Looks at the logs again and again."""

    def __init__(self, con: duckdb.DuckDBPyConnection, snapshot: Snapshot, request: Request, emit: Emit) -> None:
        self._request, self._emit = request, emit
        self._basis = basis(con, snapshot) if request.resume else ""
        self._history = load(request.resume, snapshot, self._basis) if request.resume else History(snapshot)
        self._told = _Told()
        self._logs = list(request.logs)
        self._sizes: dict[str, tuple[int, int]] = {}

    def until(self, ends: Ends) -> Audit:
        """Follow until somebody ends it; what waits then counts as it is."""
        self._emit({"event": "following", "logs": [str(path) for path in self._request.logs]})
        found = self._look(patient=True)
        changed, settled = time.monotonic(), False
        while not ends(PAUSE):
            if self._grew():
                found, changed, settled = self._look(patient=True), time.monotonic(), False
            elif not settled and time.monotonic() - changed > SETTLED:
                found, settled = self._look(patient=False), True
        found = self._look(patient=False)
        self._emit({"event": "stopped", "statements": found.history.statements, "exceeds_policy": found.exceeds})
        return found

    def _grew(self) -> bool:
        """Return whether a log has another size, or is another file."""
        now = {}
        for path in self._logs:
            if path.exists():
                about = path.stat()
                now[str(path)] = (about.st_ino, about.st_size)
        grew, self._sizes = now != self._sizes, now
        return grew

    def _look(self, *, patient: bool) -> Audit:
        """Read what is new, and report what it exposes."""
        self._grew()
        logs, replaced = go_on(self._history, [path for path in self._logs if path.exists()])
        self._logs = [*logs, *(path for path in self._logs if path not in logs)]  # a rotated file may still be written
        reading = replace(self._request.reading, growing=True, patient=patient)
        self._history.gather(self._new(replaced, read(logs, reading, dict(self._history.places))))
        remember(self._history)
        found = audit(self._history, self._request.options)
        for event in self._told.news(found):
            self._emit(event)
        if self._request.resume:
            save(self._request.resume, self._history, self._basis)
        return found

    def _new(
        self, replaced: list[LogProblem], reading: Iterator[LoggedQuery | LogProblem]
    ) -> Iterator[LoggedQuery | LogProblem]:
        """Leave out problems of lines that were read before: only statements move the place on."""
        seen = set(self._history.problems)
        yield from replaced
        yield from (each for each in reading if not isinstance(each, LogProblem) or each not in seen)


__all__ = ["follow"]
