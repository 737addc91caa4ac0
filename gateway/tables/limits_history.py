"""The limits that answers were given under, kept in the ledger, and whether new ones are looser.

Tightening takes effect at once. Loosening is an act of the owner: until it is accepted, nothing is answered about the
table.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from sdcdb.fields.category_shares import NULL
from sdcdb.gateway.ledger.entry import CategoryLimits, ColumnLimits, PolicyEntry, TablePolicy
from sdcdb.gateway.relations import Relations, Restricted
from sdcdb.policy.links import Equation
from sdcdb.policy.models import Policy

_WIDTH = {"user": 0, "team": 1, "all": 2}


def policy_entry(
    relations: Relations, policy: Policy, views: Mapping[str, str], by: str, reason: str = ""
) -> PolicyEntry:
    """Return the ledger's entry for a policy; `views` are digests of how each table's protected views were fitted."""
    tables = {
        table.name: _table_policy(table, _linked(table, relations), _distinct(table, policy), views.get(table.name, ""))
        for table in relations.restricted()
    }
    return PolicyEntry(by=by, reason=reason, tables=tables, teams=dict(policy.teams))


def _linked(table: Restricted, relations: Relations) -> tuple[str, ...]:
    equations = [str(Equation(name, each.base, each.factor, each.offset)) for name, each in table.linear.items()]
    pairs = [
        " ~ ".join(f"{name}.{column}" for name, column in pair)
        for group in relations.linked
        for pair in combinations(sorted(group), 2)
        if table.name in dict(pair)
    ]
    return tuple(sorted(equations + pairs))


def _distinct(table: Restricted, policy: Policy) -> tuple[str, ...]:
    pairs = [pair for pair in policy.distinct_pairs() if table.name in pair]
    return tuple(sorted(name for pair in pairs for name in pair if name != table.name))


def _table_policy(table: Restricted, linked: tuple[str, ...], distinct: tuple[str, ...], views: str) -> TablePolicy:
    columns = {}
    for name, column in table.confidential.items():
        limits = table.limits_of(column)
        columns[name] = ColumnLimits(
            low=column.low,
            high=column.high,
            step=column.step,
            min_set=limits.min_set,
            min_interval=limits.min_interval,
            min_h0=limits.min_h0,
            min_area=limits.min_area,
            max_overlap=limits.max_overlap,
            known=str(column.known or ""),
            small_totals=limits.small_totals,
        )
    categories = {
        name: CategoryLimits(
            known=str(each.public),
            sensitive=tuple(value or NULL for value in each.public.sensitive_values),
            max_belief=table.limits.max_belief,
            min_set=table.limits.min_set,
        )
        for name, each in {**table.categories, **table.published}.items()
    }
    return TablePolicy(
        pool=table.limits.pool,
        aggregates=tuple(sorted(table.limits.aggregates)),
        columns=columns,
        categories=categories,
        views=views,
        linked=linked,
        distinct=distinct,
        person=table.person or "",
        published=tuple(table.published),
    )


def same_policy(before: PolicyEntry, now: PolicyEntry) -> bool:
    """Tell whether two entries say the same, whoever wrote them."""
    return (before.tables, before.teams) == (now.tables, now.teams)


def loosened(before: TablePolicy | None, now: TablePolicy) -> list[str]:
    """Say what a new policy of a table allows that the one before it, if there was one, did not."""
    apart = sorted(set(now.distinct) - set(before.distinct if before is not None else ()))
    said = [f"distinct: what is known of {name} does not count here" for name in apart]
    return said if before is None else [*said, *_loosened_limits(before, now)]


def _loosened_limits(before: TablePolicy, now: TablePolicy) -> list[str]:
    both = [
        (name, before.categories[name], after) for name, after in now.categories.items() if name in before.categories
    ]
    return [
        *_loosened(before, now),
        *_published(before, now),
        *(what for each in both for what in _loosened_category(*each)),
    ]


def _published(before: TablePolicy, now: TablePolicy) -> Iterator[str]:
    """Say of which categories the counts became public, or are no longer: what was public stays known."""
    yield from (f"{name}: its counts became public" for name in now.published if name not in before.published)
    gone = [name for name in before.published if name not in now.published]
    yield from (f"{name}: its counts were public, and would count as unknown" for name in gone)


def _loosened_category(name: str, before: CategoryLimits, now: CategoryLimits) -> Iterator[str]:
    if now.max_belief > before.max_belief:
        yield f"{name}: max_belief rose from {before.max_belief:g} to {now.max_belief:g}"
    if now.min_set < before.min_set:
        yield f"{name}: min_set fell from {before.min_set} to {now.min_set}"
    if gone := sorted(set(before.sensitive) - set(now.sensitive)):
        yield f"{name}: {', '.join(gone)} became sensitive no more"
    if now.known != before.known:
        yield f"{name}: declared public was {before.known}, now {now.known}"


def _loosened(before: TablePolicy, now: TablePolicy) -> Iterator[str]:
    if _WIDTH[now.pool] < _WIDTH[before.pool]:
        yield f"pool: {before.pool} became {now.pool}"
    if added := sorted(set(now.aggregates) - set(before.aggregates)):
        yield f"aggregates: {', '.join(added)} may now be asked"
    yield from (f"linked: {what} is audited apart" for what in before.linked if what not in now.linked)
    if before.person and now.person != before.person:
        yield f"person: {before.person} became {now.person or 'the key'}"
    for name, new in now.columns.items():
        old = before.columns.get(name)
        if old is None:
            continue
        for field in ("min_set", "min_interval", "min_h0", "min_area"):
            if getattr(new, field) < getattr(old, field):
                yield f"{name}: {field} fell from {getattr(old, field):g} to {getattr(new, field):g}"
        if old.max_overlap is not None and (new.max_overlap is None or new.max_overlap > old.max_overlap):
            yield f"{name}: max_overlap rose from {old.max_overlap} to {new.max_overlap or 'any number'}"
        if (old.small_totals, new.small_totals) == ("forbid", "allow"):
            yield f"{name}: small_totals: forbid became allow"
        if (new.low, new.high, new.step) != (old.low, old.high, old.step):
            yield f"{name}: the domain became [{new.low:g}, {new.high:g}] with step {new.step}"
        if new.known != old.known:
            yield f"{name}: declared public was {old.known or 'nothing'}, now {new.known or 'nothing'}"
