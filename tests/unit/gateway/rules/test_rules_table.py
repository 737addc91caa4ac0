"""The table of rules is the only place that names a rule."""

import ast
from pathlib import Path

import pytest

import sdcdb.gateway
from sdcdb.errors import Denied
from sdcdb.gateway.rules.table import RULES, Rule, Stage, denied

NAMES = [rule.name for rule in RULES]
SOURCES = [path for folder in sdcdb.gateway.__path__ for path in Path(folder).resolve().rglob("*.py")]


def test_names_are_given_once_and_in_the_order_of_the_stages() -> None:
    assert len(set(NAMES)) == len(NAMES)
    stages = [rule.stage for rule in RULES]
    assert stages == sorted(stages, key=list(Stage).index)


@pytest.mark.parametrize("rule", RULES, ids=NAMES)
def test_a_denial_has_the_words_of_its_rule(rule: Rule) -> None:
    refusal = denied(rule.name)
    assert (refusal.rule, refusal.reason, refusal.hint) == (rule.name, rule.reason, rule.hint)
    assert rule.keeps.endswith(".")
    assert not rule.reason.endswith(".")
    assert rule.decided_by is not None or rule.stage in {Stage.READING, Stage.TABLE, Stage.WRITING, Stage.RUNNING}


def test_nothing_else_raises_a_rule_of_its_own() -> None:
    """Every `denied(...)` and every rule that inference returns is in the table; `Denied(...)` is made in one place."""
    assert len(SOURCES) > 50
    made: dict[str, list[int]] = {}
    named: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "Denied":
                made.setdefault(f"{path.parent.name}/{path.name}", []).append(node.lineno)
            elif node.func.id == "denied" and isinstance(node.args[0], ast.Constant):
                named.add(str(node.args[0].value))
            elif node.func.id == "Finding":
                named |= {
                    str(word.value.value)
                    for word in node.keywords
                    if word.arg == "rule" and isinstance(word.value, ast.Constant) and word.value.value
                }
    assert {name for name in made if not name.endswith("rules/table.py")} <= {"gateway/gateway.py"}  # passes one on
    assert named
    assert named <= set(NAMES)


def test_an_unknown_rule_is_our_mistake() -> None:
    with pytest.raises(KeyError):
        denied("payment")
    assert isinstance(denied("size"), Denied)
