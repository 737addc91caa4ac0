"""What is known goes along into a table's next version: against the same answers taken in anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcdb.gateway.inference.algebra.bit_matrix import Rows
from sdcdb.gateway.inference.algebra.growth import CAME, Growth
from sdcdb.gateway.inference.algebra.nullspace import NullSpace
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.lattice import lattice as lattice_module
from sdcdb.gateway.inference.lattice.lattice import Lattice
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.inference.set_audit import SetAudit

LIMITS = Limits(min_set=3, min_interval=100)


def grown(counts: np.ndarray, rng: np.random.Generator) -> Growth:
    """Split some cells, and let some people come."""
    now, origins, more = counts.copy(), [], []
    for cell in rng.permutation(len(counts))[: rng.integers(0, 4)]:
        if now[cell] > 1:
            part = int(rng.integers(1, now[cell]))
            now[cell] -= part
            origins.append(int(cell))
            more.append(part)
    for _ in range(rng.integers(0, 3)):
        origins.append(CAME)
        more.append(int(rng.integers(1, 4)))
    return Growth(len(counts), np.concatenate([now, more]).astype(np.int64), np.array(origins, dtype=np.int64))


class Course:
    """Versions of a table with random sets answered in each, and the same sets in the cells of the last version."""

    def __init__(self, seed: int, versions: int = 4, questions: int = 3) -> None:
        self.rng = np.random.default_rng(seed)
        self.counts = self.rng.integers(0, 6, 8)
        self.first, self.steps, self.sets = self.counts, list[tuple[Growth, list[np.ndarray]]](), list[np.ndarray]()
        for _ in range(versions):
            growth = grown(self.counts, self.rng)
            self.counts, self.sets = growth.counts, [growth.flags(each) for each in self.sets]
            mine = [self.rng.random(len(self.counts)) < 0.5 for _ in range(questions)]
            self.steps.append((growth, mine))
            self.sets += mine

    def values(self) -> np.ndarray:
        return self.rng.integers(0, 1001, len(self.counts)) * self.counts  # the total of each cell's records


def test_parts_are_where_their_cell_was_and_newcomers_nowhere() -> None:
    growth = Growth(3, np.array([2, 0, 4, 1, 2, 5]), np.array([0, CAME, 2]))
    assert growth.flags(np.array([True, False, False])).tolist() == [True, False, False, True, False, False]
    labels, number = growth.labels(np.array([1, 0, 1]), 2)
    assert labels.tolist() == [1, 0, 1, 1, 2, 1]
    assert number == 3
    assert growth.newcomers == 2
    here = growth.within(np.array([0, 2]))
    assert here is not None
    assert here.counts.tolist() == [2, 4, 1, 2, 5]
    assert here.origins.tolist() == [0, CAME, 1]


def test_a_cell_that_is_empty_now_is_not_followed() -> None:
    assert Growth(2, np.array([0, 3, 1]), np.array([CAME])).within(np.array([0, 1])) is None


def test_records_are_shared_out_among_the_parts_as_a_random_draw_would() -> None:
    growth = Growth(1, np.array([10, 30, 60]), np.array([0, 0]))
    rng = np.random.default_rng(1)
    drawn = np.array([growth.shared(np.array([50]), np.array([100]), rng) for _ in range(400)])
    assert (drawn.sum(axis=1) == 50).all()
    assert (drawn <= growth.counts).all()
    assert drawn.mean(axis=0) == pytest.approx([5, 15, 30], abs=0.5)


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_rows_of_bits_are_those_of_the_sets(seed: int) -> None:
    course = Course(seed)
    rows = Rows(len(course.first))
    for growth, mine in course.steps:
        rows.grow(growth)
        for each in mine:
            rows.append(each)
    wanted = np.array(course.sets)
    assert (rows.dense() == wanted).all()
    assert np.allclose(rows.combined(np.arange(len(wanted), dtype=float)), np.arange(len(wanted)) @ wanted)
    assert np.allclose(rows.times(np.arange(wanted.shape[1], dtype=float)), wanted @ np.arange(wanted.shape[1]))


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_what_follows_is_what_follows_from_all_sets(seed: int) -> None:
    course = Course(seed)
    space = NullSpace(len(course.first), np.random.default_rng(seed))
    for growth, mine in course.steps:
        space.grow(growth)
        for each in mine:
            space.add(each)
    matrix = np.array(course.sets, dtype=float)
    rank = np.linalg.matrix_rank(matrix)
    assert space.rank == rank
    tried = [*np.eye(matrix.shape[1], dtype=bool), *(course.rng.random((10, matrix.shape[1])) < 0.5)]
    for each in tried:
        assert space.implied(each) == (np.linalg.matrix_rank(np.vstack([matrix, each])) == rank)


@pytest.mark.parametrize("dense", [1200, 3])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_vectors_vanish_on_all_sets_and_span_all_that_do(dense: int, seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice_module, "DENSE", dense)
        course = Course(seed)
        alive = np.flatnonzero(course.first)
        rng = np.random.default_rng(seed)
        state = Lattice.fresh(course.first[alive], 1_000, rng)
        for growth, mine in course.steps:
            here = growth.within(alive)
            assert here is not None
            state = state.grown(here, rng)
            alive = np.flatnonzero(growth.counts)
            for each in mine:
                state = state.with_set(each[alive])
        for labels, records, vectors in _vectors(state):
            assert (np.bincount(labels, course.counts[alive], len(records)) == records).all()
            spread = vectors[:, labels]  # a number per column; the flags of a column's first cell stand for it
            first = [int(np.flatnonzero(labels == n)[0]) for n in range(len(records))]
            sets = np.array([each[alive] for each in course.sets])
            assert (sets[:, first][:, labels] == sets).all()  # no set cuts a column
            assert not (sets[:, first].astype(int) @ vectors.T).any()
            assert len(vectors) == len(records) - np.linalg.matrix_rank(sets[:, first].astype(float))
            assert np.linalg.matrix_rank(spread.astype(float)) == len(vectors)
        for shadow in state.shadows:
            assert shadow.basis is not None
            assert (shadow.basis.counts <= course.counts[alive][shadow.cells]).all()
            assert (np.bincount(shadow.basis.labels, shadow.basis.counts) == shadow.basis.records).all()


def _vectors(state: Lattice) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    found = []
    if state.basis is not None:
        basis = state.basis
        assert basis.directions @ np.diag(1 / basis.records) @ basis.directions.T == pytest.approx(
            np.diag(basis.squared), abs=1e-9
        )
        if basis.projection is not None:
            scaled = basis.vectors / np.sqrt(basis.records)
            assert basis.projection == pytest.approx(scaled.T @ np.linalg.pinv(scaled.T), abs=1e-6)
        found.append((basis.labels, basis.records, basis.vectors))
    if state.short is not None:
        short = state.short
        vectors = np.zeros((short.number, len(short.records)), dtype=np.int64)
        starts, columns, numbers = short.vectors
        vectors[np.repeat(np.arange(short.number), np.diff(starts)), columns] = numbers
        assert (vectors**2 * short.weights).sum(axis=1) == pytest.approx(short.size)
        found.append((short.labels, short.records, vectors))
    return found


@given(st.integers(0, 10_000))
@settings(max_examples=12, deadline=None)
def test_knowledge_is_that_of_the_answers_taken_in_anew(seed: int) -> None:
    grows_as_anew(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20_000, 20_200))
def test_knowledge_is_that_of_many_answers_taken_in_anew(seed: int) -> None:
    grows_as_anew(seed)


def grows_as_anew(seed: int) -> None:
    course = Course(seed)
    values = course.values()
    state = Knowledge(course.first, 0, 1_000, 1, LIMITS, b"one")
    rows, done = [], 0
    for number, (growth, mine) in enumerate(course.steps):
        assert state.grow(growth)
        for each in mine:
            later = each
            for further, _ in course.steps[number + 1 :]:
                later = further.flags(later)
            question = Question(each, frozenset({"sum"}))
            if not growth.counts[each].sum() or not state.consider([question])[0].allowed:
                continue
            answer = {"sum": int(values[later].sum())}
            if state.learn([question], [answer])[0]:
                rows.append((Question(later, frozenset({"sum"})), answer))
            done += 1
        if state.status().interval == 0:  # an answer that left too little room: taken in anew from here on
            return
    anew = Knowledge.restore(course.counts, 0, 1_000, 1, LIMITS, b"two", rows)
    assert state.rank == anew.rank == len(rows)
    alive = course.counts > 0
    assert all(
        np.allclose(a[alive], b[alive], atol=1e-6) for a, b in zip(state.intervals(), anew.intervals(), strict=True)
    )
    for _ in range(20):
        flags = course.rng.random(len(course.counts)) < 0.5
        if course.counts[flags].sum():
            question = Question(flags, frozenset({"sum"}))
            one, other = state.consider([question])[0], anew.consider([question])[0]
            assert one.implied == other.implied
            assert (one.rule == "exact") == (other.rule == "exact")
    ground = state._ground  # what it has come to
    leverages = [k._ground.columns.leverage[k._blocks.partition.labels] for k in (state, anew)]
    assert np.allclose(leverages[0], leverages[1], atol=1e-6)
    assert [ground.expected(state._lively(q)) for q, _ in rows] == pytest.approx(list(ground.answers), abs=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_the_audit_of_sets_is_that_of_the_sets_taken_in_anew(seed: int) -> None:
    course = Course(seed)
    state, told = SetAudit(course.first, 1_000, LIMITS, b"one"), list[np.ndarray]()
    for growth, mine in course.steps:
        assert state.grow(growth)
        told = [growth.flags(each) for each in told]
        for each in mine:
            if state.consider([each]) == [None]:
                state.learn([each])
                told.append(each)
    anew = SetAudit(course.counts, 1_000, LIMITS, b"two")
    anew.learn(told)
    assert state.rank == anew.rank
    for _ in range(20):
        flags = course.rng.random(len(course.counts)) < 0.5
        one, other = state.consider([flags]), anew.consider([flags])
        assert (one == ["exact"]) == (other == ["exact"])
