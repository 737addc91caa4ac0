"""reference/policy.md: every field of the policy file, from the models that read it."""

from importlib.resources import files

from sdcdb.manual.fields import fields_table
from sdcdb.manual.page import Page
from sdcdb.policy.models import Column, Policy, Restrict, Table, View
from sdcdb.policy.release_floors import Floors
from sdcdb.policy.resources import Resources


def _defaults() -> str:
    return f"```yaml\n{files('sdcdb.policy').joinpath('defaults.yaml').read_text(encoding='utf-8').strip()}\n```"


PAGE = Page(
    "reference/policy.md",
    {
        "file": lambda: fields_table(Policy),
        "table": lambda: fields_table(Table),
        "column": lambda: fields_table(Column),
        "restrict": lambda: fields_table(Restrict),
        "resources": lambda: fields_table(Resources),
        "view": lambda: fields_table(View),
        "release": lambda: fields_table(Floors),
        "defaults": _defaults,
    },
)
