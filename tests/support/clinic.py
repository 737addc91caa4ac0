"""A clinic with a confidential category: patients by ward, sex, age and bed, and what each of them has."""

from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import sdcdb
from sdcdb.database import Database

SHARES = {"flu": 40, "asthma": 30, "fracture": 20, "hiv": 10}
POLICY = """\
version: 1
tables:
  patients:
    key: id
    columns:
      id: identifier
      ward: quasi
      sex: quasi
      bed: quasi
      diagnosis: {{role: confidential, known: {{flu: 40%, asthma: 30%, fracture: 20%, hiv: 10%}}}}
    restrict: {{min_set: 10{more}}}
{protect}"""
VIEW = """\
    protect:
      clinic_public:
        columns:
          diagnosis: {method: warner, p: 0.7}
"""


def clinic(place: Path, people: int, seed: int = 0, *, more: str = "", view: bool = False, pocket: int = 0) -> Database:
    """Make a clinic of so many people; the first `pocket` of them lie in ward 9 and have hiv."""
    rng = np.random.default_rng(seed)
    number = np.arange(people)
    drawn = rng.choice(list(SHARES), people, p=np.array(list(SHARES.values())) / 100)
    rows = pa.table(
        {
            "id": number,
            "ward": np.where(number < pocket, 9, rng.integers(0, 4, people)),
            "sex": rng.choice(["F", "M"], people),
            "bed": number % 60,
            "diagnosis": np.where(number < pocket, "hiv", drawn),
        }
    )
    file = place / "clinic.duckdb"
    with duckdb.connect(str(file)) as con:
        con.register("rows", rows)
        con.execute("CREATE TABLE patients AS SELECT * FROM rows")
    policy = place / "clinic.policy.yaml"
    policy.write_text(POLICY.format(more=more, protect=VIEW if view else ""))
    found = sdcdb.open(file, policy=policy)
    if view:
        found.protect()
    return found
