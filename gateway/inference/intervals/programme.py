"""Linear programmes over the totals of atoms, all on one HiGHS model that keeps its basis between them.

Unknowns are the totals of atoms, each in its own range, with one equation per answered sum. Only the objective changes
from one programme to the next, so the simplex method starts from the last optimum and needs a few steps only.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Programme:
    """The polytope of all totals that agree with the answers."""

    def __init__(self, rows: NDArray[np.bool_], answers: Floats, low: Floats, high: Floats) -> None:
        """Take one row per sum, one column per atom, and the range of each atom's total."""
        import highspy  # seldom needed, and not for a first answer

        inside = [np.flatnonzero(row).astype(np.int32) for row in rows]
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(low), len(answers)
        lp.col_cost_ = np.zeros(len(low))
        lp.col_lower_, lp.col_upper_ = low, high
        lp.row_lower_ = lp.row_upper_ = np.asarray(answers, dtype=np.float64)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.cumsum([0, *map(len, inside)], dtype=np.int32)
        lp.a_matrix_.index_ = np.concatenate([np.zeros(0, np.int32), *inside])
        lp.a_matrix_.value_ = np.ones(len(lp.a_matrix_.index_))
        self._solver: Any = highspy.Highs()  # type: ignore[no-untyped-call] # ships no types for it
        self._solver.silent()
        self._solver.setOptionValue("threads", 1)
        self._solver.setOptionValue("primal_feasibility_tolerance", 1e-9)
        self._solver.setOptionValue("dual_feasibility_tolerance", 1e-9)
        self._solver.passModel(lp)
        self._low, self._high = low, high

    def feasible(self) -> bool:
        """Tell whether any totals agree with the answers."""
        return self._run() is not None

    def reach(self, column: int) -> tuple[float, float] | None:
        """Return the least and the greatest total of an atom, or None when the solver does not settle it."""
        self._solver.changeColCost(column, 1.0)
        least = self._run()
        self._solver.changeColCost(column, -1.0)
        greatest = None if least is None else self._run()
        self._solver.changeColCost(column, 0.0)
        if least is None or greatest is None:
            return None
        return max(least, float(self._low[column])), min(-greatest, float(self._high[column]))

    def fix(self, column: int, total: float) -> None:
        """Hold an atom at a total from now on."""
        self._solver.changeColBounds(column, total, total)
        self._low, self._high = self._low.copy(), self._high.copy()
        self._low[column] = self._high[column] = total

    def least(self, weights: Floats) -> float | None:
        """Return the least weighted sum of totals, or None when the solver does not settle it."""
        columns = np.arange(len(weights), dtype=np.int32)
        self._solver.changeColsCost(len(weights), columns, weights)
        found = self._run()
        self._solver.changeColsCost(len(weights), columns, np.zeros(len(weights)))
        return found

    def _run(self) -> float | None:
        self._solver.run()
        if not self._optimal():
            self._solver.clearSolver()  # a second try without the old basis: warm starts have known trouble
            self._solver.run()
            if not self._optimal():
                return None
        return float(self._solver.getInfo().objective_function_value)

    def _optimal(self) -> bool:
        return bool(self._solver.getModelStatus().name == "kOptimal")
