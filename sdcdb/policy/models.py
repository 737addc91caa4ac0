"""The policy as typed, frozen models: read from YAML by `sdcdb.policy.load`, and the source of the JSON Schema."""

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic.annotated_handlers import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from sdcdb.connection.identifiers import fold, folded_alike
from sdcdb.connection.record_key import ROWID, Key, key_columns
from sdcdb.errors import choices
from sdcdb.fields.amount import Amount, FloorField, parse
from sdcdb.fields.share import ShareField, parse_share
from sdcdb.fields.strict import Strict, incoherent
from sdcdb.policy import people
from sdcdb.policy.column import Column, Role
from sdcdb.policy.defaults import DEFAULTS
from sdcdb.policy.links import Alike, Equation, parse_link
from sdcdb.policy.methods import Method, RowMethod
from sdcdb.policy.release_floors import Floors
from sdcdb.policy.resources import Resources

Aggregate = Literal["count", "sum", "avg", "min", "max"]


def _pool(given: Any) -> Any:
    if given == "group":
        raise PydanticCustomError("former", "`group` is now called `team`: write `pool: team`")
    return given


def _groups(given: Any) -> Any:
    if given == "suppress":
        raise PydanticCustomError(
            "former", "`suppress` is now called `mark`; `merge`, the default, shows no keys of unsafe groups"
        )
    return given


Groups = Annotated[Literal["merge", "mark", "deny"], BeforeValidator(_groups)]
Pool = Annotated[Literal["all", "user", "team"], BeforeValidator(_pool)]


class Restrict(Strict):
    """What the gateway must keep when it answers questions about a table. Defaults: `defaults.yaml`."""

    min_set: int = Field(default=DEFAULTS["restrict"]["min_set"], ge=1, strict=True)
    """The least number of records in a query set, and in its complement unless that is empty."""
    min_interval: FloorField = Field(default=parse(DEFAULTS["restrict"]["min_interval"]))
    """The narrowest interval that all answers together may leave for one record: `10%` of the domain, `10% of spread`,
    which is what is usual by `known`, or a number."""
    min_h0: float = Field(default=DEFAULTS["restrict"]["min_h0"], ge=0)
    """The least initial entropy H(0) about one record, in bits."""
    min_area: float = Field(default=DEFAULTS["restrict"]["min_area"], ge=0)
    """The least area under H(eps), in bits times the unit of the column. 0 switches the rule off."""
    aggregates: tuple[Aggregate, ...] = Field(default=tuple(DEFAULTS["restrict"]["aggregates"]), min_length=1)
    """Aggregates that may be asked of a confidential column."""
    pool: Pool = Field(default=DEFAULTS["restrict"]["pool"])
    """Whose answers add up: everybody's, each user's own, or those of the user's team."""
    groups: Groups = Field(default=DEFAULTS["restrict"]["groups"])
    """What happens to a question with unsafe groups. merge: they become one row without keys, which has numbers only
    where it is itself large enough and safe. mark: they keep their keys and lose their numbers. deny: the whole
    question is denied."""
    max_overlap: int | None = Field(default=DEFAULTS["restrict"]["max_overlap"], ge=0, strict=True)
    """The most records that two different query sets may share; left out, any number."""
    refresh: Literal["declared", "auto"] = Field(default=DEFAULTS["restrict"]["refresh"])
    """When a table that has changed is answered about as it is now. declared: after its owner's `sdcdb refresh`. auto:
    by itself, when the gateway opens and from time to time in the server, once `refresh_people` have changed. Until
    then a gateway that is open goes on with the version before."""
    refresh_people: int = Field(default=DEFAULTS["restrict"]["refresh_people"], ge=1, strict=True)
    """How many people must have come, left or changed before `refresh: auto` shows a new version."""
    refresh_by: str | None = Field(default=DEFAULTS["restrict"]["refresh_by"])
    """A quasi-identifier, such as `ward`: so many must have changed in each of its values in which anybody has. Left
    out, in the table."""
    small_totals: Literal["forbid", "allow"] = Field(default=DEFAULTS["restrict"]["small_totals"])
    """Whether answers may be combined to the total of fewer than `min_set` people. forbid: never, whoever they are and
    whatever chain of answers leads there. allow: only people whom the answers do not tell apart, pairs and, while they
    are few, threes are looked at; more is answered."""
    max_belief: ShareField = Field(default=parse_share(DEFAULTS["restrict"]["max_belief"]))
    """How sure anybody may become that somebody has a sensitive value of a confidential category."""
    estimate: Literal["never", "on_denial"] = Field(default=DEFAULTS["restrict"]["estimate"])
    """Whether a question that is denied is answered from a protected view instead, with its standard error."""


