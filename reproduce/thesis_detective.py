"""Section 6.6 of the thesis (2007): DETECTIVE, CACTUS and CAPT on the Customer Status generator, 399 records.

    python reproduce/thesis_detective.py [--quick]

The generator is that of section 6.7.2; its draws are ours, so counts differ from the thesis's by chance. Table 6.4
perturbs country, car and profession by CAPT with p = 0.1 and compares the trees of four classes with the original ones.
The thesis ran it three times.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

import duckdb
from perturbing import Source

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import record

from sdcdb.cactus import cactus
from sdcdb.datasets import create
from sdcdb.detective import detect
from sdcdb.measures.treesimilarity import compare_trees
from sdcdb.trees.c45 import grow

CLASSES = {
    "country_of_origin": (1, 1, 0, 1),
    "car_make": (2, 1, 0, 0),
    "profession": (3, 0, 0, 0),
    "status": (0, 2, 1, 0),
}
VERDICTS = ("exactly same", "very similar", "similar", "dissimilar")
PAPER = {("Ford", "Toyota"): 8184, ("Ford", "Nissan"): 6336, ("Nissan", "Toyota"): 2976}


def main() -> None:
    """Run both phases and record them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="not needed: the data is generated")
    parser.add_argument("--quick", action="store_true", help="two runs; record nothing")
    given = parser.parse_args()
    con = duckdb.connect()
    create(con, "customer_status")
    con.execute("CREATE TABLE t AS SELECT *, id AS n FROM customer_status ORDER BY id")
    source = Source(con, "status", {})
    table = source.table()
    found = detect(grow(table.aimed("car_make")))
    largest = max(found.within, key=lambda cluster: cluster.records)
    ours = {tuple(sorted((pair.first, pair.second))): pair.similarity for pair in largest.pairs}
    assert max(ours, key=lambda pair: ours[pair]) == ("Ford", "Toyota")
    names = ("country_of_origin", "car_make", "profession", "status")
    columns = {name: [v for (v,) in con.execute(f"SELECT {name} FROM t ORDER BY id").fetchall()] for name in names}
    best = cactus(columns, 1.1).clusters[0]
    assert best["car_make"] == ("Ford", "Toyota")
    if not given.quick:
        rows = [[" - ".join(pair), f"{value:,}", f"{ours[pair]:,.0f}"] for pair, value in PAPER.items()]
        siblings = found.among[0].pairs[0]
        rows.append(["among siblings, most similar", "Toyota - Nissan", f"{siblings.first} - {siblings.second}"])
        rows.append(["CACTUS, cars in its one cluster", "Toyota, Ford", ", ".join(best["car_make"])])
        record("thesis_6_6_1", ["car make, largest leaf", "thesis", "sdcdb"], rows, [
            ("Similarity is the product of counts in a leaf; the thesis's leaf "
            "has Ford 132, Toyota 62, Nissan 48, Holden 5."),
            f"Ours: {', '.join(f'{v} {n:g}' for v, n in largest.counts)}. CACTUS with a factor of 1.1.",
        ])  # fmt: skip
    counts = {name: Counter[str]() for name in CLASSES}
    runs = 2 if given.quick else 30
    originals = {name: grow(table.aimed(name)) for name in CLASSES}
    method = {"method": "capt", "p": 0.1, "attributes": [*names, "parents_country", "favorite_city"]}
    for run in range(runs):
        shown, _ = source.perturbed(dict.fromkeys(("country_of_origin", "car_make", "profession"), method), run)
        for name, original in originals.items():
            counts[name][compare_trees(original, grow(shown.aimed(name))).strict] += 1
    lines = [
        [name, "/".join(str(n) for n in CLASSES[name]), *(str(counts[name][v]) for v in VERDICTS)] for name in CLASSES
    ]
    kept = sum(counts[name][v] for name in ("car_make", "profession") for v in VERDICTS[:2]) / (2 * runs)
    print(f"car and profession at least very similar: {kept:.0%}", dict(counts))
    if not given.quick:
        record("thesis_6_4", ["class of the tree", "thesis, of 3", *VERDICTS], lines, [
            (f"{runs} runs; verdicts as in section 6.6, which holds all rules that are neither A nor B "
            "against a tree. CAPT with p = 0.1."),
            f"Trees of car make and profession are at least very similar in {kept:.0%} of runs.",
        ])  # fmt: skip


if __name__ == "__main__":
    main()
