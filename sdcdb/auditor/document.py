"""An audit as plain data, for `--json`, for tables in SQL, and as the source of every other form."""

from fractions import Fraction
from typing import Any

from sdcdb.auditor.audit import Audit, ColumnAudit
from sdcdb.auditor.categories import CategoryAudit
from sdcdb.auditor.finding import Finding, Step
from sdcdb.auditor.people import PeopleKnown
from sdcdb.auditor.proofs.bound_proof import BoundProof
from sdcdb.auditor.reading.input_history import Item, Listed, Occurrence
from sdcdb.auditor.timeline import Course
from sdcdb.logs.record import LogProblem
from sdcdb.version import __version__

POINTS = 60  # of a curve, as shown in a document


def document(found: Audit) -> dict[str, Any]:
    """Return everything that was found."""
    history = found.history
    first, last = history.times
    return {
        "sdcdb": __version__,
        "exceeds_policy": found.exceeds,
        "statements": history.statements,
        "from": first.isoformat() if first else None,
        "to": last.isoformat() if last else None,
        "users": {found.naming.person(user): number_ for user, number_ in history.users.most_common()},
        "accounting": _accounting(found),
        "unknown_names": dict(history.unknown.most_common()),
        "table_changes": {table: statement_data(found, each) for table, each in history.changes.items()},
        "uncertain_since": {table: statement_data(found, each) for table, each in history.uncertain.items()},
        "direct_reads": [listed_data(found, each) for each in history.direct.values()],
        "not_understood": [listed_data(found, each) for each in history.unsafe.values()],
        "log_problems": {
            "number": history.problem_count,
            "listed": [problem_text(found, each) for each in history.problems],
            "places": [[each.file, each.line] for each in history.problems],
        },
        "columns": [_column(found, each) for each in found.columns],
        "categories": [_categories(each) for each in found.categories],
        "findings": [finding_data(found, each) for each in found.findings],
        "people": [people_data(found, each) for each in found.people],
        "replay": _replay(found),
    }


def problem_text(found: Audit, each: LogProblem) -> str:
    """Say what is wrong with a log, and where."""
    return f"{each.file}:{each.line}: {found.naming.problem(each.what)}"


def people_data(found: Audit, each: PeopleKnown) -> dict[str, Any]:
    """Return the people of whom something is known by several records or columns together."""
    return {
        "table": each.table,
        "column": each.column,
        "together": each.together,
        "people": [found.naming.patient(each.table, name) for name in each.people],
        "first": statement_data(found, each.first),
    }


def _accounting(found: Audit) -> list[dict[str, Any]]:
    """Return the outcomes with their reasons; the numbers add up to the statements."""
    tally = found.tally
    rows = [("finding", "", tally.findings)] if tally.findings else []
    rows += [("not understood", reason, number_) for reason, number_ in tally.not_understood.items()]
    rows += [("harmless", reason, number_) for reason, number_ in tally.harmless.items()]
    return [{"outcome": outcome, "reason": reason, "statements": number_} for outcome, reason, number_ in rows]


def statement_data(found: Audit, at: Occurrence) -> dict[str, Any]:
    """Return the place, time, user and text of a statement."""
    return {
        "number": at.number,
        "file": at.source,
        "line": at.line,
        "time": at.time.isoformat() if at.time else None,
        "user": found.naming.person(at.user),
        "sql": found.naming.statement(at.sql),
    }


def listed_data(found: Audit, each: Listed) -> dict[str, Any]:
    """Return a statement that is a finding by itself or not understood."""
    selected = {
        table: int(found.history.snapshot.tables[table].cells.records[cells].sum())
        for table, cells in each.cells.items()
    }
    return {
        **statement_data(found, each.first),
        "reason": each.reason,
        "times": each.times,
        "users": sorted(map(found.naming.person, each.users)),
        "since": {found.naming.person(user): statement_data(found, at) for user, at in each.users.items()},
        "columns": [f"{table}.{column}" for table, column in each.columns],
        "records": selected or None,
    }


