"""reference/rules.md: the rules of the gateway, in the order in which a question meets them."""

from dataclasses import fields

from sdcdb.gateway.rules.table import RULES, Rule
from sdcdb.manual.page import Page, table


def _order() -> str:
    """Return what each rule keeps, and when it is met: every field that is text, apart from the words of a denial."""
    shown = [each.name for each in fields(Rule) if all(isinstance(getattr(rule, each.name), str) for rule in RULES)]
    rest = [name for name in shown if name not in ("name", "keeps", "reason", "hint")]
    rows = [
        [str(number), f"`{rule.name}`", rule.keeps, *(str(getattr(rule, name)) for name in rest)]
        for number, rule in enumerate(RULES, start=1)
    ]
    return table(["", "rule", "what it keeps", *({"stage": "when it is met"}.get(name, name) for name in rest)], rows)


def _words() -> str:
    rows = [(f"`{rule.name}`", rule.reason, rule.hint) for rule in RULES]
    return table(("rule", "the denial says", "and suggests"), rows)


PAGE = Page("reference/rules.md", {"rules": _order, "words": _words})
