"""`python -m sdcdb.schemas` writes the schema files of a checkout anew."""

import json
from pathlib import Path

from sdcdb.schemas import generate_policy_schema

Path(__file__).with_name("policy.schema.json").write_text(
    json.dumps(generate_policy_schema(), indent=2) + "\n", encoding="utf-8"
)
