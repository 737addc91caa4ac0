"""The tree learner beside J48, Weka's C4.5, on the data of the thesis (2007): root, leaves and accuracy.

    python reproduce/c45_weka.py [--data DIR] [--weka weka.jar] [--quick]

Needs adult.data, wbc.csv, agaricus-lepiota.data and boston.csv with lines of column names, Java, and Weka (Debian's
package `weka`, or the jar from the University of Waikato). The settings are the thesis's: confidence 25%, minimum 2,
and minimum 200 for Adult. Every sixth record is kept for testing.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

import duckdb
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import record

from sdcdb.connection.training_table import read_training_table
from sdcdb.trees.c45 import grow
from sdcdb.trees.table import TrainingTable
from sdcdb.trees.tree import Leaf, Node, NumberSplit, Tree, conditions

HEADERS = {
    "boston.csv": "rownames,crim,",
    "wbc.csv": "rownames,ID,",
    "agaricus-lepiota.data": "edibility,",
    "adult.data": "age,type_employer,",
}
JARS = ("/usr/share/java/weka.jar", "weka.jar")


@dataclass(frozen=True)
class Setting:
    """One comparison: the data, how it is read, and the minimum of cases."""

    name: str
    file: str
    query: str
    target: str
    min_cases: int


BOSTON = (  # 300 records without chas and black; the class is the top fifth by price (thesis, section 4.3)
    "SELECT * EXCLUDE (rownames, chas, black, medv), CASE WHEN medv >= quantile_disc(medv, 0.8) OVER () THEN 'top' "
    "ELSE 'bottom' END AS class FROM (SELECT * FROM read_csv(?, nullstr = 'NA') LIMIT 300)"
)
WBC = "SELECT * EXCLUDE (rownames, ID) FROM read_csv(?, nullstr = ['NA', ''])"
BLANKED = (  # about a tenth of the values of the attributes that matter most are missing, each in other records
    "SELECT * EXCLUDE (n) REPLACE (CASE WHEN n * 7919 % 10007 % 10 = 1 THEN NULL ELSE marital END AS marital, "
    "CASE WHEN n * 104729 % 10007 % 10 = 2 THEN NULL ELSE education_num END AS education_num, "
    "CASE WHEN n * 1299709 % 10007 % 10 = 3 THEN NULL ELSE capital_gain END AS capital_gain, "
    "CASE WHEN n * 15485863 % 10007 % 10 = 4 THEN NULL ELSE occupation END AS occupation) "
    "FROM (SELECT *, row_number() OVER () AS n FROM read_csv(?))"
)
SETTINGS = (
    Setting("Boston, 300 records", "boston.csv", BOSTON, "class", 2),
    Setting("WBC, complete", "wbc.csv", f"{WBC} WHERE V6 IS NOT NULL", "class", 2),
    Setting("WBC, 16 missing", "wbc.csv", WBC, "class", 2),
    Setting(
        "Mushroom, 2,480 missing", "agaricus-lepiota.data",
        "SELECT * FROM read_csv(?, nullstr = '?', all_varchar = true)", "edibility", 2,
    ),
    Setting("Adult, minimum 200", "adult.data", "FROM read_csv(?)", "income", 200),
    Setting("Adult, minimum 2", "adult.data", "FROM read_csv(?)", "income", 2),
    Setting("Adult, blanked, minimum 200", "adult.data", BLANKED, "income", 200),
    Setting("Adult, blanked, minimum 2", "adult.data", BLANKED, "income", 2),
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What one learner made."""

    root: str
    leaves: int
    size: int
    training: float
    testing: float
    seconds: float


def loaded(setting: Setting, folder: Path) -> tuple[TrainingTable, TrainingTable]:
    """Read the records, and part them for training and testing."""
    con = duckdb.connect()
    con.execute(f"CREATE TABLE d AS {setting.query}", [str(folder / setting.file)])
    names = [name for (name, *_) in con.execute("DESCRIBE d").fetchall() if name != setting.target]
    table = read_training_table(con, "d", names, setting.target)
    sixth = np.arange(table.rows) % 6 == 5
    return table.taken(np.flatnonzero(~sixth)), table.taken(np.flatnonzero(sixth))


