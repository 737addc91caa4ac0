"""Optimal recodings of Adult, as ARX finds them: the expectations of its own test suite.

ARX's tests state, for its copy of Adult (30,162 records, nine attributes) and its hierarchies, the optimal levels and
the information loss (non-uniform entropy, in bits) for k = 5 and 100, with no and with 4% suppression, and for entropy
5-diversity of the occupation, where its loss also counts suppressed records. This searches the same lattices.

    python reproduce/arx_adult.py FOLDER [-o results.json]

FOLDER has `adult.csv` and `adult_hierarchy_*.csv` of ARX's repository, which are not part of sdcdb.
"""

import argparse
import csv
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from sdcdb.techniques.families.crowds import Crowd, Floats, Targets
from sdcdb.techniques.families.lattice import Attribute, Best, nodes_of, numbered, search

# Stated in ARX's TestAnonymizationKAnonymity, TestAnonymizationLDiversity (commit aacd487): targets, suppression, the
# sensitive attribute, optimal levels, information loss.
STATED: tuple[tuple[Targets, float, str | None, tuple[int, ...], float], ...] = (
    (Targets(5), 0.04, None, (1, 0, 1, 1, 3, 2, 2, 0, 1), 255559.85455731067),
    (Targets(100), 0.04, None, (1, 1, 1, 1, 3, 2, 2, 1, 1), 379417.3460570988),
    (Targets(5), 0.0, None, (1, 2, 1, 1, 3, 2, 2, 1, 1), 407289.5388925293),
    (Targets(100), 0.0, None, (0, 4, 1, 1, 3, 2, 2, 1, 1), 453196.8932458743),
    (Targets(1, 5, entropy=True), 0.04, "occupation", (1, 0, 1, 1, 2, 2, 2, 1), 228878.2039109517),
    (Targets(1, 5, entropy=True), 0.0, "occupation", (1, 1, 1, 1, 3, 2, 2, 1), 324620.5269918692),
)


def read(folder: Path) -> tuple[list[str], list[list[str]]]:
    """Return the names and the records."""
    with (folder / "adult.csv").open(encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter=";")
    return names, rows


def attribute(folder: Path, name: str, values: list[str]) -> Attribute:
    """Return one attribute with ARX's hierarchy."""
    with (folder / f"adult_hierarchy_{name}.csv").open(encoding="utf-8") as file:
        ladder = {row[0]: row for row in csv.reader(file, delimiter=";")}
    distinct = sorted(set(values))
    place = {value: number for number, value in enumerate(distinct)}
    classes = []
    for level in range(len(ladder[distinct[0]])):
        labels: dict[str, int] = {}
        classes.append(np.array([labels.setdefault(ladder[value][level], len(labels)) for value in distinct]))
    zero = tuple(np.zeros(len(distinct)) for _ in classes)
    return Attribute(np.array([place[value] for value in values]), tuple(classes), zero)


def entropy_costs(each: Attribute) -> Floats:
    """Return the non-uniform entropy of each level, in bits: the sum of log2(records of the class / of the value)."""
    counts = np.bincount(each.codes)
    found = []
    for classes in each.classes:
        sizes = np.bincount(classes, counts)
        found.append(float((counts * np.log2(sizes[classes] / counts)).sum()))
    return np.array(found)


def reproduce(folder: Path) -> list[dict[str, Any]]:
    """Search every lattice and compare."""
    names, rows = read(folder)
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    results = []
    for targets, suppression, sensitive, levels, loss in STATED:
        known = [name for name in names if name != sensitive]
        every = [attribute(folder, name, columns[name]) for name in known]
        secret = [attribute(folder, sensitive, columns[sensitive]).codes] if sensitive else []
        member = numbered([*(each.codes for each in every), *secret])
        _, first, counts = np.unique(member, return_index=True, return_counts=True)
        distinct = [Attribute(each.codes[first], each.classes, each.losses) for each in every]
        crowd = Crowd(counts.astype(np.float64), tuple(codes[first] for codes in secret), (False,) * len(secret))
        start = time.perf_counter()
        best = search(distinct, crowd, targets, suppression, costs=[entropy_costs(each) for each in every])
        results.append(
            _compared(best, nodes_of(every), targets, suppression, sensitive, levels, loss)
            | {"seconds": round(time.perf_counter() - start, 2)}
        )
    return results


def _compared(
    best: Best | None,
    nodes: int,
    targets: Targets,
    suppression: float,
    sensitive: str | None,
    levels: tuple[int, ...],
    loss: float,
) -> dict[str, Any]:
    return {
        "k": targets.k,
        "entropy_l": targets.l,
        "sensitive": sensitive,
        "suppression": suppression,
        "nodes": nodes,
        "counted": best.counted if best else None,
        "arx": {"levels": list(levels), "loss": loss},
        "sdcdb": {"levels": list(best.levels), "loss": best.loss} if best else None,
        "same_levels": best is not None and best.levels == levels,
        "same_loss": best is not None and abs(best.loss - loss) < 1e-6 * loss,
    }


def main() -> None:
    """Print the comparison, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    text = json.dumps(reproduce(asked.folder), indent=1) + "\n"
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
