"""GROUP BY in all its forms: columns, expressions, positions, aliases, ALL, GROUPING SETS, ROLLUP and CUBE."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier, quoted
from sdcdb.errors import Unsupported
from sdcdb.gateway.reading import validated
from sdcdb.gateway.reading.reserved import CHOSEN
from sdcdb.gateway.reading.resolution import Names

MOST_SETS = 64


@dataclass(frozen=True)
class Grouping:
    """The expressions that group, and the sets of them (by position) for which results are wanted."""

    expressions: tuple[exp.Expr, ...] = ()
    sets: tuple[tuple[int, ...], ...] = ((),)
    grouped: bool = False
    by_letter: bool = False
    """Whether texts that a collation takes as equal are groups of their own: as DuckDB has it for GROUP BY ALL."""

    def position(self, resolved: exp.Expr) -> int | None:
        """Return the position of an expression among those that group."""
        text = quoted(resolved)
        return next((n for n, own in enumerate(self.expressions) if quoted(own) == text), None)

    def level(self, positions: Sequence[int]) -> exp.Expr:
        """Return what GROUPING gives for these expressions: a bit for each that does not group the row."""
        found = exp.Case(this=exp.Column(this=identifier(CHOSEN)))
        for number, chosen in enumerate(self.sets):
            bits = sum((n not in chosen) << place for place, n in enumerate(reversed(positions)))
            found = found.when(exp.Literal.number(number), exp.Literal.number(bits))
        return exp.Paren(this=exp.cast(found, "BIGINT"))


def grouping(select: exp.Select, names: Names) -> Grouping:
    """Read the GROUP BY of a SELECT."""
    group = select.args.get("group")
    if group is None:
        return Grouping()
    for name, value in group.args.items():
        if name not in {"expressions", "all"} and value:
            raise Unsupported("this form of GROUP BY is not understood", "GROUP BY columns")
    reader = _Reader(select, names)
    given = _plain(select) if group.args.get("all") else group.expressions
    parts = [reader.sets(element) for element in given]
    sets = [tuple(dict.fromkeys(n for part in chosen for n in part)) for chosen in product(*parts)]
    if len(sets) > MOST_SETS:
        raise Unsupported(f"there are more than {MOST_SETS} grouping sets", "group by fewer columns at once")
    return Grouping(tuple(reader.found), tuple(sets), grouped=True, by_letter=bool(group.args.get("all")))


class _Reader:
    def __init__(self, select: exp.Select, names: Names) -> None:
        self.select = select
        self.names = names
        self.found: list[exp.Expr] = []

    def sets(self, element: exp.Expr) -> list[tuple[int, ...]]:
        """Return the alternatives that one element of GROUP BY stands for."""
        if isinstance(element, exp.GroupingSets):
            return [chosen for inner in element.expressions for chosen in self.sets(inner)]
        if isinstance(element, exp.Rollup):
            parts = [self._members(inner) for inner in element.expressions]
            return [sum(parts[:n], ()) for n in range(len(parts), -1, -1)]
        if isinstance(element, exp.Cube):
            parts = [self._members(inner) for inner in element.expressions]
            if len(parts) > 6:
                raise Unsupported("CUBE of more than six columns", "fewer columns")
            sizes = range(len(parts), -1, -1)
            return [sum(chosen, ()) for size in sizes for chosen in combinations(parts, size)]
        return [self._members(element)]

    def _members(self, element: exp.Expr) -> tuple[int, ...]:
        if isinstance(element, exp.Tuple):
            return tuple(self._one(inner) for inner in element.expressions)
        return (self._one(element),)

    def _one(self, element: exp.Expr) -> int:
        while isinstance(element, exp.Paren):
            element = element.this
        resolved = validated.expression(self._meant(element), self.names)
        text = quoted(resolved)
        for position, own in enumerate(self.found):
            if quoted(own) == text:
                return position
        self.found.append(resolved)
        return len(self.found) - 1

    def _meant(self, element: exp.Expr) -> exp.Expr:
        """Return what a position or an alias of the SELECT list stands for; a column's own name comes first."""
        if isinstance(element, exp.Literal) and not element.is_string and str(element.this).isdigit():
            position = int(str(element.this))
            if not 1 <= position <= len(self.select.expressions):
                raise Unsupported(f"GROUP BY {position} is no position of the SELECT list", "a column")
            return _unaliased(self.select.expressions[position - 1])
        if isinstance(element, exp.Column) and not element.table and self.names.find(element) is None:
            meant = aliases(self.select).get(fold(element.name))
            if meant is not None:
                return meant
        return element


def aliases(select: exp.Select) -> dict[str, exp.Expr]:
    """Return the SELECT list's aliases, folded, and what they stand for."""
    return {fold(each.alias): each.this for each in select.expressions if isinstance(each, exp.Alias)}


def _unaliased(expression: exp.Expr) -> exp.Expr:
    return expression.this if isinstance(expression, exp.Alias) else expression


def _plain(select: exp.Select) -> Sequence[exp.Expr]:
    """Return what GROUP BY ALL groups by: the members of the SELECT list without an aggregate."""
    bare = [_unaliased(each) for each in select.expressions]
    return [each for each in bare if each.find(exp.AggFunc) is None and each.find(exp.Column) is not None]
