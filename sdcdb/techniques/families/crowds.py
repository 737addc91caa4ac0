"""When a class of records may be published: at least k of them, and diverse enough in what is confidential."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Targets:
    """What every class must reach. `l` and `t` are None where they are not asked for."""

    k: int
    l: float | None = None  # noqa: E741 - its name in the literature
    entropy: bool = False
    """Whether l is the exponential of the entropy (Machanavajjhala et al. 2007), and not a number of values."""
    t: float | None = None


@dataclass(frozen=True)
class Crowd:
    """Distinct records: their weight, and a code for each confidential column; `ordered` ones have numeric codes."""

    weights: Floats
    confidential: tuple[Ints, ...] = ()
    ordered: tuple[bool, ...] = ()

    def part(self, chosen: Ints | Bools) -> "Crowd":
        """Return some of the records."""
        return Crowd(self.weights[chosen], tuple(each[chosen] for each in self.confidential), self.ordered)


def satisfied(classes: Ints, crowd: Crowd, targets: Targets, whole: Crowd) -> Bools:
    """Tell for each class, numbered from 0, whether it may be published; `whole` is the table that t compares with."""
    sizes = np.bincount(classes, crowd.weights).astype(np.float64)
    fine = sizes >= targets.k
    if targets.l is None and targets.t is None:
        return fine
    for codes, everyone, ordered in zip(crowd.confidential, whole.confidential, crowd.ordered, strict=True):
        values = int(everyone.max(initial=0)) + 1
        cells, inverse = np.unique(classes * values + codes, return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), crowd.weights).astype(np.float64)
        of, value = cells // values, cells % values
        if targets.l is not None:
            fine &= _diversity(of, counts, sizes, entropy=targets.entropy) >= targets.l - 1e-9
        if targets.t is not None:
            shares = np.bincount(everyone, whole.weights, minlength=values) / whole.weights.sum()
            fine &= _distance(of, value, counts / sizes[of], shares, len(sizes), ordered=ordered) <= targets.t + 1e-9
    return fine


def _diversity(of: Ints, counts: Floats, sizes: Floats, *, entropy: bool) -> Floats:
    if not entropy:
        return np.bincount(of, minlength=len(sizes)).astype(np.float64)
    share = counts / sizes[of]
    return np.exp2(np.bincount(of, -share * np.log2(share), minlength=len(sizes)))


def _distance(of: Ints, value: Ints, share: Floats, overall: Floats, classes: int, *, ordered: bool) -> Floats:
    """Return the Earth Mover's Distance of each class to the table (Li et al. 2007), as `measures.t_closeness` does."""
    distance = np.empty(classes)
    starts = np.searchsorted(of, np.arange(classes + 1))
    for one in range(classes):
        here = slice(starts[one], starts[one + 1])
        difference = -overall
        difference[value[here]] += share[here]
        if ordered:
            distance[one] = np.abs(np.cumsum(difference)).sum() / max(1, len(overall) - 1)
        else:
            distance[one] = np.abs(difference).sum() / 2
    return distance
