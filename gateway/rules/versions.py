"""The rule `version`: answers about a table that has changed."""


def same_version(answered: str | None, now: str) -> bool:
    """Tell whether a table is the one that earlier answers were about, by its fingerprint."""
    return answered == now
