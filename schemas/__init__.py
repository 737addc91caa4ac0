"""Contracts with other programs: the JSON Schemas of the policy, the ledger and the audit, generated from models.

`make schema` writes the files anew after a change of the models; a test fails when they differ.
"""

import json
from importlib.resources import files
from typing import Any, Literal

Name = Literal["policy", "ledger", "audit"]
NAMES: tuple[Name, ...] = ("policy", "ledger", "audit")


def read_schema(name: Name) -> dict[str, Any]:
    """Return a JSON Schema as it is shipped."""
    schema: dict[str, Any] = json.loads(files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8"))
    return schema


def generate_schema(name: Name) -> dict[str, Any]:
    """Return a JSON Schema as the models define it now."""
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    if name == "ledger":
        from sdcdb.gateway.ledger.entry import ENTRY

        return {**draft, **ENTRY.json_schema(), "title": "An entry of sdcdb's ledger"}
    if name == "audit":
        from sdcdb.auditor.document_types import DOCUMENT

        return {**draft, **DOCUMENT.json_schema(), "title": "An audit by sdcdb"}
    from sdcdb.policy.models import Policy

    return {**draft, **Policy.model_json_schema(), "title": "sdcdb policy"}
