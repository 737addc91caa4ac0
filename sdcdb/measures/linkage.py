"""Re-identification entropy and class entropy of a table whose noise depends on leaves (thesis 2007, chapter 8).

The intruder has the perturbed table, knows how noise was added and knows the original values of some attributes of one
person, the target. Record i is the target's with probability P_i, proportional to the product over the known attributes
of the probability that the target's value became the one seen in record i. In the Framework it depends on the leaf
of the target, because numbers wrap inside the leaf's range; the intruder takes the leaf that the target reaches in a
tree grown from the perturbed table. From P follow

- the re-identification entropy H(P): which record is it?
- the class entropy: P(L) = sum of P_i x (share of the classes L in the leaf of record i), and the binary entropy of it.

A table is secure for thresholds H_t and v when at most a share v of the targets have an entropy below H_t.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sdcdb.errors import DataError
from sdcdb.measures.distribution import Floats
from sdcdb.measures.reidentification import DRAW, Codes, Draw, PerturbedTable, group_entropies

DOUBT = 1e-12  # an intruder's own tree may be wrong, so nothing is quite impossible

Kernel = Floats | tuple[Floats, ...]
"""Probabilities that a row's value is published as a column's; one table, or one for each group of targets."""


@dataclass(frozen=True)
class Linkage:
    """What the intruder has.

    `observed` and `targets` are codes, records x attributes. `leaves` is the leaf of each perturbed record, `shares`
    the share of each class in each leaf, both in a tree of the perturbed table; `groups` is the leaf that each target
    reaches there, by which kernels are chosen.
    """

    observed: Codes
    targets: Codes
    kernels: tuple[Kernel, ...]
    leaves: Codes
    shares: Floats
    groups: Codes

    def __post_init__(self) -> None:
        if len(self.observed) == 0 or len(self.targets) == 0:
            raise DataError("no records: pass at least one perturbed record and one target")
        if self.observed.shape[1] != len(self.kernels) or self.targets.shape[1] != len(self.kernels):
            raise DataError(f"{len(self.kernels)} kernels for {self.observed.shape[1]} attributes: pass one for each")
        if len(self.leaves) != len(self.observed) or len(self.groups) != len(self.targets):
            raise DataError("pass the leaf of every perturbed record and of every target")


@dataclass(frozen=True)
class LinkageEntropies:
    """Entropies of each target, in bits, when `known` attributes are known."""

    known: tuple[int, ...]
    record: Floats
    class_: Floats


@dataclass(frozen=True)
class Security:
    """Mean and standard deviation of entropies, the share T below the threshold H_t, and whether T is at most v."""

    mean: float
    sd: float
    below: float
    secure: bool
    threshold: float
    allowed: float

    def words(self) -> str:
        """Say it in a sentence."""
        verdict = "secure" if self.secure else "not secure"
        return (
            f"All columns known: {self.mean:.2f} bits on average (sd {self.sd:.2f}); T = {self.below:.1%} of the "
            f"records have less than H_t = {self.threshold:g} bits: {verdict} for v = {self.allowed:.0%}."
        )


@dataclass(frozen=True)
class KnownEntropies:
    """Means over targets and over combinations of `known` attributes, and the minimum of these means over targets."""

    known: int
    combinations: int
    record: float
    class_: float
    least_record: float
    least_class: float


def linkage_entropies(linkage: Linkage, known: Sequence[int], among: Sequence[int] | None = None) -> LinkageEntropies:
    """Return the entropies of every target for an intruder who knows these attributes, given by their positions.

    `among` is L, the classes that the intruder asks about; None takes the entropy over all classes, which for two
    classes is the same. Targets with equal known values, and records with equal observed values, are handled once.
    Where the domains are small, all are weighed attribute by attribute (`contraction`), at a cost that hardly depends
    on the number of records; else the cost is (distinct targets) x (distinct records) x (known attributes + classes).

    Two records, seen as 0 and 1, and a target with 0, which is kept with probability 0.8:

    >>> two = Linkage(np.array([[0], [1]]), np.array([[0]]), (np.array([[0.8, 0.2], [0.2, 0.8]]),),
    ...               np.array([0, 1]), np.eye(2), np.array([0]))
    >>> found = linkage_entropies(two, [0])
    >>> round(float(found.record[0]), 3), round(float(found.class_[0]), 3)
    (0.722, 0.722)
    """
    shares = linkage.shares
    if among is not None:
        inside = shares[:, list(among)].sum(axis=1)
        shares = np.column_stack([inside, 1 - inside])
    record, class_ = np.empty(len(linkage.targets)), np.empty(len(linkage.targets))
    codes = np.column_stack([linkage.observed, linkage.leaves]).astype(np.int64)
    for group in np.unique(linkage.groups):
        here = np.flatnonzero(linkage.groups == group)
        own = (kernel[group] if isinstance(kernel, tuple) else kernel for kernel in linkage.kernels)
        kernels = [np.maximum(kernel, DOUBT) for kernel in own]
        table = PerturbedTable(codes, (*kernels, np.eye(len(shares))), len(kernels), shares, "empirical")
        record[here], class_[here] = group_entropies(table, list(known), linkage.targets[here][:, list(known)])
    return LinkageEntropies(tuple(known), record, class_)


def known_entropies(
    linkage: Linkage, numbers: Sequence[int] | None = None, draw: Draw = DRAW, among: Sequence[int] | None = None
) -> tuple[KnownEntropies, ...]:
    """Return mean entropies by the number of known attributes: Table 8.1 of the thesis, for one target or for many.

    By default, `numbers` runs from none to all. `draw` sets how many combinations of attributes are tried.
    """
    every = range(len(linkage.kernels))
    found = []
    for number in range(len(every) + 1) if numbers is None else numbers:
        if not 0 <= number <= len(every):
            raise DataError(f"{number} known attributes: there are {len(every)}")
        combinations = draw.combinations_of(every, number)
        each = [linkage_entropies(linkage, columns, among) for columns in combinations]
        record, class_ = (np.mean([getattr(one, what) for one in each], axis=0) for what in ("record", "class_"))
        means = float(record.mean()), float(class_.mean()), float(record.min()), float(class_.min())
        found.append(KnownEntropies(number, len(combinations), *means))
    return tuple(found)


def security(entropies: ArrayLike, threshold: float, allowed: float) -> Security:
    """Return whether a table is secure for H_t = `threshold` and v = `allowed` (thesis 8.1).

    Its example: of 21 records two have an entropy below 2.45, which is more than v = 0.05.

    >>> security([1.0, 2.4] + [3.0] * 19, 2.45, 0.05).secure
    False
    """
    values = np.asarray(entropies, np.float64)
    if values.ndim != 1 or not len(values):
        raise DataError("security needs the entropies of at least one record")
    below = float((values < threshold).mean())
    return Security(float(values.mean()), float(values.std()), below, below <= allowed, threshold, allowed)


def wrapped_normal(points: int, sd: float, first: int = 0, last: int | None = None) -> Floats:
    """Return the probabilities of wrapped normal noise on a grid, with `sd` in steps, inside `first` to `last`.

    A value is moved by normal noise, rounded to the grid, and wrapped around the points of the range, as in
    LINNAPT and LINFAPT. A value outside the range stays as it is.

    >>> wrapped_normal(4, 0.0).tolist() == np.eye(4).tolist()
    True
    >>> wrapped_normal(3, 1.0, first=1).round(3)[1].tolist()  # 1 becomes 1 or 2
    [0.0, 0.505, 0.495]
    """
    last = points - 1 if last is None else last
    size, made = last - first + 1, np.eye(points)
    if sd <= 0:
        return made
    turns = math.ceil(6 * sd / size) + 1
    steps = np.arange(-turns * size, (turns + 1) * size)
    chances = np.diff(_below(np.append(steps - 0.5, steps[-1] + 0.5) / sd))
    weights = np.bincount(steps % size, chances, size)
    circle = weights / weights.sum()
    offsets = np.arange(size)
    made[first : last + 1, first : last + 1] = circle[(offsets - offsets[:, None]) % size]
    return made


def _below(values: Floats) -> Floats:
    return np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in values])


def reidentification_entropy(likelihoods: ArrayLike) -> float:
    """Return H(P) in bits, given the likelihood that each record is the target's; not all may be zero.

    >>> reidentification_entropy([0.2, 0.2, 0.2, 0.2])
    2.0
    """
    from sdcdb.measures.distribution import normalise
    from sdcdb.measures.entropies import entropy

    return entropy(normalise(likelihoods))


def class_entropy(likelihoods: ArrayLike, shares: ArrayLike) -> float:
    """Return the binary entropy of P(L), given for each record its likelihood and the share of L in its leaf.

    >>> class_entropy([1, 1], [0.0, 1.0])
    1.0
    """
    from sdcdb.measures.distribution import normalise
    from sdcdb.measures.entropies import entropy

    weights, inside = normalise(likelihoods), np.asarray(shares, np.float64)
    if inside.shape != weights.shape or not ((inside >= 0) & (inside <= 1)).all():
        raise DataError("class entropy needs, for each likelihood, the share of the class in its leaf: 0 to 1")
    chance = min(1.0, float(weights @ inside))
    return entropy([chance, 1 - chance])
