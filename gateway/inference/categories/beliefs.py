"""What all answers about a category let anybody believe, and whether one more is safe: the rule `belief`.

A question is decided without its answer, by what is plausible: the public shares, tilted by the answers so far
(`maximum_entropy`). Denied is what, with more than a small chance,

1. lets the count of a value become determined over a group in which too many, or too few, have it: the set that is
   asked, its differences with earlier sets, and any group so small that its count could be such (`value_sets`). How
   many that is of a value that is not sensitive follows from what those without it may be (`Limits`);
2. makes the maximum-entropy table too sure of one person;
3. tells of one person more than a share of the entropy of their value (coin weighing);
4. leaves, near that limit, no whole-number table in which somebody is not among too many (`whole_tables`).

Where a person has several records, each with a value of its own, a record's limits are the person's divided by the most
records that anybody has, r (`Caps.records`): the chance that one of somebody's records has a value is at most the sum
of their chances. Records of one person may all be alike, so a group counts as one of so many people as fill it with r
records each, and no count of fewer than `min_set` people may follow.
"""

import math
from collections.abc import Sequence

import numpy as np

from sdcdb.gateway.inference.categories.counting import Caps, Cells, Counting, Floats, Ints, Limits
from sdcdb.gateway.inference.categories.crossing import crossing_sets
from sdcdb.gateway.inference.categories.maximum_entropy import fit_beliefs
from sdcdb.gateway.inference.categories.plausible import LARGEST, chance_of_breach, highest, least_size
from sdcdb.gateway.inference.categories.value_sets import ValueSets
from sdcdb.gateway.inference.categories.values_left import ValuesLeft
from sdcdb.gateway.inference.categories.whole_tables import WholeTables, places_of, plausible_leaves_doubt
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.inference.score import Score

NEAR = 0.5  # of the limit of what may be told, from which on whole tables are looked at
MOVED = 1e-12  # of a person, by which a set concerns them at least


