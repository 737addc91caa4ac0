"""How well `sdcdb init` guesses roles: precision and recall on labelled columns of public schemas, `columns.yaml`.

    python benchmarks/roles/measure.py [-o results.json] [--wrong]

An unsafe error is a role that shows more than the labelled one: identifier never leaves, confidential values are
exchanged, quasi-identifiers recoded, others pass.
"""

import argparse
import json
import random
import sys
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from ruamel.yaml import YAML

from sdcdb.connection.identifiers import identifier, quoted
from sdcdb.connection.profile import profile
from sdcdb.policy.defaults import load_data
from sdcdb.policy.evidence import understand

ROWS = 400
SAFETY = {"identifier": 3, "confidential": 2, "quasi": 1, "class": 0, "public": 0}
# fmt: off
CITIES = ["Berlin", "Lyon", "Sevilla", "Torino", "Utrecht", "Porto", "Leeds", "Boston", "Denver", "Hamburg", "Nantes"]
STREETS = ["Main", "Oak", "Park", "Elm", "Lake", "Hill", "Station", "Church", "Mill", "Garden"]
WORDS = ["alpha", "river", "north", "silver", "quick", "stone", "amber", "delta", "maple", "orbit", "cobalt", "meadow"]
FREE = ["the", "patient", "called", "about", "pain", "in", "left", "arm", "and", "asked", "for", "new", "date"]
# fmt: on


def value(spec: str, row: int, draw: random.Random, names: dict[str, list[str]]) -> Any:  # noqa: PLR0911, PLR0912
    """Make up one value."""
    kind, *rest = spec.split(" ", 1)
    given = rest[0].split() if rest else []
    match kind:
        case "id":
            return row + 1
        case "int":
            return draw.randint(int(given[0]), int(given[1]))
        case "float" | "money":
            return round(draw.uniform(float(given[0]), float(given[1])), 2 if kind == "money" else 6)
        case "date":
            return f"{draw.randint(int(given[0]), int(given[1]))}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        case "time":
            day = f"20{draw.randint(10, 23)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            return f"{day} {draw.randint(0, 23):02}:30:00"
        case "flag":
            return draw.random() < 0.3
        case "pick":
            return draw.choice(rest[0].split("|"))
        case "code":
            return given[1] + "".join(draw.choice("0123456789") for _ in range(int(given[0]) - len(given[1])))
        case "given" | "family":
            return _name(kind, draw, names)
        case "person":
            return f"{_name('given', draw, names)} {_name('family', draw, names)}"
        case "email":
            return f"{draw.choice(WORDS)}.{draw.randint(1, 999)}@example.org"
        case "phone":
            return f"+{draw.randint(1, 49)} {draw.randint(100, 999)} {draw.randint(1000000, 9999999)}"
        case "street":
            return f"{draw.randint(1, 250)} {draw.choice(STREETS)} {draw.choice(['Street', 'Road', 'Avenue'])}"
        case "city":
            return draw.choice(CITIES)
        case "postcode":
            return f"{draw.randint(10000, 99999)}"
        case "text":
            return " ".join(draw.choice(FREE) for _ in range(draw.randint(5, 15)))
        case "uuid":
            return str(uuid.UUID(int=draw.getrandbits(128)))
        case "iban":
            return f"DE{draw.randint(10, 99)}{draw.randint(10**17, 10**18 - 1)}"
        case "lat" | "lon":
            return round(draw.uniform(-80, 80), 6)
    return f"{draw.choice(WORDS)}{draw.choice(WORDS)}{draw.randint(1, 99)}"


def _name(kind: str, draw: random.Random, names: dict[str, list[str]]) -> str:
    """Take a frequent name for half of the people, an invented one for the others."""
    known = draw.choice(names[kind])
    return (known if draw.random() < 0.5 else draw.choice("bdfgklmnprstv") + known[::-1]).capitalize()


def guessed(tables: dict[str, dict[str, list[str]]]) -> list[tuple[str, str, str]]:
    """Return the column, the label and the guess for every column."""
    names, found = load_data("person_names.yaml"), []
    for number, (table, columns) in enumerate(tables.items()):
        draw, con = random.Random(number), duckdb.connect()  # noqa: S311 - no secrets here
        rows = [[value(spec, row, draw, names) for _, _, spec in columns.values()] for row in range(ROWS)]
        texts = pa.table([[str(v) for v in column] for column in zip(*rows, strict=True)], names=list(columns))
        named = [(quoted(identifier(name)), kind) for name, (_, kind, _) in columns.items()]
        con.register("texts", texts)
        con.execute(f"CREATE TABLE people AS SELECT {', '.join(f'{n}::{kind} AS {n}' for n, kind in named)} FROM texts")
        (one,) = understand(con, [profile(con, "people")])
        for name, (label, _, _) in columns.items():
            role = "identifier" if name == one.key else one.guesses[name].role.value
            found.append((f"{table}.{name}", label, role))
    return found


def scores(found: list[tuple[str, str, str]]) -> dict[str, Any]:
    """Return precision and recall by role, and the errors that show more than they should."""
    both = Counter((label, guess) for _, label, guess in found)
    roles = {}
    for role in SAFETY:
        right = both[role, role]
        said = sum(n for (_, guess), n in both.items() if guess == role)
        true = sum(n for (label, _), n in both.items() if label == role)
        if true or said:
            roles[role] = {
                "columns": true,
                "precision": round(right / said, 3) if said else None,
                "recall": round(right / true, 3) if true else None,
            }
    unsafe = [name for name, label, guess in found if SAFETY[guess] < SAFETY[label]]
    passed = [name for name, label, guess in found if label == "identifier" and guess != "identifier"]
    right = sum(label == guess for _, label, guess in found)
    return {
        "columns": len(found),
        "accuracy": round(right / len(found), 3),
        "roles": roles,
        "safer": len(found) - right - len(unsafe),
        "unsafe": unsafe,
        "identifiers_that_leave": passed,
    }


def measure() -> dict[str, Any]:
    """Measure all parts of the file."""
    parts = YAML(typ="safe", pure=True).load(Path(__file__).with_name("columns.yaml").read_text(encoding="utf-8"))
    return {part: scores(guessed(tables)) for part, tables in parts.items()}


def main() -> None:
    """Print the scores, or the wrong guesses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--wrong", action="store_true", help="list wrong guesses on the tuned part")
    asked = parser.parse_args()
    if asked.wrong:
        parts = YAML(typ="safe", pure=True).load(Path(__file__).with_name("columns.yaml").read_text(encoding="utf-8"))
        for name, label, guess in guessed(parts["tuned"]):
            if label != guess:
                sys.stdout.write(f"{name}: {label}, guessed {guess}\n")
        return
    text = json.dumps(measure(), indent=1) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
