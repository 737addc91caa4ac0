"""The fitted Framework in numpy and pandas, vectorised: with draws in order from a seed, or with the view's own."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import duckdb
import numpy as np
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from views import cut, digests

from sdcdb.engines.expressions import LEAD, RADIUS, TAIL, Bits
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.families.leaf_class import FittedLeafDraw
from sdcdb.techniques.families.leaf_noise import FittedLeafNoise
from sdcdb.techniques.families.transition import alias_tables
from sdcdb.techniques.rpt import NEVER, FittedRpt
from sdcdb.techniques.technique import Fitted
from sdcdb.views.plan import Plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


class Draws(Protocol):
    """Where numpy's draws come from."""

    def normal(self, fitted: Fitted, column: str) -> Floats:
        """Return a standard normal number for each record."""

    def uniform(self, fitted: Fitted, column: str) -> tuple[Words, int]:
        """Return a whole number for each record, and how many bits it has."""

    def classes(self, fitted: FittedRpt, at: Ints, labels: Ints) -> Ints:
        """Return the class of each record, given its leaf and its original class."""


@dataclass(frozen=True)
class Unkeyed:
    """Draws in order from a seed: another run on other records would draw others for the same record."""

    rng: np.random.Generator
    rows: int

    def normal(self, fitted: Fitted, column: str) -> Floats:  # noqa: ARG002 - as the protocol has it
        """Draw as numpy does."""
        return self.rng.standard_normal(self.rows)

    def uniform(self, fitted: Fitted, column: str) -> tuple[Words, int]:  # noqa: ARG002 - as the protocol has it
        """Draw 32 bits."""
        return self.rng.integers(0, 2**32, self.rows, np.uint64), 32

    def classes(self, fitted: FittedRpt, at: Ints, labels: Ints) -> Ints:
        """Put each leaf's records in a random order, and give them its classes."""
        order = np.lexsort((self.rng.random(self.rows), at))
        size, drawn, done = len(fitted.shape.values), np.empty(self.rows, np.int64), 0
        counts = np.bincount(at * size + labels, minlength=len(fitted.outcomes) * size)
        for own in counts.reshape(-1, size):
            drawn[order[done : done + own.sum()]] = np.repeat(np.arange(size), own)
            done += own.sum()
        return drawn


@dataclass(frozen=True)
class Keyed:
    """The draws of a view: the same for the same record, whatever else is in the table."""

    plan: Plan
    subkey: str
    keys: Ints

    @cached_property
    def words(self) -> Words:
        """One digest for each record, in a loop: numpy has no SHA-256."""
        return digests(self.subkey, "bits 0", self.keys.tolist())

    def normal(self, fitted: Fitted, column: str) -> Floats:
        """Make two numbers of one pair of draws."""
        bits = self._bits(fitted, column)
        radius = max(RADIUS, bits.width // 2)
        one = cut(self.words, bits.first, radius)
        two = cut(self.words, bits.first + radius, bits.width - radius)
        turn = (np.sin if bits.half else np.cos)(two * (2 * np.pi * 2.0 ** (radius - bits.width)))
        return np.asarray(np.sqrt(-2 * np.log((one + 1) * 2.0**-radius)) * turn, np.float64)

    def uniform(self, fitted: Fitted, column: str) -> tuple[Words, int]:
        """Cut the bits of the column."""
        bits = self._bits(fitted, column)
        return cut(self.words, bits.first, bits.width), bits.width

    def classes(self, fitted: FittedRpt, at: Ints, labels: Ints) -> Ints:  # noqa: ARG002 - as the protocol has it
        """Count the ends below each record's draw; a second digest for records that tie with one."""
        (column,) = fitted.columns
        width = max(map(len, fitted.outcomes))
        ends = np.array([[*own, *[NEVER] * (width - 1 - len(own))] for own in fitted.ends], np.int64)
        outcomes = np.array([[*own, *[own[-1]] * (width - len(own))] for own in fitted.outcomes], np.int64)
        bits = self._bits(fitted, column)
        assert bits.width == LEAD
        leading, place = cut(self.words, bits.first, LEAD).astype(np.int64), np.zeros(len(at), np.int64)
        for end in ends.T:
            own = (end >> TAIL)[at]
            place += leading > own
            tied = np.flatnonzero(leading == own)
            block = f"{self.plan.row(fitted).place(column)}:tail"
            tails = cut(digests(self.subkey, block, self.keys[tied].tolist()), 0, TAIL).astype(np.int64)
            place[tied] += tails >= (end & (2**TAIL - 1))[at[tied]]
        return np.asarray(outcomes[at, place], np.int64)

    def _bits(self, fitted: Fitted, column: str) -> Bits:
        row = self.plan.row(fitted)
        bits = row.lanes[row.place(column)]
        assert isinstance(bits, Bits)
        return bits


def perturb(con: duckdb.DuckDBPyConnection, plan: Plan, draws: Draws, target: str) -> None:
    """Apply the fitted Framework to the table, and write the result to a table."""
    frame = con.sql(f"SELECT {', '.join(plan.columns)} FROM t").df()
    words = [name for name in plan.columns if not is_numeric_dtype(frame[name])]
    codes = {name: frame[name].astype("category") for name in words}
    originals = {name: frame[name].to_numpy() for name in plan.columns if name not in codes}

    found: dict[int, Ints] = {}

    def leaves(tree: Any) -> Ints:
        if id(tree) in found:  # that of the class is also that of the numbers
            return found[id(tree)]
        columns: dict[str, Any] = {name: values.astype(np.float64) for name, values in originals.items()}
        for attribute in tree.attributes:
            if attribute.name in codes:
                columns[attribute.name] = coded(attribute.name, attribute.values).astype(np.int32)
        found[id(tree)] = np.asarray(tree.apply(columns))
        return found[id(tree)]

    def coded(name: str, values: tuple[str, ...]) -> Ints:
        return np.asarray(codes[name].cat.set_categories(values).cat.codes.to_numpy(np.int64))

    for each in plan.fitted:
        if isinstance(each, FittedLeafNoise):
            at, lists = leaves(each.tree), each.lists()
            for name, shape in zip(each.columns, each.shapes, strict=True):
                starts, widths, sds = (np.array(lists[f"{name} {what}"]) for what in ("starts", "widths", "sds"))
                low = shape.domain[0] if shape.domain else 0.0
                moved = np.floor(originals[name] - low + sds[at] * draws.normal(each, name) + 0.5).astype(np.int64)
                frame[name] = (low + starts[at] + (moved - starts[at]) % widths[at]).astype(np.int32)
        elif isinstance(each, FittedRpt):
            (name,) = each.columns
            drawn = draws.classes(each, leaves(each.tree), coded(name, each.shape.values))
            frame[name] = np.array(each.shape.values)[drawn]
        else:
            (name,) = each.columns
            if isinstance(each, FittedLeafDraw):
                rows, at = np.array(each.chances), leaves(each.tree)
            else:
                assert isinstance(each, FittedTransition)
                rows, at = np.array(each.matrix), coded(name, each.shape.values)
            uniform, bits = draws.uniform(each, name)
            tables = alias_tables(rows, bits)
            product = uniform * np.uint64(rows.shape[1])
            place = (product >> np.uint64(bits)).astype(np.int64)
            rest = (product & np.uint64(2**bits - 1)).astype(np.int64)
            frame[name] = np.array(each.shape.values)[
                np.where(rest < tables.thresholds[at, place], place, tables.aliases[at, place])
            ]
    con.register("perturbed", frame)
    con.execute(f"CREATE OR REPLACE TABLE {target} AS FROM perturbed")
    con.unregister("perturbed")
