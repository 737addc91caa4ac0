"""The query path: SQL text -> statement -> query sets -> rules -> ledger -> answer."""

from typing import TYPE_CHECKING

from sdcdb.lazy import lazily

if TYPE_CHECKING:
    from sdcdb.gateway.answer import Answer
    from sdcdb.gateway.cancellation import Cancellation
    from sdcdb.gateway.gateway import Gateway
    from sdcdb.gateway.ledger.ledger import Ledger
    from sdcdb.gateway.ledger.places import ledger_path
    from sdcdb.gateway.rules.verdict import Verdict

__all__ = [
    "Answer",
    "Cancellation",
    "Gateway",
    "Ledger",
    "Verdict",
    "ledger_path",
]

_HOMES = {
    "Answer": "sdcdb.gateway.answer",
    "Cancellation": "sdcdb.gateway.cancellation",
    "Gateway": "sdcdb.gateway.gateway",
    "Ledger": "sdcdb.gateway.ledger.ledger",
    "ledger_path": "sdcdb.gateway.ledger.places",
    "Verdict": "sdcdb.gateway.rules.verdict",
}
__getattr__ = lazily(__name__, _HOMES)