def finding_data(found: Audit, each: Finding) -> dict[str, Any]:
    """Return one finding."""
    return {
        "table": each.table,
        "column": each.column,
        "record": each.record,
        "level": each.level.name.lower(),
        "value": each.value,
        "lower": None if each.possible else each.lower,
        "upper": None if each.possible else each.upper,
        "width": None if each.possible else each.width,
        "possible": list(each.possible),
        "candidates": list(each.candidates),
        "h0": each.doubt.h0,
        "area": each.doubt.area,
        "h0_given_known": each.given_known.h0,
        "area_given_known": each.given_known.area,
        "given_known_exact": each.known_exact,
        "curve": _curve(each),
        "pool": found.naming.person(each.pool),
        "users": [found.naming.person(user) for user in each.users],
        "first": statement_data(found, each.first),
        "certificate": certificate_data(found, each),
    }


def certificate_data(found: Audit, each: Finding) -> dict[str, Any] | None:
    """Return how a finding is proved."""
    if each.certificate is None:
        return None
    return {
        "form": each.certificate.form,
        "smallest": each.certificate.smallest,
        "words": words(each),
        "queries": [{**statement_data(found, step.statement), **_step(found, step)} for step in each.steps],
    }


def _step(found: Audit, step: Step) -> dict[str, Any]:
    return {
        "asks": step.kind,
        "records": step.records,
        "answer": number(step.answer),
        "weight": None if step.weight is None else str(step.weight),
        "held_by": sorted(map(found.naming.person, step.users)),
    }


def words(each: Finding) -> str:
    """Say in one line how the queries prove the finding; (1), (2) are the queries in order."""
    certificate = each.certificate
    if certificate is None:
        return ""
    place = {query: position for position, query in enumerate(certificate.queries, start=1)}
    if each.possible and (certificate.combination is None or len(each.possible) > 1):
        return f"only {' or '.join(each.possible)} fits these answers"
    if certificate.combination is not None:
        terms = [_term(weight, f"({place[query]})") for query, weight in certificate.combination.weights.items()]
        answers = [_term(step.weight or Fraction(1), number_text(step.answer)) for step in each.steps]
        shown = [_sum(terms)] if len(terms) == 1 else [_sum(terms), _sum(answers)]
        result = f"1: {each.possible[0]}" if each.possible else number_text(each.lower)
        return " = ".join([*shown, result])
    if certificate.witness is not None:
        others = ", ".join(f"({place[at]})" for at in certificate.witness.below)
        rest = f"everybody else in it is in {others}" if others else "it has nobody else"
        return f"({place[certificate.witness.extreme]}) is this record's own value: {rest}, which does not reach it"
    if certificate.lower is not None and certificate.upper is not None:
        return f"at least {_bound(certificate.lower, place)}; at most {_bound(certificate.upper, place)}"
    if len(each.candidates) > 1:
        return f"one of {', '.join(number_text(value) for value in each.candidates)}"
    if certificate.whole_numbers:
        return "these queries together, since values are whole numbers of the column's step; by integer programmes"
    return "these queries together, and no fewer; recomputed by linear programmes"


def _bound(proof: BoundProof, place: dict[int, int]) -> str:
    terms = [_term(weight, f"({place[query]})") for query, weight in proof.weights.items()]
    caps = [f"({place[query]})" for query in proof.caps]
    value = number_text(proof.value)
    if not terms and not caps:
        return f"{value} by the domain"
    if not terms:
        return f"{value} by {' and '.join(caps)}"
    ends = f"the others at the ends of the domain{' or of ' + ', '.join(caps) if caps else ''}"
    return f"{value} by {_sum(terms)} with {ends}"


def _term(weight: Fraction, what: str) -> tuple[bool, str]:
    size = abs(weight)
    shown = what if size == 1 else f"{what} / {size.denominator}" if size.numerator == 1 else f"{size} x {what}"
    return weight < 0, shown


def _sum(terms: list[tuple[bool, str]]) -> str:
    ordered = sorted(terms, key=lambda term: term[0])
    text = "".join(f"{' - ' if negative else ' + '}{shown}" for negative, shown in ordered)
    return text[3:] if text.startswith(" + ") else text.strip().replace("- ", "-", 1)


