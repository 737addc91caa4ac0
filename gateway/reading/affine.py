"""A constant factor and offset: SUM(salary * 12) is 12 x SUM(salary), and discloses exactly as much."""

from dataclasses import dataclass
from fractions import Fraction

from sqlglot import exp

from sdcdb.errors import Unsupported

_SMALLEST, _LARGEST = Fraction(1, 10**30), Fraction(10**30)


@dataclass(frozen=True)
class Linear:
    """factor x column + offset. Without a column, a constant."""

    column: exp.Column | None
    factor: Fraction
    offset: Fraction

    def apply(self, total: exp.Expr, records: exp.Expr | None = None) -> exp.Expr:
        """Return factor x total + offset x records; `records` is left out for one value."""
        scaled = total if self.factor == 1 else exp.Paren(this=number(self.factor) * total)
        if not self.offset:
            return scaled
        added = number(self.offset) if records is None else number(self.offset) * records
        return exp.Paren(this=scaled + exp.Paren(this=added))


def linear(tree: exp.Expr) -> Linear:
    """Read an expression of one column and constants; refuse anything that is not linear."""
    if isinstance(tree, exp.Paren):
        return linear(tree.this)
    if isinstance(tree, exp.Column):
        return Linear(tree, Fraction(1), Fraction(0))
    if isinstance(tree, exp.Literal) and not tree.is_string:
        return Linear(None, Fraction(0), _fraction(tree))
    if isinstance(tree, exp.Neg):
        return _scaled(linear(tree.this), Fraction(-1))
    if isinstance(tree, exp.Cast) and not isinstance(tree, exp.TryCast) and tree.to.this is exp.DataType.Type.DOUBLE:
        return linear(tree.this)
    if type(tree) in {exp.Add, exp.Sub, exp.Mul, exp.Div}:
        return _combined(tree, linear(tree.this), linear(tree.expression))
    raise _refused()


def _combined(tree: exp.Expr, left: Linear, right: Linear) -> Linear:
    if isinstance(tree, exp.Mul):
        if left.column is not None and right.column is not None:
            raise _refused()
        return _scaled(left, right.offset) if right.column is None else _scaled(right, left.offset)
    if isinstance(tree, exp.Div):
        if right.column is not None or not right.offset:
            raise _refused()
        return _scaled(left, 1 / right.offset)
    if left.column is not None and right.column is not None:
        raise _refused()
    sign = -1 if isinstance(tree, exp.Sub) else 1
    return _sized(
        Linear(
            left.column if left.column is not None else right.column,
            left.factor + sign * right.factor,
            left.offset + sign * right.offset,
        )
    )


def _scaled(form: Linear, factor: Fraction) -> Linear:
    if form.column is not None and not factor:
        raise _refused()
    return _sized(Linear(form.column, form.factor * factor, form.offset * factor))


def _sized(form: Linear) -> Linear:
    """Refuse constants that no honest unit needs: they overflow, or round the answer away."""
    if any(value and not _SMALLEST < abs(value) < _LARGEST for value in (form.factor, form.offset)):
        raise _refused()
    return form


def _fraction(literal: exp.Literal) -> Fraction:
    text = str(literal.this)
    try:
        size = abs(float(text))
    except ValueError:
        raise _refused() from None
    if len(text) > 30 or not (size == 0 or 1e-15 < size < 1e15):
        raise _refused()
    return Fraction(text) if size else Fraction(0)  # 1e-999999999 would be a very long fraction


def number(value: Fraction) -> exp.Expr:
    """Write a constant: whole numbers as they are, others as DOUBLE."""
    if value.denominator == 1 and abs(value) < 10**15:
        literal: exp.Expr = exp.Literal.number(abs(value.numerator))
    else:
        text = repr(abs(float(value)))
        literal = exp.Literal.number(text if "e" in text else f"{text}e0")
    return exp.Paren(this=exp.Neg(this=literal)) if value < 0 else literal


def _refused() -> Unsupported:
    return Unsupported(
        "a confidential column may stand in an aggregate alone or with a constant factor and offset",
        "SUM(salary * 12), AVG(salary) / 1000",
    )
