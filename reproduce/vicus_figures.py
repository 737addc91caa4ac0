"""Figures 1 to 6 of VICUS (2012): the graph, similarities of three data sets, and entropies by what is known.

    python reproduce/vicus_figures.py [--data DIR] [--quick]

The figures are printed without numbers. What the text says of them is checked in numbers: Figure 1 is the graph of the
bank's records, Figure 2 its similarities, Figure 3 those of Mushroom. Figure 4 is of census data (PUMS) that is not at
hand; the survey of 2012 stands in, with income in tens of thousands. Figures 5 and 6 are of Mushroom, perturbed with
k1 = 5 and k2 = 20 by the defaults; three files here, 30 in the paper.
"""

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from datafile import asked
from scipy.stats import spearmanr

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import record
from vicus_mushroom import COLOUR, CONFIDENTIAL, FIGURE_7, Experiment

from sdcdb.datasets import create
from sdcdb.measures.reidentification import Draw, PerturbedTable, average_entropies
from sdcdb.similarity.cooccurrence import cooccurrence
from sdcdb.similarity.similarity import Similarity, of_counts, similarity

BANK = ["client", "branch", "product", "advisor"]
ALL_SIMILAR = ["cap-shape", "cap-color", "stalk-root", "habitat"]
SOME_NOT = ["stalk-color-below-ring", "ring-type"]


def others(found: Similarity) -> Any:
    """Return the total similarities of different values, one row for each value."""
    total = found.total.to_numpy().copy()
    np.fill_diagonal(total, np.nan)
    return total


def bank() -> list[list[str]]:
    """Count the graph of Figure 1 and describe the map of Figure 2."""
    con = duckdb.connect()
    create(con, "bank")
    found = cooccurrence(con, "bank", BANK)
    edges = int((np.triu(found.counts, 1) > 0).sum())
    assert sum(map(len, found.categories)) == 17, "17 values over four attributes"
    maps = similarity(con, "bank", BANK)
    diagonal = all((np.diag(each.total.to_numpy()) == 1).all() for each in maps.values())
    pairs = sum(len(list(combinations(each.total.index, 2))) for each in maps.values())
    high = sum(int((np.triu(each.total.to_numpy(), 1) > 0.5).sum()) for each in maps.values())
    return [
        ["1", "vertices and edges", "17 values, an edge for values of one record", f"17 and {edges}"],
        ["2", "S of a value with itself", "1.0 along the diagonal", "1.0" if diagonal else "not 1.0"],
        ["2", "pairs with S above 0.5", "not said", f"{high} of {pairs} inside attributes; others are not compared"],
    ]


def mushroom_maps(file: Path) -> list[list[str]]:
    """Describe the maps of Figure 3: the least similarity, and that of the loneliest value with its nearest."""
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE m AS FROM read_csv(?, header = true, all_varchar = true) WHERE \"stalk-root\" <> '?'", [str(file)]
    )
    names = [name for name, *_ in con.execute("DESCRIBE m").fetchall()]
    found = of_counts(cooccurrence(con, "m", names), 0.6, 0.6, 0.4, "multi")
    rows = []
    for name in (*ALL_SIMILAR, *SOME_NOT):
        matrix = others(found[name])
        said = "all pairs are similar" if name in ALL_SIMILAR else "some values are similar to none"
        least, lonely = np.nanmin(matrix), np.nanmin(np.nanmax(matrix, axis=1))
        rows.append(["3", name, said, f"least S {least:.2f}; the loneliest value has at most {lonely:.2f}"])
    least_of = {name: float(np.nanmin(others(found[name]))) for name in (*ALL_SIMILAR, *SOME_NOT)}
    assert min(least_of[n] for n in ALL_SIMILAR) > max(least_of[n] for n in SOME_NOT), least_of
    return rows


def survey(file: Path) -> list[list[str]]:
    """Describe Figure 4 on the survey: whether values near in number are similar."""
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE s AS SELECT least(floor(income / 10000), 15)::INTEGER AS income, hrs_work::INTEGER AS hours, "
        "edu, race, gender, employment, citizen, lang, married, disability, (age // 10)::INTEGER AS decade "
        "FROM read_csv(?, nullstr = '')",
        [str(file)],
    )
    names = [name for name, *_ in con.execute("DESCRIBE s").fetchall()]
    found = of_counts(cooccurrence(con, "s", names), 0.75, 0.6, 0.4, "multi")
    rows = []
    for name, said in (("income", "near numbers are similar"), ("hours", "many near numbers are not similar")):
        values = np.array(found[name].total.index, float)
        upper = np.triu_indices(len(values), 1)
        apart = np.abs(values[:, None] - values)[upper]
        order = spearmanr(apart, found[name].total.to_numpy()[upper]).statistic
        rows.append(["4", name, said, f"rank correlation of distance and S {order:.2f}"])
    education = found["edu"].total
    rows.append(
        [
            "4",
            "education",
            "two groups, apart at high school",
            f"three levels only, least S {education.min().min():.2f}",
        ]
    )
    return rows


def entropies(file: Path, files: int, targets: int | None) -> list[list[str]]:
    """Return Figure 5, entropy by the number of known attributes, and Figure 6, by the one that is known."""
    made = Experiment.of(file, FIGURE_7, files)
    rows = []
    for method, name in (("vicus", "VICUS"), ("random", "Random")):
        fit, tables = made.fits[method], made.files[method]
        at = fit.columns.index(CONFIDENTIAL)
        seen = [PerturbedTable.of(each, [m.matrix for m in fit.fitted.values()], at, None) for each in tables]
        draw = Draw(combinations=20, targets=targets)
        by_known = {
            known: float(
                np.mean([average_entropies(each, fit.original, known=known, draw=draw).record for each in seen])
            )
            for known in (1, 2, 3, 22)
        }
        falls = list(by_known.values())
        assert falls == sorted(falls, reverse=True), by_known
        rows.append(
            ["5", f"record entropy, {name}, 1, 2, 3 and all 22 known", "falls", ", ".join(f"{h:.2f}" for h in falls)]
        )
        each_alone = np.mean([average_entropies(t, fit.original, known=1).record_by_combination for t in seen], axis=0)
        names = [n for n in fit.columns if n != CONFIDENTIAL]
        order = np.argsort(each_alone)
        least = ", ".join(f"{names[n]} {each_alone[n]:.2f}" for n in order[:3])
        place = [names[n] for n in order].index(COLOUR) + 1
        rows.append(["6", f"most revealing, {name}", "cap-color", f"{least}; cap-color is number {place} of 22"])
    return rows


def main() -> None:
    """Run all six and record them."""
    given = asked("agaricus-lepiota.data", "edibility,", __doc__)
    rows = [*bank(), *mushroom_maps(given.file)]
    if (own := given.file.with_name("acs2012.csv")).is_file():
        rows += survey(own)
    rows += entropies(given.file, 1 if given.quick else 3, 300 if given.quick else 2000)
    if given.quick:
        print(*rows, sep="\n")
        return
    record("vicus_figures", ["figure", "what", "paper", "sdcdb"], rows, [
        "Figure 3: T = 0.6; Figure 4: T = 0.75, on another survey. Figures 5 and 6: the defaults, k1 = 5, k2 = 20.",
        "Entropies in bits; 20 combinations of two and of three known attributes, 2,000 targets.",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
