"""The rules `version` and `changes`: answers about a table that has changed."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet


def same_version(answered: str | None, now: str) -> bool:
    """Tell whether a table is the one that earlier answers were about, by its fingerprint."""
    return answered == now


def separates(bundles: Iterable[AbstractSet[str]], chosen: AbstractSet[str], present: AbstractSet[str]) -> bool:
    """Tell whether a query set holds a part of a bundle: of cells among which records may have moved.

    >>> separates([{"a", "b"}], {"a"}, {"a", "b", "c"}), separates([{"a", "b"}], {"a", "b"}, {"a", "b", "c"})
    (True, False)
    """
    return any(0 < len(bundle & chosen) < len(bundle & present) for bundle in bundles)
