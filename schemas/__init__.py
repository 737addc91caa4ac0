"""Contracts with other programs: the JSON Schema of the policy, generated from its models.

`make schema` writes the file anew after a change of the models; a test fails when the two differ.
"""

import json
from importlib.resources import files
from typing import Any


def policy_schema() -> dict[str, Any]:
    """Return the JSON Schema of the policy as it is shipped."""
    schema: dict[str, Any] = json.loads(files(__name__).joinpath("policy.schema.json").read_text(encoding="utf-8"))
    return schema


def generate_policy_schema() -> dict[str, Any]:
    """Return the JSON Schema of the policy as the models define it now."""
    from sdcdb.policy.models import Policy

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Policy.model_json_schema(),
        "title": "sdcdb policy",
    }
