"""Decisions and denials in the words of a verdict."""

from sdcdb.errors import Denied, Unsupported
from sdcdb.gateway.decide import Decided
from sdcdb.gateway.rules.table import denied
from sdcdb.gateway.rules.verdict import Kind, Verdict


def verdict_of(decided: Decided) -> Verdict:
    """Return the verdict on a statement that was decided."""
    if not decided.suppressed:
        return Verdict("allow", changes=decided.changes())
    refusal = denied(next(iter(decided.suppressed.values())))
    return Verdict("suppress", refusal.rule, refusal.reason, refusal.hint, decided.changes(), decided.unseen)


def estimated_verdict(refusal: Denied) -> Verdict:
    """Return the verdict on a statement whose exact answer was denied, and that was estimated."""
    reason = f"these are estimates from the protected view, because the exact answer was denied: {refusal.reason}"
    return Verdict("estimate", refusal.rule, reason, refusal.hint)


def refused(refusal: Denied) -> Verdict:
    """Return the verdict that a denial stands for."""
    kind: Kind = "unsupported" if isinstance(refusal, Unsupported) else "deny"
    return Verdict(kind, refusal.rule, refusal.reason, refusal.hint)
