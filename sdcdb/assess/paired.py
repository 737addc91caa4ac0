"""The records of a protected view next to their originals, as numbers and codes for the measures."""

from typing import Any

import numpy as np
import pandas as pd

from sdcdb.engines.duckdb import DuckDBDialect
from sdcdb.errors import SdcdbError
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import View
from sdcdb.views import catalogue
from sdcdb.views.plan import VERSION, Plan
from sdcdb.views.secret import read_secret

MOST_RECORDS = 200_000  # larger tables are compared on a random sample of this size


def linked(database: Governed, plan: Plan, view: View, seed: int) -> tuple[pd.DataFrame, pd.DataFrame, Any]:
    """Return the records before and after, in the same order, with the view's columns; and whose each record is.

    People are numbered; None where a record is a person.
    """
    if plan.version != VERSION:
        raise SdcdbError(f"{plan.view!r} was fitted by another version of sdcdb: fit it again with sdcdb protect")
    subkey = read_secret(view.secret, database.path).subkey(plan.table)
    sql = plan.linked(DuckDBDialect(), subkey, *catalogue.relations(plan))
    sample = f"USING SAMPLE reservoir({MOST_RECORDS} ROWS) REPEATABLE ({int(seed)})"
    frame = database.con.sql(f"SELECT * FROM ({sql}) {sample}").df()
    if frame.empty:
        raise SdcdbError(f"{plan.view!r} has no records: nothing to compare")
    halves = [frame[[f"{half} {n}" for n, _ in enumerate(plan.columns)]] for half in ("before", "after")]
    before, after = (half.set_axis(list(plan.columns), axis=1) for half in halves)
    return before, after, None if plan.person is None else pd.factorize(frame["person"])[0]


def boolean(column: pd.Series) -> bool:
    """Return whether a column contains booleans."""
    return bool(pd.api.types.is_bool_dtype(column.dtype))


def listed(column: pd.Series) -> bool:
    """Return whether a column contains lists, as EAN publishes."""
    first = column.dropna().head(1)
    return bool(len(first)) and isinstance(first.iloc[0], list | np.ndarray)


def floats(column: pd.Series) -> Any:
    """Return a column as numbers; missing is NaN."""
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def codes(before: pd.Series, after: pd.Series) -> tuple[Any, Any, tuple[str, ...]]:
    """Number the values of a column, before and after alike; -1 is missing."""
    texts = pd.concat([before, after]).astype("object")
    codes, values = pd.factorize(texts.map(_named), sort=True)
    return codes[: len(before)], codes[len(before) :], tuple(values)


def _named(value: Any) -> str | None:
    return None if value is None or pd.isna(value) else str(value)


def counts(codes: list[Any], sizes: list[int]) -> Any:
    """Count how often each two values occur together."""
    offsets = np.cumsum([0, *sizes])
    counts = np.zeros((offsets[-1], offsets[-1]))
    for i, first in enumerate(codes):
        for j, second in enumerate(codes):
            both = (first >= 0) & (second >= 0)
            np.add.at(counts, (first[both] + offsets[i], second[both] + offsets[j]), 1)
    return counts


def as_text(value: str) -> str:
    """Spell a value as DuckDB does: Python's True is its true, a midnight is a date."""
    return {"True": "true", "False": "false"}.get(value, value.removesuffix(" 00:00:00"))
