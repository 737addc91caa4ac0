"""Several records per person: what is allowed, against brute force over groups of few people and all their parts."""

from itertools import chain, combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog

from sdcdb.errors import DataError
from sdcdb.gateway.inference.exact.groups_of_people import small_groups_of_people
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.inference.question import Question

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LIMITS = Limits(min_set=3, min_interval=10.0)
SUM = frozenset({"sum"})


class Table:
    """Records of some people in some cells, one value each from 0 to 100."""

    def __init__(self, rng: np.random.Generator, persons: int, cells: int, most: int) -> None:
        number = rng.integers(1, most + 1, persons)
        self.person = np.repeat(np.arange(persons), number)
        self.cell = rng.integers(0, cells, len(self.person))
        self.cell[:cells] = np.arange(cells)[: len(self.cell)]
        self.values = rng.integers(5, 96, len(self.person))
        self.cells = cells
        counts = np.bincount(self.cell, minlength=cells)
        ones = np.ones(len(self.person), dtype=np.int64)
        self.people = People.of(self.person, self.cell, ones, cells)
        self.knowledge = Knowledge(counts, 0, 100, 1, LIMITS, b"secret", people=self.people)
        self.rows: list[Floats] = []
        self.answers: list[float] = []

    def ask(self, flags: NDArray[np.bool_]) -> bool:
        question = Question(flags, SUM)
        finding = self.knowledge.consider([question])[0]
        if finding.allowed:
            total = float(self.values[flags[self.cell]].sum())
            surprise = self.knowledge.surprises([question], [{"sum": total}])[0]
            self.knowledge.learn([question], [{"sum": total}])
            self.rows.append(flags[self.cell].astype(np.float64))
            self.answers.append(total)
            assert not surprise
        return finding.allowed

    def determined(self, group: NDArray[np.bool_]) -> bool:
        """Tell whether the total of some records is a combination of the sums."""
        matrix = np.array(self.rows)
        return bool(np.linalg.matrix_rank(np.vstack([matrix, group])) == np.linalg.matrix_rank(matrix))

    def atoms(self) -> Ints:
        _, label = np.unique(np.array(self.rows).T, axis=0, return_inverse=True)
        return label

    def width(self, part: NDArray[np.bool_]) -> float:
        """Return the width of what the answers leave for the total of some records."""
        ends = []
        for sign in (1, -1):
            found = linprog(sign * part, A_eq=np.array(self.rows), b_eq=self.answers, bounds=(0, 100), method="highs")
            assert found.success
            ends.append(sign * found.fun)
        return float(ends[1] - ends[0])


@pytest.mark.parametrize("seed", range(8))
def test_no_group_of_few_people_and_no_part_of_a_person_is_known(seed: int) -> None:
    """Against every group of one or two people made of whole atoms, and every part of a person by atoms."""
    rng = np.random.default_rng(seed)
    table = Table(rng, persons=int(rng.integers(16, 30)), cells=int(rng.integers(6, 11)), most=3)
    for _ in range(25):
        flags = rng.random(table.cells) < rng.choice([0.3, 0.5, 0.8])
        if table.people.number(flags) >= LIMITS.min_set:
            table.ask(flags)
    assert len(table.rows) >= 3
    atoms = table.atoms()
    owners = [set(table.person[atoms == a]) for a in range(atoms.max() + 1)]
    for few in chain(
        combinations(range(table.people.matrix.shape[0]), 1), combinations(range(table.people.matrix.shape[0]), 2)
    ):
        own = [a for a, who in enumerate(owners) if who <= set(few)]
        for size in range(1, len(own) + 1):
            for group in combinations(own, size):
                assert not table.determined(np.isin(atoms, group))
    for person in range(table.people.matrix.shape[0]):
        mine = table.person == person
        here = np.unique(atoms[mine])
        for size in range(1, len(here) + 1):
            for group in combinations(here, size):
                part = (mine & np.isin(atoms, group)).astype(np.float64)
                assert table.width(part) >= LIMITS.min_interval - 1e-6


def test_something_is_answered() -> None:
    allowed = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table = Table(rng, persons=60, cells=12, most=4)
        allowed += sum(table.ask(rng.random(12) < 0.5) for _ in range(4))
    assert allowed >= 16


