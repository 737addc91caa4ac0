"""k-anonymity by global recoding and local suppression (Samarati 2001; OLA 2009), or by Mondrian (2006)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from sqlglot import exp

from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import column_types, is_number
from sdcdb.engines.expressions import RECORD, Row, joined
from sdcdb.errors import DataError, choices, counted
from sdcdb.fields.amount import AmountField, parse
from sdcdb.fields.strict import incoherent
from sdcdb.techniques.families.by_record import fetch_in_order, store_in_order
from sdcdb.techniques.families.crowds import Targets
from sdcdb.techniques.families.ladders import Rung, ladder_of
from sdcdb.techniques.families.recoding import Recoded, Records
from sdcdb.techniques.technique import ColumnSpec, Engine, Fitted, Kind, Params, Source, Technique

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

PUBLISHED = "sdc published"  # a column of the stored table: NULL for records that are not


class Kanonymity(Params):
    """Make every published combination of quasi-identifiers belong to at least k records.

    Values become coarser by *ladders*, one step at a time: the age 37 becomes 35-39, then 30-39, at last nothing.
    `hierarchies` gives the steps: widths for numbers (`age: [5, 10, 20]`), units for dates (`born: [month, year,
    decade]`; also `quarter` and `five years`), characters to keep for text such as postcodes (`zip: [3, 2]`), groups
    for categories (`job: [{manual: [mason, smith]}]`; a second mapping groups the groups). `[]` allows the value or
    nothing. Columns that are not named get derived steps: round widths, or equal shares where the numbers are skewed;
    month to decade; prefixes of postcodes; rare categories become `other`.

    With up to ten quasi-identifiers, each is published at one level in all records (global recoding). Of all
    combinations of levels, fitting finds the one that loses least; at most a share `suppress` of the records may stay
    in classes that are too small. Of these, the fewest cells are blanked that make them safe as well; a record that
    cannot be saved is not published. With more quasi-identifiers, or `search: mondrian`, records are cut in two again
    and again (Mondrian), and each part publishes its ranges.

    k-anonymity does not hide a confidential value that a whole class shares. `l: 3` asks for three different values in
    every class (distinct l-diversity), with `diversity: entropy` for an entropy of at least log2(l) bits; `t: 0.2` for
    a distance of at most 0.2 between the values of a class and those of the table (t-closeness). Both look at
    `confidential`, by default every confidential column.

    The loss of a cell is (values it may be - 1) / (values of the column - 1): 0 as it is, 1 when suppressed. NULL
    counts as a value. Fitting reads the quasi-identifiers into Python and stores what each record publishes in the
    schema `sdc`; a record that is inserted later is not published until the next fit. Coarser values are text.
    """

    method: Literal["kanonymity"]
    k: int = Field(ge=2, strict=True)
    """The least number of records with the same published quasi-identifiers."""
    hierarchies: dict[str, tuple[Rung, ...]] = Field(default_factory=dict)
    """The steps by which each column becomes coarser; derived for columns that are not named."""
    columns: tuple[str, ...] = ()
    """The columns to recode. By default, the quasi-identifiers that no other method of the view changes."""
    suppress: AmountField = Field(default=parse("5%"))
    """The most records whose cells may be suppressed: a share of the table, or a number."""
    l: float | None = Field(default=None, gt=1)  # noqa: E741 - its name in the literature
    """The least diversity of confidential values in a class."""
    diversity: Literal["distinct", "entropy"] = "distinct"
    """How `l` is counted: different values, or 2 to the power of their entropy."""
    t: float | None = Field(default=None, gt=0, le=1)
    """The largest distance between the confidential values of a class and of the table."""
    confidential: tuple[str, ...] = ()
    """The columns that `l` and `t` are about. By default, all confidential columns."""
    search: Literal["lattice", "mondrian"] | None = None
    """How to search. By default, the lattice of levels for up to ten columns, Mondrian for more."""

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        if self.confidential and self.l is None and self.t is None:
            incoherent(self, [(("confidential",), "is for l and t: set one of them, or remove it")])
        if self.suppress.relative and self.suppress.value > 1:
            incoherent(self, [(("suppress",), "must be a share up to 100%, or a number of records")])
        return self


class FittedKanonymity(Fitted):
    """What was found; the published values are in a stored table."""

    technique: Literal["kanonymity"] = "kanonymity"
    stored: str
    targets: str
    levels: dict[str, str]
    """What each column is published as."""
    coarse: tuple[str, ...]
    """The columns that are text now."""
    loss: float
    """The mean loss of a cell, from 0 to 1."""
    classes: int
    blanked: dict[str, int]
    """Cells that were suppressed beyond the level of their column."""
    dropped: int
    """Records that are not published."""
    of: int
    how: str
    """How it was found."""

    def recoded(self) -> set[str]:
        """Return the columns that are published in other terms than those of the table, or not at all."""
        return {name for name, level in self.levels.items() if level != "as it is"}

    def expressions(self, row: Row) -> Mapping[str, exp.Expr]:  # noqa: ARG002 - the stored table has it all
        """Return what fitting stored for the record."""
        return {column: joined(self.stored, column) for column in self.columns}

    def condition(self, row: Row) -> exp.Expr | None:  # noqa: ARG002 - the stored table has it all
        """Publish the records that fitting has seen, and made safe."""
        return exp.Is(this=joined(self.stored, PUBLISHED), expression=exp.null()).not_()

    def joined(self) -> tuple[str, ...]:
        """Return the table of published values."""
        return (self.stored,)

    def random(self) -> bool:
        """Nothing is drawn."""
        return False

    def may_suppress(self) -> bool:
        """Cells may become NULL."""
        return True

    def output_type(self) -> str | None:
        """Coarser values are text."""
        return "VARCHAR" if self.coarse else None

    def words(self) -> Mapping[str, str]:
        """Explain the levels and what they cost."""
        said = {}
        for name in self.columns:
            blanks = self.blanked.get(name, 0)
            more = f"; {counted(blanks, 'cell')} suppressed" if blanks else ""
            said[name] = f"published {self.levels[name]}, with {self.targets} alike{more}"
        gone = f"{counted(self.dropped, 'record')} of {self.of:,} not published; " if self.dropped else ""
        said[RECORD] = (
            f"{self.targets} in each of {counted(self.classes, 'group')}; {gone}"
            f"a mean loss of {self.loss:.1%} per cell; {self.how}"
        )
        return said


def fit(engine: Engine, table: Source, _columns: tuple[ColumnSpec, ...], params: Kanonymity) -> FittedKanonymity:
    """Find the levels, blank what they leave too rare, and store what each record publishes."""
    types = column_types(engine.con, table.name)
    names = _named(types, params.columns or table.quasi, "recode")
    if not names:
        raise DataError(
            f"{table.name!r} has no quasi-identifier to recode: give them the role quasi, or name `columns`"
        )
    stray = [name for name in params.hierarchies if fold(name) not in {fold(each) for each in names}]
    if stray:
        raise DataError(f"the hierarchy of {stray[0]!r} is not used; {choices(stray[0], names)}")
    asked = params.confidential or (table.confidential if params.l or params.t else ())
    secret = [name for name in _named(types, asked, "be diverse in") if name not in names]
    if (params.l or params.t) and not secret:
        raise DataError("l and t need a confidential column: name it in `confidential`")
    texts = fetch_in_order(engine, table, [_text(name) for name in (*names, *secret)])
    found = _recode(_records(texts, names, secret, types, params), params)
    stored = f"kanonymity of {table.view}"
    coarse = tuple(name for name in names if found.coarse[name])
    own = {name: types[name] for name in names if name not in coarse}
    _store(engine, table, stored, found, own)
    return FittedKanonymity(
        columns=tuple(names),
        stored=stored,
        targets=_said(params),
        levels=found.levels,
        coarse=coarse,
        loss=found.loss,
        classes=found.classes,
        blanked=found.blanked,
        dropped=int((~found.published).sum()),
        of=len(found.published),
        how=found.how,
    )


def _named(types: Mapping[str, str], names: Sequence[str], what: str) -> list[str]:
    known = {fold(name): name for name in types}
    for name in names:
        if fold(name) not in known:
            raise DataError(f"there is no column {name!r} to {what}; {choices(name, types)}")
    return [known[fold(name)] for name in names]


def _said(params: Kanonymity) -> str:
    more = [f"{params.diversity} {params.l:g}-diverse"] if params.l else []
    more += [f"{params.t:g}-close"] if params.t else []
    return " and ".join([f"at least {params.k} records", *more])


def recode(con: "duckdb.DuckDBPyConnection", table: str, params: Kanonymity) -> Recoded:
    """Find how the columns that `params` names would be recoded, and store nothing."""
    types = column_types(con, table)
    names = _named(types, params.columns, "recode")
    listed = ", ".join(map(_text, names))
    texts = con.sql(f"SELECT {listed} FROM {quoted(table_reference(table))}").to_arrow_table()
    return _recode(_records(texts, names, [], types, params), params)


def _recode(rows: Records, params: Kanonymity) -> Recoded:
    targets = Targets(params.k, params.l, params.diversity == "entropy", params.t)
    most = params.suppress.value if params.suppress.relative else params.suppress.value / max(1, len(rows.member))
    return rows.recode(targets, most, params.search)


def _text(name: str) -> str:
    return f"CAST({quoted(identifier(name))} AS VARCHAR)"


def _records(
    texts: "pa.Table", names: list[str], secret: list[str], types: Mapping[str, str], params: Kanonymity
) -> Records:
    """Read the quasi-identifiers and the confidential columns as codes."""
    given = {fold(name): rungs for name, rungs in params.hierarchies.items()}
    ladders, codes = [], []
    for number, name in enumerate(names):
        values, own = _coded(texts.column(number))
        counts = np.bincount(own, minlength=len(values) + 1)[: len(values)]
        spec = ColumnSpec(name, types[name])
        ladders.append(ladder_of(spec, values, counts.tolist(), given.get(fold(name))))
        codes.append(own)
    secrets = [_coded(texts.column(len(names) + number)) for number in range(len(secret))]
    ordered = [is_number(types[name]) for name in secret]
    ranked = [_ranked(*each) if number else each[1] for each, number in zip(secrets, ordered, strict=True)]
    return Records.of(ladders, codes, ranked, ordered)


def _coded(column: "pa.ChunkedArray") -> tuple[list[str], NDArray[np.int64]]:
    """Return the values of a column in order, and the number of each record's; NULL comes after the last."""
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    order = sorted(range(len(values)), key=values.__getitem__)
    place = np.empty(len(values) + 1, np.int64)
    place[order], place[-1] = np.arange(len(values)), len(values)
    codes = encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.int64)
    return [values[n] for n in order], place[codes]


def _ranked(values: list[str], codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number numeric values by size instead of by spelling, as ordered distances need."""
    rank = np.empty(len(values) + 1, np.int64)
    rank[np.argsort([float(value) for value in values], kind="stable")] = np.arange(len(values))
    rank[-1] = len(values)
    return rank[codes]


def _store(engine: Engine, table: Source, stored: str, found: Recoded, own: dict[str, str]) -> None:
    import pyarrow as pa

    arrays = {name: pa.array(labels, pa.string()) for name, labels in found.labels.items()}
    arrays[PUBLISHED] = pa.array(found.published, pa.bool_(), mask=~found.published)
    store_in_order(engine, table, stored, arrays, own)


TECHNIQUE = Technique("kanonymity", Kind.RECORD, Kanonymity, FittedKanonymity, fit, among_records=True)
