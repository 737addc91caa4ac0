"""Normal noise that wraps inside a range of each leaf: LINNAPT, LINFAPT and both together (thesis 2007, chapter 5).

The thesis wraps whole numbers by `l + B - u - 1` where B lies above the range [l, u]. On a grid this counts its
points in a circle, as often as needed. Without a grid the circle is the range itself: l + (B - l) mod (u - l).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import Field
from sqlglot import exp

from sdcdb.engines.expressions import Row, bigint, double, item, number, real, typed
from sdcdb.errors import DataError
from sdcdb.fields.strict import Strict
from sdcdb.techniques.families.grain import whole
from sdcdb.techniques.families.leaves import leaf
from sdcdb.techniques.families.numbers import NumberShape, normal_draws
from sdcdb.techniques.technique import ColumnSpec, Draws, Fitted, Params
from sdcdb.trees.tree import Tree

LEAST = 1e-6  # of a step: precision of grid points
FEW = 256  # points: noise of at most so many steps is as it should be with 65,536 angles
INSIDE = 1 - 1e-14  # of a range: rounding must not move a number beyond its end


class LeafRange(Strict):
    """The range of a number in a leaf: both ends belong to it. `sd` is that of the noise, in the column's unit."""

    low: float
    high: float
    sd: float = Field(default=0.0, ge=0)


class FittedLeafNoise(Fitted):
    """Numbers with normal noise, each wrapped inside the range of the record's leaf."""

    shapes: tuple[NumberShape, ...]
    tree: Tree
    ranges: tuple[tuple[LeafRange, ...], ...]
    """For each column, a range for each leaf."""
    places: int = 0
    """A range without a grid has 2^places points; 0 in plans made before they were rounded."""

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return for each column where its range begins, how wide it is, and how large the noise is, by leaf."""
        made: dict[str, tuple[Any, ...]] = {}
        for column, shape, ranges in zip(self.columns, self.shapes, self.ranges, strict=True):
            made |= _Circle(shape, ranges, self.places).lists(column)
        return made

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return value + sd z, wrapped inside the range of the leaf."""
        at = bigint(leaf(self.tree, row)) + number(1)
        return {
            column: _Circle(shape, ranges, self.places).wrapped(row, column, at)
            for column, shape, ranges in zip(self.columns, self.shapes, self.ranges, strict=True)
        }

    def null_safe(self) -> bool:
        """NULL plus noise is NULL."""
        return True

    def random(self) -> bool:
        """A column may be perturbed in no leaf."""
        return any(own.sd > 0 for ranges in self.ranges for own in ranges)

    def words(self) -> Mapping[str, str]:
        """Explain the noise."""
        return {
            column: self._words(shape, ranges)
            for column, shape, ranges in zip(self.columns, self.shapes, self.ranges, strict=True)
        }

    def _words(self, shape: NumberShape, ranges: tuple[LeafRange, ...]) -> str:
        sds = [own.sd for own in ranges if own.sd > 0]
        if not sds:
            return "unchanged: this method perturbs it in no leaf"
        size = f"{min(sds):.4g}" if max(sds) - min(sds) < 1e-9 else f"{min(sds):.4g} to {max(sds):.4g}"
        grid = "" if shape.step is None else f", rounded to steps of {shape.step:g}"
        return (
            f"normal noise with standard deviation {size} is added in {len(sds)} of {len(ranges)} leaves{grid}, and "
            "wraps inside the range that the leaf allows"
        )


