"""Compare a protected view with its table: what an analyst can still use, and what an intruder can still learn."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from sdcdb.assess.channels import channel, counted, grid_of
from sdcdb.assess.gate import Standing, measure
from sdcdb.assess.paired import as_text, boolean, codes, counts, floats, linked, listed
from sdcdb.assess.patterns import Patterns, patterns
from sdcdb.assess.sweep import Point, category_sweep, number_sweep
from sdcdb.assess.uncertainty import Published, Uncertainty, uncertainty
from sdcdb.assess.verdict import Verdict, judge
from sdcdb.errors import SdcdbError, choices
from sdcdb.measures.associations import PairChange, compare_pairs
from sdcdb.measures.change import (
    CategoryChange,
    CorrelationChange,
    NumberChange,
    category_change,
    correlation_change,
    number_change,
)
from sdcdb.measures.loss import EanLoss, ean_loss
from sdcdb.measures.reidentification import AverageEntropies, Draw, PerturbedTable, entropy_profile
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Role, Table, View
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.kanonymity import FittedKanonymity
from sdcdb.techniques.sampling import FittedSampling
from sdcdb.techniques.technique import Fitted
from sdcdb.techniques.vicus import Partitioned
from sdcdb.views import catalogue
from sdcdb.views.plan import Plan

MOST_VALUES = 200  # columns with more values are left out of chi-square
TARGETS = 500  # records over which entropies are averaged


@dataclass(frozen=True)
class Comparison:
    """Everything that was measured. Positions in `associations` and `entropies` refer to `categorical`."""

    plan: Plan
    records: int
    numbers: dict[str, NumberChange]
    correlated: tuple[str, ...]
    correlations: CorrelationChange | None
    categories: dict[str, CategoryChange]
    categorical: tuple[str, ...]
    associations: tuple[PairChange, ...]
    confidential: str | None
    entropies: tuple[AverageEntropies, ...]
    uncertainties: dict[str, tuple[Uncertainty, ...]]
    """For each confidential number with a domain."""
    losses: dict[str, EanLoss]
    """For each column that is published as lists."""
    sweeps: dict[str, tuple[Point, ...]]
    similarities: dict[str, tuple[pd.DataFrame, pd.DataFrame]]
    """Similarity of values before and after, for the columns perturbed by similarity."""
    patterns: Patterns | None
    """What a classifier finds before and after, where the view publishes a class."""
    standing: Standing
    """What the gate before a release says of it."""
    before: pd.DataFrame
    after: pd.DataFrame

    @property
    def verdict(self) -> Verdict:
        """The comparison in words."""
        return judge(self)


def compare(database: Governed, view: str, confidential: str | None = None, seed: int = 0) -> Comparison:
    """Compare a protected view with its table. `confidential` is the category an intruder wants to learn."""
    plan = catalogue.entry(database.con, view).plan
    table, asked = _declared(database, plan)
    before, after = linked(database, plan, asked, seed)
    _known_column(plan, confidential)
    recoded = {name for each in plan.fitted if isinstance(each, FittedKanonymity) for name in each.recoded()}
    numeric = [
        name
        for name in plan.columns
        if pd.api.types.is_numeric_dtype(before[name].dtype) and not boolean(before[name]) and name not in recoded
    ]
    words = [name for name in plan.columns if name not in {*numeric, *recoded} and not listed(after[name])]
    numbers = {name: number_change(floats(before[name]), floats(after[name])) for name in numeric}
    coded = {name: codes(before[name], after[name]) for name in words}
    few = tuple(name for name in words if 1 < len(coded[name][2]) <= MOST_VALUES)
    secret = confidential or next((name for name in few if _transition(plan, name) is not None), None)
    return Comparison(
        plan=plan,
        records=len(before),
        numbers=numbers,
        correlated=tuple(numeric),
        correlations=_correlations(before, after, numeric),
        categories={name: category_change(b, a, len(values)) for name, (b, a, values) in coded.items() if len(values)},
        categorical=few,
        associations=_associations([coded[name] for name in few]),
        confidential=secret if secret in few else None,
        entropies=_entropies(plan, few, coded, secret, seed) if secret in few else (),
        uncertainties=_uncertainties(plan, table, before, after, seed),
        losses=_losses(table, after),
        sweeps=_sweeps(plan, table, asked, before, coded, few),
        similarities=dict(_similarities(asked, coded, few)),
        patterns=_patterns(plan, table, before.drop(columns=recoded), after.drop(columns=recoded), seed),
        standing=measure(plan, table, asked, before, after, seed),
        before=before,
        after=after,
    )


def _patterns(plan: Plan, table: Table, before: pd.DataFrame, after: pd.DataFrame, seed: int) -> Patterns | None:
    """Compare what a classifier finds, where the table has a class and the view publishes it as one value."""
    usable = [name for name in plan.columns if name in after and not listed(after[name])]
    target = next((name for name in table.named(Role.CLASS) if name in usable), None)
    return None if target is None else patterns(before[usable], after[usable], target, seed)


def _declared(database: Governed, plan: Plan) -> tuple[Table, View]:
    table = database.policy.tables.get(plan.table) if database.policy else None
    view = table.protect.get(plan.view) if table else None
    if table is None or view is None:
        raise SdcdbError(f"the policy does not define the view {plan.view!r}: its secret is needed to compare records")
    return table, view


def _known_column(plan: Plan, confidential: str | None) -> None:
    if confidential is not None and confidential not in plan.columns:
        raise SdcdbError(f"{plan.view!r} has no column {confidential!r}; {choices(confidential, plan.columns)}")


def _correlations(before: pd.DataFrame, after: pd.DataFrame, numeric: list[str]) -> CorrelationChange | None:
    if len(numeric) < 2:
        return None
    return correlation_change(*(np.column_stack([floats(half[name]) for name in numeric]) for half in (before, after)))


def _associations(coded: list[tuple[Any, Any, tuple[str, ...]]]) -> tuple[PairChange, ...]:
    if len(coded) < 2:
        return ()
    sizes = [len(values) for _, _, values in coded]
    return compare_pairs(counts([b for b, _, _ in coded], sizes), counts([a for _, a, _ in coded], sizes), sizes)


def _transition(plan: Plan, column: str) -> FittedTransition | None:
    found = (each for each in plan.fitted if isinstance(each, FittedTransition) and each.columns == (column,))
    return next(found, None)


def _entropies(
    plan: Plan,
    columns: tuple[str, ...],
    coded: dict[str, tuple[Any, Any, tuple[str, ...]]],
    secret: str | None,
    seed: int,
) -> tuple[AverageEntropies, ...]:
    """Average the uncertainty of an intruder who knows 1, 2, 3 and all other categories of a record (VICUS, Alg. 2)."""
    whole = np.all([(coded[name][0] >= 0) & (coded[name][1] >= 0) for name in columns], axis=0)
    if not whole.any() or len(columns) < 2 or secret is None:
        return ()
    matrices = [_matrix(plan, name, coded[name][2]) for name in columns]
    original = np.column_stack([coded[name][0][whole] for name in columns])
    observed = np.column_stack([coded[name][1][whole] for name in columns])
    position = columns.index(secret)
    counts = np.bincount(original[:, position], minlength=len(coded[secret][2]))
    table = PerturbedTable.of(observed, matrices, position, counts)
    return entropy_profile(table, original, Draw(combinations=10, targets=min(TARGETS, len(original)), seed=seed))


def _matrix(plan: Plan, column: str, values: tuple[str, ...]) -> Any:
    """Return the column's matrix over the values as numbered here; a column that is not changed has the identity."""
    fitted = _transition(plan, column)
    if fitted is None:
        return np.eye(len(values))
    known = {value: position for position, value in enumerate(fitted.shape.values)}
    rows = np.eye(len(values))
    for i, value in enumerate(values):
        if (row := known.get(as_text(value))) is not None:
            rows[i] = [fitted.matrix[row][known[as_text(other)]] if as_text(other) in known else 0 for other in values]
    return rows / rows.sum(axis=1, keepdims=True)


