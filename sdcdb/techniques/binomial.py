"""Additive binomial noise on the domain's grid (CAE paper 2014, section 5 and appendix)."""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from sqlglot import exp

from sdcdb.engines.expressions import SPAN, Row, double, item, number, real
from sdcdb.errors import DataError
from sdcdb.fields.amount import AmountField
from sdcdb.techniques.families.numbers import Boundary, NumberShape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique

LARGEST = 2**24  # trials; the lists then hold 2^15 items
_BITS = 160  # bits of the fixed-point numbers in which probabilities are summed


class Binomial(Params):
    """Add binomial noise to a number on a grid, as evaluated in the CAE paper.

    The paper says that the noise is binomial and that, at k% noise, "the maximum noise M is k% of |D| - 1, rounded to
    the nearest 2". sdcdb reads this as follows: M, an even number, is how many fair coins are tossed, and heads are
    counted from the middle. The noise is Binomial(M, 1/2) - M/2 steps of the domain's grid: from -M/2 to M/2 steps,
    with mean 0 and standard deviation sqrt(M)/2 steps. Only an even M has a whole middle, which is why the paper rounds
    to 2; M is the maximum before the middle is subtracted. `binomial_noise` in `sdcdb.measures.equivocation` agrees.

    The noise comes from one draw of 32 bits: every cumulative probability is exact to 2^-33, so noise less likely than
    that does not occur. The column needs a domain and a grid: a `step`, or a type of integers or decimals. The paper
    does not say what happens at the ends of the domain: `wrap` continues at the other end, `clip` stops at the end,
    `reflect` folds back.
    """

    method: Literal["binomial"]
    noise: AmountField
    """The paper's k% noise: M as a share of the domain's width such as `10%`, or as a number in the column's unit."""
    boundary: Boundary = "wrap"
    """What happens at the ends of the domain: wrap, clip or reflect."""


class FittedBinomial(Fitted):
    """The noise of one column."""

    technique: Literal["binomial"] = "binomial"
    trials: int
    """M: even, above 0."""
    boundary: Boundary
    shape: NumberShape

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return value + noise: the draw's first bits choose a list item, its last bits one of two noises."""
        (column,) = self.columns
        keep, other = self._names()
        first, kept, _ = _alias(self.trials)
        low_bits = 32 - (len(kept) - 1).bit_length()
        place = exp.Paren(this=exp.BitwiseRightShift(this=row.draw(column), expression=number(low_bits)))
        rest = exp.Paren(this=exp.BitwiseAnd(this=row.draw(column), expression=number(2**low_bits - 1)))
        index = place + number(1)
        steps = (
            exp.Case().when(rest < item(keep, index), place.copy() - number(-first)).else_(item(other, index.copy()))
        )
        noisy = double(row.value(column)) + double(exp.Paren(this=steps)) * real(self.shape.step or 1)
        return {column: self.shape.fit(exp.Paren(this=noisy), self.boundary)}

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the alias table of the noise."""
        return dict(zip(self._names(), _alias(self.trials)[1:], strict=True))

    def _names(self) -> tuple[str, str]:
        (column,) = self.columns
        return f"binomial {column} keep", f"binomial {column} other"

    def words(self) -> Mapping[str, str]:
        """Explain the noise."""
        (column,) = self.columns
        step = self.shape.step or 1
        first, weights = chances(self.trials)
        noise = (
            f"binomial noise from {-self.trials // 2 * step:g} to {self.trials // 2 * step:g} with standard deviation "
            f"{math.sqrt(self.trials) / 2 * step:.4g} is added (none with probability {weights[-first] / SPAN:.2g})"
        )
        return {column: f"{noise}; {self.shape.words(self.boundary)}"}


def chances(trials: int) -> tuple[int, tuple[int, ...]]:
    """Return Binomial(trials, 1/2) - trials/2 as its first value and the probabilities of it and the next, in 2^-32.

    All in integers: the middle probability is 2^160, its neighbours follow by C(M, k+1) = C(M, k) (M-k)/(k+1).

    >>> chances(2)
    (-1, (1073741824, 2147483648, 1073741824))
    """
    half, term, k = [], 1 << _BITS, trials // 2
    while term:
        half.append(term)
        term, k = term * (trials - k) // (k + 1), k + 1
    terms = half[:0:-1] + half
    total, below, before, weights = sum(terms), 0, 0, []
    for term in terms:
        below += term
        upto = (2 * below * SPAN + total) // (2 * total)  # the cumulative probability, rounded
        weights.append(upto - before)
        before = upto
    start, end = (next(n for n, w in enumerate(side) if w) for side in (weights, weights[::-1]))
    return start - len(half) + 1, tuple(weights[start : len(weights) - end])


@lru_cache(maxsize=8)
def _alias(trials: int) -> tuple[int, tuple[int, ...], tuple[int, ...]]:
    """Return Walker's alias table of the noise: its first value, and per place what it keeps and its other noise.

    The number of places is a power of two, so every place has the same number of draws, and no probability is lost.
    """
    first, weights = chances(trials)
    places = 1 << (len(weights) - 1).bit_length()
    room = SPAN // places
    left = [*weights, *[0] * (places - len(weights))]
    keep, other = [room] * places, [0] * places
    small = [place for place in range(places) if left[place] < room]
    large = [place for place in range(places) if left[place] > room]
    while small:
        place, giver = small.pop(), large[-1]
        keep[place], other[place] = left[place], giver + first
        left[giver] -= room - left[place]
        if left[giver] <= room:
            large.pop()
            if left[giver] < room:
                small.append(giver)
    return first, tuple(keep), tuple(other)


def fit(_engine: Engine, _table: Source, columns: tuple[ColumnSpec, ...], params: Binomial) -> FittedBinomial:
    """Determine M."""
    (column,) = columns
    shape = NumberShape.of(column)
    if shape.domain is None or shape.step is None:
        raise DataError(f"binomial noise needs a grid: give {column.name!r} a domain and a step")
    steps = shape.amount(params.noise, column.name) / shape.step
    trials = 2 * math.floor(steps / 2 + 0.5)
    if trials == 0:
        raise DataError(
            f"{params.noise} noise on {column.name!r} is {steps:g} steps of {shape.step:g}, which rounds to no noise: "
            f"use at least {shape.step:g} ({shape.step / (shape.domain[1] - shape.domain[0]):.3g} of the domain)"
        )
    if trials > LARGEST:
        raise DataError(
            f"{params.noise} noise on {column.name!r} is {trials:,} steps, above {LARGEST:,}: "
            "use a larger step, or normal noise, which is the same at this size"
        )
    return FittedBinomial(columns=(column.name,), trials=trials, boundary=params.boundary, shape=shape)


TECHNIQUE = Technique("binomial", Kind.NUMBER, Binomial, FittedBinomial, fit)