class View(Strict):
    """A protected view to create: which columns are perturbed, and how."""

    model_config = ConfigDict(hide_input_in_errors=True)

    secret: str = Field(
        default=DEFAULTS["protect"]["secret"], json_schema_extra={"pattern": "^(keyfile|env:.+|file:.+)$"}
    )
    """Where the secret comes from: `env:NAME`, `file:PATH`, or `keyfile`, created beside the database."""
    columns: dict[str, Method] = Field(default_factory=dict)
    """The method for each perturbed column. Others pass as they are, except that identifiers never pass, nor do
    confidential columns without a method, unless `unchanged` names them, or `rows` for its `l` and `t`."""
    all: Method | None = None
    """The method for every column that `columns` does not name, identifiers and public columns apart, such as
    `{method: framework, class: income}`."""
    rows: RowMethod | None = None
    """A method that chooses the records to publish, such as `{method: sampling, size: 10%}`."""
    unchanged: tuple[str, ...] = ()
    """Confidential columns that are published with their true values: nothing but `rows` then stands between a value
    and its person."""

    @field_validator("secret", mode="before")
    @classmethod
    def _a_place_not_a_secret(cls, given: Any) -> Any:
        kind, _, rest = str(given).partition(":")
        if given != "keyfile" and not (kind in {"env", "file"} and rest):
            # The value itself must not be repeated: somebody may have pasted the secret.
            raise PydanticCustomError(
                "secret", "says where the secret is, never the secret itself; allowed: env:NAME, file:PATH, keyfile"
            )
        return given


