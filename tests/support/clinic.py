"""A clinic with a confidential category: patients by ward, sex, age and bed, and what each of them has."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np

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
    rows: list[tuple[Any, ...]] = []
    for number, value in enumerate(rng.choice(list(SHARES), people, p=np.array(list(SHARES.values())) / 100)):
        inside = number < pocket
        ward = 9 if inside else int(rng.integers(0, 4))
        rows.append((number, ward, "FM"[int(rng.integers(2))], number % 60, "hiv" if inside else str(value)))
    file = place / "clinic.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute("CREATE TABLE patients (id INT, ward INT, sex VARCHAR, bed INT, diagnosis VARCHAR)")
        con.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?)", rows)
    policy = place / "clinic.policy.yaml"
    policy.write_text(POLICY.format(more=more, protect=VIEW if view else ""))
    found = sdcdb.open(file, policy=policy)
    if view:
        found.protect()
    return found
