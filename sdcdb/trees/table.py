"""The table that a tree is grown from or applied to: columns of numbers, and categories as codes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError, choices

AttributeKind = Literal["category", "number"]
Column = NDArray[np.int32] | NDArray[np.float64]
MISSING = -1  # the code of a missing category
SAMPLE = 1_000_000  # records: more hardly improve a tree


@dataclass(frozen=True)
class Attribute:
    """A column as a tree sees it: numbers, or categories whose values are texts in order.

    `whole` numbers have no fractions, so that SQL may compare them without a cast.
    """

    name: str
    kind: AttributeKind
    values: tuple[str, ...] = ()
    whole: bool = False


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Columns of equal length: int32 codes for categories (-1 is missing), float64 for numbers (NaN is missing).

    `target` names the attribute, a category, that a tree predicts.
    """

    attributes: tuple[Attribute, ...]
    columns: tuple[Column, ...]
    target: str

    def __post_init__(self) -> None:
        names = [attribute.name for attribute in self.attributes]
        if len(set(names)) != len(names):
            raise DataError(f"two attributes have the same name among {', '.join(names)}")
        if len(self.columns) != len(names) or len({len(column) for column in self.columns}) > 1:
            raise DataError("a training table needs one column of the same length for each of its attributes")
        if self.attribute(self.target).kind != "category":
            raise DataError(f"the class {self.target!r} is a number: a tree predicts a category")
        for attribute, column in zip(self.attributes, self.columns, strict=True):
            _check(attribute, column)

    @property
    def rows(self) -> int:
        """The number of records."""
        return len(self.columns[0])

    @property
    def classes(self) -> tuple[str, ...]:
        """The values of the class."""
        return self.attribute(self.target).values

    def attribute(self, name: str) -> Attribute:
        """Return the attribute of this name."""
        found = next((attribute for attribute in self.attributes if attribute.name == name), None)
        if found is None:
            names = [attribute.name for attribute in self.attributes]
            raise DataError(f"no attribute {name!r} in the table; {choices(name, names)}")
        return found

    def column(self, name: str) -> Column:
        """Return the values of an attribute."""
        return self.columns[self.attributes.index(self.attribute(name))]

    def labels(self) -> NDArray[np.int32]:
        """Return the class of every record as codes; -1 where it is missing."""
        return np.asarray(self.column(self.target), np.int32)

    def taken(self, rows: NDArray[Any]) -> "TrainingTable":
        """Return some of the records."""
        return TrainingTable(self.attributes, tuple(column[rows] for column in self.columns), self.target)

    def aimed(self, target: str) -> "TrainingTable":
        """Return the same records with another class."""
        return TrainingTable(self.attributes, self.columns, target)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], target: str) -> "TrainingTable":
        """Create a table from plain lists: texts (None is missing) are categories, all others numbers.

        >>> TrainingTable.of({"age": [30, None], "class": ["a", "b"]}, "class").attributes[1].values
        ('a', 'b')
        """
        attributes, coded = [], []
        for name, given in columns.items():
            if name == target or any(isinstance(value, str) for value in given):
                values = tuple(sorted({str(value) for value in given if value is not None}))
                code = {value: position for position, value in enumerate(values)}
                attributes.append(Attribute(name, "category", values))
                coded.append(np.array([MISSING if v is None else code[str(v)] for v in given], np.int32))
            else:
                whole = all(value is None or float(value).is_integer() for value in given)
                attributes.append(Attribute(name, "number", whole=whole))
                coded.append(np.array([np.nan if value is None else float(value) for value in given], np.float64))
        return cls(tuple(attributes), tuple(coded), target)


def _check(attribute: Attribute, column: Column) -> None:
    wanted = np.int32 if attribute.kind == "category" else np.float64
    if column.ndim != 1 or column.dtype != wanted:
        raise DataError(f"the column of {attribute.name!r}, a {attribute.kind}, must be one row of {wanted.__name__}")
    if (
        attribute.kind == "category"
        and len(column)
        and not MISSING <= column.min() <= column.max() < len(attribute.values)
    ):
        raise DataError(f"the codes of {attribute.name!r} must be from -1 to {len(attribute.values) - 1}")
