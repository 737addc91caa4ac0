"""Guessing the role of a column from its name, type and values, with the reason in words.

A guess errs on the safe side: of two roles that are possible the one that shows less, with a CHECK beside it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sdcdb.connection.profile import ColumnProfile, TableProfile
from sdcdb.errors import counted
from sdcdb.policy.column_names import Said, read_name, tokens
from sdcdb.policy.models import Role
from sdcdb.policy.value_shapes import Shape, are_sentences, are_sexes, read_values, say_yes_or_no

FEW = 50  # different values that people still group by
YEARS = 1800, 2300
DATES = 180_001  # numbers from here on may be dates: 202401, 20240131, days and seconds since some day
LAST = 53  # the last week of a year
COUNTING = frozenset(["no", "nr", "num", "number", "row", "index", "nummer", "numero"])
RATES = frozenset(["per", "pro", "par", "por", "al"])  # hours per week


@dataclass(frozen=True)
class Guess:
    """A role and why it was chosen; `sure` guesses need no CHECK."""

    role: Role
    reason: str
    sure: bool = True
    kind: str = ""

    @property
    def said(self) -> str:
        """The reason as it stands in a policy."""
        return self.reason if self.sure else f"CHECK: {self.reason}"


@dataclass(frozen=True)
class Evidence:
    """What is known of a column beside its profile."""

    values: Sequence[str] = ()
    """Some of its different values, as text."""
    per_person: str | None = None
    """The column of persons for each of whom this one has a value of its own."""
    refers: str | None = None
    """The table of people whose key this column repeats."""
    dimension: str | None = None
    """The public table whose key this column repeats."""
    about: str | None = None
    """What the table is about by its name, where that is confidential: a table of diagnoses."""


NOTHING = Evidence()


def guess_role(column: ColumnProfile, seen: Evidence = NOTHING) -> Guess:
    """Guess the role of one column."""
    shape = read_values(seen.values) if column.text else None
    for guess in (_by_relation(column, seen), _by_shape(column, shape), _by_name(column, shape, seen.values)):
        if guess is not None:
            weak = guess.role is Role.QUASI and not guess.sure and _strong(column) is None
            return _of_table(seen.about) if weak and seen.about else guess
    return _by_type(column, shape, seen)


def _of_table(about: str) -> Guess:
    return Guess(Role.CONFIDENTIAL, f"the table's name says {about}", sure=False, kind=about)


def _by_relation(column: ColumnProfile, seen: Evidence) -> Guess | None:
    if seen.refers is not None:
        return Guess(Role.IDENTIFIER, f"the key of a person in {seen.refers!r}", kind="key")
    if seen.per_person is not None:
        return Guess(Role.IDENTIFIER, f"a value of its own for each {seen.per_person}", kind="key")
    if seen.dimension is not None and _strong(column) is None:
        return Guess(Role.QUASI, f"refers to {seen.dimension!r}: what it means is public", kind="dimension")
    return None


def _by_shape(column: ColumnProfile, shape: Shape | None) -> Guess | None:
    """Let values overrule the name where they are a direct identifier."""
    if shape is None or shape.role != "identifier":
        return None
    said = _strong(column)
    other = said is not None and said.meaning.role != "identifier"
    if other and column.distinct <= FEW and shape.kind in {"names of people", "street addresses", "free text"}:
        return None  # a few titles of jobs, or of diseases
    if shape.kind == "names of people" and said is not None and "lives" in said.meaning.kind:
        return None  # cities are called as people are
    return Guess(Role.IDENTIFIER, f"its values are {shape.kind}", kind=shape.kind)


def _strong(column: ColumnProfile) -> Said | None:
    found = (said for said in read_name(column.name) if not said.meaning.weak and _applies(column, said))
    return next(found, None)


def _applies(column: ColumnProfile, said: Said) -> bool:
    meaning = said.meaning
    if meaning.only == "text":
        return column.text and column.distinct > min(FEW, column.rows // 2)
    if meaning.only in {"time", "calendar"}:
        written = column.text and (meaning.only == "calendar" or column.distinct > min(FEW, column.rows // 2))
        timed = written or column.type.startswith(("DATE", "TIME", "INTERVAL"))
        part = meaning.only == "calendar" and said.word in meaning.words and not RATES & set(tokens(column.name))
        return timed or (column.integer and _tells_when(column, part=part))
    return not meaning.most or column.distinct <= meaning.most


def _tells_when(column: ColumnProfile, *, part: bool) -> bool:
    """Tell whether whole numbers are years or dates, or parts of the calendar: 1 to 31, to 12, to 53."""
    if column.low is None or column.high is None:
        return False
    return (
        YEARS[0] <= column.low <= column.high <= YEARS[1]
        or column.low >= DATES
        or (part and 1 <= column.low <= column.high <= LAST)
    )


def _by_name(column: ColumnProfile, shape: Shape | None, values: Sequence[str]) -> Guess | None:
    found = [said for said in read_name(column.name) if _applies(column, said)]
    if not found:
        return None
    best = found[0]
    kind, reason = best.meaning.kind, f"the name says {best.word!r}: {best.meaning.kind}"
    if not best.meaning.weak:
        coded = any(said.meaning.weak and said.word not in best.word for said in found)
        flag = column.type == "BOOLEAN" or (column.distinct <= 2 and column.rows > 10 and say_yes_or_no(values))
        return _by_strong_name(column, best, reason, coded=coded, flag=flag)
    many = column.distinct > min(FEW, column.rows // 2) or column.unique
    person = [said for said in found if said.meaning.kind == "a person"]
    if many or person or (column.text and "name" in best.word and shape is not None):
        return Guess(Role.IDENTIFIER, reason, sure=bool(many), kind=kind)
    few = f"{reason}, with {counted(column.distinct, 'different value')}"
    if not column.distinct:
        return Guess(Role.IDENTIFIER, few, sure=False, kind=kind)
    if column.integer and best.word in COUNTING:
        return Guess(Role.QUASI, few, sure=False, kind=kind)
    return Guess(Role.CONFIDENTIAL, few, sure=False)  # a code of who knows what


def _by_strong_name(column: ColumnProfile, best: Said, reason: str, *, coded: bool, flag: bool) -> Guess:
    role, kind = Role(best.meaning.role), best.meaning.kind
    if role is Role.CLASS:  # a class leaves as it is, and whether there is a classifier the owner knows
        said = f"{reason}: then make it class, or quasi where others know it"
        return Guess(Role.CONFIDENTIAL, said, sure=False)
    if role is Role.IDENTIFIER and flag:
        return Guess(Role.QUASI, f"{reason}, but yes or no", sure=False, kind=kind)
    if role in {Role.QUASI, Role.CONFIDENTIAL} and coded and _numbering(column):
        return Guess(Role.IDENTIFIER, f"{reason}, but it numbers something", sure=False, kind=kind)
    return Guess(role, reason, kind=kind)


def _numbering(column: ColumnProfile) -> bool:
    """Tell whether a column with `id` or `number` in its name numbers many things, not a few kinds of them."""
    return column.distinct > FEW and (column.unique or (column.integer and tokens(column.name)[-1:] == ["id"]))


def _by_type(column: ColumnProfile, shape: Shape | None, seen: Evidence) -> Guess:
    if column.unique and not column.type.startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return Guess(Role.IDENTIFIER, "unique in every record", kind="key")
    if shape is not None:
        return Guess(Role(shape.role), f"its values look like {shape.kind}", sure=False, kind=shape.kind)
    if column.type.startswith(("DATE", "TIMESTAMP", "TIME")):
        return Guess(Role.QUASI, "a date or time: an intruder may know when it was", sure=False, kind="time")
    grouped = column.numeric or column.text or column.type == "BOOLEAN" or column.type.startswith("ENUM")
    if not grouped:
        return Guess(Role.IDENTIFIER, f"the type {column.type} cannot be grouped safely", kind="type")
    if column.text and (guess := _by_text(column, seen.values)) is not None:
        return guess
    if column.distinct == 0:
        return Guess(Role.CONFIDENTIAL, "the column is empty", sure=False)
    many = counted(column.distinct, "different value")
    return Guess(Role.CONFIDENTIAL, f"{many} and an unknown name: kept safe", sure=False)


def _by_text(column: ColumnProfile, values: Sequence[str]) -> Guess | None:
    """Guess what texts are that have no name and no shape."""
    if column.distinct > FEW:
        many = f"text with {counted(column.distinct, 'different value')}, unknown name"
        return Guess(Role.IDENTIFIER, many, sure=False)
    if are_sexes(values):
        return Guess(Role.QUASI, "its values look like sexes", sure=False, kind="sex")
    if are_sentences(values):
        return Guess(Role.IDENTIFIER, "sentences, which may name somebody", sure=False, kind="free text")
    return None


def guess_key(table: TableProfile) -> str | None:
    """Choose the column that names a record: unique, preferably first and called id.

    An amount or a diagnosis that happens to differ in all records is none: what its name says it keeps.
    """
    unique = [column for column in table.columns if column.unique and (column.integer or column.text)]
    said = {column.name: _strong(column) for column in unique}
    unique = [c for c in unique if (name := said[c.name]) is None or name.meaning.role == Role.IDENTIFIER.value]
    named = [column for column in unique if re.search(r"(^|_)(id|key|uuid|nr|no)$", column.name.lower())]
    return next((column.name for column in (*named, *unique)), None)
