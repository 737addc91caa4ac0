"""The gate before a release: what a protected view reaches, held against the floors of its policy."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from sdcdb.assess.likelihoods import known_column, secret_category, secret_list, secret_number
from sdcdb.assess.paired import boolean, linked, listed
from sdcdb.connection.record_key import is_key
from sdcdb.errors import ReleaseRefused, SdcdbError, counted
from sdcdb.measures.linking import Attack, Secret, attack
from sdcdb.measures.unique_records import equivalence_classes
from sdcdb.policy.governed import Governed
from sdcdb.policy.models import Role, Table, View
from sdcdb.policy.release_floors import Floors
from sdcdb.techniques.technique import Fitted
from sdcdb.views import catalogue
from sdcdb.views.plan import Plan

TARGETS = 500  # people who are attacked
KNOWING = 100  # of them are attacked by somebody who knows their confidential values as well
RECORDS = 50_000  # published records among whom they are sought; fewer than there are can only make it easier
MOVED = 0.2  # a belief that is no farther from what is known of anybody discloses nothing (t-closeness)


@dataclass(frozen=True)
class Floor:
    """One floor: its name in the policy, what was measured, what is asked, and both in words."""

    name: str
    column: str | None
    measured: float
    asked: float
    passed: bool
    words: str
    change: str
    """What to change in the policy when it is not reached."""


@dataclass(frozen=True)
class Standing:
    """Everything that was measured of a view before its release."""

    view: str
    quasi: tuple[str, ...]
    floors: tuple[Floor, ...]
    secret: tuple[str, ...] = ()
    """Confidential columns that are published."""
    linked_by_all: float = 0.0
    """The share of people whose record somebody finds who knows these values of theirs as well. No floor: it is for the
    owner to say who does."""

    @property
    def passed(self) -> bool:
        """Whether every floor is reached."""
        return all(floor.passed for floor in self.floors)

    def failed(self) -> list[Floor]:
        """Return the floors that are not reached."""
        return [floor for floor in self.floors if not floor.passed]

    def data(self) -> dict[str, Any]:
        """Return plain values for a manifest."""
        by_all = {"known": [*self.quasi, *self.secret], "linked": self.linked_by_all}
        floors = [asdict(each) for each in self.floors]
        return {"passed": self.passed, "known": list(self.quasi), "floors": floors, "knowing_all": by_all}

    def require(self) -> None:
        """Raise `ReleaseRefused` where a floor is not reached."""
        if self.passed:
            return
        missed = "\n".join(f"- {floor.words}\n  change: {floor.change}" for floor in self.failed())
        raise ReleaseRefused(
            f"{self.view!r} is not released: it misses {counted(len(self.failed()), 'floor')} of its policy\n{missed}\n"
            'To release it all the same, say why: --accept-risk "reason" (it is written into the manifest)'
        )


def stand(database: Governed, view: str, seed: int = 0) -> Standing:
    """Measure a protected view against the floors of its table."""
    plan = catalogue.entry(database.con, view).plan
    table = database.policy.tables.get(plan.table) if database.policy else None
    asked = table.protect.get(plan.view) if table else None
    if table is None or asked is None:
        raise SdcdbError(f"the policy does not define the view {plan.view!r}: without it nothing is released")
    before, after, persons = linked(database, plan, asked, seed)
    return measure(plan, table, asked, before, after, seed, persons)


def measure(
    plan: Plan,
    table: Table,
    view: View,
    before: pd.DataFrame,
    after: pd.DataFrame,
    seed: int = 0,
    persons: Any = None,
) -> Standing:
    """Attack the records of a view, before and after, and compare with the floors. `persons` numbers their people."""
    if table.person is not None and not is_key(table.person, plan.person or plan.key):
        raise SdcdbError(
            f"{plan.view!r} was fitted before the policy named {table.person!r} as the person: fit it again with "
            "sdcdb protect"
        )
    floors, quasi = table.release, [name for name in plan.columns if name in table.named(Role.QUASI)]
    exact = [name for name in quasi if (fitted := _fitted(plan, name)) is None or not fitted.random()]
    found = [_k(after, exact, floors, view, persons)]
    draw = np.random.default_rng(seed)
    if len(after) > RECORDS:
        chosen = np.sort(draw.choice(len(after), RECORDS, replace=False))
        before, after = before.iloc[chosen], after.iloc[chosen]
        persons = None if persons is None else persons[chosen]
    people = draw.permutation(len(after))
    if persons is not None:  # everybody once, by one of their records
        people = people[np.sort(np.unique(persons[people], return_index=True)[1])]
    people = people[:TARGETS]
    known = [known_column(before[name], after[name], people, _fitted(plan, name)) for name in quasi]
    secrets, numbers = _secrets(plan, table, before, after)
    result = attack(known, people, secrets, len(after), persons)
    several = persons is not None
    found += [_linked(result, floors, quasi, several=several), _record(result, floors, quasi, several=several)]
    found += [_secret(result, name, floors, number=name in numbers, view=view) for name in secrets]
    some = people[:KNOWING]
    told = [n for n in plan.columns if n in table.named(Role.CONFIDENTIAL, Role.CLASS) and not listed(after[n])]
    more = [known_column(before[name], after[name], some, _fitted(plan, name)) for name in (*quasi, *told)]
    by_all = attack(more, some, {}, len(after), persons).linked.mean()
    return Standing(plan.view, tuple(quasi), tuple(found), tuple(told), float(by_all))


def _fitted(plan: Plan, column: str) -> Fitted | None:
    return next((each for each in reversed(plan.fitted) if column in each.columns), None)


def _secrets(plan: Plan, table: Table, before: pd.DataFrame, after: pd.DataFrame) -> tuple[dict[str, Secret], set[str]]:
    found: dict[str, Secret] = {}
    numbers = set()
    for name in plan.columns:
        if name not in table.named(Role.CONFIDENTIAL, Role.CLASS) or before[name].nunique() < 2:
            continue
        if listed(after[name]):
            found[name] = secret_list(before[name], after[name])
            continue
        if pd.api.types.is_numeric_dtype(before[name].dtype) and not boolean(before[name]):
            found[name] = secret_number(before[name], after[name], table.columns[name], _fitted(plan, name), name)
            numbers.add(name)
        elif before[name].nunique() <= 500:
            found[name] = secret_category(before[name], after[name], _fitted(plan, name))[0]
    return found, numbers


def _k(after: pd.DataFrame, exact: list[str], floors: Floors, view: View, persons: Any) -> Floor:
    """Count the records, or the people, that share what is published as it is."""
    if exact:
        classes = equivalence_classes([after[name].astype(object).to_numpy() for name in exact])
    else:
        classes = np.zeros(len(after), dtype=np.int64)
    records = np.bincount(classes)
    sizes = records if persons is None else np.bincount(np.unique(np.column_stack([classes, persons]), axis=0)[:, 0])
    k, alone = int(sizes.min()), int(records[sizes < floors.min_k].sum())
    unit = "" if persons is None else " people"
    words = f"k is {k}{unit}, at least {floors.min_k} asked"
    if k < floors.min_k:
        words += f": {alone:,} of {counted(len(after), 'record')} share {', '.join(exact)} with too few others"
    change = _recode(view, floors) if persons is None else "coarser values (coding, rounding), or noise (pram, vicus)"
    return Floor("min_k", None, k, floors.min_k, k >= floors.min_k, words, change)


def _recode(view: View, floors: Floors) -> str:
    has = getattr(view.rows, "k", None)
    if has is None:
        return f"rows: {{method: kanonymity, k: {max(2, floors.min_k)}}}"
    return f"a larger k than {has} in rows, or fewer columns" if has >= floors.min_k else f"k: {floors.min_k} in rows"


def _linked(result: Attack, floors: Floors, quasi: list[str], *, several: bool) -> Floor:
    share, most = float(result.linked.mean()), floors.max_linked.value
    who = f"an intruder who knows {', '.join(quasi) or 'nothing'}"
    finds = "recognises" if several else "finds the record of"
    words = f"{who} {finds} {share:.1%} of the people, at most {most:.0%} allowed"
    change = "rows: {method: kanonymity, k: 10}, or a stronger method on quasi-identifiers that are changed at random"
    return Floor("max_linked", None, share, most, share <= most, words, change)


def _record(result: Attack, floors: Floors, quasi: list[str], *, several: bool) -> Floor:
    least, allowed = floors.min_record_entropy, floors.below.value
    share = float((result.record < least - 1e-9).mean())
    words = (
        f"for {share:.1%} of the people fewer than {least:g} bits are left about "
        f"{'who they are' if several else 'which record is theirs'} "
        f"({np.mean(result.record):.1f} bits on average), at most {allowed:.0%} allowed"
    )
    change = f"coarser or fewer of {', '.join(quasi)}: rows: {{method: kanonymity, k: {max(5, round(2**least))}}}"
    return Floor("min_record_entropy", None, share, allowed, share <= allowed, words, change)


def _secret(result: Attack, name: str, floors: Floors, *, number: bool, view: View) -> Floor:
    asked = floors.min_cae if number else floors.min_confidential_entropy
    unknown, allowed = result.unknown[name], floors.below.value
    least = asked.of(unknown) if asked.relative else asked.value
    share = float(((result.secrets[name] < least - 1e-9) & (result.moved[name] > MOVED)).mean())
    what = f"{name}: for {share:.1%} of the people fewer than {least:.2f} bits are left, of {unknown:.2f} for anybody"
    words = f"{what}; at most {allowed:.0%} allowed"
    more = "range: 10%" if number else "share: 50%"
    change = (
        f"{name}: {{method: swapping, {more}}}, or a larger one" if name not in view.columns else "a stronger method"
    )
    if view.rows is not None and getattr(view.rows, "l", 0) is None:
        change += ", or l: 2 in rows"
    return Floor(
        "min_cae" if number else "min_confidential_entropy", name, share, allowed, share <= allowed, words, change
    )
