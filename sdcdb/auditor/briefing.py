"""What a data-protection officer needs from an audit's document: the exposed, the unread by reason, and what to do."""

import re
from collections import Counter
from typing import Any

from sdcdb.errors import counted

CLOSELY = {"direct": "shown", "exact": "determined", "interval": "nearly determined", "cae": "too certain"}
"""How closely a value is known, in words."""
RULES = {
    "shape": "allowing only aggregates over allowed columns (rule shape)",
    "size": "a larger `min_set` (rule size)",
    "overlap": "a limit on overlap (rule overlap)",
    "exact": "the exact rule, always on",
    "interval": "the limit `min_interval` (rule interval)",
    "cae": "the limits `min_h0` and `min_area` (rule cae)",
}


def holders(finding: dict[str, Any]) -> str:
    """Name those who hold a finding: one person, or several together."""
    users = finding["users"] or [finding["pool"]]
    return users[0] if len(users) == 1 else " + ".join(users) + " together"


def when(statement: dict[str, Any]) -> str:
    """Say since when: the time where the log has it, and the statement."""
    place = f"statement {statement['number']:,}, {statement['file']}:{statement['line']}"
    return f"{statement['time'][:19].replace('T', ' ')} ({place})" if statement["time"] else place


def shown_at_once(findings: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Group the values that a statement itself showed: those of one column, by one statement, to the same people."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for each in findings:
        if each["level"] == "direct":
            key = (each["table"], each["column"], each["first"]["number"], each["pool"], *each["users"])
            groups.setdefault(key, []).append(each)
    return sorted(groups.values(), key=lambda group: -len(group))


def unread(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Group what could not be read, and therefore must be assumed unsafe, by reason; the commonest first."""
    groups: dict[str, dict[str, Any]] = {}
    for each in data["not_understood"]:
        group = groups.setdefault(each["reason"], {"reason": each["reason"], "number": 0, "users": set(), "listed": []})
        group["number"] += each["times"]
        group["users"] |= set(each["users"])
        group["listed"].append(each)
    found = sorted(groups.values(), key=lambda group: -group["number"])
    return [{**group, "users": sorted(group["users"])} for group in found]


def problems(data: dict[str, Any]) -> list[tuple[str, int, list[str]]]:
    """Group the problems of the log by what they are: the kind, the number, and the places."""
    kinds: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    for text, (file, line) in zip(data["log_problems"]["listed"], data["log_problems"]["places"], strict=True):
        what = text.removeprefix(f"{file}:{line}: ")
        kind = re.sub(r"'[^']*'|\d[\d:.,-]*", "...", what)
        kinds[kind] += 1
        places.setdefault(kind, []).append(text)
    return [(places[kind][0].split(": ", 1)[1] if number == 1 else kind, number, places[kind])
            for kind, number in kinds.most_common()]  # fmt: skip


def lost(data: dict[str, Any]) -> list[str]:
    """Say what else makes the audit incomplete."""
    said = []
    names = list(data["unknown_names"])
    if names:
        more = f" and {len(names) - 20} more, in --json" if len(names) > 20 else ""
        said.append(f"Names that the database does not know: {', '.join(names[:20])}{more}.")
    for table, at in data["uncertain_since"].items():
        said.append(f"{table} changes in the log: answers since {when(at)} are computed from the data as they are now.")
    said += [
        f"{counted(column['not_computed'], 'record')} may be exposed in {column['table']}.{column['column']}: the "
        "solver found no bounds for them."
        for column in data["columns"]
        if column["not_computed"]
    ]
    said += [
        f"{counted(column['not_excluded'], 'record')} may be known in {column['table']}.{column['column']}: values are "
        "whole numbers of a step, and no others were found that fit all answers."
        for column in data["columns"]
        if column["not_excluded"]
    ]
    said += [
        f"{counted(column['not_excluded'], 'record')} may be known in {column['table']}.{column['column']}: too few "
        "other tables were found that fit all counts."
        for column in data["categories"]
        if column["not_excluded"]
    ]
    return said


def of_people(data: dict[str, Any]) -> list[str]:
    """Say of which people with several records something is known as a whole."""
    said = []
    for each in data["people"]:
        names, more = each["people"][:10], len(each["people"]) - 10
        listed = ", ".join(names) + (f" and {more:,} more, in --json" if more > 0 else "")
        what = (
            f"a value follows, exactly or nearly, from answers about {each['column']} together, as these are linked"
            if each["together"]
            else f"a sum, count or extreme of {each['table']}.{each['column']} over records of one of them alone "
            "follows from the answers"
        )
        said.append(f"{number_of_people(len(each['people']))}: {what}, since {when(each['first'])}: {listed}")
    return said


def to_do(data: dict[str, Any]) -> list[str]:
    """Say what to do next: whom to inform, whom to ask, and which limits would have stopped it."""
    said = []
    people = {(each["table"], each["record"]) for each in data["findings"]}
    read = {(column, user) for each in data["direct_reads"] for column in each["columns"] for user in each["users"]}
    readers = sorted({user for _, user in read})
    others = sorted({user for each in data["findings"] for user in each["users"]} - set(readers))
    if people:
        said.append(f"Inform those listed as exposed ({number_of_people(len(people))}), if your law requires it.")
    if data["people"] and not people:
        said.append("Inform those of whom something follows, if your law requires it.")
    if read:
        columns = ", ".join(sorted({column for column, _ in read}))
        said.append(f"Ask {_some(readers)} why values of {columns} were read; withdraw rights that are not needed.")
    if others:
        said.append(f"Ask {_some(others)} what the answers were needed for.")
    if data["not_understood"]:
        said.append(
            "Look at the statements that could not be read; until then assume that their users saw confidential values."
        )
    if data["unknown_names"]:
        said.append(
            "Add the views and copies that the database does not know to it and to the policy, and audit again."
        )
    if data["log_problems"]["number"]:
        said.append("Obtain the log without gaps, and audit again.")
    said += _limits(data, exposed=bool(people or read))
    return said


def _limits(data: dict[str, Any], *, exposed: bool) -> list[str]:
    replay = data["replay"]
    if replay is None:
        return ["See which limits would have stopped it: --replay-with POLICY."] if exposed else []
    if not replay["rules"]:
        return ["The policy of --replay-with would have refused none of these statements: choose stricter limits."]
    parts = [
        f"{RULES.get(rule, f'rule {rule}')}: {counted(number, 'statement')}"
        for rule, number in sorted(replay["rules"].items(), key=lambda pair: -pair[1])
    ]
    return [f"Under the policy of --replay-with the gateway would have refused, by {'; by '.join(parts)}."]


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def number_of_people(number: int) -> str:
    """Return a count of people.

    >>> number_of_people(1), number_of_people(2000)
    ('1 person', '2,000 people')
    """
    return "1 person" if number == 1 else f"{number:,} people"


def not_computed(records: int) -> str:
    """Say what the course over time leaves out."""
    return (
        f"bounds of {counted(records, 'record')} were not computed, as that exceeds the budget of the course: "
        "the counts may be too low by as many. Findings are not affected."
    )


def costs_cut(course: dict[str, Any]) -> str | None:
    """Say which records the costliest answers leave out, if any."""
    counted_in, every = course["costliest_records"], course["endangered"]
    if counted_in == every:
        return None
    if not counted_in:
        return (
            f"The costliest answers were not computed: that exceeds the budget even for one of {every:,} exposed "
            "records. Findings are not affected."
        )
    return (
        f"The costs are those of the {counted_in:,} most exposed of {every:,} exposed records: more exceed the "
        "budget. Findings are not affected."
    )


def cost_among(cost: dict[str, Any]) -> str:
    """Say that a cost is of several statements, if the search ended before they were told apart."""
    return "" if cost["among"] == 1 else f", of {cost['among']:,} statements up to this one, not told apart"


def doubt(finding: dict[str, Any]) -> str:
    """Say how uncertain a value remains, for somebody who can tell the record and for somebody who cannot."""
    about = "" if finding["given_known_exact"] else "about "
    cut = "" if finding["given_known_exact"] else " (not exact: the records that match exceed the budget)"
    left = f"H(0) {finding['h0']:.2f} bits, {about}{finding['h0_given_known']:.2f}"
    return f"{left} for somebody who cannot tell which record it is{cut}"


UNPROVED = "no proof was sought, as --proofs asks for fewer"
