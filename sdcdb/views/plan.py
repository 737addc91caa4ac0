"""A protected view as a plan: frozen, serialisable, and compiled to one SELECT for any engine."""

from collections.abc import Mapping
from typing import Any

from pydantic import SerializeAsAny, field_validator
from sqlglot import exp

from sdcdb.connection.identifiers import identifier, table_reference
from sdcdb.connection.record_key import Key, key_expression, stored_name
from sdcdb.engines.dialect import JOINED, LISTS, Binding, Dialect
from sdcdb.engines.expressions import TABLE, Lane, Row
from sdcdb.fields.strict import Strict
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import Fitted

VERSION = 4  # of a plan and its stored lists; 1 had other lists for categories, 2 no `Bits`, 3 no narrow draws


class Plan(Strict):
    """What a protected view publishes: columns in order, each as it is or as a fitted technique makes it."""

    version: int = VERSION
    view: str
    table: str
    key: Key
    columns: tuple[str, ...]
    lanes: dict[str, Lane]
    fitted: tuple[SerializeAsAny[Fitted], ...]
    rows: int
    """Records in the table when the plan was fitted."""
    person: str | None = None
    """The column that says whose record it is, where the policy names one beside the key."""
    per_person: tuple[str, ...] = ()
    """Columns that are perturbed once per person: all records of a person have the same draws for them."""

    @field_validator("fitted", mode="before")
    @classmethod
    def _by_technique(cls, given: Any) -> Any:
        """Read each fitted technique back as its own class."""
        return tuple(
            TECHNIQUES[each["technique"]].fitted.model_validate(each) if isinstance(each, dict) else each
            for each in given
        )

    def row(self, fitted: Fitted | None = None) -> Row:
        """Return the row that the expressions look at, with the draws of one fitted technique."""
        if fitted is None:
            return Row(self.lanes)
        return Row(self.lanes, fitted.scope, bool(fitted.columns) and set(fitted.columns) <= set(self.per_person))

    def lists(self) -> dict[str, tuple[Any, ...]]:
        """Return all lists that the expressions refer to."""
        return {name: values for each in self.fitted for name, values in each.lists().items()}

    def coded(self) -> tuple[tuple[Any, ...], ...]:
        """Return the lists in which values are looked up."""
        lists = self.lists()
        return tuple(lists[name] for each in self.fitted for name in each.coded())

    def binding(self, subkey: str) -> Binding:
        """Return what the placeholders stand for."""
        joined = tuple(name for each in self.fitted for name in each.joined())
        return Binding(self.key, subkey, self.lists(), joined, self.person)

    def expressions(self) -> Mapping[str, exp.Expr]:
        """Return the published value of each column. What is NULL stays NULL, whatever the technique."""
        published: dict[str, exp.Expr] = {column: self.row().value(column) for column in self.columns}
        for each in self.fitted:
            for column, changed in each.expressions(self.row(each)).items():
                missing = exp.Is(this=self.row().value(column), expression=exp.null())
                published[column] = changed if each.null_safe() else exp.Case().when(missing, exp.null()).else_(changed)
        return published

    def select(self, dialect: Dialect, subkey: str, lists: exp.Expr, joined: Mapping[str, exp.Table]) -> str:
        """Compile to a SELECT. `lists` is the one-row relation that holds the lists; `joined` the stored tables."""
        return dialect.render(self._query(self.expressions(), lists, joined), self.binding(subkey))

    def linked(self, dialect: Dialect, subkey: str, lists: exp.Expr, joined: Mapping[str, exp.Table]) -> str:
        """Compile to a SELECT of every published record with its original: `before 0`, `after 0`, `before 1`, ...

        Where a person has several records, `person` says whose each is.
        """
        both: dict[str, exp.Expr] = {} if self.person is None else {"person": self.row().value(self.person)}
        for number, (column, value) in enumerate(self.expressions().items()):
            both |= {f"before {number}": self.row().value(column), f"after {number}": value}
        return dialect.render(self._query(both, lists, joined), self.binding(subkey))

    def _query(self, published: Mapping[str, exp.Expr], lists: exp.Expr, joined: Mapping[str, exp.Table]) -> exp.Select:
        binding = self.binding("")
        query = exp.Select().from_(exp.alias_(table_reference(self.table), TABLE, table=True, quoted=True))
        for name, value in published.items():
            query = query.select(exp.alias_(value, name, quoted=True), copy=False)
        if binding.lists:
            query = query.join(exp.alias_(lists, LISTS, table=True, quoted=True), join_type="cross")
        for number, name in enumerate(binding.joined):
            alias = f"{JOINED}{number}"
            stored = exp.Column(this=identifier(stored_name(self.key)), table=identifier(alias))
            same = key_expression(self.key, TABLE).eq(stored)
            query = query.join(exp.alias_(joined[name], alias, table=True, quoted=True), on=same, join_type="left")
        for each in self.fitted:
            condition = each.condition(self.row(each))
            if condition is not None:
                query = query.where(condition)
        return query

    def words(self) -> dict[str, str]:
        """Explain the view, column by column."""
        changed = {name: text for each in self.fitted for name, text in each.words().items()}
        changed |= {name: f"{changed[name]}; once per {self.person}" for name in self.per_person}
        return {name: changed.get(name, "as it is") for name in self.columns} | {
            name: text for name, text in changed.items() if name not in self.columns
        }
