"""Measure a table as a whole: by the table macros that a user would run, and by the CAE of a confidential column."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from sdcdb.assess.exposure import Exposure, exposure
from sdcdb.errors import SdcdbError
from sdcdb.policy.models import Policy, Role


@dataclass(frozen=True)
class Question:
    """What is asked: the table, what an intruder knows, and what must stay hidden."""

    table: str
    known: tuple[str, ...]
    confidential: str

    @classmethod
    def of(
        cls, policy: Policy | None, table: str, known: Sequence[str] = (), confidential: str | None = None
    ) -> "Question":
        """Take defaults from the policy: its quasi-identifiers, and its first confidential column."""
        declared = policy.tables.get(table) if policy else None
        columns = list(known) or (declared.named(Role.QUASI) if declared else [])
        secret = confidential or next(iter(declared.named(Role.CONFIDENTIAL) if declared else []), None)
        if not columns:
            raise SdcdbError("no known columns: name them with --known sex,age, or as quasi in the policy")
        if secret is None:
            raise SdcdbError("no confidential column: name one with --confidential, or in the policy")
        return cls(table, tuple(dict.fromkeys(columns)), secret)


@dataclass(frozen=True)
class Measurement:
    """What was measured: the risk of the classes by name of the measure, and how exposed the confidential column is."""

    question: Question
    risk: dict[str, dict[str, Any]]
    exposure: Exposure


def measure(
    con: duckdb.DuckDBPyConnection, question: Question, progress: Callable[[int, int], None] | None = None
) -> Measurement:
    """Measure a table on a connection that has the `sdc_*` functions."""
    exposed = exposure(con, question.table, question.confidential, list(question.known), progress)
    return Measurement(question, _release_risk(con, question), exposed)


def _release_risk(con: duckdb.DuckDBPyConnection, question: Question) -> dict[str, dict[str, Any]]:
    known = list(question.known)
    calls = {
        "k-anonymity": ("FROM sdc_k_anonymity(?, ?)", [question.table, known]),
        "l-diversity": ("FROM sdc_l_diversity(?, ?, ?)", [question.table, known, question.confidential]),
        "t-closeness": ("FROM sdc_t_closeness(?, ?, ?)", [question.table, known, question.confidential]),
        "uniqueness": ("FROM sdc_uniqueness(?, ?)", [question.table, known]),
    }
    results = {}
    for name, (sql, parameters) in calls.items():
        cursor = con.execute(sql, parameters)
        names = [column[0] for column in cursor.description or ()]
        results[name] = dict(zip(names, cursor.fetchall()[0], strict=True))
    return results