def ours(setting: Setting, training: TrainingTable, testing: TrainingTable) -> tuple[Found, Tree]:
    """Grow our tree."""
    grow(training.taken(np.arange(min(50, training.rows))))  # compiles
    start = time.perf_counter()
    tree = grow(training, min_cases=setting.min_cases)
    seconds = time.perf_counter() - start
    accuracies = [float(np.mean(tree.predict(part) == part.labels())) for part in (training, testing)]
    root = "a leaf" if isinstance(tree.root, Leaf) else tree.root.attribute
    return Found(root, len(tree.leaves()), _size(tree), accuracies[0], accuracies[1], seconds), tree


def _size(tree: Tree) -> int:
    waiting, count = [tree.root], 0
    while waiting:
        node = waiting.pop()
        count += 1
        waiting += [] if isinstance(node, Leaf) else node.branches()
    return count


def as_weka_prints(tree: Tree, table: TrainingTable) -> list[str]:
    """Write our tree as J48 writes its own: a line for each branch, leaves with cases and errors."""
    positions = {attribute.name: f"a{a}" for a, attribute in enumerate(table.attributes)}
    lines: list[str] = []

    def short(value: float, digits: int) -> str:
        return f"{value:.{digits}f}".rstrip("0").rstrip(".") if not value.is_integer() else f"{value:.0f}"

    def walk(node: Node, depth: int) -> None:
        if isinstance(node, Leaf):
            wrong = f"/{short(round(node.errors, 2), 2)}" if round(node.errors, 2) > 0 else ""
            lines[-1] += f": v{node.majority} ({short(round(node.total, 2), 2)}{wrong})"
            return
        for place, (condition, child) in enumerate(zip(conditions(node), node.branches(), strict=True)):
            name = "|   " * depth + positions[node.attribute]
            if isinstance(node, NumberSplit):
                lines.append(f"{name} {'>' if place else '<='} {short(node.threshold, 6)}")
            else:
                lines.append(f"{name} = v{table.attribute(node.attribute).values.index(condition.value or '')}")
            walk(child, depth + 1)

    lines.append("")
    walk(tree.root, 0)
    return lines[1:] if len(lines) > 1 else lines


def weka_lines(text: str) -> list[str]:
    """Return the branches as J48 printed them, with whole numbers of cases as such."""
    start = text.index("------------------") + len("------------------")
    body = text[start : text.index("Number of Leaves")].strip().splitlines()
    return [re.sub(r"(\d)\.0(?=[/)])", r"\1", line) for line in body]


def arff(table: TrainingTable) -> str:
    """Write a table in Weka's form. Names and values are numbered: they need no quotes then."""
    lines = ["@relation d"]
    for a, attribute in enumerate(table.attributes):
        kind = (
            "numeric"
            if attribute.kind == "number"
            else "{" + ",".join(f"v{v}" for v in range(len(attribute.values))) + "}"
        )
        lines.append(f"@attribute a{a} {kind}")
    lines.append("@data")
    texts = [
        ["?" if np.isnan(value) else repr(float(value)) for value in column]
        if attribute.kind == "number"
        else ["?" if code < 0 else f"v{code}" for code in column]
        for attribute, column in zip(table.attributes, table.columns, strict=True)
    ]
    lines += [",".join(row) for row in zip(*texts, strict=True)]
    return "\n".join(lines) + "\n"


