"""A table function: a macro over one Python function that is called while a statement is bound, and returns a SELECT.

    FROM sdc_vicus('staff', columns := ['dept'], k1 := 5, k2 := 20)
      -> FROM query(_sdc_select(<connection>, 'sdc_vicus', ..., 'staff', ['dept'], 5, 20, ...))

The function reads the table on a cursor, fits or measures, and returns plain SQL for DuckDB to run in the caller's
statement. DuckDB may bind a statement more than once, so results are remembered, by the records that were read.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import sha256
from typing import Any

import duckdb

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.errors import DataError, SdcdbError
from sdcdb.udfs.relations import Relation, find, fingerprint, guarded, use
from sdcdb.udfs.rows import literal
from sdcdb.udfs.sessions import Result, Session

REQUIRED = "required"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function: its name, what it is for, and its default, for which NULL stands too."""

    name: str
    says: str
    default: Any = None
    needed: bool = False
    """Whether it must be given although it has a name."""

    @property
    def required(self) -> bool:
        """Whether the caller must give it first, without a name."""
        return self.default is REQUIRED


@dataclass(frozen=True)
class Call:
    """One call: a cursor on the caller's database, the relations that were named, and the other arguments."""

    cursor: duckdb.DuckDBPyConnection
    database: str
    relations: Mapping[str, Relation]
    arguments: Mapping[str, Any]
    name: str
    """A name for what is stored, which no other call has."""
    stored: list[str] = field(default_factory=list)
    """The tables that were stored, as SQL: dropped when the result is forgotten."""

    def __getitem__(self, name: str) -> Any:
        """Return an argument."""
        return self.arguments[name]

    @property
    def table(self) -> Relation:
        """The first relation that was named."""
        return next(iter(self.relations.values()))

    def reading(self, parameter: str = "tbl") -> str:
        """Turn the cursor to the database of a relation, and return the relation's name there."""
        relation = self.relations[parameter]
        use(self.cursor, relation.database, relation.schema)
        return relation.name

    def names(self, parameter: str) -> list[str] | None:
        """Return a list of columns of the first relation as it spells them; None when it was left out."""
        given = self[parameter]
        if given is None:
            return None
        if not isinstance(given, list) or not given or not all(isinstance(name, str) for name in given):
            raise DataError(f"{parameter} must be a list of names, such as ['dept', 'age'], not {given!r}")
        return list(dict.fromkeys(self.table.own(name) for name in given))

    def number(self, parameter: str) -> float:
        """Return an argument that must be a number."""
        given = self[parameter]
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise DataError(f"{parameter} must be a number, not {given!r}")
        return given

    def whole(self, parameter: str) -> int:
        """Return an argument that must be a whole number."""
        given = self.number(parameter)
        if given != int(given):
            raise DataError(f"{parameter} must be a whole number, not {given!r}")
        return int(given)


@dataclass(frozen=True)
class TableFunction:
    """A function that is used as `FROM name(...)`. `tables` are the parameters that name tables or views.

    A table that need not be given is not among the relations of a call without it.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    select: Callable[[Call], str]
    example: str
    tables: tuple[str, ...] = ("tbl",)

    def macro(self, connection: int) -> str:
        """Return the statement that creates the macro of one connection."""
        names = [quoted(identifier(parameter.name)) for parameter in self.parameters]
        declared = [
            name if parameter.required else f"{name} := {literal(parameter.default)}"
            for name, parameter in zip(names, self.parameters, strict=True)
        ]
        # A relation of the Python API is bound outside any query, where current_query() would be an internal error.
        text = f"CASE WHEN current_query_id() < {2**63 - 1} THEN current_query() END"
        place = f"{connection}, '{self.name}', current_database(), current_schema(), {text}"
        return (
            f"CREATE OR REPLACE TEMP MACRO {self.name}({', '.join(declared)}) AS TABLE "
            f"FROM query(_sdc_select({', '.join([place, *names])}))"
        )

    def call(self, session: Session, place: tuple[str, str, str | None], given: tuple[Any, ...]) -> str:
        """Answer a call: return the SELECT that DuckDB runs in place of it."""
        database, schema, statement = place
        refuse_lasting(self.name, statement)
        arguments = given_arguments(self.name, self.parameters, given, self.example)
        with session.cursor() as cursor:
            try:
                use(cursor, database, schema)
                named = [name for name in self.tables if arguments[name] is not None]
                relations = {name: find(cursor, arguments[name], database, schema) for name in named}
                prints = [fingerprint(cursor, relation) for relation in dict.fromkeys(relations.values())]
                key = (self.name, database, schema, repr(sorted(arguments.items())), tuple(prints))
                own = f"{self.name} {id(session)} {sha256(repr(key).encode()).hexdigest()[:16]}"
                call = Call(cursor, database, relations, arguments, own)
                made = session.remembered(key, lambda: self._result(call)) if prints else self.select(call)
            except SdcdbError as problem:
                raise DataError(f"{self.name}: {problem}") from None
            except duckdb.Error as problem:
                raise DataError(f"{self.name}: DuckDB says: {str(problem).splitlines()[0]}") from None
        return guarded(made, prints)

    def _result(self, call: Call) -> Result:
        return Result(self.select(call), tuple(call.stored))


def given_arguments(name: str, parameters: Sequence[Parameter], given: Sequence[Any], example: str) -> dict[str, Any]:
    """Return the arguments by name, defaults in place of NULLs."""
    arguments = {}
    for parameter, value in zip(parameters, map(plain, given), strict=True):
        if value is None and (parameter.required or parameter.needed):
            raise DataError(f"{name}: {parameter.name} is missing: {parameter.says}; as in {example}")
        arguments[parameter.name] = parameter.default if value is None else value
    return arguments


TABLE = Parameter("tbl", "the name of a table or view, such as 'staff' or 'hr.staff'", REQUIRED)


def plain(value: Any) -> Any:
    """Return a value with floats for DECIMALs, inside lists and structs too: `0.8` in SQL is a DECIMAL."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value


_GAP = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"  # white space, and comments, which stand for it
_LASTING = re.compile(
    rf"{_GAP}*CREATE{_GAP}+(?:OR{_GAP}+REPLACE{_GAP}+)?(?:RECURSIVE{_GAP}+)?(VIEW|MACRO|FUNCTION)\b",
    re.IGNORECASE | re.DOTALL,
)


def refuse_lasting(name: str, statement: str | None) -> None:
    """Refuse a view or macro that is stored in the database: it would hold a call that fails for everybody else."""
    if statement is not None and (found := _LASTING.match(statement)):
        kind = found[1].lower()
        raise DataError(
            f"{name}: a {kind} over this function would fail in every connection without sdcdb: CREATE TEMP "
            f"{kind.upper()} is for this one, SELECT sdc_create_view(...) leaves a view that runs everywhere, "
            f"and CREATE TABLE ... AS keeps the rows"
        )