def _technique(plan: Plan, column: str) -> Fitted | None:
    return next((each for each in plan.fitted if column in each.columns), None)


def _uncertainties(
    plan: Plan, table: Table, before: pd.DataFrame, after: pd.DataFrame, seed: int
) -> dict[str, tuple[Uncertainty, ...]]:
    """Measure the CAE of confidential numbers for an intruder who knows the unchanged quasi-identifiers."""
    samples = [each for each in plan.fitted if isinstance(each, FittedSampling)]
    fraction = float(np.prod([each.size / each.of for each in samples])) if all(each.of for each in samples) else 1.0
    names = [name for name in plan.columns if name in table.named(Role.QUASI) and _technique(plan, name) is None]
    known = [(name, codes(before[name], before[name])[0]) for name in names]
    found = {}
    for name in plan.columns:
        column = table.columns.get(name)
        if column is None or column.role is not Role.CONFIDENTIAL or column.domain is None or listed(after[name]):
            continue
        whole = (before[name].notna() & after[name].notna()).to_numpy()
        if not whole.any():
            continue
        grid, fitted = grid_of(column.domain, column.step), _technique(plan, name)
        cells = [grid.cells(floats(half[name])[whole]) for half in (before, after)]
        likelihood = np.eye(grid.size) if fitted is None else channel(fitted, name, grid)
        if likelihood is None or (likelihood[:, cells[1]].sum(axis=0) == 0).any():
            likelihood = counted(cells[0], cells[1], grid)
        published = Published(grid, cells[0], cells[1], likelihood, fraction)
        found[name] = uncertainty(published, [(other, codes[whole]) for other, codes in known], seed)
    return found


