"""What an analyst may name: restricted tables, public tables and protected views."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import duckdb

from sdcdb.connection.collations import types_with_collations
from sdcdb.connection.identifiers import fold, identifier, quoted, table_reference
from sdcdb.connection.profile import INTEGERS, column_types
from sdcdb.connection.record_key import ROWID, Key
from sdcdb.errors import DatabaseError, Unsupported
from sdcdb.fields.category_shares import CategoryShares
from sdcdb.fields.histogram import Histogram
from sdcdb.gateway.inference.limits import Limits
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.linear import Linear, resolved, strictest
from sdcdb.policy.links import Equation
from sdcdb.policy.models import Policy, Restrict, Role, Table
from sdcdb.views import catalogue

Kind = Literal["restricted", "public", "protected"]


@dataclass(frozen=True)
class Relation:
    """A table or view that statements may name. `columns` are its types by name, identifiers left out."""

    name: str
    kind: Kind
    columns: Mapping[str, str]

    @cached_property
    def path(self) -> tuple[str, str]:
        """Schema and name, folded as DuckDB compares them."""
        reference = table_reference(self.name)
        return fold(reference.db or "main"), fold(reference.name)

    @property
    def collated(self) -> bool:
        """Whether a column has a collation."""
        return any(kind.startswith("VARCHAR COLLATE ") for kind in self.columns.values())

    @cached_property
    def _spelt(self) -> dict[str, str]:
        return {fold(own): own for own in reversed(list(self.columns))}

    def column(self, name: str) -> str | None:
        """Return the column of this name as it is spelt, or None."""
        return self._spelt.get(fold(name))


@dataclass(frozen=True)
class Confidential:
    """A confidential column: the range that is publicly known, the grid in it, and the shares declared public."""

    name: str
    type: str
    low: float
    high: float
    step: float | None
    known: Histogram | None = None

    @property
    def prior(self) -> Prior | None:
        """The declared shares as the audit takes them."""
        if self.known is None:
            return None
        return Prior.of((each.low, each.high, each.share) for each in self.known.bins)

    @property
    def spread(self) -> float:
        """The width of what is usual; where nothing is declared, the domain counts as evenly filled."""
        prior = self.prior or Prior((self.low, self.high), (1.0,))
        return prior.spread


@dataclass(frozen=True)
class Reference:
    """A column that holds the key of a restricted table, and that table's quasi-identifiers."""

    column: str
    parent: str
    key: str
    quasi: tuple[str, ...]

    @property
    def known(self) -> str:
        """The name of the column that says whether there is such a parent."""
        return f"{self.parent} known"

    def column_of(self, column: str) -> str:
        """Return the name that a column of the parent has in the child."""
        return f"{self.parent}.{column}"


@dataclass(frozen=True)
class Category:
    """A confidential category: the values that it can have, their public shares, and which of them are sensitive."""

    name: str
    type: str
    public: CategoryShares

    @property
    def size(self) -> int:
        """How many values there are, no value among them if it is declared."""
        return len(self.public.values)


@dataclass(frozen=True)
class Restricted(Relation):
    """A restricted table: the columns that predicates may use, those that only aggregates may, and the thresholds."""

    key: Key
    quasi: tuple[str, ...]
    confidential: Mapping[str, Confidential]
    limits: Restrict
    linear: Mapping[str, Linear] = field(default_factory=dict)
    """Columns that follow from another one by an equation, which is audited in their place."""
    categories: Mapping[str, Category] = field(default_factory=dict)
    """Confidential categories, of whose values records are counted."""
    person: str | None = None
    """The column that says whose record it is; None where the key does."""
    constant: frozenset[str] = frozenset()
    """Columns that have one value for each person, where a person has several records."""
    refers: tuple[Reference, ...] = ()
    """The restricted tables that records refer to, whose quasi-identifiers are among `quasi`."""
    published: Mapping[str, Category] = field(default_factory=dict)
    """Confidential categories of which all counts are public. They are among `quasi`, and in no audit of their own."""

    @property
    def told_by(self) -> tuple[str, ...]:
        """The quasi-identifiers that say who somebody is: those whose values are no secret."""
        return tuple(name for name in self.quasi if name not in self.published)

    def without_categories(self) -> "Restricted":
        """Return the table as if nothing could be counted by its categories."""
        hidden = {*self.categories, *self.published}
        columns = {name: kind for name, kind in self.columns.items() if name not in hidden}
        return replace(self, columns=columns, quasi=self.told_by, categories={}, published={})

    def base(self, column: str) -> Linear:
        """Return the column that is audited in the place of one, and how that follows from it."""
        return self.linear.get(column) or Linear(column)

    def audited(self, base: str) -> tuple[Confidential, Limits]:
        """Return a column as it is audited: what is known of it, and the limits, with those of columns that follow."""
        spec = self.confidential[base]
        low, high, step, limits = spec.low, spec.high, spec.step, [self.limits_of(spec)]
        for name, each in self.linear.items():
            if each.base == base:
                other = self.confidential[name]
                least, most = each.span(other.low, other.high)
                low, high = max(low, least), min(high, most)
                if step is not None and other.step is not None:
                    step = max(step, other.step / abs(each.factor))
                limits.append(each.limits(self.limits_of(other)))
        return replace(spec, low=low, high=high, step=step), strictest(limits)

    def limits_of(self, column: Confidential) -> Limits:
        """Return the thresholds of a confidential column, in its own units."""
        wanted = self.limits
        return Limits(
            min_set=wanted.min_set,
            min_interval=wanted.min_interval.of(column.high - column.low, column.spread),
            min_h0=wanted.min_h0,
            min_area=wanted.min_area,
            max_overlap=wanted.max_overlap,
            small_totals=wanted.small_totals,
        )


