"""The row that a technique's expression may look at: its own columns, its sticky draws, and constants found at fitting.

An expression is a sqlglot tree in which six names stand for what engines spell, or lay out, differently:

| placeholder                | meaning                                                                               |
|----------------------------|---------------------------------------------------------------------------------------|
| SDC_DRAW('block', lane)    | a uniform whole number from 0 to 2^32 - 1, fixed by secret, table, record and position |
| SDC_DRAW('block', bit, n)  | the same from 0 to 2^n - 1: the n bits of a digest from `bit` on, inside one word      |
| SDC_LATE('block', bit, n)  | the same where a digest is computed only for the records that come to it               |
| SDC_ITEM('list', index)    | an item, counted from 1, of a list that fitting found                                  |
| SDC_CODE('list', value)    | the position, counted from 0, of a value in such a list; NULL when it is not there     |
| SDC_JOINED('table', 'col') | a column of the record's row in a table that fitting stored                            |
| SDC_ONCE('name', value)    | a value of the record's own columns and draws, computed once for all who name it       |
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlglot import exp

from sdcdb.connection.identifiers import identifier
from sdcdb.errors import InternalError

TABLE = "t"  # alias of the table in every view
LANES = 8  # draws of 32 bits in one digest
DIGEST, WORD = 256, 64  # bits; no draw crosses the end of a word
PAIR, NARROW_PAIR = 48, 40  # bits of two normal numbers; the fewer ones are for coarse grids
RADIUS = 24  # bits, at least: of a pair, the others are the angle
LEAD, TAIL = 8, 52  # bits of a rank where space is scarce: the leading ones, and those of a digest by itself
OWN = 2  # draws that a column has in the shared digests, at most
SPAN = 2**32
RECORD = ""  # the column name under which draws for the record as a whole are kept
PERSON = "person "  # starts the blocks whose draws are the person's and not the record's


class Bits(NamedTuple):
    """The bits of a table's shared digests that a column's draws are: from `first` on, `width` of them.

    Of two normal numbers made of the same bits, `half` is 0 for the one by cosine and 1 for the one by sine.
    """

    first: int
    width: int
    half: int = 0


Lane = int | Bits
"""Where draws are: bits, or, in plans of version 2 and in macros, the number of the first lane of 32 bits."""


@dataclass(frozen=True)
class Row:
    """What an expression is built from.

    `scope` names the method and its parameters: the same column perturbed in another way draws other numbers, else
    two views could be held against each other, and noise of two sizes from one draw would give the value away.
    `lanes` gives each `scope:column` its place in the table's shared digests. With `person`, all records of a person
    have the same draws.
    """

    lanes: Mapping[str, Lane]
    scope: str = ""
    person: bool = False

    @property
    def whose(self) -> str:
        """What the names of this row's blocks start with."""
        return PERSON if self.person else ""

    def value(self, column: str) -> exp.Expr:
        """Return the row's own value."""
        return exp.Column(this=identifier(column), table=identifier(TABLE))

    def draw(self, column: str, number: int = 0) -> exp.Expr:
        """Return the column's draw of this number. The first two come from digests that all columns share."""
        if number < OWN:
            return _shared(self.lanes[self.place(column)], number, self.whose)
        block, lane = divmod(number - OWN, LANES)
        # The key follows the block: with ':' as it is, column `a` of the key '1:x' and `a:0` of 'x' could draw alike.
        place = self.place(column.replace(":", "::"))
        return placeholder("SDC_DRAW", f"{self.whose}{place}:{block}", lane)

    def rank(self, column: str) -> exp.Expr:
        """Return a draw so fine that no two records tie, even among ten million: of 60 or 62 bits."""
        if self.leads(column):
            return exp.Paren(this=bigint(self.draw(column)) * number(2**TAIL) + self.tail(column))
        low = exp.Paren(this=exp.BitwiseRightShift(this=self.draw(column, 1), expression=number(2)))
        return exp.Paren(this=self.draw(column, 0) * number(2**30) + low)

    def leads(self, column: str) -> bool:
        """Return whether the column's first draw is only the leading bits of its rank."""
        lane = self.lanes.get(self.place(column))
        return isinstance(lane, Bits) and lane.width == LEAD

    def tail(self, column: str) -> exp.Expr:
        """Return the other bits of its rank, from a digest that no other column has."""
        place = self.place(column.replace(":", "::"))
        return placeholder("SDC_LATE", f"{self.whose}{place}:tail", 0, TAIL)

    def width(self, column: str) -> int:
        """Return how many bits the column's first draw has."""
        lane = self.lanes.get(self.place(column), 0)
        return min(lane.width, 32) if isinstance(lane, Bits) else 32

    def place(self, column: str) -> str:
        """Return the name under which the draws of a column are kept."""
        return f"{self.scope}:{column}"

    def uniform(self, column: str, number: int = 0) -> exp.Expr:
        """Return a draw as a number from 0 up to, but not including, 1."""
        return double(self.draw(column, number)) * real(1 / SPAN)

    def fine_uniform(self, column: str) -> exp.Expr:
        """Return both draws as a number from 0 up to, but not including, 1, in steps of 2^-53.

        Noise with all its digits needs it: in steps of 2^-32, only one original of a million would explain a value.
        """
        low = exp.Paren(this=exp.BitwiseRightShift(this=self.draw(column, 1), expression=number(11)))
        return double(exp.Paren(this=self.draw(column) * number(2**21) + low)) * real(2.0**-53)

    def normal(self, column: str) -> exp.Expr:
        """Return a standard normal number from two draws (Box and Muller).

        They make two independent ones, by cosine and sine: that of the column whose lane is even, and that of a
        column, if any, which shares the two draws.
        """
        lane = self.lanes[self.place(column)]
        if isinstance(lane, Bits):  # both numbers need the radius, and in the CASE of NULL each would compute it
            wide, sine = max(RADIUS, lane.width // 2), lane.half
            size = lane.width - wide
            first, second = _cut(lane.first, wide, self.whose), _cut(lane.first + wide, size, self.whose)
            radius = once(f"{self.whose}radius {lane.first} {wide}", _radius(first, wide))
        else:
            size, sine = 32, lane % 2
            first, second = (_shared(lane - sine, place, self.whose) for place in (0, 1))
            radius = _radius(first, size)
        angle = double(second) * real(math.tau * 2.0**-size)
        turn = exp.Anonymous(this="sin" if sine else "cos", expressions=[angle])
        return exp.Mul(this=radius, expression=turn)


def _radius(draw: exp.Expr, size: int) -> exp.Expr:
    above_zero = double(exp.Paren(this=draw + number(1))) * real(2.0**-size)
    return exp.Sqrt(this=exp.Mul(this=real(-2.0), expression=exp.Ln(this=above_zero)))


def placeholder(name: str, *arguments: str | int | exp.Expr) -> exp.Anonymous:
    """Return one of the six placeholders."""
    return exp.Anonymous(this=name, expressions=[_literal(argument) for argument in arguments])


def item(name: str, index: exp.Expr) -> exp.Expr:
    """Return an item, counted from 1, of the list `name`."""
    return placeholder("SDC_ITEM", name, index)


def code(name: str, value: exp.Expr) -> exp.Expr:
    """Return the position of a value in the list `name`, counted from 0."""
    return placeholder("SDC_CODE", name, value)


def joined(table: str, column: str) -> exp.Expr:
    """Return a column of the record's row in a table that fitting stored."""
    return placeholder("SDC_JOINED", table, column)


def once(name: str, value: exp.Expr) -> exp.Expr:
    """Return a value that several columns need, such as the leaf of a tree: a view computes it once per record.

    Equal names must stand for equal values. The value may use columns, draws and other such values, but no list.
    """
    node = placeholder("SDC_ONCE", name)
    node.args["held"] = _Held(value)
    return node


@dataclass(frozen=True, eq=False)
class _Held:
    """A value that a placeholder stands for, beside the tree: a copy of the tree does not copy it.

    A leaf may be thousands of nodes, and the expressions of a view name it dozens of times.
    """

    value: exp.Expr


def held(node: exp.Anonymous) -> exp.Expr:
    """Return a copy of the value that is computed once."""
    own = node.args["held"]
    if not isinstance(own, _Held):
        raise InternalError(f"{node.sql()} holds no value")
    return own.value.copy()


def unfolded(tree: exp.Expr) -> exp.Expr:
    """Return a copy in which every value that is computed once stands where it is named."""

    def value(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Anonymous) and node.this == "SDC_ONCE":
            return exp.Paren(this=unfolded(held(node)))
        return node

    return tree.transform(value)


def real(value: float) -> exp.Expr:
    """Write a number so that every engine reads a DOUBLE, not a DECIMAL."""
    if not math.isfinite(value):
        raise InternalError("a view cannot compute with a number that is not finite")
    text = repr(abs(float(value)))
    literal = exp.Literal.number(text if "e" in text else f"{text}e0")
    return exp.Paren(this=exp.Neg(this=literal)) if value < 0 else literal


def number(value: int) -> exp.Expr:
    """Write a whole number."""
    return exp.Literal.number(value)


def double(value: exp.Expr) -> exp.Expr:
    """Cast to DOUBLE."""
    return exp.cast(value, "DOUBLE")


def bigint(value: exp.Expr) -> exp.Expr:
    """Cast to BIGINT."""
    return exp.cast(value, "BIGINT")


def integer(value: exp.Expr) -> exp.Expr:
    """Cast to INTEGER: half the memory of a BIGINT, which is what a view of many columns waits for."""
    return exp.cast(value, "INT")


def flag(condition: exp.Expr) -> exp.Expr:
    """Return 1 where a condition holds and 0 where it does not: a CASE that DuckDB computes in one pass."""
    return bigint(exp.Paren(this=condition))


def where(condition: exp.Expr, index: exp.Expr) -> exp.Expr:
    """Return an index where a condition holds, else 0, where no list has an item: what is looked up is then NULL."""
    return flag(condition) * exp.Paren(this=index)


def nearest(value: exp.Expr) -> exp.Expr:
    """Round to the nearest whole number, halves up, in the same way on every engine."""
    return bigint(exp.Floor(this=value + real(0.5)))


def typed(value: exp.Expr, kind: str) -> exp.Expr:
    """Cast to a type as DuckDB names it, such as a column's: `UINTEGER`, `ENUM('a', 'b')`, `DECIMAL(8,2)`."""
    return exp.cast(value, exp.DataType.build(kind, dialect="duckdb"))


def pick(draw: exp.Expr, size: int) -> exp.Expr:
    """Turn a draw into a whole number from 0 to size - 1; each has its share of the draws to within one in 2^32."""
    return bigint(exp.Floor(this=double(exp.Paren(this=draw * number(size))) * real(1 / SPAN)))


def array(items: Sequence[exp.Expr]) -> exp.Expr:
    """Return a list made in the row."""
    return exp.Array(expressions=list(items))


def ascending(items: exp.Expr) -> exp.Expr:
    """Sort a list."""
    return exp.Anonymous(this="array_sort", expressions=[items])


def element(items: exp.Expr, index: exp.Expr) -> exp.Expr:
    """Return an item, counted from 1, of a list made in the row; NULL outside of it."""
    return exp.Bracket(this=items, expressions=[exp.cast(index, "INT")], offset=1, safe=True)  # Spark asks for an INT


def each(items: exp.Expr, name: str, body: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Apply `body` to every item of a list. `name` is the item's in the SQL; nested lists need different ones."""
    parameter = identifier(f"sdc_{name}")  # a name that hardly any column has
    changed = exp.Lambda(this=body(exp.Column(this=parameter)), expressions=[parameter.copy()], colon=True)
    return exp.Transform(this=items, expression=changed)


def _shared(lane: Lane, number: int, whose: str) -> exp.Expr:
    """Return a draw from the digests that all columns share, which are one after the other."""
    if isinstance(lane, Bits):
        size = min(lane.width, 32)
        if number * size + size > lane.width:
            raise InternalError(f"draw {number} of {lane.width} bits: the column has fewer draws than it asked for")
        return _cut(lane.first + number * size, size, whose)
    block, own = divmod(lane + number, LANES)
    return placeholder("SDC_DRAW", f"{whose}{block}", own)


def _cut(first: int, width: int, whose: str) -> exp.Expr:
    """Return bits of the shared digests. Their names differ from those of lanes: no bit serves two definitions."""
    block, bit = divmod(first, DIGEST)
    return placeholder("SDC_DRAW", f"{whose}bits {block}", bit, width)


def _literal(argument: str | int | exp.Expr) -> Any:
    if isinstance(argument, exp.Expr):
        return argument
    return number(argument) if isinstance(argument, int) else exp.Literal.string(argument)
