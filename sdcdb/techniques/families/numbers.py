"""Keep perturbed numbers inside the domain, on its grid, and of the column's type."""

import math
from dataclasses import replace
from typing import Literal, Self

from sqlglot import exp

from sdcdb.connection.profile import decimals_of, digits_of
from sdcdb.engines.expressions import double, nearest, number, real, typed
from sdcdb.errors import DataError
from sdcdb.fields.amount import Amount
from sdcdb.fields.strict import Strict
from sdcdb.techniques.families.grain import coarser, grain_of, on_grain, single, whole
from sdcdb.techniques.technique import ColumnSpec, Draws, Params

Boundary = Literal["wrap", "clip", "reflect"]
_WORDS = {"wrap": "wraps around in", "clip": "stops at the ends of", "reflect": "is folded back into"}
_INTEGERS = {  # the range of each type; steps are counted in BIGINT, so wider types end there
    **{name: (-(2**bits), 2**bits - 1) for name, bits in {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31}.items()},
    **{f"U{name}": (0, 2**bits - 1) for name, bits in {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32}.items()},
    "BIGINT": (-(2**63), 2**63 - 1),
    "HUGEINT": (-(2**63), 2**63 - 1),
    "UBIGINT": (0, 2**63 - 1),
}
_FLOAT = 3.4e38  # the end of a FLOAT, roughly

COARSE = 2**20  # most points of a grid: a noisy value then reveals little of its draws


class NumberShape(Strict):
    """The shape of a perturbed number: domain, grid and type."""

    type: str
    domain: tuple[float, float] | None = None
    step: float | None = None
    grain: float | None = None
    """What is rounded to where there is no grid, for the sake of the last bits: see `families.grain`."""
    digits: bool = False
    """Whether only 24 binary digits are kept, where noise is a share of the number."""

    @classmethod
    def of(cls, column: ColumnSpec) -> Self:
        """Return the shape of a column; integers have step 1, decimals the step of their last digit."""
        step = column.step if column.step is not None else _own_step(column.type)
        if step is None and column.type not in {"DOUBLE", "FLOAT"}:
            raise DataError(f"{column.name!r} is {column.type}: this method is for numbers")
        return cls(type=column.type, domain=column.domain, step=step)

    def points(self) -> float:
        """Return how many values the grid has: infinitely many where there is no grid, or no end of it."""
        return (self.domain[1] - self.domain[0]) / self.step + 1 if self.domain and self.step else math.inf

    def amount(self, amount: Amount, column: str) -> float:
        """Return an amount in the column's unit; a share needs a domain."""
        if amount.relative and self.domain is None:
            raise DataError(f"{amount} is a share of the domain: give {column!r} a domain, or use a number")
        return amount.of(self.domain[1] - self.domain[0] if self.domain else 0)

    def for_noise(self, size: float) -> Self:
        """Return the shape in which a number may be published that has noise of this size; without noise, itself."""
        if size <= 0:
            return self
        if self.step is not None:
            return self.model_copy(update={"step": coarser(self.step, size)})
        return self.model_copy(update={"grain": grain_of(size, self.domain)})

    def for_factor(self) -> Self:
        """Return the shape in which a number may be published that was multiplied by noise."""
        return self.model_copy(update={"digits": self.step is None})

    def fit(self, value: exp.Expr, boundary: Boundary) -> exp.Expr:
        """Move a noisy value, a DOUBLE, back into the domain and onto the grid, and give it the column's type."""
        low = self.domain[0] if self.domain else 0.0
        if self.step is None:
            moved = self._without_step(value, boundary)
        else:
            holds = _type_range(self.type) if self.domain is None else None
            value = value if holds is None else clip(value, real(holds[0]), real(holds[1]))
            above = exp.Paren(this=value - real(low)) if low else value
            steps = nearest(exp.Paren(this=above / real(self.step)) if self.step != 1 else above)
            moved = self._unscaled(self._bounded_steps(steps, boundary), low)
        return typed(moved, self.type)

    def _unscaled(self, steps: exp.Expr, low: float) -> exp.Expr:
        """Return low + steps x step. Integers with step 1 stay integers, without a detour through DOUBLE."""
        step = self.step or 1
        if self.type in _INTEGERS and step == 1 and low.is_integer() and abs(low) < 2**53:
            return exp.Paren(this=number(int(low)) + exp.Paren(this=steps)) if low else exp.Paren(this=steps)
        return real(low) + double(steps) * real(step)

    def words(self, boundary: Boundary) -> str:
        """Say what happens to the noisy value."""
        ends = "" if self.domain is None else f" and {_WORDS[boundary]} [{self.domain[0]:g}, {self.domain[1]:g}]"
        if self.step is None and self.digits:
            return f"it is rounded to 24 binary digits{ends}"
        step = self.grain if self.step is None else self.step
        return ("it keeps its digits" if step is None else f"it is rounded to steps of {step:g}") + ends

    def _without_step(self, value: exp.Expr, boundary: Boundary) -> exp.Expr:
        if self.domain is None:
            if self.digits:  # what lies beyond a FLOAT becomes its end
                return single(clip(value, real(-_FLOAT), real(_FLOAT)))
            return value if self.grain is None else on_grain(value, self.grain)
        low, high = self.domain
        if self.grain is None:
            moved = _bounded(value, low, high, boundary)
            return clip(single(moved), real(low), real(high)) if self.digits else moved
        points = round((high - low) / self.grain)
        above = exp.Paren(this=value - real(low)) if low else value
        places = _bounded(whole(above / real(self.grain)), 0.0, float(points), boundary)
        moved = real(low) + exp.Paren(this=places) * real(self.grain)
        return at_most(moved, real(high)) if low + points * self.grain > high else moved

    def _bounded_steps(self, steps: exp.Expr, boundary: Boundary) -> exp.Expr:
        if self.domain is None or self.step is None:
            return steps
        last = math.floor((self.domain[1] - self.domain[0]) / self.step + 1e-6)  # a domain may end between two points
        if boundary == "clip":
            return clip(steps, number(0), number(last))
        if boundary == "wrap":  # the grid has last + 1 points: the thesis's l + B - u - 1 at step 1
            return _whole_modulo(steps, last + 1)
        folded = exp.Paren(this=_whole_modulo(steps, 2 * last))
        return number(last) - exp.Abs(this=folded - number(last))