@dataclass(frozen=True)
class Relations:
    """Everything that can be named."""

    all: tuple[Relation, ...]
    linked: tuple[frozenset[tuple[str, str]], ...] = ()
    """Groups of columns, by table and name, of which one follows from another in some way."""

    def find(self, schema: str, name: str) -> Relation | None:
        """Return the relation of this name; without a schema, `main` is meant."""
        path = (fold(schema or "main"), fold(name))
        return next((relation for relation in self.all if relation.path == path), None)

    def restricted(self) -> tuple[Restricted, ...]:
        """Return the restricted tables."""
        return tuple(relation for relation in self.all if isinstance(relation, Restricted))

    def audited_together(self, names: Iterable[str]) -> frozenset[str]:
        """Return these tables, and those whose columns are linked with theirs: they share a history."""
        found = frozenset(names)
        groups = [frozenset(table for table, _ in group) for group in self.linked]
        while more := [group for group in groups if group & found and not group <= found]:
            found = found.union(*more)
        return found

    def mentions_restricted(self, words: Iterable[str]) -> bool:
        """Tell whether one of the words is the name of a restricted table, in whatever schema."""
        names = {relation.path[1] for relation in self.restricted()}
        return any(fold(word) in names for word in words)


def relations(con: duckdb.DuckDBPyConnection, policy: Policy) -> Relations:
    """Read from the policy and the database what may be named."""
    found: list[Relation] = []
    views = catalogue.kinds(con)
    for name, table in policy.tables.items():
        types = _types(con, name)
        folded = {fold(column): column for column in types}
        if table.public:
            found.append(Relation(name, "public", types))
            continue
        roles = {folded[fold(c)]: spec for c, spec in table.columns.items() if fold(c) in folded}
        if table.restrict is not None:
            confidential = {
                column: Confidential(column, types[column], *spec.domain, spec.step, spec.histogram)
                for column, spec in roles.items()
                if spec.role is Role.CONFIDENTIAL and spec.domain is not None
            }
            named = {
                column: Category(column, types[column], spec.category)
                for column, spec in roles.items()
                if spec.role is Role.CONFIDENTIAL and spec.category is not None and counts_by(types[column])
            }
            published = {c: each for c, each in named.items() if roles[c].counts == "public"}
            categories = {c: each for c, each in named.items() if c not in published}
            quasi = tuple(c for c, spec in roles.items() if spec.role in {Role.QUASI, Role.PUBLIC} or c in published)
            usable = {*quasi, *confidential, *categories}
            shown = {column: kind for column, kind in types.items() if column in usable}
            key = _key(name, table.key or ROWID, folded)
            linear = _linear(table, folded, confidential)
            person = None if table.person is None else folded.get(fold(table.person))
            if table.person is not None and person is None:
                raise DatabaseError(f"{name!r} has no column {table.person!r}, which the policy names as its person")
            person = None if person == key else person
            constant = frozenset(folded[fold(each)] for each in table.constant if fold(each) in folded)
            held = (key, quasi, confidential, table.restrict, linear, categories, person, constant, (), published)
            found.append(Restricted(name, "restricted", shown, *held))
        found += [Relation(view, "protected", _types(con, view)) for view in table.protect if view in views]
    return Relations(tuple(found), tuple(_linked(policy, found)))


def _key(table: str, key: Key, folded: Mapping[str, str]) -> Key:
    """Return the key under the names that the database has."""
    if isinstance(key, str):
        return folded.get(fold(key), ROWID)
    if missing := next((each for each in key if fold(each) not in folded), None):
        raise DatabaseError(f"{table!r} has no column {missing!r}, which the policy names in its key")
    return tuple(folded[fold(each)] for each in key)


def counts_by(kind: str) -> bool:
    """Tell whether records are counted by the values of a column of this type: texts, truths, enums, whole numbers."""
    return kind in {"VARCHAR", "BOOLEAN"} or kind.startswith("ENUM(") or kind in INTEGERS


def _linear(table: Table, folded: Mapping[str, str], held: Mapping[str, Confidential]) -> dict[str, Linear]:
    """Return the equations of a table, under the names that the database has."""
    equations = [
        replace(link, left=folded[fold(link.left)], right=folded[fold(link.right)])
        for link in table.links()
        if isinstance(link, Equation) and {fold(link.left), fold(link.right)} <= set(folded)
    ]
    return {name: each for name, each in resolved(equations).items() if name in held and each.base in held}


def _linked(policy: Policy, found: Iterable[Relation]) -> Iterator[frozenset[tuple[str, str]]]:
    """Yield the groups of linked columns; one that follows by an equation is there as what it follows from."""
    tables = {table.name: table for table in found if isinstance(table, Restricted)}
    for group in policy.linked_columns():
        own = [(tables[t], tables[t].column(c)) for t, c in group if t in tables]
        members = {(t.name, t.base(c).base) for t, c in own if c is not None and c in t.confidential}
        if len(members) > 1:
            yield frozenset(members)


def _types(con: duckdb.DuckDBPyConnection, name: str) -> dict[str, str]:
    known = column_types(con, name)
    return types_with_collations(con, f"SELECT * FROM {quoted(table_reference(name))}") if known else known


def unknown(name: str, known: Relations) -> Unsupported:
    """Say that there is no such table, and which there are: their names are no secret."""
    names = ", ".join(relation.name for relation in known.all) or "none"
    return Unsupported(f"there is no table {identifier(name).sql()}", f"one of: {names}")
