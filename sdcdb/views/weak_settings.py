"""Settings that a policy may have and that protect little: what `sdcdb check --strict` says beyond what is wrong."""

from collections.abc import Iterator

from sdcdb.connection.profile import TableProfile
from sdcdb.errors import counted
from sdcdb.policy.defaults import DEFAULTS
from sdcdb.policy.models import Role, Table, View
from sdcdb.policy.release_floors import Floors
from sdcdb.techniques.registry import TECHNIQUES
from sdcdb.techniques.technique import Kind

Path = tuple[str | int, ...]
TINY_DOMAIN = 10  # values of a domain below which a sum of a few people gives them away
WEAK_NOISE = 0.02  # of a domain's width


def weak(table: Table, found: TableProfile | None) -> Iterator[tuple[Path, str]]:
    """Yield the field and what is weak about it."""
    if table.public or found is None:
        return
    if table.restrict is not None:
        yield from _restrict(table)
        yield from _domains(table)
    yield from ((("release", *path), why) for path, why in _floors(table.release))
    for name, view in table.protect.items():
        for path, why in _view(table, view, found):
            yield ("protect", name, *path), why


def _restrict(table: Table) -> Iterator[tuple[Path, str]]:
    given, usual = table.restrict, DEFAULTS["restrict"]
    if given is None:
        return
    if given.min_set < usual["min_set"]:
        yield (
            ("restrict", "min_set"),
            f"{given.min_set} is below {usual['min_set']}: a few known colleagues can be subtracted",
        )
    if given.min_h0 < usual["min_h0"]:
        yield (
            ("restrict", "min_h0"),
            f"{given.min_h0:g} bits is below {usual['min_h0']:g}: an intruder may be nearly sure",
        )
    if given.min_interval.relative and given.min_interval.value < 0.05:
        yield ("restrict", "min_interval"), f"{given.min_interval} lets a value be known to less than 5%"
    if given.small_totals == "allow":
        yield ("restrict", "small_totals"), "allow: totals of fewer than min_set people may follow from several answers"
    if given.pool != "all":
        yield ("restrict", "pool"), f"{given.pool}: answers of people who talk to each other are not added up"
    if given.groups == "mark":
        yield ("restrict", "groups"), "mark: rare combinations of quasi-identifiers show"


def _domains(table: Table) -> Iterator[tuple[Path, str]]:
    """Name what the gateway will hardly answer, or cannot protect."""
    for name in table.named(Role.CONFIDENTIAL):
        column = table.columns[name]
        if column.domain is None:
            continue
        if column.step and column.width / column.step + 1 < TINY_DOMAIN:
            many = counted(round(column.width / column.step) + 1, "value")
            yield (
                ("columns", name, "domain"),
                f"{many}: sums of so few are refused by the gateway; consider the role quasi",
            )


def _floors(floors: Floors) -> Iterator[tuple[Path, str]]:
    usual = Floors()
    for name in ("min_k", "min_record_entropy"):
        if getattr(floors, name) < getattr(usual, name):
            yield (name,), f"{getattr(floors, name):g} is below the default {getattr(usual, name):g}"
    for name in ("max_linked", "below"):
        if getattr(floors, name).value > getattr(usual, name).value:
            yield (name,), f"{getattr(floors, name)} is above the default {getattr(usual, name)}"
    for name in ("min_confidential_entropy", "min_cae"):
        own, other = getattr(floors, name), getattr(usual, name)
        if own.relative and own.value < other.value:
            yield (name,), f"{own} is below the default {other}"


def _view(table: Table, view: View, found: TableProfile) -> Iterator[tuple[Path, str]]:
    methods = table.methods(view)
    records = view.rows is not None and view.rows.method == "kanonymity"
    bare = [name for name in table.named(Role.QUASI) if name not in methods]
    if bare and not records:
        yield (), f"published as they are: {', '.join(bare)}; recode them with rows: {{method: kanonymity, k: 5}}"
    for name in table.unperturbed(view):
        yield (
            ("unchanged" if name in view.unchanged else "rows",),
            f"{name!r} is published as it is: give it a method in columns",
        )
    for name, params in methods.items():
        place: Path = ("columns", name) if name in view.columns else ("all",)
        sd, column, real = getattr(params, "sd", None), table.columns[name], found.column(name)
        if TECHNIQUES[params.method].kind is Kind.NUMBER and sd is not None and sd.relative and sd.value < WEAK_NOISE:
            yield (*place, "sd"), f"{sd} of the domain hides little"
        wide = real is not None and real.low is not None and real.high is not None and column.width
        if sd is not None and sd.relative and wide and real is not None and params.method == "normal":
            used = ((real.high or 0) - (real.low or 0)) / column.width
            if used < 0.2:
                noise = f"the data takes {used:.0%} of the domain: noise of {sd} of it swamps the values"
                yield (*place, "sd"), f"{noise}; use a number, or {{method: swapping, range: 10%}}"
