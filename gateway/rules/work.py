"""The budget of a decision, in units of work: the same question on the same history costs the same on any machine."""

MOST_WORK = 2_000_000_000
"""What one statement may cost."""


def work_of(questions: int, answered: int, cells: int) -> int:
    """Return what it costs to hold query sets against a history: each is compared with it, and with those before it.

    >>> work_of(1, 1000, 5000)
    5000000
    """
    return questions * max(answered + questions, 1) * max(cells, 1)


def within_budget(spent: int) -> bool:
    """Tell whether a decision may go on."""
    return spent <= MOST_WORK
