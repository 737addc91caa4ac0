"""What denials tell: nothing. A decision looks at the question and at past answers, never at the answer to come."""

import random
import secrets

import pytest
from support import victims
from support.attacker import Ask
from support.stages import Stages

from sdcdb.errors import Denied
from sdcdb.gateway.gateway import Gateway

KNOWN = ["SELECT SUM(salary) FROM staff WHERE dept IN ('Sales', 'Legal')",
         "SELECT AVG(salary) FROM staff WHERE dept = 'Legal'"]  # fmt: skip
OPEN = [
    "SELECT SUM(salary) FROM staff WHERE dept = 'Finance'",
    "SELECT SUM(salary) FROM staff WHERE dept = 'Finance' AND age > {a}",
    "SELECT SUM(salary) FROM staff WHERE dept IN ('Finance', 'Research') AND age > {a} AND sex = 'F'",
    "SELECT sex, AVG(salary) FROM staff WHERE dept = 'Research' AND age < {a} GROUP BY sex",
    "SELECT education, SUM(salary) FROM staff WHERE dept IN ('Support', 'Research') GROUP BY education",
    "SELECT age // 10, SUM(salary) FROM staff WHERE dept NOT IN ('Sales', 'Legal') GROUP BY ALL",
    "SELECT SUM(salary) FROM staff WHERE age BETWEEN {a} - 3 AND {a} AND dept = 'Support'",
]


def verdict(gateway: Gateway, sql: str) -> tuple[str, str | None, int]:
    found = gateway.explain(sql)
    return found.kind, found.rule, found.suppressed


def redrawn(people: list[tuple[object, ...]], seed: int) -> list[tuple[object, ...]]:
    """Give everybody outside of the answered sets another salary."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    return [
        row if row[4] in {"Sales", "Legal"} else (*row[:6], rng.randrange(victims.LOW, victims.HIGH)) for row in people
    ]


def test_verdicts_do_not_depend_on_values_outside_of_past_answers(
    stage: Stages, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The audit's private random numbers are the same for all: they alone can change a verdict that is near a limit.
    monkeypatch.setattr(secrets, "token_bytes", lambda number=32: b"c" * number)
    people = victims.people(120)
    gateways = [stage(redrawn(people, seed) if seed else people).gateway for seed in range(4)]
    for gateway in gateways:
        assert len({str(gateway.ask(sql).rows) for sql in KNOWN}) == len(KNOWN)
    rng = random.Random(7)  # noqa: S311 - no secret
    seen = set()
    for number in range(24):
        sql = OPEN[number % len(OPEN)].replace("{a}", str(rng.randrange(28, 62)))
        verdicts = {verdict(gateway, sql) for gateway in gateways}
        assert len(verdicts) == 1, sql
        seen |= verdicts
    assert {"allow", "deny"} <= {kind for kind, _, _ in seen}, "the questions must be such that some are denied"


def test_a_rule_that_looks_at_the_truth_would_leak(stage: Stages) -> None:
    """What such a rule would tell, and this one does not: whether a group's total is near an end of the domain."""
    rich = [row if row[4] != "Finance" else (*row[:6], victims.HIGH - n) for n, row in enumerate(victims.people(120))]
    sql = "SELECT COUNT(*), MIN(salary) FROM staff WHERE dept = 'Finance'"
    ordinary, extreme = stage(120), stage(rich)
    assert ordinary.plain(sql) != extreme.plain(sql)
    question = "SELECT SUM(salary) FROM staff WHERE dept = 'Finance'"
    assert verdict(ordinary.gateway, question) == verdict(extreme.gateway, question)


def test_an_answer_out_of_all_expectation_is_given_and_the_owner_is_told(stage: Stages) -> None:
    """Denying it after a look would tell as much: the verdict is the one of a table where the answer is ordinary."""
    rich = [row if row[4] != "Finance" else (*row[:6], victims.HIGH) for row in victims.people(120)]
    set_up = stage(rich)
    sql = "SELECT SUM(salary) FROM staff WHERE dept = 'Finance'"
    assert verdict(set_up.gateway, sql) == verdict(stage(120).gateway, sql)
    assert set_up.gateway.ask(sql).rows == tuple(set_up.plain(sql) or ())
    ledger = set_up.path.with_name(set_up.path.stem + ".ledger.jsonl").read_text("utf-8")
    assert '"surprise":true' in ledger.replace(" ", "")


def test_words_of_a_denial_are_the_same_whoever_is_meant(stage: Stages) -> None:
    set_up = stage(120)
    assert set_up.through()("SELECT SUM(salary) FROM staff WHERE sex = 'F'")
    words = set()
    for age in (70, 30, 45, 61):
        with pytest.raises(Denied) as refusal:
            set_up.gateway.ask(f"SELECT SUM(salary) FROM staff WHERE age = {age} AND dept = 'Works' AND sex = 'M'")
        words.add(str(refusal.value))
    assert len(words) == 1
    assert not any(character.isdigit() for character in words.pop())


def small_sets(ask: Ask) -> list[bool]:
    return [ask(f"SELECT COUNT(*) FROM staff WHERE age BETWEEN {low} AND {low + 1}") is None for low in range(25, 64)]


def test_an_empty_set_and_a_set_of_one_look_alike(stage: Stages) -> None:
    set_up = stage(120)
    assert set_up.plain("SELECT COUNT(*) FROM staff WHERE age = 70") == [(1,)]
    assert set_up.plain("SELECT COUNT(*) FROM staff WHERE age = 71") == [(0,)]
    said = []
    for age in (70, 71):
        with pytest.raises(Denied) as refusal:
            set_up.gateway.ask(f"SELECT COUNT(*) FROM staff WHERE age = {age}")
        said.append(str(refusal.value))
    assert said[0] == said[1]
    assert True in small_sets(set_up.through())
