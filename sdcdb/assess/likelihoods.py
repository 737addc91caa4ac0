"""How each column of a protected view became what is published, as likelihoods an intruder can use."""

import numpy as np
import pandas as pd

from sdcdb.assess.channels import channel, counted, grid_of
from sdcdb.assess.paired import as_text, boolean, codes, floats, listed
from sdcdb.measures.channel import empirical
from sdcdb.measures.linking import IMPOSSIBLE, Codes, Floats, Known, Secret
from sdcdb.policy.models import Column
from sdcdb.techniques.families.categories import FittedTransition
from sdcdb.techniques.technique import Fitted

CELLS = 1_000  # of a number that is changed at random


def known_column(before: pd.Series, after: pd.Series, people: Codes, fitted: Fitted | None) -> Known:
    """Return what an intruder makes of a quasi-identifier whose original values they know.

    Without randomness they know what each original is published as: counted from the records themselves. A category
    that changes by a matrix has that matrix. Noise on numbers is taken as normal with the size of the changes; of other
    random changes they know how often a value is kept, and how frequent all are.
    """
    random = fitted is not None and fitted.random()
    after = after.map(_spelt) if listed(after) else after
    if random and _numeric(before) and _numeric(after):
        return _noisy(floats(before), floats(after), people)
    first, second, values = codes(before.astype(object), after.astype(object))
    first, second = np.where(first < 0, len(values), first), np.where(second < 0, len(values), second)
    targets, place = np.unique(first[people], return_inverse=True)
    many = len(values) + 1
    if not random:
        seen = np.isin(first, targets)
        here = np.searchsorted(targets, first[seen])
        likelihood = empirical(here, second[seen], (len(targets), many))
    elif isinstance(fitted, FittedTransition):
        likelihood = _by_matrix(fitted, values)[targets]
    else:
        kept = float((first == second).mean())
        share = np.bincount(second, minlength=many) / len(second)
        likelihood = np.tile((1 - kept) * share, (len(targets), 1))
        likelihood[np.arange(len(targets)), targets] += kept
    return Known(second, place.reshape(-1), _bits(likelihood))


def _numeric(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column.dtype)) and not boolean(column)


def _noisy(before: Floats, after: Floats, people: Codes) -> Known:
    both = ~np.isnan(before) & ~np.isnan(after)
    spread = float(np.std((after - before)[both])) if both.any() else 0.0
    low, high = (float(np.nanmin(after)), float(np.nanmax(after))) if both.any() else (0.0, 1.0)
    width = max((high - low) / CELLS, 1e-12)
    seen = np.where(np.isnan(after), CELLS, np.clip((np.nan_to_num(after) - low) / width, 0, CELLS - 1)).astype(
        np.int64
    )
    middles = low + (np.arange(CELLS) + 0.5) * width
    away = (middles[None, :] - np.nan_to_num(before[people])[:, None]) / max(spread, width / 2)
    bits = -0.5 * away**2 / np.log(2)
    missing = np.isnan(before[people])
    bits[missing] = IMPOSSIBLE
    bits = np.column_stack([bits, np.where(missing, 0.0, -20.0)])  # a missing value may also be suppressed
    return Known(seen, np.arange(len(people)), bits)


def _by_matrix(fitted: FittedTransition, values: tuple[str, ...]) -> Floats:
    place = {value: number for number, value in enumerate(fitted.shape.values)}
    found = np.eye(len(values) + 1)
    for i, value in enumerate(values):
        if (row := place.get(as_text(value))) is not None:
            found[i, :-1] = [fitted.matrix[row][place[as_text(o)]] if as_text(o) in place else 0.0 for o in values]
    return found


def _bits(likelihood: Floats) -> Floats:
    return np.log2(likelihood, out=np.full_like(likelihood, IMPOSSIBLE), where=likelihood > 0)


def secret_category(before: pd.Series, after: pd.Series, fitted: Fitted | None) -> tuple[Secret, int]:
    """Return what published categories say of the originals, by Bayes with the shares of the originals as prior."""
    first, second, values = codes(before.astype(object), after.astype(object))
    first, second = np.where(first < 0, len(values), first), np.where(second < 0, len(values), second)
    many = len(values) + 1
    matrix = (
        _by_matrix(fitted, values) if isinstance(fitted, FittedTransition) else empirical(first, second, (many, many))
    )
    return Secret(second, _posterior(matrix, np.bincount(first, minlength=many).astype(np.float64))), len(values)


def secret_list(before: pd.Series, after: pd.Series) -> Secret:
    """Return what published lists say of the originals: one of the list, as likely as it is frequent."""
    lists, seen = np.unique([_spelt(each) for each in after], return_inverse=True)
    counts = before.astype(str).value_counts()
    place = {value: number for number, value in enumerate(counts.index)}
    posterior = np.zeros((len(lists), len(counts)))
    for row, text in zip(posterior, lists, strict=True):
        inside = [place[value] for value in text.split(_APART) if value in place] or list(place.values())
        row[inside] = counts.to_numpy()[inside]
    return Secret(seen.reshape(-1), posterior / posterior.sum(axis=1, keepdims=True))


_APART = "\x1f"


def _spelt(each: object) -> str:
    return _APART.join(map(str, each)) if isinstance(each, list | np.ndarray) else ""


def secret_number(before: pd.Series, after: pd.Series, column: Column, fitted: Fitted | None, name: str) -> Secret:
    """Return what published numbers say of the originals, cell by cell of the domain, with a uniform prior."""
    low, high = column.domain or (float(before.min()), float(before.max()) + 1)
    grid = grid_of((low, high), column.step)
    cells = [grid.cells(np.nan_to_num(floats(half), nan=low)) for half in (before, after)]
    likelihood = np.eye(grid.size) if fitted is None else channel(fitted, name, grid)
    if likelihood is None or (likelihood[:, cells[1]].sum(axis=0) == 0).any():
        likelihood = counted(cells[0], cells[1], grid)
    return Secret(cells[1], _posterior(likelihood, np.ones(grid.size)))


def _posterior(likelihood: Floats, prior: Floats) -> Floats:
    joint = (prior[:, None] * likelihood).T
    total = joint.sum(axis=1, keepdims=True)
    even = np.eye(len(joint))
    return np.where(total > 0, np.divide(joint, total, out=np.zeros_like(joint), where=total > 0), even)
