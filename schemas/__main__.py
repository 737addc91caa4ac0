"""`python -m sdcdb.schemas` writes the schema files of a checkout anew."""

import json
from pathlib import Path

from sdcdb.schemas import NAMES, generate_schema

for name in NAMES:
    text = json.dumps(generate_schema(name), indent=2) + "\n"
    Path(__file__).with_name(f"{name}.schema.json").write_text(text, encoding="utf-8")