def number(value: Fraction) -> int | float:
    """Return a fraction as a number of JSON."""
    return int(value) if value.denominator == 1 else float(value)


def number_text(value: Fraction | float) -> str:
    """Write a number for a person."""
    plain = float(value)
    return f"{plain:,.0f}" if plain == int(plain) else f"{plain:,.4f}".rstrip("0")


def _curve(each: Finding) -> dict[str, list[float]]:
    eps, h = each.curve.eps, each.curve.h
    stride = max(1, len(eps) // POINTS)
    return {"eps": [float(x) for x in eps[::stride]], "h": [float(x) for x in h[::stride]]}


def _column(found: Audit, each: ColumnAudit) -> dict[str, Any]:
    course = each.course
    items = found.history.of(each.table, each.column)
    aside = set(map(id, each.contradicting))
    kept = [item for item in items if id(item) not in aside]
    return {
        "table": each.table,
        "column": each.column,
        "domain": list(each.unit[:2]),
        "step": each.unit[2],
        "min_interval": each.limits.min_interval,
        "min_h0": each.limits.min_h0,
        "min_area": each.limits.min_area,
        "known": list(each.known),
        "records": each.records,
        "answers": each.answers,
        "exposed": _levels(each),
        "not_computed": each.not_computed,
        "not_excluded": each.not_excluded,
        "course": None
        if course is None
        else {
            "thresholds": list(course.shares),
            "moments": [
                {
                    "answers": moment.answers,
                    "after": statement_data(found, kept[moment.answers - 1].first) if moment.answers else None,
                    "below": list(moment.below),
                    "not_computed": moment.uncomputed,
                }
                for moment in course.moments
            ],
            "costliest": _costliest(found, kept, course),
            "costliest_records": course.tracked,
            "endangered": course.endangered,
        },
        "by_user": [
            {
                "user": found.naming.person(user.name),
                "answers": user.answers,
                "exposed": {lv.name.lower(): n for lv, n in user.levels.items()},
            }
            for user in each.users
        ],
        "together": [
            {"users": list(map(found.naming.person, users)), "findings": number_} for users, number_ in each.together
        ],
        "contradicting": [statement_data(found, item.first) for item in each.contradicting],
    }


def _categories(each: CategoryAudit) -> dict[str, Any]:
    exposed: dict[str, int] = {}
    for finding in each.findings:
        exposed[finding.level.name.lower()] = exposed.get(finding.level.name.lower(), 0) + 1
    return {
        "table": each.table,
        "column": each.column,
        "categories": list(each.categories),
        "records": each.records,
        "answers": each.answers,
        "exposed": exposed,
        "not_excluded": each.not_excluded,
        "by_user": [
            {"user": user, "exposed": {level.name.lower(): n for level, n in levels.items()}}
            for user, levels in each.users.items()
        ],
    }


def _costliest(found: Audit, items: list[Item], course: Course) -> list[dict[str, Any]]:
    """Return the statements that cost the most; a statement with several answers counts for all of them."""
    by_statement: dict[int, dict[str, Any]] = {}
    for cost in course.costs:
        first = items[cost.answer].first
        new = {**statement_data(found, first), "bits": 0.0, "records": 0, "among": 1}
        entry = by_statement.setdefault(first.number, new)
        entry["bits"] += cost.bits
        entry["records"] = max(entry["records"], cost.records)
        entry["among"] = max(entry["among"], cost.among)
    return sorted(by_statement.values(), key=lambda each: -each["bits"])


def _levels(each: ColumnAudit) -> dict[str, int]:
    counted: dict[str, int] = {}
    for finding in each.findings:
        counted[finding.level.name.lower()] = counted.get(finding.level.name.lower(), 0) + 1
    return counted


def _replay(found: Audit) -> dict[str, Any] | None:
    if found.replay is None:
        return None
    return {
        "asked": found.replay.asked,
        "verdicts": found.replay.verdicts,
        "rules": found.replay.rules,
        "refused": [
            {**statement_data(found, each.statement), "rule": each.rule, "reason": each.reason}
            for each in found.replay.refused
        ],
    }