def weka(jar: str, setting: Setting, training: TrainingTable, testing: TrainingTable) -> tuple[Found, str]:
    """Grow J48's tree, and return its text too."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "training.arff", Path(folder) / "testing.arff"]
        for file, table in zip(files, (training, testing), strict=True):
            file.write_text(arff(table), encoding="utf-8")
        command = ["java", "-cp", jar, "weka.classifiers.trees.J48", "-t", str(files[0]), "-T", str(files[1])]
        options = ["-C", "0.25", "-M", str(setting.min_cases), "-c", str(len(training.attributes))]
        done = subprocess.run([*command, *options], capture_output=True, text=True, check=True)
    out = done.stdout
    rates = re.findall(r"Correctly Classified Instances\s+\d+\s+([\d.]+)\s+%", out)
    found = re.search(r"^a(\d+) ", out[out.index("------") :], re.MULTILINE)
    root = training.attributes[int(found[1])].name if found else "a leaf"
    leaves, size = (int(re.search(rf"{word}\s*:\s+(\d+)", out)[1]) for word in ("Number of Leaves", "Size of the tree"))  # type: ignore[index]
    seconds = float(re.search(r"Time taken to build model: ([\d.]+)", out)[1])  # type: ignore[index]
    return Found(root, leaves, size, float(rates[0]) / 100, float(rates[1]) / 100, seconds), out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", metavar="DIR", default=os.environ.get("SDCDB_DATA"), help="the folder with the data")
    parser.add_argument("--weka", metavar="JAR", default=os.environ.get("WEKA_JAR"), help="Weka's jar")
    parser.add_argument("--quick", action="store_true", help="the small tables only; record nothing")
    parser.add_argument("--show", action="store_true", help="print where the trees differ")
    given = parser.parse_args()
    folder = Path(given.data) if given.data else None
    absent = [name for name in HEADERS if folder is None or not (folder / name).is_file()]
    for name, header in HEADERS.items():
        if folder is not None and name not in absent:
            with (folder / name).open(encoding="utf-8") as lines:
                if not lines.readline().startswith(header):
                    raise SystemExit(f"{folder / name} must begin with a line of column names, {header}...")
    jar = given.weka or next((jar for jar in JARS if Path(jar).is_file()), None)
    if absent:
        print(f"{', '.join(absent)}: needed, and nothing was run: give --data DIR or set SDCDB_DATA")
    elif jar is None or not Path(jar).is_file() or shutil.which("java") is None:
        print("Weka and Java are needed, and nothing was run: install Debian's package weka, or give --weka weka.jar")
    elif folder is not None:
        compare(folder, jar, quick=given.quick, show=given.show)


def compare(folder: Path, jar: str, *, quick: bool, show: bool) -> None:
    rows = []
    for setting in SETTINGS[:3] if quick else SETTINGS:
        training, testing = loaded(setting, folder)
        (own, tree), (other, text) = ours(setting, training, testing), weka(jar, setting, training, testing)
        if show:
            print(setting.name)
        here, there = as_weka_prints(tree, training), weka_lines(text)
        same = sum((Counter(here) & Counter(there)).values())
        for line in unified_diff(there, here, "J48", "sdcdb", lineterm="", n=0) if show else ():
            print(line)
        assert own.root == other.root, f"{setting.name}: the root is {own.root}, J48's is {other.root}"
        assert abs(own.testing - other.testing) < 0.03, f"{setting.name}: accuracies differ: {own} {other}"
        rows.append([
            setting.name, own.root, other.root, f"{own.leaves} / {own.size}", f"{other.leaves} / {other.size}",
            f"{own.training:.2%}", f"{other.training:.2%}", f"{own.testing:.2%}", f"{other.testing:.2%}",
            f"{same} of {len(there)}", f"{own.seconds:.2f} / {other.seconds:.2f}",
        ])  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    if not quick:
        columns = [
            "data",
            "root",
            "J48",
            "leaves / nodes",
            "J48",
            "training",
            "J48",
            "testing",
            "J48",
            "same lines",
            "s / J48",
        ]
        notes = [
            "Confidence 25%, subtree raising; every sixth record is for testing. J48 of Weka 3.6; its time is its own.",
        ]
        record("c45_weka", columns, rows, notes)


if __name__ == "__main__":
    main()
