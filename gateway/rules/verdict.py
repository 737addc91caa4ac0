"""What the gateway decided, and how close the history is to its limits."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sdcdb.gateway.inference.score import Score

Kind = Literal["allow", "suppress", "estimate", "deny", "unsupported"]


@dataclass(frozen=True)
class Change:
    """What a question does to one confidential column: the scores before it and after it."""

    before: Score
    after: Score


@dataclass(frozen=True)
class Verdict:
    """Allow, suppress some groups, estimate from a protected view, or deny, with the rule, why, and what to try.

    `changes` has, for every confidential column that was asked about, the smallest interval, H(0) and area that any
    record is left with. They are lower bounds and depend on past answers only. `suppressed` counts rows of the result
    that are suppressed, or stand for groups that are.
    """

    kind: Kind
    rule: str | None = None
    reason: str = ""
    hint: str = ""
    changes: Mapping[str, Change] = field(default_factory=dict)
    suppressed: int = 0

    @property
    def answered(self) -> bool:
        """Whether there is an answer."""
        return self.kind in {"allow", "suppress", "estimate"}

    def rows(self) -> list[tuple[str, str]]:
        """Return the verdict as names and values, for EXPLAIN PRIVACY."""
        found = [("verdict", self.kind), ("rule", self.rule or "-"), ("reason", self.reason), ("hint", self.hint)]
        found = [(name, value) for name, value in found if value]
        if self.suppressed:
            found.append(("suppressed groups", str(self.suppressed)))
        for column, change in self.changes.items():
            for name in ("interval", "h0", "area"):
                before, after = getattr(change.before, name), getattr(change.after, name)
                found.append((f"smallest {name} of {column}", f"{before:,.6g} -> {after:,.6g}"))
            found.append((f"closest limit of {column}", change.after.closest))
        return found
