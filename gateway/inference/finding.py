"""What the audit says about one question."""

from dataclasses import dataclass

from sdcdb.gateway.inference.score import Score


@dataclass(frozen=True)
class Finding:
    """Whether a question may be answered; if not, by which rule: `overlap`, `exact`, `interval` or `cae`.

    `before` and `after` are the scores without and with the question (None when it is refused). `implied` says that
    the answer follows from what was answered before: it tells nothing new, and it may be given freely.
    """

    allowed: bool
    rule: str | None
    before: Score
    after: Score | None
    implied: bool
