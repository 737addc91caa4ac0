"""An answer: columns, rows, and the verdict that let it pass."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sdcdb.gateway.rules.verdict import Verdict
from sdcdb.gateway.workers.process import Rows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Answer:
    """The result of a statement. What was not released is None.

    `merged` are the numbers of the rows that stand for groups that are not shown by themselves: their keys are None,
    and so are their numbers where the row is too small or unsafe itself. Behind a CTE or a subquery it is empty.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    verdict: Verdict
    merged: tuple[int, ...] = ()
    errors: tuple[tuple[float | None, ...], ...] = ()
    """Of an estimate, the standard error of each number: 0 where it is exact, None where none can be given."""

    @property
    def estimated(self) -> bool:
        """Whether the numbers are estimates from a protected view, in the place of exact ones that were denied."""
        return self.verdict.kind == "estimate"

    def df(self) -> "pd.DataFrame":
        """Return the rows as a pandas DataFrame."""
        import pandas as pd  # a third of a second that only those wait who want a DataFrame

        return pd.DataFrame.from_records(list(self.rows), columns=list(self.columns))

    def arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        columns = [pa.array([row[n] for row in self.rows]) for n in range(len(self.columns))]
        return pa.Table.from_arrays(columns, names=list(self.columns))

    def __len__(self) -> int:
        return len(self.rows)


def answer_of(rows: Rows, verdict: Verdict) -> Answer:
    """Return what a statement returned as an answer."""
    return Answer(rows.columns, rows.types, rows.rows, verdict)


def marked_answer(rows: Rows, verdict: Verdict) -> Answer:
    """Take the marks of merged rows, which are the last column, out of the rows."""
    merged = tuple(number for number, row in enumerate(rows.rows) if row[-1])
    return Answer(rows.columns[:-1], rows.types[:-1], tuple(row[:-1] for row in rows.rows), verdict, merged)
