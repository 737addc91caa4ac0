"""A perturbed table as measures see it: its rows, the table before, and how each category was changed.

A protected view knows its own plan. A copy of one, or a table that was perturbed elsewhere, comes with a table of its
matrices: what `sdc_transition_matrix` shows is what an analyst may be given along with a release.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.engines.dialect import text_literal
from sdcdb.errors import DataError
from sdcdb.udfs.relations import Relation
from sdcdb.udfs.table_function import Call, Parameter

if TYPE_CHECKING:
    from sdcdb.techniques.families.transition import TransitionMatrix

NEEDED = ("original", "published", "probability")
MATRIX = Parameter(
    "matrix",
    "a table of original, published, probability, and column if it has the matrices of several, for a table that is no "
    "protected view",
)
ORIGINAL = Parameter("original", "the table before, for a table that is no protected view")


@dataclass(frozen=True)
class Published:
    """A perturbed relation. `rows` and `original` are SQL; `opaque` are columns changed in a way without a matrix."""

    name: str
    columns: tuple[str, ...]
    rows: str
    original: str | None
    matrices: Mapping[str, "TransitionMatrix"]
    opaque: Mapping[str, str]
    planned: bool
    """Whether a plan says how it was made: a value that the matrix does not have was then NULL, or came later."""
    empty: frozenset[str] = frozenset()
    """Categories that had no values when the view was made, and so have no matrix."""

    def matrix(self, column: str) -> "TransitionMatrix":
        """Return the matrix of a column."""
        if column in self.matrices:
            return self.matrices[column]
        if column in self.empty:
            raise DataError(f"{column!r} of {self.name!r} had no values when the view was made: make it again")
        which = f"those that have: {', '.join(self.matrices)}" if self.matrices else "none of its columns has"
        raise DataError(f"{column!r} of {self.name!r} has no transition matrix; {which}")

    def before(self) -> str:
        """Return the table before as SQL."""
        if self.original is None:
            raise DataError(f"{self.name!r} is no protected view: name the table before, original := 'staff'")
        return self.original

    def square(self, column: str, values: tuple[str, ...]) -> NDArray[np.float64]:
        """Return the matrix of a column over the values that occur; a column that is not changed has the identity."""
        if column in self.opaque:
            how = self.opaque[column]
            raise DataError(f"{column!r} is perturbed by {how}, which has no matrix: choose columns := [...]")
        rows = np.eye(len(values))
        if column not in self.matrices:
            return rows
        matrix = self.matrices[column]
        at = {value: n for n, value in enumerate(matrix.values)}
        for i, value in enumerate(values):
            if value in at:
                rows[i] = [matrix.matrix[at[value], at[other]] if other in at else 0 for other in values]
        scaled: NDArray[np.float64] = rows / rows.sum(axis=1, keepdims=True)
        return scaled


def published(call: Call) -> Published:
    """Return what a call measures: a protected view, or a table with its matrices."""
    from sdcdb.techniques.families.categories import FittedTransition
    from sdcdb.views import catalogue

    view = call.relations["view"]
    if "matrix" in call.relations:
        before = call.relations.get("original")
        return Published(
            name=view.given,
            columns=view.columns,
            rows=quoted(view.reference),
            original=quoted(before.reference) if before else None,
            matrices=_matrices(call, view),
            opaque={},
            planned=False,
        )
    if "original" in call.relations:
        raise DataError("original goes with matrix: a protected view knows its own table")
    plan = catalogue.entry(call.cursor, call.reading("view")).plan
    changed = [(column, each) for each in plan.fitted for column in each.columns]
    with_matrix = {column: each for column, each in changed if isinstance(each, FittedTransition)}
    return Published(
        name=plan.view,
        columns=plan.columns,
        rows=quoted(view.reference),
        original=quoted(table_reference(plan.table)),
        matrices={column: each.transition() for column, each in with_matrix.items() if each.shape.values},
        opaque={column: each.technique for column, each in changed if column not in with_matrix},
        planned=True,
        empty=frozenset(column for column, each in with_matrix.items() if not each.shape.values),
    )


def _matrices(call: Call, view: Relation) -> dict[str, "TransitionMatrix"]:
    """Read the matrices of a table of them. Without names it holds one, that of the column that is asked about."""
    table = call.relations["matrix"]
    spelled = {fold(name): quoted(identifier(name)) for name in table.columns}
    if missing := [name for name in NEEDED if name not in spelled]:
        raise DataError(f"{table.given!r} has no column {missing[0]!r}: a matrix has {', '.join(NEEDED)}")
    asked = view.own(call.arguments.get("column") or call.arguments["confidential"])
    whose = f"CAST({spelled['column']} AS VARCHAR)" if "column" in spelled else text_literal(asked)
    before, after, chance = (spelled[name] for name in NEEDED)
    rows = call.cursor.execute(
        f"SELECT {whose}, CAST({before} AS VARCHAR), CAST({after} AS VARCHAR), CAST({chance} AS DOUBLE) "
        f"FROM {quoted(table.reference)}"
    ).fetchall()
    cells: dict[str, dict[tuple[str, str], float]] = {}
    for column, *pair, probability in rows:
        if None in (column, *pair, probability):
            raise DataError(f"{table.given!r} has a NULL: every cell of a matrix is known")
        original, shown = pair
        own = cells.setdefault(view.own(column), {})
        if (original, shown) in own:
            raise DataError(f"{table.given!r} has two probabilities for {original!r} published as {shown!r}")
        own[original, shown] = probability
    return {column: _matrix(own) for column, own in cells.items()}


def _matrix(cells: Mapping[tuple[str, str], float]) -> "TransitionMatrix":
    """Return a matrix from its cells; a pair that is not among them has probability 0."""
    from sdcdb.techniques.families.transition import given

    values = sorted({value for pair in cells for value in pair})
    return given(values, [[cells.get((before, after), 0.0) for after in values] for before in values])
