"""Audits of a table's version before, which go on in the next one: with what they know, and not from the first answer.

They are kept until they are asked for, over as many versions as it takes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from sdcdb.gateway.pools import Links

State = TypeVar("State")
Key = tuple[str, str]
"""A column, and a pool of users."""


@dataclass(frozen=True, eq=False)
class Kept(Generic[State]):
    """A state, the number of classes that it knows, and which pools knew the same when it learnt."""

    state: State
    classes: int
    links: Links

    def knows(self, pool: str, links: Links, answered: Iterable[str]) -> bool:
        """Tell whether it has all that a pool was told: answers to these pools, by what is known of pools now."""
        told = {each for each in answered if links.knows(pool, each)}
        return all(self.links.name(each) == pool == links.name(each) for each in told)


def kept_of(
    states: Mapping[Key, State], earlier: Mapping[Key, Kept[State]], column: str, classes: int, links: Links
) -> dict[Key, Kept[State]]:
    """Return what there is to keep for a column: the states of a version, and those that it kept itself."""
    found = {key: kept for key, kept in earlier.items() if key[0] == column}
    return found | {key: Kept(state, classes, links) for key, state in states.items() if key[0] == column}
