"""Information loss of EAN, Enhanced Additive Noise (2017), which publishes l values in place of one sensitive value."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdcdb.errors import DataError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EanLoss:
    """Result of `ean_loss`. Without records everything but the count is None."""

    records: int
    min_l: int | None
    mean_l: float | None
    mean_sensitive_loss: float | None
    mean_record_loss: float | None


def sensitive_loss(diversity: ArrayLike) -> Floats:
    """Return the loss of the sensitive attribute, EAN eq. (1): IL(SA) = |l - 1| / l.

    `diversity` is l, the number of values published for a record: a number or an array of any shape.

    >>> sensitive_loss([1, 2, 4]).tolist()
    [0.0, 0.5, 0.75]
    """
    l_values = _numbers(diversity, "l")
    if not np.all((l_values >= 1) & np.isfinite(l_values)):
        raise DataError("l is the number of values published for a record: it must be at least 1 everywhere")
    return np.asarray(np.abs(l_values - 1) / l_values)


def record_loss(diversity: ArrayLike, quasi_losses: Sequence[ArrayLike]) -> Floats:
    """Return the loss of a whole record, EAN eq. (2): IL(t*) = (sum of IL(QID_i) + IL(SA)) / (n + 1).

    `quasi_losses` has one entry for each of the n quasi-identifiers: a number, or an array of the shape of `diversity`.
    EAN leaves quasi-identifiers as they are, so theirs are 0. The paper's numbers for the 7 of Adult:

    >>> record_loss([3, 5, 7, 10], [0] * 7).round(4).tolist()
    [0.0833, 0.1, 0.1071, 0.1125]
    """
    total = sensitive_loss(diversity)
    for number, given in enumerate(quasi_losses, start=1):
        loss = _numbers(given, f"loss {number} of quasi_losses")
        if not np.all((loss >= 0) & (loss <= 1)):
            raise DataError(f"loss {number} of quasi_losses is not a share: it must be from 0 to 1")
        try:
            total = np.asarray(total + loss)
        except ValueError as error:
            raise DataError(
                f"loss {number} of quasi_losses has shape {loss.shape} and l {total.shape}: "
                "pass one number, or one per record"
            ) from error
    return np.asarray(total / (len(quasi_losses) + 1))


def ean_loss(diversity: ArrayLike, quasi: int) -> EanLoss:
    """Summarise a table published by EAN, given l of each record and the number of its quasi-identifiers, all exact.

    >>> ean_loss([2, 4], quasi=4)
    EanLoss(records=2, min_l=2, mean_l=3.0, mean_sensitive_loss=0.625, mean_record_loss=0.125)
    """
    l_values = _numbers(diversity, "l").ravel()
    if l_values.size == 0:
        return EanLoss(0, None, None, None, None)
    return EanLoss(
        records=l_values.size,
        min_l=int(l_values.min()),
        mean_l=float(l_values.mean()),
        mean_sensitive_loss=float(sensitive_loss(l_values).mean()),
        mean_record_loss=float(record_loss(l_values, [0.0] * quasi).mean()),
    )


def _numbers(values: ArrayLike, what: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} is not a number or an array of numbers ({error}): convert it first") from error
