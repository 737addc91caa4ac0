"""C-GADP, GADP with a normal copula (Sarathy, Muralidhar and Parsa 2002; thesis 2007, chapter 7)."""

from collections.abc import Mapping
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from pydantic import Field
from sqlglot import exp

from sdcdb.engines.expressions import Row, bigint, double, item, number, once, real
from sdcdb.fields.strict import Strict
from sdcdb.techniques.families.gadp import Floats, Moments, rule
from sdcdb.techniques.families.grain import FINE, on_grain
from sdcdb.techniques.families.leaves import leaf, over_rows, present
from sdcdb.techniques.families.linear import CROWD, LinearParams, given_columns, normal, steady, tree_of
from sdcdb.techniques.families.numbers import NumberShape
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Source, Technique
from sdcdb.trees.tree import Tree

SEARCHED = 33  # quantiles used to look up the score of a value
FAR = 4.0  # standard deviations: scores are clipped here, in 6 of 100,000 records


class Cgadp(LinearParams):
    """Redraw several numbers so that their marginal distributions and rank correlations are kept, up to chance.

    As GADP, but every number is first replaced by the normal score of its rank; the scores are redrawn with their means
    and covariances, and turned back into numbers by the quantiles of the column. So the marginals are those of the
    data, whatever their shape, and monotonic relations are kept (Sarathy, Muralidhar and Parsa 2002). Non-monotonic
    relations and dependence only in the tails are not.

    Fitting keeps `points` quantiles of each column (of each leaf of ten records or more with `per_leaf: true`) and
    interpolates linearly between them. The smallest and the largest number of the data may be published: they belong
    to someone, so use `gadp` where that matters. The numbers of a leaf always stay inside its ranges.
    """

    method: Literal["cgadp"]
    points: int = Field(default=101, ge=5, le=10_001, strict=True)
    """The number of quantiles to keep, evenly spaced in normal scores from -4 to 4."""


class CopulaRule(Strict):
    """The coefficients of scores and draws of a leaf or the table, and quantiles of its columns, given ones last."""

    inputs: tuple[tuple[float, ...], ...]
    noise: tuple[tuple[float, ...], ...]
    quantiles: tuple[tuple[float, ...], ...]


class FittedCgadp(Fitted):
    """Columns perturbed by C-GADP."""

    technique: Literal["cgadp"] = "cgadp"
    given: tuple[str, ...]
    shapes: tuple[NumberShape, ...]
    tree: Tree | None
    rules: tuple[CopulaRule, ...]
    points: int
    rounded: bool = False
    """Whether scores are rounded before they become numbers, so that no last bits are left of the original's."""

    def lists(self) -> Mapping[str, tuple[Any, ...]]:
        """Return the quantiles, leaf after leaf, and each column's coefficients of scores and draws."""
        made: dict[str, tuple[Any, ...]] = {}
        for j, column in enumerate((*self.columns, *self.given)):
            made[f"{column} quantiles"] = tuple(q for own in self.rules for q in own.quantiles[j])
            if j < len(self.columns):
                for i, other in enumerate((*self.columns, *self.given)):
                    made[f"{column} of {other}"] = tuple(own.inputs[j][i] for own in self.rules)
                for i, other in enumerate(self.columns):
                    made[f"{column} draw {other}"] = tuple(own.noise[j][i] for own in self.rules)
        return made

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:
        """Return the quantile of the perturbed score."""
        at = bigint(leaf(self.tree, row)) if self.tree else bigint(number(0))
        lists = self.lists()

        def part(name: str, value: exp.Expr) -> exp.Expr | None:
            if not any(lists[name]):
                return None
            factor = item(name, at.copy() + number(1)) if len(self.rules) > 1 else real(lists[name][0])
            return exp.Mul(this=factor, expression=value)

        made = {}
        for column, shape in zip(self.columns, self.shapes, strict=True):
            parts = [part(f"{column} draw {other}", normal(row, other)) for other in self.columns]
            parts += [
                part(f"{column} of {other}", self._score(row, other, at))
                for other in (*self.columns, *self.given)
                if any(lists[f"{column} of {other}"])
            ]
            score = real(0.0)
            for each in filter(None, parts):
                score = exp.Add(this=score, expression=each)
            if self.rounded:
                score = on_grain(score, 2.0**-FINE)
            made[column] = shape.fit(exp.Paren(this=self._quantile(column, score, at)), "clip")
        return made

    def _quantile(self, column: str, score: exp.Expr, at: exp.Expr) -> exp.Expr:
        """Return the point of the line of quantiles at a score: the line is a list, evenly spaced in scores."""
        last = self.points - 1
        scale = real(last / (2 * FAR))
        stopped = exp.Greatest(
            this=exp.Least(
                this=exp.Paren(this=exp.Paren(this=score + real(FAR)) * scale), expressions=[real(last - 1e-9)]
            ),
            expressions=[real(0.0)],
        )
        place = double(exp.Floor(this=stopped))
        index = at * number(self.points) + bigint(exp.Floor(this=stopped.copy())) + number(1)
        below = item(f"{column} quantiles", index)
        above = item(f"{column} quantiles", index.copy() + number(1))
        rise = exp.Paren(this=above - below)
        return below.copy() + rise * exp.Paren(this=stopped.copy() - place)

    def _score(self, row: Row, column: str, at: exp.Expr) -> exp.Expr:
        """Return the score at which the line of quantiles passes a value; NULL has the score 0."""
        value = double(row.value(column))
        j = (*self.columns, *self.given).index(column)
        cases = exp.Case()
        for number_, own in enumerate(self.rules):
            cases = cases.when(at.copy().eq(number(number_)), _search(value, own.quantiles[j], self.points), copy=False)
        whole = (
            cases.else_(real(0.0)) if len(self.rules) > 1 else _search(value, self.rules[0].quantiles[j], self.points)
        )
        return once(f"score {row.place(column)}", exp.Coalesce(this=whole, expressions=[real(0.0)]))

    def random(self) -> bool:
        """Without variance there is nothing to draw."""
        return any(q[0] != q[-1] for own in self.rules for q in own.quantiles[: len(self.columns)])

    def words(self) -> Mapping[str, str]:
        """Explain the draw."""
        where = f" in each of {len(self.rules)} leaves" if self.tree else ""
        kept = ", ".join((*self.columns, *self.given))
        return dict.fromkeys(
            self.columns, f"redrawn{where}; its distribution and rank correlations of {kept} are kept, up to chance"
        )


