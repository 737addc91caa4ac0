"""What an intruder who knows a person's attributes makes of a release: which record it is, and what that gives away.

The setting of VICUS (2012), section 3.2, and of chapter 8 of the thesis (2007): a published record is the target's with
a probability proportional to the product, over the known attributes, of the likelihood that the known value is
published as the one seen. Here every published record counts with its weight, and attributes may have any likelihood.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError

if TYPE_CHECKING:
    from scipy.sparse import csr_array  # loaded where a person has several records

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
IMPOSSIBLE = -1e9  # stands for log2(0)
BLOCK = 4_000_000  # likelihoods that are weighed at a time


@dataclass(frozen=True)
class Known:
    """A known attribute: codes of what is published, codes of the targets, and log2 of the likelihood between them."""

    seen: Codes
    targets: Codes
    bits: Floats
    """Target codes x published codes."""


@dataclass(frozen=True)
class Secret:
    """A confidential column: codes of what is published, and the probability of each original given each of them."""

    seen: Codes
    posterior: Floats
    """Published codes x originals."""


@dataclass(frozen=True)
class Attack:
    """What became of each target."""

    record: Floats
    """Entropy of which record it is, in bits; of whose it is, where somebody has several."""
    linked: Floats
    """The chance that the best guess of the record, or of the person, is right."""
    secrets: dict[str, Floats]
    """Entropy of each confidential value, in bits."""
    moved: dict[str, Floats]
    """How far the belief about each confidential value is from that about anybody: total variation, 0 to 1."""
    unknown: dict[str, float]
    """Entropy of each confidential value for an intruder who knows nothing of the person."""


def attack(
    known: Sequence[Known], own: Codes, secrets: Mapping[str, Secret], records: int, persons: Codes | None = None
) -> Attack:
    """Attack every target in turn; `own` is the record of each target, of `records` that are published.

    `persons` numbers whose each record is, where somebody has several: it is the person whom the intruder looks for.

    Four records, two of them alike in the only known attribute, which is published as it is:

    >>> same = Known(np.array([0, 0, 1, 2]), np.array([0, 1]), np.where(np.eye(3)[:2] > 0, 0.0, IMPOSSIBLE))
    >>> found = attack([same], np.array([0, 2]), {"illness": Secret(np.array([0, 1, 1, 1]), np.eye(2))}, 4)
    >>> found.record.tolist(), found.linked.tolist(), found.secrets["illness"].tolist()
    ([1.0, 0.0], [0.5, 1.0], [1.0, 0.0])

    If the two that are alike are one person's, that person is found:

    >>> found = attack([same], np.array([0, 2]), {}, 4, np.array([7, 7, 8, 9]))
    >>> found.record.tolist(), found.linked.tolist()
    ([0.0, 0.0], [1.0, 1.0])
    """
    if records == 0 or len(own) == 0:
        raise DataError("no records: nothing to attack")
    group, first, sizes = _grouped([each.seen for each in known], records)
    tables = {name: _counts(group, each, len(sizes)) for name, each in secrets.items()}
    anybody = {name: table.sum(axis=0) / records for name, table in tables.items()}
    found: list[tuple[Floats, ...]] = []
    people = None if persons is None else _people(group, persons, len(sizes))
    step = max(1, BLOCK // max(len(sizes), 0 if people is None else people.held.shape[1]))
    for start in range(0, len(own), step):
        mine = slice(start, start + step)
        bits = np.zeros((len(own[mine]), len(sizes)))
        for each in known:
            bits += each.bits[each.targets[mine]][:, each.seen[first]]
        bits -= bits.max(axis=1, keepdims=True)
        weights = np.exp2(bits)
        total = weights @ sizes
        record = np.maximum(0.0, np.log2(total) - (bits * weights) @ sizes / total)
        best = bits > -1e-9
        hit = best[np.arange(len(best)), group[own[mine]]] / (best @ sizes)
        if people is not None:
            record, hit = people.found(weights, total, own[mine])
        believed = [weights @ table / total[:, None] for table in tables.values()]
        apart = [np.abs(each - one).sum(axis=1) / 2 for each, one in zip(believed, anybody.values(), strict=True)]
        found.append((record, hit, *(_entropies(each) for each in believed), *apart))
    record, linked, *others = (np.concatenate(parts) for parts in zip(*found, strict=True))
    doubts, moved = others[: len(tables)], others[len(tables) :]
    unknown = {name: float(_entropies(one[None, :])[0]) for name, one in anybody.items()}
    return Attack(
        record, linked, dict(zip(tables, doubts, strict=True)), dict(zip(tables, moved, strict=True)), unknown
    )


@dataclass(frozen=True)
class _People:
    """How many records each person has among those that look alike, and whose each record is."""

    held: "csr_array"
    number: Codes

    def found(self, weights: Floats, total: Floats, own: Codes) -> tuple[Floats, Floats]:
        """Return the entropy of who each target is, and the chance that the best guess is right."""
        belief = np.asarray(self.held.T @ weights.T).T / total[:, None]
        best = belief > belief.max(axis=1, keepdims=True) * (1 - 1e-9)
        return _entropies(belief), best[np.arange(len(best)), self.number[own]] / best.sum(axis=1)


def _people(group: Codes, persons: Codes, groups: int) -> _People:
    from scipy.sparse import csr_array

    _, number = np.unique(persons, return_inverse=True)
    shape = (groups, int(number.max()) + 1)
    return _People(csr_array((np.ones(len(group)), (group, number)), shape=shape), number.astype(np.int64))


def _grouped(columns: Sequence[Codes], records: int) -> tuple[Codes, Codes, Floats]:
    """Number the distinct published records: the number of each, where each is first met, and how many there are."""
    number = np.zeros(records, np.int64)
    for column in columns:
        number = np.unique(number * (int(column.max()) + 1) + column, return_inverse=True)[1].reshape(-1)
    _, first, sizes = np.unique(number, return_index=True, return_counts=True)
    return number, first, sizes.astype(np.float64)


def _counts(group: Codes, secret: Secret, groups: int) -> Floats:
    """Return, for each group of records, the expected number of each original value."""
    seen = len(secret.posterior)
    joint = np.bincount(group * seen + secret.seen, minlength=groups * seen).reshape(groups, seen)
    return np.asarray(joint @ secret.posterior)


def _entropies(shares: Floats) -> Floats:
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.maximum(0.0, -(shares * logs).sum(axis=1)) + 0.0)  # -0.0 becomes 0.0
