"""What the gateway's ledger says was answered: query sets and answers, without the suppressed groups."""

from collections.abc import Sequence

import numpy as np

from sdcdb.auditor.evidence import exactly
from sdcdb.auditor.reading.fact import AUDITED, Account, Fact, Outcome, harmless
from sdcdb.auditor.reading.snapshot import Snapshot
from sdcdb.errors import LedgerError
from sdcdb.gateway.ledger.entry import AnsweredFact
from sdcdb.gateway.ledger.packing import unpack


def answered(facts: Sequence[AnsweredFact], snapshot: Snapshot) -> Account | None:
    """Return the account of a question by its facts; None when they are about another version of the table.

    The statement is then read again, and all its groups count as answered: this may be too many, never too few.
    """
    found: list[Fact] = []
    try:
        for fact in facts:
            audited = snapshot.tables[fact.table]
            part_of = snapshot.gateway_cells(fact.table)
            flags = unpack(fact.cells, int(part_of.max(initial=-1)) + 1)[part_of]
            flags &= audited.counts(fact.column) > 0
            packed = np.packbits(flags)
            found += [
                Fact(fact.table, fact.column, AUDITED[kind], packed, exactly(answer), computed=False)
                for kind, answer in fact.answers.items()
                if answer != "None"
            ]
    except (LedgerError, KeyError, ValueError):
        return None
    if not found:
        return harmless("asks only how many values there are, or about nobody")
    return Account(Outcome.ANSWERED, "", tuple(found))
