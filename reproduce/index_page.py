"""The index of all tables and figures of the papers, from `index.yaml` to docs/results/reproductions.md.

python reproduce/index_page.py [--quick]
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import RESULTS, record

INDEX = Path(__file__).with_name("index.yaml")
VERDICTS = ("reproduced", "agrees in shape", "differs", "not reproducible", "illustration")


def entries() -> list[tuple[str, str, dict[str, Any]]]:
    """Return document, number and what is said of each table and figure, after checking it."""
    found = []
    for document, items in YAML(typ="safe").load(INDEX.read_text(encoding="utf-8")).items():
        for number, said in items.items():
            where = f"{document}, {number}"
            assert said["verdict"] in VERDICTS, f"{where}: verdict {said['verdict']!r} is none of {VERDICTS}"
            assert said["verdict"] == "reproduced" or said.get("why"), f"{where}: say why"
            missing = [name for name in said.get("result", ()) if not (RESULTS / f"{name}.json").exists()]
            assert not missing, f"{where}: there is no result {missing[0]!r}"
            found.append((document, number, said))
    return found


def row(document: str, number: str, said: dict[str, Any]) -> list[str]:
    """Write one line of the index."""
    because = f" because: {said['why']}" if said["verdict"] in {"differs", "not reproducible"} else ""
    remark = f" ({said['why']})" if said.get("why") and not because else ""
    names = ", ".join(f"`{name}`" for name in said.get("result", ()))
    return [document, number, said["shows"], f"{said['verdict']}{because}{remark}", names]


def main() -> None:
    """Check the index and record it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--quick", action="store_true", help="check only; record nothing")
    given = parser.parse_args()
    rows = [row(*each) for each in entries()]
    counts = {verdict: sum(each[2]["verdict"] == verdict for each in entries()) for verdict in VERDICTS}
    print(counts)
    if not given.quick:
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        record("reproductions_index", ["document", "number", "shows", "verdict", "results"], rows, [f"Lines: {told}."])


if __name__ == "__main__":
    main()
