"""The record that describes one data set."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Dataset:
    """What a data set is, where it comes from, and how its tables are generated.

    `rows` is the default number of records, or None when the data set is fixed. `queries` takes the number of
    records and the seed and returns one SELECT per table, in the order of `tables`; a fixed data set ignores both.
    """

    name: str
    title: str
    source: str
    rows: int | None
    tables: tuple[str, ...]
    queries: Callable[[int, int], Mapping[str, str]] = field(repr=False, compare=False)
