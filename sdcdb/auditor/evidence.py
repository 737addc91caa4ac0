"""What was answered about one confidential column: query sets with their exact sums, minima and maxima."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sdcdb.errors import DataError

Kind = Literal["sum", "min", "max"]
Sets = NDArray[np.bool_]
Ints = NDArray[np.int64]
BLOCK = 512  # query sets unpacked at a time
MOST_SETS = 2_000
MOST_SHARED = 20_000_000  # query sets times cells


@dataclass(frozen=True)
class Domain:
    """The publicly known range, and its grid."""

    low: Fraction
    high: Fraction
    step: Fraction | None = None
    unit: Fraction | None = None
    """The smallest difference between two values of the column's type, where it has one."""

    @classmethod
    def of(cls, low: float, high: float, step: float | None = None, unit: Fraction | None = None) -> "Domain":
        """Read numbers as they are written: 0.1 is a tenth."""
        return cls(exactly(low), exactly(high), None if step is None else exactly(step), unit)

    @property
    def snap(self) -> Fraction | None:
        """The grid on which every value lies: the declared step, or the type's unit."""
        return self.step or self.unit

    @property
    def width(self) -> Fraction:
        """The width of the range."""
        return self.high - self.low

    @property
    def grid(self) -> Fraction:
        """The step; for a column without one, a thousandth of the range, as in the gateway."""
        return self.step or self.width / 1000


def exactly(number: object) -> Fraction:
    """Return a number exactly as it is written in decimals."""
    return number if isinstance(number, Fraction) else Fraction(str(number))


@dataclass(frozen=True, eq=False)
class Evidence:
    """Answers in the order in which they were first given, packed: eight cells to a byte.

    `counts` is the number of values in each cell; `numbers` names each answer's statement, for certificates.
    """

    counts: Ints
    domain: Domain
    packed: NDArray[np.uint8]
    kinds: tuple[Kind, ...]
    answers: tuple[Fraction, ...]
    numbers: tuple[int, ...]
    truth: NDArray[np.float64] | None = None
    """The total of each cell in the data, if the answers were computed from them: one possible assignment."""

    def __post_init__(self) -> None:
        if not len(self.packed) == len(self.kinds) == len(self.answers) == len(self.numbers):
            raise DataError("every answer has a query set, a kind, a value and a number")

    @classmethod
    def of(
        cls,
        counts: Sequence[int] | Ints,
        domain: Domain,
        sets: Sets,
        kinds: Sequence[Kind],
        answers: Sequence[Fraction | int | float],
        numbers: Sequence[int] | None = None,
    ) -> "Evidence":
        """Pack query sets given as flags."""
        exact = tuple(exactly(answer) for answer in answers)
        order = tuple(range(len(exact))) if numbers is None else tuple(numbers)
        packed = np.packbits(np.asarray(sets, dtype=bool).reshape(len(exact), len(counts)), axis=1)
        return cls(np.asarray(counts, dtype=np.int64), domain, packed, tuple(kinds), exact, order)

    def __len__(self) -> int:
        return len(self.answers)

    def sets(self, chosen: Sequence[int] | Ints | None = None) -> Sets:
        """Return query sets as flags, one row each."""
        rows = self.packed if chosen is None else self.packed[np.asarray(chosen, dtype=np.intp)]
        return np.unpackbits(rows, axis=1, count=len(self.counts)).astype(bool)

    @cached_property
    def matrix(self) -> sparse.csr_matrix:
        """The query sets as ones in a sparse matrix, one row each."""
        inside, starts = [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
        for begin in range(0, len(self), BLOCK):
            flags = np.unpackbits(self.packed[begin : begin + BLOCK], axis=1, count=len(self.counts))
            inside.append((np.flatnonzero(flags.view(bool)) % len(self.counts)).astype(np.int32))
            starts.append(flags.sum(axis=1, dtype=np.int64))
        indices, ends = np.concatenate(inside), np.cumsum(np.concatenate(starts))
        shape = (len(self), len(self.counts))
        return sparse.csr_matrix((np.ones(len(indices), np.int64), indices, ends), shape=shape)

    @cached_property
    def gram(self) -> NDArray[np.float64] | None:
        """How many cells each two query sets share; None where there are too many to look at so."""
        if len(self) * len(self.counts) > MOST_SHARED or len(self) > MOST_SETS:
            return None
        flags = self.sets().astype(np.float32)  # counts below 2^24 are exact
        return np.asarray(flags @ flags.T, dtype=np.float64)

    def only(self, chosen: Sequence[int] | Ints) -> "Evidence":
        """Return only these answers."""
        at = [int(each) for each in chosen]
        part = replace(
            self,
            packed=self.packed[at],
            kinds=tuple(self.kinds[each] for each in at),
            answers=tuple(self.answers[each] for each in at),
            numbers=tuple(self.numbers[each] for each in at),
        )
        if "matrix" in self.__dict__:  # found once: parts of it are taken from it
            part.__dict__["matrix"] = self.matrix[at]
        if self.__dict__.get("gram") is not None:
            part.__dict__["gram"] = self.__dict__["gram"][np.ix_(at, at)]
        return part

    def first(self, number: int) -> "Evidence":
        """Return the first answers, up to a number."""
        if number >= len(self):
            return self
        part = replace(
            self,
            packed=self.packed[:number],
            kinds=self.kinds[:number],
            answers=self.answers[:number],
            numbers=self.numbers[:number],
        )
        if "matrix" in self.__dict__:
            part.__dict__["matrix"] = self.matrix[:number]
        if self.__dict__.get("gram") is not None:
            part.__dict__["gram"] = self.__dict__["gram"][:number, :number]
        return part

    def of_kind(self, *kinds: Kind) -> list[int]:
        """Return the positions of the answers of these kinds."""
        return [at for at, kind in enumerate(self.kinds) if kind in kinds]