class _Circle:
    """The ranges of one column as circles: of grid points, or of real numbers."""

    def __init__(self, shape: NumberShape, ranges: tuple[LeafRange, ...], places: int) -> None:
        self.shape, self.ranges, self.places = shape, ranges, places
        self.low = shape.domain[0] if shape.domain else 0.0

    def lists(self, column: str) -> dict[str, tuple[Any, ...]]:
        step = self.shape.step
        sds = tuple(own.sd / (step or 1) for own in self.ranges)
        if step is None:
            starts: tuple[Any, ...] = tuple(own.low for own in self.ranges)
            widths: tuple[Any, ...] = tuple(
                (own.high - own.low) * INSIDE if own.high > own.low else 1.0 for own in self.ranges
            )
        else:
            starts = tuple(float(round((own.low - self.low) / step)) for own in self.ranges)
            ends = (float(round((own.high - self.low) / step)) for own in self.ranges)
            widths = tuple(max(1.0, end - start + 1) for start, end in zip(starts, ends, strict=True))
        return {f"{column} starts": starts, f"{column} widths": widths, f"{column} sds": sds}

    def wrapped(self, row: Row, column: str, at: exp.Expr) -> exp.Expr:
        def of(name: str) -> exp.Expr:
            values = self.lists(column)[f"{column} {name}"]
            if len(set(values)) == 1:
                return real(values[0])
            return item(f"{column} {name}", at.copy())

        noise = exp.Paren(this=of("sds") * exp.Paren(this=row.normal(column)))
        made = self._real(row, column, noise, of) if self.shape.step is None else self._grid(row, column, noise, of)
        return typed(made, self.shape.type)

    def _grid(self, row: Row, column: str, noise: exp.Expr, of: Callable[[str], exp.Expr]) -> exp.Expr:
        step = self.shape.step or 1.0
        value = double(row.value(column))
        if self.low:
            value = exp.Paren(this=value - real(self.low))
        if step != 1:
            value = value / real(step)
        whole = exp.Paren(this=double(exp.Floor(this=value + noise + real(0.5))))
        turns = double(exp.Floor(this=exp.Paren(this=exp.Paren(this=whole - of("starts")) / of("widths"))))
        points = exp.Paren(this=whole.copy() - of("widths") * turns)  # whole numbers are exact in a DOUBLE
        scaled = points if step == 1 else points * real(step)
        return real(self.low) + scaled if self.low else scaled

    def _real(self, row: Row, column: str, noise: exp.Expr, of: Callable[[str], exp.Expr]) -> exp.Expr:
        value = double(row.value(column))
        moved: exp.Expr = exp.Paren(this=value + noise - of("starts"))
        if self.places:  # counted in points, of which the range has 2^places
            points = 2.0**self.places
            moved = whole(exp.Paren(this=moved / of("widths")) * real(points))
            turns = double(exp.Floor(this=moved * real(1 / points)))
            inside: exp.Expr = exp.Paren(this=moved.copy() - turns * real(points)) * exp.Paren(
                this=of("widths") * real(1 / points)
            )
        else:
            turns = double(exp.Floor(this=exp.Paren(this=moved / of("widths"))))
            inside = exp.Paren(this=moved.copy() - turns * of("widths"))
        wrapped = of("starts") + inside
        if all(own.sd > 0 for own in self.ranges):
            return wrapped
        return exp.Case().when(of("sds").eq(real(0)), value.copy()).else_(wrapped)  # to the last digit


def leaf_range(
    tree: Tree, at: int, column: str, shape: NumberShape, domain: tuple[float, float]
) -> tuple[float, float]:
    """Return the ends of the range that a leaf's path allows: both included, and on the grid if there is one.

    A path that allows nothing is one that no record takes; its range is a single point.
    """
    low, high = tree.ranges(at, column, domain)
    tested = [c.low for c in tree.paths()[at] if c.attribute == column and math.isfinite(c.low) and c.low >= domain[0]]
    if shape.step is None:
        low = math.nextafter(low, math.inf) if tested else low
        return low, max(low, high)
    first = math.floor((low - domain[0]) / shape.step + LEAST) + 1 if tested else 0
    last = max(first, math.floor((high - domain[0]) / shape.step + LEAST))
    return domain[0] + first * shape.step, domain[0] + last * shape.step


def noise_shape(column: ColumnSpec, share: float) -> NumberShape:
    """Return the shape of a column whose noise is a share of a range that is at most its domain."""
    shape = NumberShape.of(column)
    return shape if shape.domain is None else shape.for_noise(share * (shape.domain[1] - shape.domain[0]))


def leaf_noise_draws(column: ColumnSpec, params: Params) -> Draws:
    """Request a normal number whose standard deviation is at most the size of the domain."""
    asked = normal_draws(column, params)
    return Draws.COARSE_NORMAL if asked is Draws.NORMAL and NumberShape.of(column).points() <= FEW else asked


def size(shape: NumberShape, low: float, high: float) -> float:
    """Return the size of a domain: for 1 to 10 with step 1 it is 10, the number of values; without steps the width."""
    return high - low + (shape.step or 0.0)


def needed_domain(column: ColumnSpec, method: str) -> tuple[float, float]:
    """Return the domain of a column, which wrapping noise needs."""
    if column.domain is None:
        raise DataError(
            f"{method!r} wraps {column.name!r} inside its domain: give it the publicly known range in the policy, "
            "domain: [min, max]"
        )
    return column.domain


def ranges_of(
    tree: Tree, column: ColumnSpec, shape: NumberShape, share: float, method: str, *, innocent: bool, influential: bool
) -> tuple[LeafRange, ...]:
    """Return the range and the noise of a column in every leaf.

    Where the column is innocent the range is the domain (LINNAPT, 5.2); where it is influential it is what the path
    allows (LINFAPT, 5.3). The noise is a share of the range's size, or none where it is not wanted.
    """
    domain = needed_domain(column, method)
    whole = (domain[0], domain[1] if shape.step is None else _last(domain, shape.step))
    ranges = []
    for at in range(len(tree.leaves())):
        tested = column.name in tree.influential(at)
        low, high = leaf_range(tree, at, column.name, shape, whole) if tested else whole
        if not (influential if tested else innocent) or high <= low:
            ranges.append(LeafRange(low=whole[0], high=whole[1]))
        else:
            ranges.append(LeafRange(low=low, high=high, sd=share * size(shape, low, high)))
    return tuple(ranges)


def _last(domain: tuple[float, float], step: float) -> float:
    return domain[0] + math.floor((domain[1] - domain[0]) / step + LEAST) * step
