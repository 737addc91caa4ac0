"""How much a table has changed since a version: whether enough people did for a new version to show."""

from collections.abc import Mapping

from sdcdb.gateway.tables.following import Records, count_common
from sdcdb.gateway.tables.record_file import Followed


def count_changed(before: Mapping[str, Followed], records: Records) -> int:
    """Return how many records differ from the version before, at the least.

    A record is its quasi-identifiers and its value, without its key. Somebody who came while somebody else left counts
    once, and two people who changed places count as none: a version shows rather later than too early.

    `before` holds what the newest version's records looked like; a column that was not there had none.
    """
    changed = 0
    for name, each in records.items():
        last = before[name].alike if name in before else each.alike[:0]
        changed = max(changed, max(len(last), len(each.alike)) - count_common(last, each.alike))
    gone = (len(each.alike) for name, each in before.items() if name not in records)
    return max([changed, *gone])


def is_enough(changed: int, least: int, most_of_one: int) -> bool:
    """Tell whether so many changed records are those of enough people, each of whom has at most `most_of_one`."""
    return changed >= least * max(1, most_of_one)