class Beliefs:
    """What was answered about one category. `shares` are public: a row for each cell, or one for all."""

    def __init__(
        self,
        counts: Ints,
        shares: Floats,
        sensitive: Sequence[int],
        caps: Caps,
        min_set: int,
        seed: int,
        people: People | None = None,
    ) -> None:
        self._live = np.flatnonzero(counts)
        self._counts = counts[self._live]
        public = np.asarray(shares, dtype=np.float64)
        by_cell = public if public.ndim == 1 else public[self._live]
        self._public = np.broadcast_to(by_cell, (len(self._live), public.shape[-1]))
        self.values = self._public.shape[1]
        self._sensitive, self._caps, self._min_set = tuple(sensitive), caps, min_set
        rng = np.random.default_rng(seed)
        mine = None if people is None else people.within(self._live)
        self._sets = [ValueSets(self._counts, rng, mine, min_set) for _ in range(self.values)]
        self._judged = range(self.values) if self._sensitive else ()
        self._left = ValuesLeft(self._counts, self._public, self._sensitive, caps)
        self._least = self._left.raised([self._least_size(value) for value in range(self.values)])
        self._answered: list[tuple[Counting, int]] = []
        self._table: Floats = self._public.copy()

    def _least_size(self, value: int) -> int:
        if value not in self._judged or not len(self._live):
            return self._min_set
        column, caps, found = self._public[:, value], self._caps, []
        for row in (self._public[column.argmin()], self._public[column.argmax()]):
            limits = self._limits(value, row)
            found.append(least_size(float(row[value]), limits.group, caps.delta, limits.absent))
        return max(self._min_set, *(min(caps.records * size, LARGEST) for size in found))

    def _limits(self, value: int, shares: Floats) -> Limits:
        return Limits.of(value, shares.tolist(), self._sensitive, self._caps)

    @property
    def rank(self) -> int:
        """How many sets were answered, over all values."""
        return sum(each.rank for each in self._sets)

    def consider(self, asked: Sequence[Counting]) -> list[bool]:
        """Tell which questions of a statement are safe, each beside those before it. Nothing is learnt."""
        marks = [each.begin_trial() for each in self._sets]
        taken: list[Counting] = []
        found = []
        try:
            for each in map(self._here, asked):
                found.append(self._considered(each, taken))
                if found[-1]:
                    taken.append(each)
        finally:
            for sets, mark in zip(self._sets, marks, strict=True):
                sets.end_trial(mark)
        return found

    def _here(self, asked: Counting) -> Counting:
        return Counting(np.ascontiguousarray(asked.cells[self._live]), asked.values)

    def _considered(self, asked: Counting, earlier: Sequence[Counting]) -> bool:
        new = self._new(asked)
        bits = {value: self._bits(asked.cells, value) for value in new}
        if not all(self._safe(asked.cells, value, bits[value]) for value in new if value in self._judged):
            return False
        told = [value for value in range(self.values) if value in new or self._sets[value].implied(asked.cells)]
        if new and self._left.breach(asked.cells, told, self._table):
            return False
        near = any(self._spent(asked.cells, value, bits[value], NEAR) for value in new if value in self._judged)
        if near and not self._whole(asked, earlier):
            return False
        if not new:
            return True
        marks = [each.begin_trial() for each in self._sets]
        for value in new:
            self._sets[value].add(asked.cells, bits[value])
        if self._cross(judged=True) and self._apart(asked.cells):
            return True
        for sets, mark in zip(self._sets, marks, strict=True):
            sets.end_trial(mark)
            sets.begin_trial()  # the statement's own goes on
        return False

    def _cross(self, *, judged: bool) -> bool:
        """Take in the counts that follow where values were counted over other parts; tell whether all are safe."""
        for value in self._judged if self.values > 2 else ():
            found = crossing_sets([each.sets for each in self._sets], value)
            if found is None:
                if judged:
                    return False
                continue
            for cells in found:
                bits = self._bits(cells, value)
                if judged and not self._safe(cells, value, bits):
                    return False
                self._sets[value].add(cells, bits)
        return True

    def _apart(self, cells: Cells) -> bool:
        """Tell whether what was told of a set and of one around or inside it says little of those between them.

        Flu and asthma of everybody, a cold and hiv of all but one: that one has one of the former, or of the latter.
        """
        known = {each.tobytes(): each for sets in self._sets for each in sets.sets} if self._sensitive else {}
        here = self._told(cells)
        for other in known.values():
            between = other ^ cells
            if not between.any() or ((other & between).any() and (cells & between).any()):
                continue
            if int(self._counts[between].sum()) < max(self._least):
                there = self._told(other)
                apart = len(here | there) == self.values > max(len(here), len(there))
                if apart and any(self._left.breach(between, each, self._table) for each in (here, there)):
                    return False
        return True

    def _told(self, cells: Cells) -> frozenset[int]:
        return frozenset(value for value, sets in enumerate(self._sets) if sets.implied(cells))

    def _new(self, asked: Counting) -> list[int]:
        """Return the values whose counts over a set are told anew, with the one that follows from all others."""
        told = asked.told(self.values)
        unknown = [value for value in range(self.values) if not self._sets[value].implied(asked.cells)]
        left = [value for value in unknown if value not in told]
        return [value for value in unknown if value in told or len(left) == 1]

    def _safe(self, cells: Cells, value: int, bits: float) -> bool:
        sets = self._sets[value]
        groups = [cells, *_differences(cells, sets.sets)]
        if any(self._breach(group, value) > self._caps.delta for group in groups):
            return False
        if sets.determines_small(cells, self._least[value]):
            return False
        added, belief = sets.leverage_of(cells), self._table[:, value]
        spread = _deviations(self._caps.delta) * np.sqrt(belief * (1 - belief) * added * self._caps.records)
        limits = self._limits(value, self._shares(cells))
        if ((belief + spread > limits.person) | (belief - spread < limits.unlikely))[added > MOVED].any():
            return False
        return not self._spent(cells, value, bits, 1.0)

    def _spent(self, cells: Cells, value: int, bits: float, part: float) -> bool:
        """Tell whether somebody would have been told more than a part of what they may be."""
        sets, share = self._sets[value], np.clip(self._public[:, value], 1e-12, 1 - 1e-12)
        entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
        added = sets.leverage_of(cells)
        told = sets.bits + added * bits
        limit = part * self._caps.spent * entropy / self._caps.records
        return bool((told > limit)[added > MOVED].any())

    def _breach(self, cells: Cells, value: int) -> float:
        """Return the chance that the count over a set breaches the limit."""
        people = self._counts[cells]
        size = int(people.sum())
        mean = float(people @ self._table[cells, value])
        shares, r = self._shares(cells), self._caps.records
        limits, public = self._limits(value, shares), float(shares[value])
        return chance_of_breach(
            size // r, mean / size * (size // r) if size else 0.0, public, limits.group, limits.absent
        )

    def _shares(self, cells: Cells) -> Floats:
        """Return the public shares of all values in a set."""
        people = self._counts[cells]
        return np.asarray(people @ self._public[cells] / max(int(people.sum()), 1), dtype=np.float64)

    def _bits(self, cells: Cells, value: int) -> float:
        """Return the information of a count, in bits: the entropy of a normal number with its variance."""
        share = self._public[cells, value]
        variance = float(self._counts[cells] @ (share * (1 - share)))
        return 0.5 * math.log2(2 * math.pi * math.e * variance + 1)

    def _whole(self, asked: Counting, earlier: Sequence[Counting]) -> bool:
        """Tell whether plausible answers leave, for everybody, a whole table in which they are not among too many.

        Earlier questions of the statement have no answer yet; what is expected stands for it.
        """
        held = [*self._answered, *((each, round(self._expected(each)[0])) for each in earlier)]
        questions, answers = [*(each for each, _ in held), asked], [*(answer for _, answer in held), 0]
        mean, deviation = self._expected(asked)
        reach, size = _deviations(self._caps.delta) * deviation, int(self._counts[asked.cells].sum())
        ends = {max(0, math.ceil(mean - reach)), round(mean), min(size, math.floor(mean + reach))}
        tables = WholeTables.of(self._counts, self.values, questions, answers)
        caps = [self._caps.of(value)[0] for value in self._sensitive]
        return plausible_leaves_doubt(tables, sorted(ends), self._sensitive, caps)

    def _expected(self, asked: Counting) -> tuple[float, float]:
        """Return the mean and standard deviation of a count, by what is believed."""
        share = self._table[:, places_of(asked.values)].sum(axis=1)[asked.cells]
        people = self._counts[asked.cells]
        return float(people @ share), math.sqrt(max(float(people @ (share * (1 - share))), 0.0) * self._caps.records)

    def learn(self, asked: Sequence[Counting], answers: Sequence[int], *, fit: bool = True) -> None:
        """Take in true answers; without `fit` the sets alone, where answers were about values that have changed."""
        for each, answer in zip(map(self._here, asked), answers, strict=True):
            new = self._new(each)
            for value in new:
                self._sets[value].add(each.cells, self._bits(each.cells, value))
            if new:
                self._answered.append((each, answer))
                self._cross(judged=False)
        if not fit:
            self._answered.clear()
            return
        questions, told = [each for each, _ in self._answered], [answer for _, answer in self._answered]
        self._table = fit_beliefs(self._table, self._counts, questions, told)

    def surprising(self, asked: Counting, answer: int) -> bool:
        """Tell whether an answer, outside of all that was plausible, shows that too many of a set have one value."""
        here = self._here(asked)
        size = int(self._counts[here.cells].sum())
        one = asked.values if len(asked.values) == 1 else frozenset(range(self.values)) - asked.values
        count, limit = answer if one == asked.values else size - answer, self._caps.belief / self._caps.records
        return len(one) == 1 and bool(one & set(self._sensitive)) and count > highest(size, limit)

    def score(self) -> Score:
        """Return how close the best-known record is to the limit; the interval is the doubt about a sensitive value."""
        return Score(1 - self.most_sure(), self.entropy(), 0.0, "belief")

    def entropy(self) -> float:
        """Return H(0) of the best-known record, in bits: how unsure its value is (VICUS's confidential entropy)."""
        if not len(self._live):
            return 0.0
        table = np.clip(self._table, 1e-300, 1.0)
        return float((-table * np.log2(table)).sum(axis=1).min())

    def most_sure(self) -> float:
        """Return the strongest belief in a sensitive value of anybody."""
        return float(self._table[:, list(self._sensitive)].max()) if len(self._live) and self._sensitive else 0.0


def _differences(cells: Cells, sets: Sequence[Cells]) -> list[Cells]:
    """Return the sets that follow from this one and one other, inside it or around it."""
    if not sets:
        return []
    others = np.array(sets)
    inside, outside = others & ~cells, cells & ~others
    found = [*outside[~inside.any(axis=1)], *inside[~outside.any(axis=1)]]
    return [each for each in found if each.any()]


def _deviations(delta: float) -> float:
    """Return how many standard deviations a normal number exceeds with this chance."""
    from scipy.special import ndtri

    return float(-ndtri(delta))
