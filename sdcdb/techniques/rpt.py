"""RPT, the Random Perturbation Technique (thesis 2007, section 4.2)."""

from collections.abc import Mapping
from typing import Any, Literal

from sqlglot import exp

from sdcdb.engines.expressions import LEAD, TAIL, Row, bigint, flag, item, number, typed, where
from sdcdb.techniques.families.categories import CategoryShape, category_shape
from sdcdb.techniques.families.leaf_class import expected_changes, frequencies
from sdcdb.techniques.families.leaves import TreeParams, grown, leaf, leaf_counts, over_rows, present
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique, rank_draw
from sdcdb.trees.tree import Tree

NEVER = 2**62  # draws are below this


class Rpt(TreeParams):
    """Shuffle the class among the records of each leaf of a decision tree.

    A tree that predicts the column from the others is grown. In every leaf, all records first get the majority class;
    then as many as had a minority class, chosen at random, get that class (thesis 4.2, RPT, for any number of classes).
    So each leaf keeps its exact counts, and a tree finds the same patterns, but nobody knows which record of a mixed
    leaf has which class. Records in a leaf with one class keep it: it follows from the rule.

    Every record has its own draw; fitting finds the draws at which one class ends and the next begins in a leaf, so the
    view needs no window. After inserts, deletes or updates the counts are only approximate: fit again.

    The expected number of changes is the sum of 2 m n / (m + n) over leaves with m majority and n minority records
    (eq. 4.1), for two classes.
    """

    method: Literal["rpt"]


class FittedRpt(Fitted):
    """The draws at which one class ends and the next begins."""

    technique: Literal["rpt"] = "rpt"
    shape: CategoryShape
    tree: Tree
    outcomes: tuple[tuple[int, ...], ...]
    """For each leaf the classes, minority ones first, as positions among the values."""
    ends: tuple[tuple[int, ...], ...]
    """For each leaf and class but the last, the smallest draw beyond it."""
    leads: bool = False
    """Whether draws have two parts, the second of which is computed only for records that tie in the first."""
    expected_changes: float

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the values, and outcomes and ends of the leaves one after the other."""
        if not self.shape.values:
            return {}
        (column,), width = self.columns, self._width
        outcomes = tuple(c + 1 for own in self.outcomes for c in (*own, *[own[-1]] * (width - len(own))))
        ends = tuple(end for own in self.ends for end in (*own, *[NEVER] * (width - 1 - len(own))))
        named = {f"{column} values": self.shape.values, f"{column} outcomes": outcomes}
        if self.leads and ends:
            leading = tuple(min(end >> TAIL, 2**LEAD) for end in ends)  # no draw has as much as the last
            return named | {f"{column} ends": leading, f"{column} tails": tuple(end % 2**TAIL for end in ends)}
        return named | ({f"{column} ends": ends} if ends else {})

    @property
    def _width(self) -> int:
        return max(len(own) for own in self.outcomes)

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Count the ends at or below the record's draw: that is the place of its class in the leaf."""
        (column,) = self.columns
        if not self.shape.values:
            return {column: typed(exp.null(), self.shape.type)}
        at, width = bigint(leaf(self.tree, row)), self._width
        place: exp.Expr = at * number(width) + number(1)
        for position in range(width - 1):
            place = place + self._beyond(row, at.copy() * number(width - 1) + number(position + 1))
        shown = where(present(row.value(column)), place)
        return {column: typed(item(f"{column} values", item(f"{column} outcomes", shown)), self.shape.type)}

    def _beyond(self, row: Row, index: exp.Expr) -> exp.Expr:
        """Return 1 where the record's draw is at an end or beyond it, else 0."""
        (column,) = self.columns
        end = item(f"{column} ends", index)
        if not self.leads:
            return flag(row.rank(column) >= end)
        leading = row.draw(column)
        tied = flag(row.tail(column) >= item(f"{column} tails", index.copy()))
        return exp.Case().when(leading.eq(end), tied).else_(flag(leading.copy() > end.copy()))

    def null_safe(self) -> bool:
        """A NULL index gives NULL."""
        return True

    def random(self) -> bool:
        """Leaves of one class have nothing to shuffle."""
        return any(self.ends)

    def words(self) -> Mapping[str, str]:
        """Explain the shuffle."""
        (column,) = self.columns
        mixed = sum(bool(own) for own in self.ends)
        return {
            column: f"shuffled among the records of each leaf of a tree that predicts it, {mixed} of "
            f"{len(self.outcomes)} leaves have several classes; about {self.expected_changes:,.0f} records change, and "
            "each leaf keeps its counts"
        }


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Params) -> FittedRpt:
    """Grow the tree, count classes per leaf, and find the draws at which one class ends and the next begins."""
    (column,) = columns
    if not isinstance(params, TreeParams):
        raise TypeError(f"{params.method!r} grows no tree")
    return fit_class(engine, table, column, grown(engine, table, column.name, params))


def fit_class(engine: Engine, table: Source, column: ColumnSpec, tree: Tree) -> FittedRpt:
    """As `fit`, with an existing tree."""
    shape = category_shape(engine, table, column)
    found = frequencies(tree, shape.values, leaf_counts(engine, table, tree, column.name)).astype(int)
    outcomes, ranks = [], []
    for counts in found:
        classes = [int(code) for code in sorted(range(len(counts)), key=lambda code: counts[code]) if counts[code]]
        outcomes.append(tuple(classes))
        ranks.append([int(counts[classes[: n + 1]].sum()) for n in range(len(classes) - 1)])
    return FittedRpt(
        columns=(column.name,), shape=shape, tree=tree, outcomes=tuple(outcomes),
        ends=_ends(engine, table, tree, column.name, ranks), expected_changes=expected_changes(found),
        leads=table.row.leads(column.name),
    )  # fmt: skip


def _ends(
    engine: Engine, table: Source, tree: Tree, column: str, ranks: list[list[int]]
) -> tuple[tuple[int, ...], ...]:
    """Return the draw of the record at each rank, counted from 0, of each leaf."""
    wanted = [(at, rank) for at, own in enumerate(ranks) for rank in own]
    if not wanted:
        return tuple(() for _ in ranks)
    row = table.row
    inner = over_rows(engine, table, {"leaf": leaf(tree, row), "draw": row.rank(column)}, [present(row.value(column))])
    listed = ", ".join(f"({at}, {rank + 1})" for at, rank in wanted)
    rows = engine.query(
        f"SELECT leaf, n, draw FROM (SELECT leaf, draw, row_number() OVER (PARTITION BY leaf ORDER BY draw) AS n "
        f"FROM ({inner})) SEMI JOIN (VALUES {listed}) AS w(leaf, n) USING (leaf, n)"
    )
    draws = {(int(at), int(n) - 1): int(draw) for at, n, draw in rows}
    return tuple(tuple(draws[at, rank] for rank in own) for at, own in enumerate(ranks))


TECHNIQUE = Technique("rpt", Kind.CATEGORY, Rpt, FittedRpt, fit, draws=rank_draw)