def _search(value: exp.Expr, quantiles: tuple[float, ...], points: int) -> exp.Expr:
    """Return the score of a value by nested CASEs that halve the line: the middle of where it passes the value."""
    width = 2 * FAR / (points - 1)
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for place, level in enumerate(quantiles):
        first.setdefault(level, place)
        last[level] = place
    levels = sorted(first)
    levels = [levels[n] for n in np.unique(np.linspace(0, len(levels) - 1, SEARCHED).astype(int))]
    scores = [-FAR + width * (first[level] + last[level]) / 2 for level in levels]

    def halved(low: int, high: int) -> exp.Expr:
        if high - low <= 1:
            rise = levels[high] - levels[low]
            slope = (scores[high] - scores[low]) / rise if rise else 0.0
            above = exp.Paren(this=exp.Sub(this=value.copy(), expression=real(levels[low])))
            return exp.Add(this=real(scores[low]), expression=exp.Mul(this=real(slope), expression=above))
        middle = (low + high) // 2
        test = exp.LT(this=value.copy(), expression=real(levels[middle]))
        return exp.Case().when(test, halved(low, middle), copy=False).else_(halved(middle, high), copy=False)

    line = halved(0, len(levels) - 1)
    inside = exp.Greatest(this=exp.Least(this=line, expressions=[real(FAR)]), expressions=[real(-FAR)])
    missing = exp.Is(this=value.copy(), expression=exp.null())
    return exp.Case().when(missing, exp.null(), copy=False).else_(inside, copy=False)


def fit(engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], params: Cgadp) -> FittedCgadp:
    """Find the quantiles of each leaf and the correlations of its normal scores."""
    given, tree = given_columns(engine, table, columns, params), tree_of(engine, table, params)
    return fit_columns(engine, table, columns, given, tree, params)


def fit_columns(
    engine: Engine, table: Source, columns: tuple[ColumnSpec, ...], given: tuple[str, ...], tree: Tree | None,
    params: Cgadp,
) -> FittedCgadp:  # fmt: skip
    """As `fit`, with an existing tree."""
    shapes = tuple(NumberShape.of(column) for column in columns)
    names = [column.name for column in columns]
    every, leaves = _columns(engine, table, [*names, *given], tree)
    rules = []
    for at in range(len(tree.leaves()) if tree else 1):
        own = every[leaves == at] if tree else every
        rules.append(_rule(own if len(own) >= CROWD else every, len(names), params))
    return FittedCgadp(
        columns=tuple(names),
        given=given,
        shapes=shapes,
        tree=tree,
        rules=tuple(rules),
        points=params.points,
        rounded=True,
    )


def _columns(engine: Engine, table: Source, names: list[str], tree: Tree | None) -> tuple[Floats, Floats]:
    """Return the complete records and their leaves; of a table of millions the engine would sort no faster."""
    row = table.row
    values = {f"x{n}": double(row.value(name)) for n, name in enumerate(names)}
    query = over_rows(
        engine, table, {"leaf": leaf(tree, row) if tree else number(0)} | values,
        [present(row.value(name)) for name in names],
    )  # fmt: skip
    found = engine.con.sql(query).fetchnumpy()
    return np.column_stack([np.asarray(found[name], np.float64) for name in values]), np.asarray(found["leaf"])


def _rule(values: Floats, numbers: int, params: Cgadp) -> CopulaRule:
    if not len(values):
        values = np.zeros((1, values.shape[1]))
    normal_dist = NormalDist()
    shares = [normal_dist.cdf(-FAR + 2 * FAR * n / (params.points - 1)) for n in range(params.points)]
    shares[0], shares[-1] = 0.0, 1.0
    scores = _scores(values)
    covariance = np.atleast_2d(np.cov(scores.T)) if len(values) > 1 else np.zeros((values.shape[1],) * 2)
    size = len(covariance) + numbers
    joint = np.eye(size)
    joint[: len(covariance), : len(covariance)] = covariance
    scale = np.sqrt(np.diag(covariance))  # scores of ties vary less than 1; what is drawn varies by 1
    spread = np.where(scale > 0, scale, 1.0)
    joint[: len(covariance), : len(covariance)] /= np.outer(spread, spread)
    made = rule(Moments(np.zeros(size), joint), numbers, params.proximity, exact=False)
    return CopulaRule(
        inputs=tuple(map(steady, made.inputs / spread)),
        noise=tuple(map(steady, made.noise)),
        quantiles=tuple(steady(np.quantile(column, shares)) for column in values.T),
    )


def _scores(values: Floats) -> Floats:
    """Return the normal scores of the middle ranks, column by column."""
    from scipy import stats

    ranks = np.apply_along_axis(stats.rankdata, 0, values)
    return np.asarray(stats.norm.ppf((ranks - 0.5) / len(values)))


TECHNIQUE = Technique("cgadp", Kind.NUMBER, Cgadp, FittedCgadp, fit, joint=True)
