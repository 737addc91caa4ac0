"""Recoding the records of a table by ladders until every class reaches its targets."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcdb.errors import DataError
from sdcdb.techniques.families.blanks import blank
from sdcdb.techniques.families.crowds import Bools, Crowd, Floats, Ints, Targets, satisfied
from sdcdb.techniques.families.ladders import Label, Ladder
from sdcdb.techniques.families.lattice import MOST_NODES, Attribute, nodes_of, numbered, search
from sdcdb.techniques.families.mondrian import mondrian

MOST_ATTRIBUTES = 10  # of a lattice; with more, Mondrian


@dataclass(frozen=True)
class Recoded:
    """What each record publishes, and what it cost."""

    labels: dict[str, "np.ndarray[Any, Any]"]
    """Per column and record: a text, or None."""
    published: Bools
    levels: dict[str, str]
    coarse: dict[str, bool]
    loss: float
    classes: int
    blanked: dict[str, int]
    how: str


@dataclass(frozen=True)
class Records:
    """Distinct records, by code: NULL is the number of a ladder's values. `member` says which one each record is."""

    ladders: tuple[Ladder, ...]
    codes: tuple[Ints, ...]
    crowd: Crowd
    member: Ints

    @classmethod
    def of(
        cls, ladders: Sequence[Ladder], codes: Sequence[Ints], confidential: Sequence[Ints], ordered: Sequence[bool]
    ) -> "Records":
        """Gather records that are alike in everything that counts."""
        member = numbered([*codes, *confidential])
        _, first, counts = np.unique(member, return_index=True, return_counts=True)
        crowd = Crowd(counts.astype(np.float64), tuple(each[first] for each in confidential), tuple(ordered))
        return cls(tuple(ladders), tuple(each[first] for each in codes), crowd, member)

    def recode(self, targets: Targets, most_left_out: float, way: str | None) -> Recoded:
        """Recode by the lattice of levels, or by Mondrian."""
        attributes = [
            Attribute(
                codes,
                tuple(ladder.codes(level) for level in range(ladder.height)),
                tuple(ladder.losses(level) for level in range(ladder.height)),
            )
            for ladder, codes in zip(self.ladders, self.codes, strict=True)
        ]
        if not len(self.member) or not self._whole_is_good(targets):
            return self._nothing(targets)
        large = len(attributes) > MOST_ATTRIBUTES or nodes_of(attributes) > MOST_NODES
        if way == "mondrian" or (way is None and large):
            return self._by_mondrian(targets)
        if large:
            raise DataError(
                f"the lattice has {nodes_of(attributes):,} nodes of {len(attributes)} columns: give shorter "
                "hierarchies, fewer columns, or search: mondrian"
            )
        return self._by_lattice(attributes, targets, most_left_out)

    def _whole_is_good(self, targets: Targets) -> bool:
        everybody = np.zeros(len(self.crowd.weights), np.int64)
        return bool(satisfied(everybody, self.crowd, targets, self.crowd).all())

    def _nothing(self, targets: Targets) -> Recoded:
        """Publish nothing of a table that is too small; say what is asked too much of one that is not."""
        if len(self.member) >= targets.k:
            raise DataError("not even the whole table is as diverse as l asks: use a smaller l")
        names = [ladder.name for ladder in self.ladders]
        none = np.full(len(self.member), None, dtype=object)
        out = np.zeros(len(self.member), np.bool_)
        flags = dict.fromkeys(names, False)
        return Recoded(
            dict.fromkeys(names, none), out, dict.fromkeys(names, "not at all"), flags, 1.0, 0, {}, "too few records"
        )

    def _by_lattice(self, attributes: list[Attribute], targets: Targets, most_left_out: float) -> Recoded:
        best = search(attributes, self.crowd, targets, most_left_out)
        if best is None:  # the top of the lattice, one class of all records, is good: it was looked at
            raise AssertionError("the search has missed the top of its lattice")
        chosen = list(zip(self.ladders, attributes, best.levels, strict=True))
        rest = np.flatnonzero(best.left_out)
        blanks = np.zeros((len(attributes), len(self.crowd.weights)), np.bool_)
        blanks[:, rest] = blank(
            [a.classes[level][a.codes[rest]] for _, a, level in chosen],
            [a.losses[level][a.codes[rest]] for _, a, level in chosen],
            self.crowd.part(rest),
            targets,
            self.crowd,
        )
        labels = [
            _shown(np.array([*ladder.levels[level], None], dtype=object)[a.codes], hidden)
            for (ladder, a, level), hidden in zip(chosen, blanks, strict=True)
        ]
        losses = [np.where(hidden, 1.0, a.losses[n][a.codes]) for (_, a, n), hidden in zip(chosen, blanks, strict=True)]
        words = {ladder.name: ladder.words[level] for ladder, _, level in chosen}
        coarse = {ladder.name: 0 < level < ladder.height - 1 for ladder, _, level in chosen}
        proof = "the best" if best.proved else "the best found"
        how = f"{proof} of {best.nodes:,} combinations of levels, {best.counted:,} of them counted"
        extra = {
            ladder.name: int(self.crowd.weights[hidden & (a.losses[level][a.codes] < 1)].sum())
            for (ladder, a, level), hidden in zip(chosen, blanks, strict=True)
        }
        return self._recoded(labels, losses, targets, words, coarse, extra, how)

    def _by_mondrian(self, targets: Targets) -> Recoded:
        places = [
            np.array([*ladder.order, np.nan])[codes] for ladder, codes in zip(self.ladders, self.codes, strict=True)
        ]
        parts = mondrian(places, self.crowd, targets)
        order = np.argsort(parts, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(parts[order])) + 1)
        labels, losses = [], []
        for ladder, codes in zip(self.ladders, self.codes, strict=True):
            label, loss = np.full(len(codes), None, dtype=object), np.empty(len(codes))
            for group in groups:
                label[group], loss[group] = _range_of(ladder, np.unique(codes[group]))
            labels.append(label)
            losses.append(loss)
        names = [ladder.name for ladder in self.ladders]
        words = dict.fromkeys(names, "as the range of its part")
        how = f"cut into {len(groups):,} parts by Mondrian"
        return self._recoded(labels, losses, targets, words, dict.fromkeys(names, True), {}, how)

    def _recoded(
        self,
        labels: list[Any],
        losses: list[Floats],
        targets: Targets,
        words: dict[str, str],
        coarse: dict[str, bool],
        blanked: dict[str, int],
        how: str,
    ) -> Recoded:
        """Leave out what is still in a bad class, and count."""
        classes = numbered([np.unique(_texts(label), return_inverse=True)[1].reshape(-1) for label in labels])
        good = satisfied(classes, self.crowd, targets, self.crowd)
        published = good[classes]
        weights = self.crowd.weights
        lost = np.where(published, np.mean(losses, axis=0), 1.0)
        names = [ladder.name for ladder in self.ladders]
        return Recoded(
            labels={name: label[self.member] for name, label in zip(names, labels, strict=True)},
            published=published[self.member],
            levels=words,
            coarse=coarse,
            loss=float(lost @ weights / weights.sum()),
            classes=int(good.sum()),
            blanked={name: count for name, count in blanked.items() if count},
            how=how,
        )


def _texts(labels: Any) -> Any:
    return np.array(["" if label is None else f"={label}" for label in labels])


def _shown(labels: Any, hidden: Bools) -> Any:
    labels[hidden] = None
    return labels


def _range_of(ladder: Ladder, codes: Ints) -> tuple[Label, float]:
    """Return what covers these values of a ladder: the value, a range, or the lowest level where they agree."""
    if codes[-1] == len(ladder.values):  # NULL among them
        return (None, 0.0) if len(codes) == 1 else (None, 1.0)
    if len(codes) == 1:
        return ladder.values[codes[0]], 0.0
    if ladder.ordered:
        spots = np.array(ladder.order)
        low, high = codes[np.argmin(spots[codes])], codes[np.argmax(spots[codes])]
        inside = int(((spots >= spots[low]) & (spots <= spots[high])).sum())
        return f"{ladder.values[low]} to {ladder.values[high]}", (inside - 1) / max(1, len(spots) - 1)
    for level in range(1, ladder.height - 1):
        found = {ladder.levels[level][code] for code in codes}
        if len(found) == 1:
            return found.pop(), float(ladder.losses(level)[codes[0]])
    return None, 1.0
