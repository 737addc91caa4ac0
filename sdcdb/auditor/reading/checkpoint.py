"""Resuming after an interruption: what has been gathered from the logs, and how far each was read."""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sdcdb.auditor.reading.fact import Fact, Outcome
from sdcdb.auditor.reading.input_history import History, Item, Listed, Occurrence
from sdcdb.auditor.reading.session import Session, Sessions
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.errors import DataError, SdcdbError
from sdcdb.gateway.tables.fingerprint import fingerprint
from sdcdb.logs.record import Beginning, LogProblem, Place

FORM = 4


def basis(con: duckdb.DuckDBPyConnection, snapshot: Snapshot) -> str:
    """Digest the data and the policy that a checkpoint was made with: answers and sets depend on both."""
    tables = {name: fingerprint(con, each.table) for name, each in snapshot.tables.items()}
    text = json.dumps([tables, snapshot.policy.model_dump(mode="json")], sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()


def save(file: Path, history: History, of: str) -> None:
    """Write a checkpoint; a crash while writing leaves the previous one."""
    state = {
        "sdcdb audit checkpoint": FORM,
        "basis": of,
        "number": history.number,
        "outcomes": [[str(outcome), reason, n] for (outcome, reason), n in history.outcomes.items()],
        "users": dict(history.users),
        "places": {name: place._asdict() for name, place in history.places.items()},
        "times": [each.isoformat() if each else None for each in history.times],
        "problems": [asdict(each) for each in history.problems],
        "problem_count": history.problem_count,
        "items": [_item(item) for item in history.items.values()],
        "direct": [_listed(each) for each in history.direct.values()],
        "unsafe": [_listed(each) for each in history.unsafe.values()],
        "asked": [_occurrence(each) for each in history.asked.values()],
        "statements": history.statements,
        "unknown": dict(history.unknown),
        "changes": {table: _occurrence(each) for table, each in history.changes.items()},
        "uncertain": {table: _occurrence(each) for table, each in history.uncertain.items()},
        "weighed": [[list(answers), n] for answers, n in history.weighed.items()],
        "sessions": _sessions(history.sessions),
        "beginnings": {name: asdict(each) for name, each in history.beginnings.items()},
    }
    new = file.with_name(file.name + ".new")
    try:
        new.touch(mode=0o600)
        new.chmod(0o600)  # it contains statements and confidential answers
        new.write_bytes(zlib.compress(json.dumps(state).encode(), 1))
        new.replace(file)
    except OSError as problem:
        raise SdcdbError(f"cannot write the checkpoint {file}: {problem.strerror}") from None


def load(file: Path, snapshot: Snapshot, of: str) -> History:
    """Read a checkpoint if there is one; refuse one that was made with other data or another policy."""
    if not file.exists():
        return History(snapshot)
    try:
        state = json.loads(zlib.decompress(file.read_bytes()))
        if state["sdcdb audit checkpoint"] != FORM:
            raise DataError(f"{file} was written by another version of sdcdb: remove it to start again")
        if state["basis"] != of:
            raise DataError(f"{file} was made with other data or another policy: remove it to start again")
        return _history(state, snapshot)
    except (zlib.error, ValueError, KeyError, TypeError) as problem:
        if isinstance(problem, DataError):
            raise
        raise DataError(f"{file} is not a checkpoint of an audit, or it is damaged: remove it to start again") from None
    except OSError as problem:
        raise SdcdbError(f"cannot read the checkpoint {file}: {problem.strerror}") from None


def _history(state: Mapping[str, Any], snapshot: Snapshot) -> History:
    items = [_item_of(each) for each in state["items"]]
    times = [datetime.fromisoformat(each) if each else None for each in state["times"]]
    asked = [_occurrence_of(each) for each in state["asked"]]
    return History(
        snapshot,
        state["number"],
        Counter({(Outcome(outcome), reason): n for outcome, reason, n in state["outcomes"]}),
        {item.fact.key: item for item in items},
        {each.first.sql: each for each in map(_listed_of, state["direct"])},
        {each.first.sql: each for each in map(_listed_of, state["unsafe"])},
        [LogProblem(**each) for each in state["problems"]],
        state["problem_count"],
        Counter(state["users"]),
        {(each.user, each.sql): each for each in asked},
        {name: Place(**place) for name, place in state["places"].items()},
        (times[0], times[1]),
        state["statements"],
        Counter(state["unknown"]),
        {table: _occurrence_of(each) for table, each in state["changes"].items()},
        {table: _occurrence_of(each) for table, each in state["uncertain"].items()},
        Counter({tuple(answers): n for answers, n in state["weighed"]}),
        _sessions_of(state["sessions"]),
        {name: Beginning(**each) for name, each in state["beginnings"].items()},
    )


def _sessions(sessions: Sessions) -> dict[str, Any]:
    users = [
        [*user, each.prepared, sorted(each.cursors), each.elsewhere, each.stored, each.left]
        for user, each in sessions.by_user.items()
    ]
    return {"users": users, "redefined": sorted(sessions.redefined), "created": sorted(sessions.created)}


def _sessions_of(state: Mapping[str, Any]) -> Sessions:
    by_user = {
        (source, user): Session(prepared, set(cursors), elsewhere, stored, left)
        for source, user, prepared, cursors, elsewhere, stored, left in state["users"]
    }
    return Sessions(by_user, frozenset(state["redefined"]), frozenset(state["created"]))


def _packed(bits: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(bits.tobytes(), 6)).decode("ascii")


def _item(item: Item) -> dict[str, Any]:
    fact = item.fact
    return {
        "fact": [
            fact.table,
            fact.column,
            fact.kind,
            _packed(fact.packed),
            str(fact.answer),
            fact.computed,
            fact.direct,
            None if fact.values is None else sorted(fact.values, key=str),
        ],
        "at": item.at,
        "users": [_occurrence(each) for each in item.users.values()],
        "times": item.times,
    }


def _item_of(state: Mapping[str, Any]) -> Item:
    table, column, kind, packed, answer, computed, direct, values = state["fact"]
    bits = np.frombuffer(zlib.decompress(base64.b64decode(packed)), dtype=np.uint8)
    fact = Fact(
        table, column, kind, bits, Fraction(answer), computed, direct, None if values is None else frozenset(values)
    )
    return Item(fact, _by_user(state["users"]), state["times"], state["at"])


def _by_user(listed: list[list[Any]]) -> dict[str, Occurrence]:
    return {each.user: each for each in map(_occurrence_of, listed)}


def _occurrence(each: Occurrence) -> list[Any]:
    return [each.number, each.source, each.line, each.time.isoformat() if each.time else None, each.user, each.sql]


def _occurrence_of(state: list[Any]) -> Occurrence:
    number, source, line, time, user, sql = state
    return Occurrence(number, source, line, datetime.fromisoformat(time) if time else None, user, sql)


def _listed(each: Listed) -> dict[str, Any]:
    return {
        "first": _occurrence(each.first),
        "reason": each.reason,
        "users": [_occurrence(user) for user in each.users.values()],
        "times": each.times,
        "columns": [list(pair) for pair in each.columns],
        "cells": {table: cells.tolist() for table, cells in each.cells.items()},
    }


def _listed_of(state: Mapping[str, Any]) -> Listed:
    return Listed(
        _occurrence_of(state["first"]),
        state["reason"],
        _by_user(state["users"]),
        state["times"],
        tuple((table, column) for table, column in state["columns"]),
        {table: np.array(cells, dtype=np.intp) for table, cells in state["cells"].items()},
    )
