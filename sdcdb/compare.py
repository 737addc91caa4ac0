"""Holding a protected view against its table: what an analyst can still use, and what an intruder can still learn."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdcdb import catalogue
from sdcdb.categories import FittedTransition
from sdcdb.database import Database
from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.errors import SdcdbError
from sdcdb.measures.association import PairChange, compare_pairs
from sdcdb.measures.change import (
    CategoryChange,
    CorrelationChange,
    NumberChange,
    category_change,
    correlation_change,
    number_change,
)
from sdcdb.measures.reidentification import AverageEntropies, Draw, PerturbedTable, entropy_profile
from sdcdb.plan import Plan
from sdcdb.secret import read_secret

MOST_RECORDS = 200_000  # larger tables are compared on a random sample of this size
MOST_VALUES = 200  # a column with more values is not held against others by chi-square
TARGETS = 500  # records for which entropies are averaged


@dataclass(frozen=True)
class Comparison:
    """Everything that was measured. Positions in `associations` and `entropies` count in `categorical`."""

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
    before: pd.DataFrame
    after: pd.DataFrame


def compare(database: Database, view: str, confidential: str | None = None, seed: int = 0) -> Comparison:
    """Compare a protected view with its table. `confidential` is the category column that an intruder is after."""
    plan = catalogue.entry(database.con, view).plan
    before, after = _linked(database, plan, seed)
    numeric = [
        name
        for name in plan.columns
        if pd.api.types.is_numeric_dtype(before[name].dtype) and not _boolean(before[name])
    ]
    words = [name for name in plan.columns if name not in numeric and not _listed(after[name])]
    numbers = {name: number_change(_floats(before[name]), _floats(after[name])) for name in numeric}
    coded = {name: _codes(before[name], after[name]) for name in words}
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
        before=before,
        after=after,
    )


def _linked(database: Database, plan: Plan, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    policy = database.policy
    view = policy.tables[plan.table].protect.get(plan.view) if policy and plan.table in policy.tables else None
    if view is None:
        raise SdcdbError(f"the policy does not know the view {plan.view!r}: its secret is needed to compare records")
    subkey = read_secret(view.secret, database.path).subkey(plan.table)
    sql = plan.linked(DuckDBDialect(), subkey, *catalogue.relations(plan))
    sample = f"USING SAMPLE reservoir({MOST_RECORDS} ROWS) REPEATABLE ({int(seed)})"
    frame = database.con.sql(f"SELECT * FROM ({sql}) {sample}").df()
    if frame.empty:
        raise SdcdbError(f"{plan.view!r} has no records: there is nothing to compare")
    halves = [frame[[f"{half} {n}" for n, _ in enumerate(plan.columns)]] for half in ("before", "after")]
    return halves[0].set_axis(list(plan.columns), axis=1), halves[1].set_axis(list(plan.columns), axis=1)


def _boolean(column: pd.Series) -> bool:
    return bool(pd.api.types.is_bool_dtype(column.dtype))


def _listed(column: pd.Series) -> bool:
    first = column.dropna().head(1)
    return bool(len(first)) and isinstance(first.iloc[0], list | np.ndarray)


def _floats(column: pd.Series) -> Any:
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _codes(before: pd.Series, after: pd.Series) -> tuple[Any, Any, tuple[str, ...]]:
    """Number the values of a column, before and after alike; -1 is missing."""
    texts = pd.concat([before, after]).astype("object")
    codes, values = pd.factorize(texts.map(_named), sort=True)
    return codes[: len(before)], codes[len(before) :], tuple(values)


def _named(value: Any) -> str | None:
    return None if value is None or pd.isna(value) else str(value)


def _correlations(before: pd.DataFrame, after: pd.DataFrame, numeric: list[str]) -> CorrelationChange | None:
    if len(numeric) < 2:
        return None
    return correlation_change(*(np.column_stack([_floats(half[name]) for name in numeric]) for half in (before, after)))


def _associations(coded: list[tuple[Any, Any, tuple[str, ...]]]) -> tuple[PairChange, ...]:
    if len(coded) < 2:
        return ()
    sizes = [len(values) for _, _, values in coded]
    return compare_pairs(_counts([b for b, _, _ in coded], sizes), _counts([a for _, a, _ in coded], sizes), sizes)


def _counts(codes: list[Any], sizes: list[int]) -> Any:
    """Count how often each two values occur together."""
    offsets = np.cumsum([0, *sizes])
    counts = np.zeros((offsets[-1], offsets[-1]))
    for i, first in enumerate(codes):
        for j, second in enumerate(codes):
            both = (first >= 0) & (second >= 0)
            np.add.at(counts, (first[both] + offsets[i], second[both] + offsets[j]), 1)
    return counts


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
    """Average what an intruder is unsure of who knows 1, 2, 3 and all other categories of a record (VICUS, Alg. 2)."""
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
        if (row := known.get(_as_text(value))) is not None:
            rows[i] = [
                fitted.matrix[row][known[_as_text(other)]] if _as_text(other) in known else 0 for other in values
            ]
    return rows / rows.sum(axis=1, keepdims=True)


def _as_text(value: str) -> str:
    """Spell a value as DuckDB does: Python's True is its true, a midnight is a date."""
    return {"True": "true", "False": "false"}.get(value, value.removesuffix(" 00:00:00"))
