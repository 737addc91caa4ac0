"""Questions that were answered before: the same words, from the same people, about the same version of a table.

What was answered is known. To answer it again tells nothing, so it needs no new decision: the same rows come out, and
the ledger notes that they did. Only statements whose answer depends on nothing but the table's cells are kept.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from sdcdb.errors import Unsupported
from sdcdb.gateway.answer import Answer
from sdcdb.gateway.asking import Asking
from sdcdb.gateway.ledger.entry import AnsweredFact
from sdcdb.gateway.reading.literals import must_be_plain
from sdcdb.gateway.reading.statement import Params
from sdcdb.gateway.tables.table_history import TableHistory

MOST_KEPT = 500
MOST_ROWS = 1_000
LONGEST = 10_000  # characters of a statement


@dataclass(frozen=True)
class Kept:
    """An answer, what it told, and the tables that it was about as they were then."""

    answer: Answer
    facts: tuple[AnsweredFact, ...]
    histories: Mapping[str, TableHistory]


class Repeated:
    """The answers that are kept; of too many, those are dropped that nobody asked for longest."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()

    def find(self, key: Hashable | None) -> Kept | None:
        """Return what is kept under this key."""
        with self._lock:
            if key is None or key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def keep(
        self,
        key: Hashable | None,
        answer: Answer,
        facts: tuple[AnsweredFact, ...],
        histories: Mapping[str, TableHistory],
    ) -> None:
        """Keep an answer, unless it is too large."""
        if key is None or len(answer.rows) > MOST_ROWS:
            return
        again = tuple(fact.model_copy(update={"implied": True, "surprise": False}) for fact in facts)
        with self._lock:
            self._kept[key] = Kept(replace(answer), again, dict(histories))
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)


def repeat_key(sql: object, params: Params, who: Asking) -> Hashable | None:
    """Return what makes two questions the same: words, values and pools; None where that cannot be said cheaply."""
    if type(sql) is not str or len(sql) > LONGEST:
        return None
    values = ""
    if params is not None:
        try:
            must_be_plain(params)
        except Unsupported:
            return None
        values = repr(params)
        if len(values) > LONGEST:
            return None
    return sql, values, tuple(sorted(who.pools.items()))