def _losses(table: Table, after: pd.DataFrame) -> dict[str, EanLoss]:
    """Measure the information loss of lists (EAN 2017, eqs. 1 and 2); quasi-identifiers count as kept."""
    quasi = len(table.named(Role.QUASI))
    lists = {name: after[name].dropna() for name in after.columns if listed(after[name])}
    return {name: ean_loss([len(each) for each in column], quasi) for name, column in lists.items()}


def _sweeps(
    plan: Plan,
    table: Table,
    asked: View,
    before: pd.DataFrame,
    coded: dict[str, tuple[Any, Any, tuple[str, ...]]],
    few: tuple[str, ...],
) -> dict[str, tuple[Point, ...]]:
    found = {}
    for name, params in asked.columns.items():
        fitted, column = _technique(plan, name), table.columns[name]
        if isinstance(fitted, FittedTransition) and name in few:
            place = {value: n for n, value in enumerate(fitted.shape.values)}
            rows = np.array([place.get(as_text(value), -1) for value in coded[name][2]])
            codes = np.where(coded[name][0] < 0, -1, rows[coded[name][0]])
            tables = [
                _table(codes, coded[other][0], len(place), len(coded[other][2])) for other in few if other != name
            ]
            counts = np.bincount(codes[codes >= 0], minlength=len(place))
            found[name] = category_sweep(fitted, params, counts.astype(np.float64), tables)
        elif fitted is not None and column.domain is not None and name in before and not listed(before[name]):
            values = floats(before[name])
            found[name] = number_sweep(fitted, name, params, values[~np.isnan(values)], (column.domain, column.step))
    return {name: points for name, points in found.items() if points}


def _table(first: Any, second: Any, rows: int, columns: int) -> Any:
    both = (first >= 0) & (second >= 0)
    return np.bincount(first[both] * columns + second[both], minlength=rows * columns).reshape(rows, columns)


def _similarities(
    asked: View, coded: dict[str, tuple[Any, Any, tuple[str, ...]]], few: tuple[str, ...]
) -> Iterator[tuple[str, tuple[pd.DataFrame, pd.DataFrame]]]:
    """Yield the similarity maps of columns perturbed by similarity, before and after (VICUS 2012, Figures 2 to 4)."""
    if len(few) < 2:
        return
    from sdcdb.similarity.similarity import both

    sizes = [len(coded[name][2]) for name in few]
    ends = np.cumsum([0, *sizes]).tolist()
    blocks = [slice(start, end) for start, end in pairwise(ends)]
    together = [counts([coded[name][half] for name in few], sizes).astype(np.int64) for half in (0, 1)]
    for place, name in enumerate(few):
        params = asked.columns.get(name)
        if isinstance(params, Partitioned):
            maps = []
            for each in together:
                near, far = both(each, blocks, params.threshold, params.graph)
                maps.append(params.c1 * near[place] + (1 - params.c1) * far[place])
            values = [as_text(value) for value in coded[name][2]]
            first, second = (pd.DataFrame(each, index=values, columns=values) for each in maps)
            yield name, (first, second)