class Table(Strict):
    """One table: its record key, its columns' roles, and what may be asked or published. Or the word `public`."""

    public: bool = False
    """A table of public knowledge, such as a dimension table: `dept_dim: public`."""
    key: Key | None = None
    """The column that names a record, unique and never reused, or several that do so together: `[patient_id, visit]`;
    `rowid` for a table that never changes."""
    person: str | None = None
    """The column that says whose record it is, where a person has several: `patient_id`. Left out, the key."""
    constant: tuple[str, ...] = ()
    """Columns that have one value for each `person`, NULLs aside: `[sex, birth_year]`. Protected views perturb them
    once per person, as they do all columns for which this holds when they are fitted. Declared, it must hold."""
    refers: dict[str, str] = Field(default_factory=dict)
    """Restricted tables that records refer to by their keys: `patient_id: patients`. Their quasi-identifiers may then
    choose and group the records of this table."""
    columns: dict[str, Column] = Field(default_factory=dict)
    """The role of every column."""
    restrict: Restrict | None = None
    """Thresholds for exact answers. Left out, nobody may query the table itself."""
    linked: tuple[str, ...] = ()
    """Confidential columns that determine each other, so that they have one audit: `year = 12 * month` where that holds
    in every record, `net ~ gross` where one follows from the other nearly or in some other way."""
    protect: dict[str, View] = Field(default_factory=dict)
    """Protected views to create, by name."""
    release: Floors = Field(default_factory=Floors)
    """What a protected view must reach before `sdcdb release` writes it to a file."""

    @field_validator("key", mode="before")
    @classmethod
    def _columns_of_key(cls, given: Any) -> Any:
        if given is None or isinstance(given, str):
            return given
        if not isinstance(given, list | tuple) or not given or not all(isinstance(name, str) for name in given):
            raise PydanticCustomError("key", "must be the name of a column, or a list of names: `[patient_id, visit]`")
        return given[0] if len(given) == 1 else tuple(given)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, given: Any) -> Any:
        if isinstance(given, str):
            if given != "public":
                raise PydanticCustomError("table", "must be the word public or a mapping with key and columns")
            return {"public": True}
        return given

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        incoherent(self, self._problems())
        return self

    def _problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        if self.public:
            for field in ("key", "person", "constant", "refers", "columns", "restrict", "linked", "protect"):
                if getattr(self, field):
                    yield (field,), "has no meaning for a public table: remove it, or remove public"
            return
        if not self.columns:
            yield ("columns",), "is required: give every column of the table a role"
            return
        alike = "is one name with another column of this table: case makes no difference"
        yield from ((("columns", name), alike) for name in folded_alike(self.columns))
        if self.key is None:
            yield ("key",), f"is required: the column that names a record, or {ROWID} for a table that never changes"
        else:
            yield from self._key_problems(self.key)
        classes = self.named(Role.CLASS)
        for extra in classes[1:]:
            yield ("columns", extra), f"is a second class column beside {classes[0]!r}: a table has one"
        yield from self._link_problems()
        yield from people.problems_of_table(self)
        yield from self._published_problems()
        by = None if self.restrict is None else self.restrict.refresh_by
        if by is not None and by not in self.named(Role.QUASI):
            quasi = self.named(Role.QUASI)
            yield ("restrict", "refresh_by"), f"{by!r} is not a quasi-identifier of this table; {choices(by, quasi)}"
        yield from self._view_problems()

    def _view_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield what is wrong with the columns that views name."""
        secret = self.named(Role.CONFIDENTIAL)
        for view_name, view in self.protect.items():
            for column in view.columns:
                path = ("protect", view_name, "columns", column)
                if column not in self.columns:
                    yield path, f"is not a column of this table; {choices(column, self.columns)}"
                elif self.columns[column].role is Role.IDENTIFIER:
                    yield path, "is an identifier: it never appears in a protected view, so there is nothing to perturb"
            for number, column in enumerate(view.unchanged):
                place = ("protect", view_name, "unchanged", number)
                if column not in secret:
                    yield place, f"{column!r} is not a confidential column of this table; {choices(column, secret)}"
                elif column in self.methods(view):
                    yield place, f"{column!r} has a method in this view: remove it here, or there"

    def _published_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield why the counts of a category cannot be public."""
        public = [name for name, column in self.columns.items() if column.counts == "public"]
        for name in public:
            for why in self.bars_to_publishing(name):
                yield ("columns", name, "counts"), why

    def bars_to_publishing(self, category: str) -> Iterator[str]:
        """Yield why the counts of a category could not be public, whatever they are."""
        first = next((name for name, column in self.columns.items() if column.counts == "public"), category)
        if category != first:
            yield f"cannot be public beside those of {first!r}: of a table, for one category"
        if self.person is not None:
            yield "cannot be public where a person has several records: what one of them tells adds up"
        if self.restrict is not None and self.restrict.refresh == "auto":
            yield "cannot be public with `refresh: auto`: two versions would tell of those who came between"

    def _key_problems(self, key: Key) -> Iterator[tuple[tuple[str | int, ...], str]]:
        if key == ROWID and ROWID not in self.columns:
            return
        unknown = [name for name in key_columns(key) if name not in self.columns]
        if unknown:
            allowed = [*self.columns, ROWID] if isinstance(key, str) else list(self.columns)
            yield ("key",), f"{unknown[0]!r} is not a column of this table; {choices(unknown[0], allowed)}"
        elif isinstance(key, str):
            if self.columns[key].role is not Role.IDENTIFIER:
                yield ("columns", key), "is the key, so its role must be identifier: it names one person"
        else:
            folded = [fold(name) for name in key]
            if twice := [name for name in key if folded.count(fold(name)) > 1]:
                yield ("key",), f"names {twice[0]!r} twice"
            roles = {name: self.columns[name].role for name in key}
            if Role.IDENTIFIER not in roles.values():
                yield ("key",), "names one record, so the role of at least one of its columns must be identifier"
            for name, role in roles.items():
                if role in {Role.CONFIDENTIAL, Role.CLASS}:
                    why = "a record would get another name when its value changes; leave it out of the key"
                    yield ("columns", name), f"is {role.value} and in the key: {why}"

    def _link_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        secret = self.named(Role.CONFIDENTIAL)
        derived: set[str] = set()
        for number, text in enumerate(self.linked):
            link = parse_link(text)
            if link is None:
                yield ("linked", number), f"{text!r} is neither like `year = 12 * month` nor like `net ~ gross`"
                continue
            for name in (link.left, link.right) if isinstance(link, Equation) else link.columns:
                if name not in secret:
                    yield (
                        ("linked", number),
                        f"{name!r} is not a confidential column of this table; {choices(name, secret)}",
                    )
            if isinstance(link, Equation):
                if link.left in derived or (link.right in derived and self._leads_to(link.right, link.left)):
                    yield ("linked", number), f"{link.left!r} is determined by another equation already"
                derived.add(link.left)

    def _leads_to(self, name: str, goal: str) -> bool:
        """Tell whether a column follows from another one by the equations."""
        steps = {link.left: link.right for link in self.links() if isinstance(link, Equation)}
        for _ in steps:
            name = steps.get(name, name)
        return name == goal

    def links(self) -> list[Equation | Alike]:
        """Return the links that are well formed."""
        return [link for text in self.linked if (link := parse_link(text)) is not None]

    def methods(self, view: View) -> dict[str, Method]:
        """Return the method of each column that a view perturbs, those that `all` stands for last."""
        others = self.named(Role.QUASI, Role.CONFIDENTIAL, Role.CLASS) if view.all is not None else []
        return dict(view.columns) | {name: view.all for name in others if view.all and name not in view.columns}

    def unperturbed(self, view: View) -> list[str]:
        """Return the confidential columns that a view publishes with their true values."""
        told = {*view.unchanged, *getattr(view.rows, "confidential", ())}
        methods = self.methods(view)
        return [name for name in self.named(Role.CONFIDENTIAL) if name in told and name not in methods]

    def named(self, *roles: Role) -> list[str]:
        """Return the names of the columns that have one of these roles."""
        return [name for name, column in self.columns.items() if column.role in roles]

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Allow the short form, the word `public`, beside the mapping."""
        mapping = handler.resolve_ref_schema(super().__get_pydantic_json_schema__(core, handler))
        return {"anyOf": [{"const": "public"}, mapping]}


class Policy(Strict):
    """A whole policy file."""

    version: Literal[1]
    """The version of this format: 1."""
    tables: dict[str, Table] = Field(min_length=1)
    """One entry per table."""
    teams: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Users by team, for tables whose `pool` is `team`: `analysts: [ann, bob]`."""
    resources: Resources = Field(default_factory=Resources)
    """What one statement, and one user, may take of the machine."""

    linked: tuple[str, ...] = ()
    """Confidential columns of two tables about the same people, by the tables' keys: `staff.salary ~ payroll.gross`."""
    distinct: tuple[tuple[str, ...], ...] = ()
    """Groups of tables about different people, where the gateway takes them for copies: `[[staff, guests]]`."""

    @model_validator(mode="before")
    @classmethod
    def _former_words(cls, given: Any) -> Any:
        if isinstance(given, dict) and "groups" in given:
            raise PydanticCustomError("former", "`groups` of users are now called `teams`: rename this field")
        return given

    @model_validator(mode="after")
    def _coherent(self) -> Self:
        incoherent(self, self._problems())
        return self

    def team_of(self, user: str) -> str | None:
        """Return the team that a user belongs to."""
        return next((team for team, users in self.teams.items() if user in users), None)

    def _problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        teams: dict[str, str] = {}
        for team, users in self.teams.items():
            for user in users:
                if teams.setdefault(user, team) != team:
                    yield ("teams", team), f"{user!r} is in {teams[user]!r} already: a user has one team"
        yield from self._link_problems()
        for number, group in enumerate(self.distinct):  # a table that is restricted no more may be among them
            if len(set(group)) < 2:
                yield ("distinct", number), "names fewer than two tables"
        yield from people.problems_of_references(self.tables)
        for table_name in folded_alike(self.tables):
            yield ("tables", table_name), "is one name with another table of this policy: case makes no difference"
        seen: dict[str, str] = dict.fromkeys(map(fold, self.tables), "a table of this policy")
        for table_name, table in self.tables.items():
            for view in table.protect:
                if fold(view) in seen:
                    yield (
                        ("tables", table_name, "protect", view),
                        f"is already the name of {seen[fold(view)]}: choose another",
                    )
                seen[fold(view)] = f"a protected view of {table_name}"

    def _link_problems(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        known = [f"{name}.{c}" for name, each in self.tables.items() for c in each.named(Role.CONFIDENTIAL)]
        for number, text in enumerate(self.linked):
            link = parse_link(text)
            if not isinstance(link, Alike):
                yield ("linked", number), f"{text!r} is not like `staff.salary ~ payroll.gross`"
                continue
            for name in link.columns:
                if name not in known:
                    yield ("linked", number), f"{name!r} is not a confidential column; {choices(name, known)}"
                elif any(column.counts == "public" for column in self._table_of(name).columns.values()):
                    why = "answers about the other table could tell apart people on whose being alike that rests"
                    yield ("linked", number), f"{name!r} is in a table with `counts: public`: {why}; leave one out"

    def _table_of(self, column: str) -> Table:
        """Return the table of a column that is written with its table."""
        return next(each for name, each in self.tables.items() if column in {f"{name}.{own}" for own in each.columns})

    def distinct_pairs(self) -> frozenset[frozenset[str]]:
        """Return the pairs of tables that the owner says hold the records of different people."""
        return frozenset(frozenset(pair) for group in self.distinct for pair in combinations(sorted(set(group)), 2))

    def linked_columns(self) -> list[frozenset[tuple[str, str]]]:
        """Return the groups of columns, each as table and name, of which one follows from another in some way."""
        found = [
            {(table, column) for column in link.columns}
            for table, each in self.tables.items()
            for link in each.links()
            if isinstance(link, Alike)
        ]
        names = {f"{t}.{c}": (t, c) for t, each in self.tables.items() for c in each.columns}
        across = [link for link in map(parse_link, self.linked) if isinstance(link, Alike)]
        found += [{names[name] for name in link.columns} for link in across]
        groups: list[set[tuple[str, str]]] = []
        for each in found:
            touched = [group for group in groups if group & each]
            groups = [group for group in groups if group not in touched] + [each.union(*touched)]
        return [frozenset(group) for group in groups]


__all__ = ["Amount", "Column", "Policy", "Restrict", "Role", "Table", "View"]