def test_twelve_visits_of_one_patient_are_one_person() -> None:
    """A cell of twelve records of one person, beside a cell of a hundred people: the sum of one is the other's rest."""
    person = np.concatenate([np.zeros(12, dtype=np.int64), np.arange(1, 101)])
    cell = np.concatenate([np.zeros(12, dtype=np.int64), np.ones(100, dtype=np.int64)])
    people = People.of(person, cell, np.ones(112, dtype=np.int64), 2)
    limits = Limits(min_set=10, min_interval=10.0)
    alone, everybody = np.array([True, False]), np.array([True, True])
    for counted in (None, people):
        knowledge = Knowledge([12, 100], 0, 100, 1, limits, b"secret", people=counted)
        knowledge.learn([Question(everybody, SUM)], [{"sum": 5600}])
        assert knowledge.consider([Question(alone, SUM)])[0].allowed is (counted is None)
        assert knowledge.consider([Question(~alone, SUM)])[0].allowed is (counted is None)


def test_the_total_of_a_person_over_several_cells() -> None:
    """Twelve cells, each with one record of one person only; sums never single out a cell, but their union."""
    cells, people = 24, 40
    person = np.concatenate([np.zeros(12, dtype=np.int64), np.repeat(np.arange(1, people), 4)])
    cell = np.concatenate([np.arange(12), 12 + np.arange(4 * (people - 1)) % 12])
    held = People.of(person, cell, np.ones(len(person), dtype=np.int64), cells)
    counts = np.bincount(cell, minlength=cells)
    limits = Limits(min_set=10, min_interval=10.0)
    everybody, others = np.ones(cells, dtype=np.bool_), np.arange(cells) >= 12
    blind = Knowledge(counts, 0, 100, 1, limits, b"secret")
    blind.learn([Question(everybody, SUM)], [{"sum": 50 * len(person)}])
    assert blind.consider([Question(others, SUM)])[0].allowed
    seeing = Knowledge(counts, 0, 100, 1, limits, b"secret", people=held)
    seeing.learn([Question(everybody, SUM)], [{"sum": 50 * len(person)}])
    assert seeing.consider([Question(others, SUM)])[0].rule == "exact"


def test_one_record_per_person_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 4, 60)
    cell = np.repeat(np.arange(60), counts)
    people = People.of(np.arange(len(cell)), cell, np.ones(len(cell), dtype=np.int64), 60)
    plain = Knowledge(counts, 0, 100, 1, LIMITS, b"secret")
    counted = Knowledge(counts, 0, 100, 1, LIMITS, b"secret", people=people)
    for _ in range(30):
        question = Question(rng.random(60) < 0.5, SUM)
        one, other = plain.consider([question])[0], counted.consider([question])[0]
        assert one == other
        if one.allowed:
            for each in (plain, counted):
                each.learn([question], [{"sum": 50.0 * counts[question.cells].sum()}])


def test_people_must_fit_the_counts() -> None:
    people = People.of(np.array([0, 0]), np.array([0, 1]), np.array([1, 1]), 2)
    with pytest.raises(DataError, match="people do not have as many records"):
        Knowledge([1, 2], 0, 100, 1, LIMITS, people=people)


@pytest.mark.parametrize("seed", range(30))
def test_the_search_finds_what_trying_all_groups_finds(seed: int) -> None:
    """Random systems over ten atoms of random people: every minimal determined group of few people, and no other."""
    rng = np.random.default_rng(seed)
    atoms, persons, least = 10, 9, 4
    people = [np.sort(rng.choice(persons, rng.integers(1, 3), replace=False)) for _ in range(atoms)]
    sets = (rng.random((5, atoms)) < 0.5).astype(np.float64)
    if seed % 2:  # hide the total of a small group in the sum of two sets
        few = [n for n in range(atoms) if len(np.unique(np.concatenate([people[0], people[n]]))) < least]
        sets[1] = np.where(np.isin(np.arange(atoms), few[:3]), 1 - sets[0], sets[0])
    projection = np.eye(atoms) - np.linalg.pinv(sets) @ sets
    groups, finished = small_groups_of_people(projection, people, least)
    assert finished
    wanted: set[tuple[int, ...]] = set()
    for size in range(1, atoms + 1):
        for group in combinations(range(atoms), size):
            flags = np.isin(np.arange(atoms), group).astype(np.float64)
            small = len(np.unique(np.concatenate([people[n] for n in group]))) < least
            minimal = not any(set(each) <= set(group) for each in wanted)
            if small and minimal and np.abs(projection @ flags).max() < 1e-9:
                wanted.add(group)
    assert {tuple(sorted(group.tolist())) for group in groups} >= wanted
    for found in groups:
        flags = np.isin(np.arange(atoms), found).astype(np.float64)
        assert np.abs(projection @ flags).max() < 1e-6
