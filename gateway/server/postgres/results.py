"""What a statement gives back, whoever ran it: columns, rows, a tag, notices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sdcdb.gateway.answer import Answer
from sdcdb.gateway.server.postgres.encode import Encoder, encoder
from sdcdb.gateway.server.postgres.messages import row_description
from sdcdb.gateway.server.postgres.problem import Refusal, notice
from sdcdb.gateway.server.postgres.types import Shown, shown


@dataclass(frozen=True)
class Result:
    """A result. Without columns, there are no rows to describe, only a tag."""

    tag: str
    columns: tuple[str, ...] | None = None
    kinds: tuple[Shown, ...] = ()
    rows: Sequence[tuple[Any, ...]] = ()
    notices: tuple[bytes, ...] = ()
    told: tuple[bytes, ...] = ()  # messages that go ahead, such as a changed setting

    def description(self, formats: Sequence[int] = ()) -> bytes:
        """Describe the rows, in the formats that the client wants."""
        wanted = each_format(formats, len(self.kinds))
        return row_description(
            [
                (name, kind.oid, kind.size, kind.modifier, form)
                for name, kind, form in zip(self.columns or (), self.kinds, wanted, strict=True)
            ]
        )

    def encoders(self, formats: Sequence[int] = ()) -> list[Encoder]:
        """Return what encodes each column."""
        wanted = each_format(formats, len(self.kinds))
        return [encoder(kind, binary=form == 1) for kind, form in zip(self.kinds, wanted, strict=True)]


def each_format(formats: Sequence[int], count: int) -> list[int]:
    """Return the format of each column or parameter: one for all, one for each, or text."""
    if len(formats) not in {0, 1, count} or any(form not in {0, 1} for form in formats):
        raise Refusal("08P01", "the formats do not fit the columns")
    return list(formats) if len(formats) == count else [formats[0] if formats else 0] * count


def from_answer(answer: Answer) -> Result:
    """Return an answer of the gateway; a notice counts groups that are not shown."""
    notices: tuple[bytes, ...] = ()
    if answer.verdict.suppressed:
        number = answer.verdict.suppressed
        said = f"{number} group{' is' if number == 1 else 's are'} not shown, or part of a merged row"
        notices = (notice(said, f"rule: {answer.verdict.rule}", answer.verdict.hint),)
    if answer.estimated:
        errors = "; ".join(", ".join("-" if e is None else f"{e:.3g}" for e in row) for row in answer.errors[:20])
        notices = (notice(answer.verdict.reason, f"standard errors by row and column: {errors}", answer.verdict.hint),)
    return from_rows(answer.columns, answer.types, answer.rows, notices)


def from_rows(
    columns: Sequence[str], types: Sequence[str], rows: Sequence[tuple[Any, ...]], notices: tuple[bytes, ...] = ()
) -> Result:
    """Return rows with DuckDB's types."""
    return Result(f"SELECT {len(rows)}", tuple(columns), tuple(shown(kind) for kind in types), rows, notices)


def from_texts(columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Result:
    """Return rows of texts, as SHOW does."""
    return Result("SHOW", tuple(columns), tuple(shown("VARCHAR") for _ in columns), rows)