def _bounded(value: exp.Expr, low: float, high: float, boundary: Boundary) -> exp.Expr:
    if boundary == "clip":
        return clip(value, real(low), real(high))
    width = high - low
    above = exp.Paren(this=value - real(low)) if low else value
    if boundary == "wrap":
        return real(low) + _modulo(above, width) if low else _modulo(above, width)
    folded = _modulo(above, 2 * width)
    return real(low) + real(width) - exp.Abs(this=folded - real(width))


def _own_step(kind: str) -> float | None:
    """Return the step of a type: 1 of integers, that of the last digit of decimals, none of floating point."""
    if kind in _INTEGERS:
        return 1
    decimals = decimals_of(kind)
    return None if decimals is None else 10.0**-decimals


def _type_range(kind: str) -> tuple[float, float] | None:
    """Return the range of a type of whole steps: noise must not push a value out of its type."""
    if kind in _INTEGERS:
        low, high = _INTEGERS[kind]
        return float(low), _not_above(high)
    if digits := digits_of(kind):
        most = _not_above(min(10 ** digits[0], 2**63) - 1) / 10 ** digits[1]
        return -most, most
    return None


def within_type(column: ColumnSpec) -> ColumnSpec:
    """Return a column with the part of its domain that its type can hold, on the same grid.

    Noise over the rest of it would give values that cannot be cast to the type: a view that fails when it is read. That
    a TINYINT ends at 127 is as public as the domain.
    """
    if column.domain is None:
        return column
    low, high = column.domain
    if not math.isfinite(4 * (high - low)):
        raise DataError(f"the domain of {column.name!r} is too wide to compute with: use another unit")
    holds = (-_FLOAT, _FLOAT) if column.type == "FLOAT" else _type_range(column.type)
    if holds is None or (low >= holds[0] and high <= holds[1]):
        return column
    step = column.step if column.step is not None else _own_step(column.type)
    if low < holds[0]:
        low = holds[0] if step is None else low + math.ceil((holds[0] - low) / step) * step
    high = min(high, holds[1])
    if not low < high:
        ends = f"[{column.domain[0]:g}, {column.domain[1]:g}]"
        raise DataError(f"the domain {ends} of {column.name!r} has no two values that a {column.type} can hold")
    return replace(column, domain=(low, high))


def normal_draws(column: ColumnSpec, _params: Params) -> Draws:
    """Request a normal number. On a coarse grid two columns may share two draws; otherwise each has its own.

    Of the 48 bits of a pair, a value on a grid of a million points reveals at most 20, so that the other column's
    number is as free as before. A DOUBLE with all its digits reveals 53, and an intruder who knows its original could
    search for the rest.
    """
    return Draws.NORMAL if NumberShape.of(column).points() <= COARSE else Draws.TWO


def clip(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
    """Return the value, or the end if it is beyond it."""
    return at_most(at_least(value, low), high)


def at_least(value: exp.Expr, low: exp.Expr) -> exp.Expr:
    """Return the greater of two numbers. Knowing that there are no NULLs, sqlglot writes the value once."""
    return exp.Greatest(this=value, expressions=[low], ignore_nulls=True)


def at_most(value: exp.Expr, high: exp.Expr) -> exp.Expr:
    """Return the smaller of two numbers."""
    return exp.Least(this=value, expressions=[high], ignore_nulls=True)


def _modulo(value: exp.Expr, width: float) -> exp.Expr:
    """Return value - floor(value / width) * width, never negative."""
    turns = exp.Floor(this=exp.Paren(this=value / real(width)))
    return exp.Paren(this=value.copy() - double(turns) * real(width))


def _whole_modulo(value: exp.Expr, size: int) -> exp.Expr:
    """Return the remainder of a whole number, never negative. The grid of one point has remainder 0."""
    if size <= 0:
        return number(0)
    once = exp.Paren(this=exp.Mod(this=exp.Paren(this=value), expression=number(size)))
    return exp.Paren(this=exp.Mod(this=exp.Paren(this=once + number(size)), expression=number(size)))


def _not_above(whole: int) -> float:
    """Return the nearest DOUBLE that is not above a whole number."""
    value = float(whole)
    return value if value <= whole else math.nextafter(value, 0)
