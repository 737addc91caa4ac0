"""What has been answered about one table, by whom, and what it all tells: the ledger's entries as the audit's state."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError, LedgerError
from sdcdb.gateway.inference.categories.beliefs import Beliefs
from sdcdb.gateway.inference.categories.counting import Counting
from sdcdb.gateway.inference.count_audit import CountAudit
from sdcdb.gateway.inference.finding import Finding
from sdcdb.gateway.inference.forecast import Forecast
from sdcdb.gateway.inference.intervals.equivocation import STEPS
from sdcdb.gateway.inference.knowledge import Knowledge
from sdcdb.gateway.inference.people import People
from sdcdb.gateway.inference.prior import Prior
from sdcdb.gateway.inference.question import Question
from sdcdb.gateway.inference.set_audit import SetAudit
from sdcdb.gateway.ledger.entry import Aggregate, AnsweredFact, CountedSet, VersionEntry
from sdcdb.gateway.ledger.packing import pack, unpack, unpack_weights
from sdcdb.gateway.pools import EVERYBODY, fold
from sdcdb.gateway.relations import Confidential, Restricted
from sdcdb.gateway.tables.asked import Asked, Row
from sdcdb.gateway.tables.cells import Cells, Indices
from sdcdb.gateway.tables.counted_values import AskedCount, count_of, counts_people, new_beliefs, texts_of, values_of
from sdcdb.gateway.tables.earlier_extremes import EarlierExtremes
from sdcdb.gateway.tables.held_version import HeldVersion, names_over_versions
from sdcdb.gateway.tables.kept_states import Kept, Key, kept_of
from sdcdb.gateway.tables.layouts import UnexplainedError, layout_of
from sdcdb.gateway.tables.past import Past
from sdcdb.gateway.tables.record_file import Followed
from sdcdb.gateway.tables.trail import Layout


@dataclass(frozen=True, eq=False)
class Told:
    """Something that was answered: the present name of its column, its query set as a layout has it, and to whom."""

    fact: AnsweredFact
    column: str
    flags: NDArray[np.bool_]
    user: str


Foretold = Callable[[str], Forecast | None]
"""Gives the forecast for the cells that a protected view allows, by confidential column."""


class TableHistory:
    """The audit of one table: one `Knowledge` for every confidential column and pool of users, made when first asked.

    `PoolHistory` is how one pool of users sees it. A column that follows from another one by an equation has no audit
    of its own: answers about it are answers about that one.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - a table as it is, and where its past is found
        self,
        table: Restricted,
        cells: Cells,
        version: str,
        past: Past,
        foretold: Foretold = lambda _column: None,
        ratios: Mapping[str, tuple[float, ...]] | None = None,
        followed: Callable[[], Mapping[str, Followed] | None] = lambda: None,
        before: "TableHistory | None" = None,
    ) -> None:
        """Go on from `before`, the same history with one version less, where there is one: that is much faster."""
        self.table = table
        self.cells = cells
        self.version = version
        self._past = past
        self._foretold = foretold
        self._ratios = ratios or {}
        self._followed = followed
        self._flags: tuple[Indices | None, NDArray[np.bool_]] = None, np.zeros(0, dtype=np.bool_)
        self._layouts: dict[str, Layout] = {}
        self._kinds: dict[str, tuple[People, NDArray[np.int64]]] = {}
        self._held_by: dict[tuple[str, bool], People] = {}
        self._people: dict[str, Layout] = {}  # of columns in which values have changed
        self._knowledge: dict[tuple[str, str], Knowledge] = {}
        self._sets: dict[tuple[str, str], SetAudit] = {}
        self._extremes: dict[tuple[str, str], EarlierExtremes] = {}
        self._kept: dict[Key, Kept[Knowledge]] = {}
        self._kept_sets: dict[Key, Kept[SetAudit]] = {}
        self._counted: dict[tuple[str, bool], CountAudit] = {}
        self._beliefs: dict[tuple[str, str], Beliefs] = {}
        self._of_people: dict[tuple[str, str], Beliefs] = {}
        last = before if before is not None and before._past.versions == past.versions[:-1] else None  # noqa: SLF001
        self._held: list[HeldVersion] = [*last._held] if last is not None else []  # noqa: SLF001 - our own
        self._held += [HeldVersion.of(entry) for entry in past.versions[len(self._held) :]]
        audited = (*table.confidential, *table.categories)
        self._named = {column: names_over_versions(column, self._held) for column in audited}
        for column, names in self._named.items():
            known = None if last is None or last._named.get(column) != names[:-1] else last  # noqa: SLF001
            layouts = (None, None) if known is None else (known._layouts[column], known._people.get(column))  # noqa: SLF001
            self._layouts[column] = layout_of(past.versions, self._held, names, people=False, known=layouts[0])
            if any(name in entry.people for name, entry in zip(names, past.versions, strict=True)):
                self._people[column] = layout_of(past.versions, self._held, names, people=True, known=layouts[1])
            if known is not None:
                self._keep(column, known)
            self._owners(column, self._layouts[column])  # or else it is said at once
            self._owners(column, self._by_people(column), people=True)

    def _keep(self, column: str, last: "TableHistory") -> None:
        """Keep what the version before knows of a column: it answers no more."""
        links = last._past.links  # noqa: SLF001 - our own
        classes = len(last._layouts[column].counts)  # noqa: SLF001 - our own
        self._kept |= kept_of(last._knowledge, last._kept, column, classes, links)  # noqa: SLF001 - our own
        if column in last._people:  # noqa: SLF001 - our own
            classes = len(last._people[column].counts)  # noqa: SLF001 - our own
            self._kept_sets |= kept_of(last._sets, last._kept_sets, column, classes, links)  # noqa: SLF001 - our own

    @property
    def newest(self) -> VersionEntry:
        """The newest version, as the ledger keeps it."""
        return self._past.versions[-1]

    @property
    def has_changed(self) -> bool:
        """Whether there was a version with other records, values or cells."""
        return len({entry.version for entry in self._past.versions}) > 1

    def pools(self) -> list[str]:
        """Return the pools of users who know something, each by one name."""
        told = {self._past.links.name(fact.pool) for _, fact, _ in self._past.facts}
        return sorted(told | {pool for _, pool in (*self._knowledge, *self._beliefs)})

    def known_as(self, pool: str) -> str:
        """Return the name of all pools that know the same as this one."""
        return self._past.links.name(pool)

    def knowledge(self, column: str, pool: str) -> Knowledge:
        """Return what a pool of users knows of a column, restored from the ledger when first asked for."""
        if (column, pool) not in self._knowledge:
            self._knowledge[column, pool] = self._gone_on(column, pool) or self._restored(column, pool)
        return self._knowledge[column, pool]

    def beliefs(self, column: str, pool: str) -> Beliefs:
        """Return what a pool of users may believe of a category, restored from the ledger when first asked for."""
        if (column, pool) not in self._beliefs:
            layout, category = self._layouts[column], self.table.categories[column]
            told = list(self._told(column, pool, layout))
            asked = [self._counting(column, each.flags, values_of(category, each.fact.values)) for each in told]
            answers = [int(each.fact.answers["count"]) for each in told]
            if any(each.fact.people != counts_people(self.table, column) for each in told):
                raise LedgerError(
                    f"the ledger has counts by {column!r} from before `constant` named it, or after: put that back"
                )
            people = self._owners(column, layout)
            ratios = self._ratios.get(column, ())
            if counts_people(self.table, column):
                state = new_beliefs(self.table, category, self._profiles_of(column)[1], ratios)
            else:
                state = new_beliefs(self.table, category, layout.array(), ratios, people)
            if asked:
                state.learn(asked, answers)
            self._beliefs[column, pool] = state
        return self._beliefs[column, pool]

    def beliefs_of_people(self, column: str, pool: str) -> Beliefs | None:
        """Return the audit of people whatever their values were, by sets alone; None where no value has changed."""
        layout, category = self._people.get(column), self.table.categories[column]
        if layout is None:
            return None
        if (column, pool) not in self._of_people:
            people = self._owners(column, layout, people=True)
            state = new_beliefs(self.table, category, layout.array(), self._ratios.get(column, ()), people)
            told = list(self._told(column, pool, layout))
            asked = [Counting(each.flags, values_of(category, each.fact.values)) for each in told]
            state.learn(asked, [0] * len(asked), fit=False)
            self._of_people[column, pool] = state
        return self._of_people[column, pool]

    def counting(self, asked: AskedCount, *, people: bool = False) -> Counting:
        """Put a count by a category into the audit's terms: of records, or of people whatever their values were."""
        layout = self._by_people(asked.column) if people else self._layouts[asked.column]
        flags = layout.spread(self.flags(asked.chosen.cells))
        return (
            Counting(flags, asked.chosen.values) if people else self._counting(asked.column, flags, asked.chosen.values)
        )

    def _counting(self, column: str, flags: NDArray[np.bool_], values: frozenset[int]) -> Counting:
        """Put a set of classes into the terms of a category's audit: records, or kinds of people."""
        if counts_people(self.table, column):
            flags = self._profiles_of(column)[0].with_records(flags)
        return Counting(flags, values)

    def cannot_count(self, column: str) -> bool:
        """Tell whether nothing is answered of a category: it is one value per person, and somebody's has changed."""
        return counts_people(self.table, column) and column in self._people

    def _profiles_of(self, column: str) -> tuple[People, NDArray[np.int64]]:
        """Return people who have records in the same classes of a category's layout, and how many they are."""
        if column not in self._kinds:
            owners = self._owners(column, self._layouts[column])
            if owners is None:
                raise DataError("the policy names no person")
            self._kinds[column] = owners.profiles()
        return self._kinds[column]

    def counted_fact(self, asked: AskedCount, pool: str, *, implied: bool, surprise: bool) -> AnsweredFact:
        """Return what the ledger keeps of a count by a category."""
        return AnsweredFact(
            table=asked.table,
            column=asked.column,
            cells=pack(self.flags(asked.chosen.cells)),
            kinds=("count",),
            answers={"count": str(count_of(self.cells, asked))},
            values=texts_of(self.table.categories[asked.column], asked.chosen.values),
            people=asked.people,
            implied=implied,
            surprise=surprise,
            pool=pool,
        )

    def people(self, column: str, pool: str) -> SetAudit | None:
        """Return the audit of people, whatever their values were; None where no value has changed."""
        layout = self._people.get(column)
        if layout is None:
            return None
        if (column, pool) not in self._sets:
            self._sets[column, pool] = self._sets_gone_on(column, pool, layout) or self._new_sets(column, pool, layout)
        return self._sets[column, pool]

    def _sets_gone_on(self, column: str, pool: str, layout: Layout) -> SetAudit | None:
        kept = self._kept_sets.pop((column, pool), None)
        if kept is None or not kept.knows(pool, self._past.links, self._answered_pools()):
            return None
        owners = self._owners(column, layout, people=True)
        return kept.state if kept.state.grow(layout.growth(kept.classes), owners) else None

    def _new_sets(self, column: str, pool: str, layout: Layout) -> SetAudit:
        spec, limits = self.table.audited(column)
        owners = self._owners(column, layout, people=True)
        found = SetAudit(layout.array(), steps_of(spec), limits, secrets.token_bytes(32), owners)
        found.learn([each.flags for each in self._told(column, pool, layout) if "sum" in each.fact.kinds])
        return found

    def of_people(self, asked: Asked) -> NDArray[np.bool_]:
        """Return a query set as a set of people."""
        return self._by_people(asked.audited).spread(self.flags(asked.cells))

    def extreme_of_changed(self, asked: Asked, pool: str) -> bool:
        """Tell whether a MIN or MAX is about somebody whose value was another one when one was answered before."""
        if asked.audited not in self._people or asked.question.kinds <= {"sum"}:
            return False
        key, layouts = (asked.audited, pool), (self._people[asked.audited], self._layouts[asked.audited])
        if key not in self._extremes:
            people, values = ([(each.fact.kinds, each.flags) for each in self._told(*key, one)] for one in layouts)
            self._extremes[key] = EarlierExtremes.of(layouts[0].array(), people, layouts[1].array(), values)
        return self._extremes[key].changed_within(self.of_people(asked), asked.question.cells)

    def told_of_people(self, column: str) -> Iterator[Told]:
        """Yield all that anybody was told of a column, and the query sets as sets of people."""
        yield from self._told(column, EVERYBODY, self._by_people(column))

    def _by_people(self, column: str) -> Layout:
        return self._people.get(column) or self._layouts[column]

    def _told(self, column: str, pool: str, layout: Layout) -> Iterator[Told]:
        """Yield what a pool was told of a column, and the query sets as a layout has them."""
        sizes = layout.sizes
        for version, fact, user in self._past.facts:
            told = self._past.links.knows(pool, fact.pool) and not fact.implied
            name = self._asked_as(column, fact, version) if told else None
            if name is not None:
                yield Told(fact, name, layout.spread(unpack(fact.cells, sizes[version]), version), fold(user))

    def _asked_as(self, column: str, fact: AnsweredFact, version: int) -> str | None:
        """Return the present name of the column that a fact is about, if that is audited as `column`."""
        names = (name for name, former in self._named.items() if former[version] == fact.column)
        return next((name for name in names if self.table.base(name).base == column), None)

    def _gone_on(self, column: str, pool: str) -> Knowledge | None:
        """Return what was known in the version before, taken on into this one; None if the ledger is to say it."""
        kept, layout = self._kept.pop((column, pool), None), self._layouts[column]
        if kept is None or not kept.knows(pool, self._past.links, self._answered_pools()):
            return None
        people = self._owners(column, layout)
        return kept.state if kept.state.grow(layout.growth(kept.classes), self._public(column), people) else None

    def _answered_pools(self) -> set[str]:
        return {fact.pool for _, fact, _ in self._past.facts}

    def _restored(self, column: str, pool: str) -> Knowledge:
        layout, (spec, limits) = self._layouts[column], self.table.audited(column)
        rows, told = [], set()  # what old ledgers call `tail` was learnt and not given: it counts as known as well
        counts = layout.array()
        for each in self._told(column, pool, layout):
            answers: dict[str, float] = {kind: number_of(text) for kind, text in each.fact.answers.items()}
            linear = self.table.base(each.column)
            question = Question(each.flags, linear.kinds(frozenset(each.fact.kinds)), each.user)
            rows.append((question, linear.answers(answers, int(counts[each.flags].sum()))))
            told.add((each.fact.pool, each.column))
        domain, people = (spec.low, spec.high, spec.step), self._owners(column, layout)
        if len(told) <= 1:
            secret, public = secrets.token_bytes(32), self._public(column)
            return Knowledge.restore(layout.array(), *domain, limits, secret, rows, public, people=people)
        # Pools or columns that were apart may each have been told the same: what is not new must not be counted twice.
        state = Knowledge(layout.array(), *domain, limits, secrets.token_bytes(32), self._public(column), people=people)
        for question, answer in rows:
            state.learn([question], [answer])
        return state

    def counts(self, pool: str, *, people: bool = False) -> CountAudit:
        """Return the sizes that a pool of users was shown of the table as it is: a change of sizes is no secret.

        Numbers of people have an audit of their own: its unknowns are how many have records in the same cells.
        """
        if (pool, people) not in self._counted:
            version = len(self._past.versions) - 1
            told = [
                (each.pool, self._counted_row(each))
                for number, each in self._past.counted
                if self._past.versions[number].version == self.version or number == version
                if self._past.links.knows(pool, each.pool) and each.people == people
            ]
            alone = len({name for name, _ in told}) <= 1
            shown = [flags for _, flags in told] if alone else []
            owners = None if self.cells.owners is None else self.cells.owners.everybody
            sizes, owners = (self._profiles[1], None) if people else (self.cells.records, owners)
            found = CountAudit(sizes, self.table.limits.min_set, secrets.token_bytes(32), shown, owners)
            for _, flags in () if alone else told:
                found.learn(flags)
            self._counted[pool, people] = found
        return self._counted[pool, people]

    def _counted_row(self, each: CountedSet) -> NDArray[np.bool_] | NDArray[np.int64]:
        """Read a set that was shown, or a sum over it, in the terms of the audit of counts."""
        flags = unpack(each.cells, self.cells.size)
        return unpack_weights(each.weights, flags) if each.weights else self.counted_flags(flags, people=each.people)

    def counted_flags(self, flags: NDArray[np.bool_], *, people: bool) -> NDArray[np.bool_]:
        """Put a set of cells into the terms of the audit of counts."""
        return self._profiles[0].with_records(flags) if people else flags

    @cached_property
    def _profiles(self) -> tuple[People, NDArray[np.int64]]:
        """People who have records in the same cells, and how many they are."""
        if self.cells.owners is None:
            raise DataError("the policy names no person")
        return self.cells.owners.everybody.profiles()

    def _owners(self, column: str, layout: Layout, *, people: bool = False) -> People | None:
        """Return whose values the classes of a layout hold: one of values, or one of people whatever their values."""
        owners = self.cells.owners
        if owners is None:
            return None
        if layout.whole:
            return owners.with_value.get(column, owners.everybody)
        if (column, people) not in self._held_by:
            self._held_by[column, people] = self._read_owners(column, layout, people=people)
        return self._held_by[column, people]

    def _read_owners(self, column: str, layout: Layout, *, people: bool) -> People:
        """Read whose the records of every class are, also of those that left, from the file beside the ledger."""
        held = (self._followed() or {}).get(column)
        if held is None or held.owned is None:
            raise UnexplainedError(
                f"{self.table.name} has several rows per person and has changed, and the file that says whose its "
                "records were is missing or was written before the policy named a person"
            )
        trail, owners = (held.people, held.owned.people) if people else (held.values, held.owned.values)
        ones = np.ones(len(trail.classes), dtype=np.int64)
        if not np.array_equal(np.bincount(trail.classes, minlength=len(layout.counts)), layout.array()):
            raise UnexplainedError(f"the file with the records of {self.table.name} is not that of its newest version")
        return People.of(owners, trail.classes, ones, len(layout.counts))

    def _public(self, column: str) -> Prior | Forecast | None:
        """Return what is public of a column: by its protected view, cell by cell, or as declared for everybody."""
        forecast, layout = self._foretold(column), self._layouts[column]
        if forecast is None:
            return self.table.confidential[column].prior
        place = np.zeros(len(layout.array()), dtype=np.int64)  # for those who left: as for everybody
        cells = layout.cells_of()
        place[cells >= 0] = forecast.place[cells[cells >= 0]]
        return Forecast(forecast.priors, place)

    def asked(self, row: Row, column: str, cells: Indices, kinds: frozenset[str]) -> Asked:
        """Put a query set into the audit's terms."""
        linear = self.table.base(column)
        question = Question(self._layouts[linear.base].spread(self.flags(cells)), linear.kinds(kinds))
        return Asked(row, self.table.name, column, cells, kinds, linear.base, question)

    def flags(self, cells: Indices) -> NDArray[np.bool_]:
        """Return a query set as a flag for each cell. The last one is kept: it is looked at in several ways."""
        known, flags = self._flags
        if known is not cells:
            flags = np.zeros(self.cells.size, dtype=np.bool_)
            flags[cells] = True
            self._flags = cells, flags
        return flags

    def fact(self, asked: Asked, pool: str, finding: Finding, *, surprise: bool) -> AnsweredFact:
        """Return what the ledger keeps of an answer."""
        totals = self.cells.totals[asked.column]
        kinds: list[Aggregate] = [kind for kind in get_args(Aggregate) if kind in asked.kinds]
        return AnsweredFact(
            table=asked.table,
            column=asked.column,
            cells=pack(self.flags(asked.cells)),
            kinds=tuple(kinds),
            answers={kind: str(totals.total(kind, asked.cells)) for kind in kinds},
            implied=finding.implied,
            surprise=surprise,
            pool=pool,
        )


def number_of(text: str) -> float:
    """Read an answer as the audit takes it: whole numbers exactly."""
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise DataError("an answer in the ledger is not a number") from None


def steps_of(column: Confidential) -> float:
    """Return how many steps of its grid a column's domain is wide."""
    return STEPS if column.step is None else (column.high - column.low) / column.step
