"""Whole-number tables that agree with all answers: must somebody be among too many who have a value?

Bounds by linear programmes are too wide for ones and zeros, so that they would call a group safe that is not: on
GROUP BY and filters they are exact, on random halves up to 29% differ. Near a limit integer programmes decide, within a
budget of nodes; what they do not settle counts as a breach.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sdcdb.gateway.inference.categories.counting import Counting, Floats, Ints
from sdcdb.gateway.inference.intervals.atoms import classes

NODES = 200  # of a search tree
MOST_COLUMNS = 4_000
MOST_PROGRAMMES = 60  # for one question
_SOLVED, _INFEASIBLE = 0, 2


@dataclass(frozen=True, eq=False)
class WholeTables:
    """All tables with whole counts of `values` values in atoms of these `sizes` that agree with equations."""

    sizes: Ints
    values: int
    rows: Floats
    answers: Ints

    @classmethod
    def of(cls, sizes: Ints, values: int, asked: Sequence[Counting], answers: Sequence[int]) -> "WholeTables":
        """Put answers about cells of these sizes into equations over atoms, whose cells no answer tells apart."""
        flags = np.array([each.cells for each in asked]) if asked else np.zeros((1, len(sizes)), dtype=np.bool_)
        atoms = classes(flags)
        number = int(atoms.max(initial=-1)) + 1
        people = np.bincount(atoms, weights=sizes, minlength=number).astype(np.int64)
        rows = np.zeros((len(asked), number, values))
        for row, each in zip(rows, asked, strict=True):
            row[np.ix_(np.unique(atoms[each.cells]), np.array(sorted(each.values)))] = 1.0
        return cls(people, values, rows.reshape(len(asked), -1), np.array(answers, dtype=np.int64))

    def with_answer(self, answer: int) -> "WholeTables":
        """Return the tables in which the last answer is another one."""
        return replace(self, answers=np.append(self.answers[:-1], answer))

    def least(self, atom: int, value: int) -> int | None:
        """Return the least count of a value in an atom; -1 if there is no such table, None if it is not settled."""
        weights = np.zeros((len(self.sizes), self.values))
        weights[atom, value] = 1.0
        status, found = self._solve(weights.ravel(), self._most())
        return round(found) if status == _SOLVED else -1 if status == _INFEASIBLE else None

    def leaves_doubt(self, value: int, cap: float, budget: int) -> tuple[bool, int]:
        """Tell whether nobody must be among more than a share `cap` of an atom with a value; return the budget left.

        First one table is looked for in which no atom has too many; where there is none, one for each atom.
        """
        if len(self.sizes) * self.values > MOST_COLUMNS:
            return False, budget
        most = self._most().reshape(-1, self.values)
        allowed = np.floor(cap * self.sizes + 1e-9)
        most[:, value] = np.minimum(most[:, value], allowed)
        status, _ = self._solve(np.zeros(most.size), most.ravel())
        budget -= 1
        if status == _SOLVED:
            return True, budget
        for atom, bound in enumerate(allowed.tolist()):
            budget -= 1
            least = self.least(atom, value) if budget >= 0 else None
            if least is None or least > bound:
                return False, budget
            if least < 0:
                return True, budget  # such answers cannot be
        return True, budget

    def _most(self) -> Floats:
        return np.repeat(self.sizes, self.values).astype(np.float64)

    def _solve(self, weights: Floats, most: Floats) -> tuple[int, float]:
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array, identity, kron, vstack

        whole = kron(identity(len(self.sizes)), np.ones((1, self.values)))
        matrix = csr_array(vstack([self.rows, whole])) if len(self.rows) else csr_array(whole)
        right = np.concatenate([self.answers, self.sizes]).astype(np.float64)
        found = milp(
            weights,
            integrality=np.ones(len(most)),
            bounds=Bounds(0, most),
            constraints=LinearConstraint(matrix, right, right),
            options={"node_limit": NODES},
        )
        return int(found.status), float(found.fun) if found.fun is not None else 0.0


def plausible_leaves_doubt(
    tables: WholeTables, answers: Sequence[int], sensitive: Sequence[int], caps: Sequence[float]
) -> bool:
    """Tell whether every one of these answers to the last question leaves doubt about everybody's sensitive value."""
    budget = MOST_PROGRAMMES
    for answer in answers:
        tried = tables.with_answer(answer)
        for value, cap in zip(sensitive, caps, strict=True):
            fine, budget = tried.leaves_doubt(value, cap, budget)
            if not fine:
                return False
    return True


def places_of(values: frozenset[int]) -> NDArray[np.intp]:
    """Return values as an index."""
    return np.array(sorted(values), dtype=np.intp)
