"""The schemas that are shipped are those of the models."""

import json

import pytest

from sdcdb.schemas import NAMES, Name, generate_schema, read_schema


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_in_step_with_its_models(name: Name) -> None:
    assert read_schema(name) == json.loads(json.dumps(generate_schema(name))), "run: make schema"
