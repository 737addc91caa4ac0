"""The outcome of every statement, counted: part of a finding, harmless for a reason, or not understood for a reason."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sdcdb.auditor.reading.fact import Outcome
from sdcdb.auditor.reading.input_history import History
from sdcdb.errors import InternalError

WEIGHED = {
    "all": "what it answered exposes nobody, also together with all other answers",
    "user": "what it answered exposes nobody, also together with all other answers to the same user",
    "team": "what it answered exposes nobody, also together with all other answers to the same team or user",
}
DOUBTFUL = "its answers may determine whole numbers together with others"


@dataclass(frozen=True)
class Tally:
    """How many statements were read, and what became of each. The numbers add up, or there is no tally."""

    statements: int
    findings: int
    harmless: Mapping[str, int]
    not_understood: Mapping[str, int]

    def __post_init__(self) -> None:
        counted = self.findings + sum(self.harmless.values()) + sum(self.not_understood.values())
        if counted != self.statements:
            raise InternalError(f"{counted} statements have an outcome, and {self.statements} were read")


def tally(history: History, exposing: Collection[int], doubtful: Collection[int] = (), together: str = "all") -> Tally:
    """Count the outcomes; `exposing` are the answers, by their number, that are part of a finding.

    `doubtful` ones are about records of which it is open whether they are known. `together`: whose answers add up.
    """
    harmless, unsure = Counter[str](), Counter[str]()
    findings = answered = 0
    for (outcome, reason), number in history.outcomes.items():
        if outcome == Outcome.HARMLESS:
            harmless[reason] += number
        elif outcome == Outcome.NOT_UNDERSTOOD:
            unsure[reason] += number
        elif outcome == Outcome.FINDING:
            findings += number
        else:
            answered += number
    chosen, open_ones = set(exposing), set(doubtful)
    exposed = maybe = 0
    for answers, number in history.weighed.items():
        if not chosen.isdisjoint(answers):
            exposed += number
        elif not open_ones.isdisjoint(answers):
            maybe += number
    findings += exposed
    if maybe:
        unsure[DOUBTFUL] += maybe
    if answered > exposed + maybe:
        harmless[WEIGHED[together]] += answered - exposed - maybe
    return Tally(history.statements, findings, dict(harmless.most_common()), dict(unsure.most_common()))
