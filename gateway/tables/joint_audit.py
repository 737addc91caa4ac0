"""One audit for columns of which one follows from another, also of two tables about the same people.

A sum of net over fifty people and a sum of gross over forty-nine of them leave one person, however net and gross hang
together. So a set that was asked of one of the columns counts as asked of all of them. The numbers do not fit into one
system; the audit is that of sets alone (`set_audit`), over people, or over the records of people who have several
(`linked_people`): whoever was in the same class of records of every column is one unknown. They are recognised by the
digests of their keys. What anybody was told counts for everybody.

A MIN or MAX of one of the columns tells of the holder's value in the others, so it is answered about one of them only.
"""

import secrets
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.set_audit import SetAudit
from sdcdb.gateway.tables.asked import Asked
from sdcdb.gateway.tables.linked_people import Member, find_unknowns

Flags = NDArray[np.bool_]
Column = tuple[str, str]


class JointAudit:
    """What was answered about a group of columns, as sets of people."""

    def __init__(self, members: Sequence[Member], limits: Limits, steps: float) -> None:
        self.columns = frozenset(member.name for member in members)
        self._members = {member.name: member for member in members}
        found = find_unknowns(members)
        self._classes = found.classes
        self._place = {member.name: number for number, member in enumerate(members)}
        self._sets = SetAudit(found.counts, steps, limits, secrets.token_bytes(32), found.people)
        self._extremes: Column | None = None
        for member in members:
            for told in member.history.told_of_people(member.column):
                self._note(member.name, frozenset(told.fact.kinds))
                if "sum" in told.fact.kinds:
                    self._sets.learn([self._flags(member.name, told.flags)])

    def holds(self, asked: Asked) -> bool:
        """Tell whether a question is about one of the columns."""
        return (asked.table, asked.audited) in self.columns

    def consider(self, asked: Sequence[Asked]) -> list[str | None]:
        """Return, for each question of a statement, the rule that its answer would breach."""
        taken, found = self._extremes, list[str | None]()
        for each in asked:
            name = (each.table, each.audited)
            extreme = each.question.kinds != {"sum"}
            found.append("exact" if extreme and taken not in {None, name} else None)
            taken = name if extreme and taken is None else taken
        sums = [n for n, each in enumerate(asked) if found[n] is None and "sum" in each.question.kinds]
        for n, rule in zip(sums, self._sets.consider([self._asked(asked[n]) for n in sums]), strict=True):
            found[n] = rule
        return found

    def learn(self, asked: Sequence[Asked]) -> None:
        """Take in questions that were answered."""
        for each in asked:
            self._note((each.table, each.audited), each.question.kinds)
        self._sets.learn([self._asked(each) for each in asked if "sum" in each.question.kinds])

    def _note(self, name: Column, kinds: frozenset[str]) -> None:
        if kinds != {"sum"} and self._extremes is None:
            self._extremes = name

    def _asked(self, asked: Asked) -> Flags:
        name = (asked.table, asked.audited)
        return self._flags(name, self._members[name].history.of_people(asked))

    def _flags(self, name: Column, flags: Flags) -> Flags:
        """Turn flags of one column's classes into flags of the group's."""
        return np.append(flags, False)[self._classes[self._place[name]]]  # the last place is for those who are absent
