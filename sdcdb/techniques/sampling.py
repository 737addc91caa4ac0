"""Simple random sampling without replacement, of an exact size (CAE paper 2014, section 5)."""

from collections.abc import Mapping
from typing import Literal

from sqlglot import exp

from sdcdb.connection.identifiers import quoted, table_reference
from sdcdb.engines.expressions import RECORD, SPAN, TABLE, Row, number
from sdcdb.errors import DataError
from sdcdb.fields.amount import AmountField
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique


class Sampling(Params):
    """Publish a simple random sample of the records, of exactly the requested size.

    Every record has its own draw; the records with the smallest draws are published. Fitting finds the largest draw
    in the sample, so the view needs no window and no sorting. The sample is the same at every read. After inserts or
    deletes the size is only approximate: fit again.
    """

    method: Literal["sampling"]
    size: AmountField
    """The size of the sample: a number of records, or a share of the table such as `10%`."""


class FittedSampling(Fitted):
    """The draws below which records are published."""

    technique: Literal["sampling"] = "sampling"
    size: int
    of: int
    below: int
    """Records with a first draw below this are published."""
    second_below: int
    """Records with exactly that first draw and a second draw below this are published too."""

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:  # noqa: ARG002 - values are not changed
        """Change no value."""
        return {}

    def condition(self, row: Row) -> exp.Expr | None:
        """Compare the record's draws with the thresholds; two draws of 32 bits hardly ever tie."""
        first, second = row.draw(RECORD, 0), row.draw(RECORD, 1)
        tie = exp.and_(first.copy().eq(number(self.below)), second < number(self.second_below))
        return exp.or_(first < number(self.below), tie)

    def words(self) -> Mapping[str, str]:
        """Explain the sample."""
        return {RECORD: f"a simple random sample of {self.size:,} of {self.of:,} records is published"}


def fit(engine: Engine, table: Source, _columns: tuple[ColumnSpec, ...], params: Sampling) -> FittedSampling:
    """Find the draws of the first record outside the sample."""
    source = f"{quoted(table_reference(table.name))} AS {TABLE}"
    ((rows,),) = engine.query(f"SELECT count(*) FROM {source}")
    size = round(params.size.of(rows)) if params.size.relative else int(params.size.value)
    if not 0 <= size <= rows:
        raise DataError(f"a sample of {size} from {rows} records: use at most {rows}, or a share up to 100%")
    below, second = SPAN, 0
    if size < rows:
        first, then = (engine.sql(table.row.draw(RECORD, n), table) for n in (0, 1))
        ((below, second),) = engine.query(
            f"SELECT u, v FROM (SELECT {first} AS u, {then} AS v FROM {source}) ORDER BY u, v LIMIT 1 OFFSET {size}"
        )
    return FittedSampling(columns=(), size=size, of=rows, below=below, second_below=second)


TECHNIQUE = Technique("sampling", Kind.RECORD, Sampling, FittedSampling, fit, among_records=True)
