"""A comparison in words: what an intruder can still do, what an analyst can still use, what to change."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdcdb.assess.gate import Standing
from sdcdb.techniques.kanonymity import FittedKanonymity

if TYPE_CHECKING:
    from sdcdb.assess.compare import Comparison

NAMED = 3  # columns that are listed
SMALL = 0.1  # of a standard deviation, of a share or of a correlation: hardly to be seen in an analysis


@dataclass(frozen=True)
class Verdict:
    """Sentences by question."""

    title: str
    intruder: tuple[str, ...]
    analyst: tuple[str, ...]
    change: tuple[str, ...]

    def data(self) -> dict[str, object]:
        """Return plain values."""
        parts = {"intruder": self.intruder, "analyst": self.analyst, "change": self.change}
        return {"verdict": self.title} | {name: list(sentences) for name, sentences in parts.items()}


def judge(found: "Comparison") -> Verdict:
    """Say in words what was measured."""
    standing = found.standing
    title = "It may be released" if standing.passed else "It does not reach the floors for a release"
    return Verdict(
        title, tuple(_intruder(standing)), tuple(_analyst(found)), tuple(f.change for f in standing.failed())
    )


def _intruder(standing: Standing) -> Iterator[str]:
    for floor in standing.floors:
        if floor.name == "min_k":
            if floor.measured > 1:
                yield f"matching quasi-identifiers exactly, cannot tell a person from {floor.measured - 1:,.0f} others"
            else:
                yield "matching quasi-identifiers exactly, finds people who are alone with their combination"
        elif floor.name == "max_linked":
            yield f"guessing the likeliest record, is right for {floor.measured:.1%} of the people"
            if standing.secret:
                yield f"{knowing_all(standing)}, is right for {standing.linked_by_all:.1%} of the people"
        elif floor.column is not None and floor.measured > 0:
            yield f"is nearly sure of {floor.column} for {floor.measured:.1%} of the people"
    safe = [floor.column for floor in standing.floors if floor.column is not None and floor.measured == 0]
    if safe:
        yield f"stays in doubt about {', '.join(safe)} of everybody"


def knowing_all(standing: Standing) -> str:
    """Say what somebody knows who is close to a person."""
    many = len(standing.secret)
    names = ", ".join(standing.secret) if many <= NAMED else f"all {many} confidential values"
    return f"knowing {names} of the person as well"


def _analyst(found: "Comparison") -> Iterator[str]:
    kept, off = [], []
    for name, change in found.numbers.items():
        if change.mean_before is None or change.mean_after is None:
            continue
        spread = (change.variance_before or 0.0) ** 0.5
        moved = abs(change.mean_after - change.mean_before) / spread if spread else 0.0
        if moved <= SMALL:
            kept.append(name)
        else:
            off.append(f"{name} ({change.mean_before:,.4g} becomes {change.mean_after:,.4g})")
    if kept:
        yield f"means of {', '.join(kept)} are right to a tenth of a standard deviation"
    if off:
        yield f"means are NOT to be used of {', '.join(off)}"
    shares = {name: change.total_variation for name, change in found.categories.items()}
    right = [name for name, off in shares.items() if off is not None and off <= SMALL]
    wrong = [name for name, off in shares.items() if off is None or off > SMALL]
    if right:
        yield f"shares of {', '.join(right)} are right to within {SMALL:.0%}"
    if wrong:
        yield f"shares are NOT to be used of {', '.join(wrong)}"
    if found.correlations is not None and found.correlations.largest is not None:
        yield f"no correlation between two numbers is off by more than {found.correlations.largest:.2f}"
    for fitted in found.plan.fitted:
        if isinstance(fitted, FittedKanonymity):
            levels = ", ".join(f"{name} {level}" for name, level in fitted.levels.items() if name in fitted.recoded())
            yield f"groups are coarser: {levels or 'nothing'} (a cell loses {fitted.loss:.0%} on average)"
