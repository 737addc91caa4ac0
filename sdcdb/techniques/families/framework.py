"""The frameworks of the thesis (2007, chapter 7): a method for every column of a table, by what the column is."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from sdcdb.connection.training_table import numeric
from sdcdb.fields.amount import Amount
from sdcdb.techniques.families.leaves import ClassParams, column_named
from sdcdb.techniques.technique import ColumnSpec, Draws, Needs, ShareField, Source

NumberMethod = Literal["gadp", "cgadp", "egadp"]


class CategoryParams(ClassParams):
    """The parameters of a framework for its categories."""

    p: float = Field(default=0.1, ge=0, le=1)
    """The probability that a category changes: with CAPT to a sibling's majority value, otherwise to any other."""


class PatternParams(CategoryParams):
    """The parameters of a framework that perturbs categories by CAPT."""

    siblings: Literal["equal", "proportional"] = "equal"
    """How p is divided among several siblings: equally, or by their numbers of records."""
    unrelated: float = Field(default=0.1, ge=0, le=1)
    """The probability that a value changes in a category that is unrelated to all other columns."""


class NoiseParams(PatternParams):
    """The parameters of the Framework."""

    sd: ShareField = Amount(0.3333, relative=True)
    """The standard deviation of the noise as a share of the size of the domain, or of the leaf's range."""


@dataclass(frozen=True)
class Parts:
    """The columns of a framework: numbers, categories, and the class if it is one of them."""

    numbers: tuple[ColumnSpec, ...]
    categories: tuple[ColumnSpec, ...]
    target: ColumnSpec | None

    @classmethod
    def of(cls, table: Source, columns: tuple[ColumnSpec, ...], params: ClassParams) -> "Parts":
        """Sort the columns by kind. A numeric class is still a class."""
        target = column_named(table, params.class_)
        others = [column for column in columns if column.name != target]
        return cls(
            tuple(column for column in others if numeric(column.type)),
            tuple(column for column in others if not numeric(column.type)),
            next((column for column in columns if column.name == target), None),
        )


def draws_by_part(numbers: Needs, target: Draws = Draws.TWO) -> Needs:
    """Return the draws each column needs: numbers and the class as given, a category one."""

    def draws(column: ColumnSpec, params: ClassParams) -> Draws:
        if column.name.casefold() == params.class_.casefold():
            return target
        return numbers(column, params) if numeric(column.type) else Draws.ONE

    return draws
