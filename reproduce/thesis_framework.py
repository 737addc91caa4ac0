"""Section 7.3 of the thesis (2007): the frameworks on Adult and WBC, Tables 7.1 to 7.3, correlations and rule types.

    python reproduce/thesis_framework.py [--data DIR] [--quick]

Adult: 30,162 records, 15% of each leaf held out, minimum 200 cases; of the categories only workclass and marital-status
are perturbed, as in the thesis, and once more workclass alone: our tree of the original tests the marital status. WBC:
683 complete records, 12% held out, default settings. Five runs of each method; trees are our C4.5 in place of See5.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from datafile import asked
from perturbing import ADULT, WBC, Source, apart, correlations, held_out, load

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import record

from sdcdb.measures.classifier import accuracy
from sdcdb.measures.tree_similarity import compare_trees
from sdcdb.trees.c45 import grow
from sdcdb.trees.table import TrainingTable

METHODS = ("framework", "random_framework", "extended_framework", "random_extended_framework")
ADULT_PAPER = {  # Table 7.1, means of the two runs shown: on the perturbed, training and testing data
    "original": (85, 85, 83.8), "framework": (84.8, 84.8, 83.5), "random_framework": (62.3, 81.3, 80.5),
    "extended_framework": (84.5, 82.4, 81.6), "random_extended_framework": (62.7, 79.4, 78.7),
}  # fmt: skip
WBC_PAPER = {  # Table 7.2, and 7.3 for GADP
    "original": (99.3, 99.3, 89.2), "framework": (99.1, 98.5, 87.4), "random_framework": (69.6, 66.9, 65.1),
    "extended_framework": (98.9, 95.4, 92.2),
    "random_extended_framework": (87.5, 91.5, 82.5), "gadp": (87.5, 91.5, 82.5),
}  # fmt: skip
TYPES = {  # what the text says of rule types
    ("Adult", "framework"): "A or B 100% in 4 of 5", ("Adult", "random_framework"): "D 100%",
    ("Adult", "extended_framework"): "B and C, no D", ("Adult", "random_extended_framework"): "D 100%",
    ("WBC", "framework"): "A above 90%", ("WBC", "random_framework"): "C or D 100%",
    ("WBC", "extended_framework"): "mostly C",
    ("WBC", "random_extended_framework"): "no A, no B", ("WBC", "gadp"): "no A, no B",
}  # fmt: skip


ALONE = "Adult, workclass alone"  # of the categories, perturbed
WORDS = {"Adult": ["workclass", "marital"], ALONE: ["workclass"], "WBC": []}


MEANS = {  # section 7.3, the first mean vector that is printed for each
    "Adult": {
        "training": "38.44 189670 10.12 1102.66 87.39 40.88", "framework": "52.13 716406 9.54 5644.23 974.16 51.81",
        "random_framework": "55.32 750088 8.41 50351.19 2183.07 50.06",
        "extended_framework": "32.76 195740 9.64 1538.99 146.81 40.08",
        "random_extended_framework": "35.82 193373 9.60 3406.13 205.45 40.05",
    },
    "WBC": {
        "training": "4.44 3.18 3.24 2.88 3.23 3.6 3.41 2.89 1.63",
        "framework": "4.87 3.26 4.68 4.75 4.44 3.42 4.63 4.63 4.06",
        "extended_framework": "2.94 2.92 2.98 2.85 2.77 3.21 3.13 2.53 1.53",
    },
}  # fmt: skip
MEANS[ALONE] = MEANS["Adult"]


def mean_vector(table: TrainingTable) -> list[float]:
    """Return the means of the numbers."""
    return [float(np.nanmean(table.column(a.name))) for a in table.attributes if a.kind == "number"]


def written(means: Any) -> str:
    """Write a mean vector: two digits, none for large numbers."""
    return " ".join(f"{m:.0f}" if m > 99_999 else f"{m:.2f}" for m in means)


VARIANTS: dict[str, dict[str, Any]] = {  # of WBC: what fits the thesis's tables better than what its text says
    "random_framework, width 10": {"method": "random_framework", "width": 10},
    "gadp, proximity 0.5": {"method": "gadp", "proximity": 0.5},
}


def asked_for(name: str, method: str, source: Source) -> dict[str, Any]:
    """Return the method of each column: every number and the class, and of Adult one or two categories."""
    numbers = list(source.domains)
    own = VARIANTS.get(method, {"method": method})
    if own["method"] == "gadp":
        return dict.fromkeys(numbers, own)
    spec = own | {"class": source.target, "min_cases": 2 if name == "WBC" else 200}
    return dict.fromkeys([*numbers, *WORDS[name], source.target], spec)


def study(name: str, source: Source, testing: TrainingTable, runs: int, paper: dict[str, Any]) -> dict[str, Any]:
    """Run every method, record the tables, and return what the ordering is held against."""
    training, cases = source.table(), 2 if name == "WBC" else 200
    original = grow(training, min_cases=cases)
    before = correlations(training)
    rows: list[list[Any]] = []
    kinds: list[list[Any]] = []
    vectors = [["training", MEANS[name]["training"], written(mean_vector(training))]]
    found: dict[str, Any] = {}
    share = 100 * accuracy(original, training)
    shown = [f"{p:g}" for p in paper["original"]]
    rows.append(
        [
            "original",
            *shown,
            f"{share:.1f}",
            f"{share:.1f}",
            f"{100 * accuracy(original, testing):.1f}",
            "0",
            len(original.leaves()),
        ]
    )
    for method in (*METHODS, *(["gadp", *VARIANTS] if name == "WBC" else [])):
        scores, types, distances, sizes, verdicts, means = [], [], [], [], [], []
        for run in range(runs):
            perturbed, _ = source.perturbed(asked_for(name, method, source), run)
            tree = grow(perturbed, min_cases=cases)
            scores.append([100 * accuracy(tree, table) for table in (perturbed, training, testing)])
            leaves = tree.apply(perturbed)
            weights = np.bincount(leaves, minlength=len(tree.leaves())) / perturbed.rows
            compared = compare_trees(original, tree, weights.tolist())
            types.append(
                [float({str(own): share for own, share in compared.shares.items()}.get(kind, 0.0)) for kind in "ABCD"]
            )
            verdicts.append(compared.verdict)
            distances.append(apart(before, correlations(perturbed)))
            sizes.append(len(tree.leaves()))
            means.append(mean_vector(perturbed))
        mean, shares = np.mean(scores, axis=0), 100 * np.mean(types, axis=0)
        found[method] = {
            "own": mean[0],
            "testing": mean[2],
            "kept": shares[0] + shares[1],
            "unlike": shares[3],
            "apart": float(np.mean(distances)),
        }
        rows.append([
            method, *(f"{p:g}" for p in paper[method.split(",")[0]]), *(f"{m:.1f}" for m in mean),
            f"{found[method]['apart']:.3f}",
            f"{np.mean(sizes):.0f}",
        ])  # fmt: skip
        vectors.append([method, MEANS[name].get(method, "-"), written(np.mean(means, axis=0))])
        said = TYPES["Adult" if name == ALONE else name, method.split(",")[0]]
        kinds.append([method, said, *(f"{s:.0f}%" for s in shares), ", ".join(sorted(set(verdicts)))])
        print(name, method, found[method], flush=True)
    found["tables"] = (rows, kinds, vectors)
    return found


def ordering(name: str, found: dict[str, Any]) -> None:
    """Test what the thesis claims of the order of the methods.

    Its claim that the Framework keeps more rules than the Extended Framework holds for WBC, and for Adult where the
    marital status stays as it is. With that perturbed it does not hold here: the relationship, which is not perturbed,
    says what the marital status said, and takes its place in the trees of both.
    """
    framework, extended = found["framework"], found["extended_framework"]
    scattered = found["random_framework"]
    assert framework["kept"] > scattered["kept"], "the Framework keeps rules that Random does not"
    assert framework["own"] > scattered["own"], "trees of the Framework fit their own data better"
    assert framework["testing"] >= scattered["testing"], "and predict held-out records better"
    assert extended["apart"] < framework["apart"], "the Extended Framework keeps correlations better"
    # With workclass alone both keep all rules, but for one small leaf in some runs: one percent of the records.
    assert name == "Adult" or framework["kept"] >= extended["kept"] - 1, (
        "the Framework keeps as many rules as the Extended Framework"
    )


def main() -> None:
    """Run both data sets."""
    given = asked("adult.data", "age", __doc__)
    runs = 1 if given.quick else 5
    header = [
        "method",
        *(f"{who}: {on}" for who in ("thesis", "sdcdb") for on in ("own", "training", "testing")),
        "correlations apart",
        "leaves",
    ]
    studies = [("WBC", WBC, given.file.with_name("wbc.csv"), "class", 0.12, WBC_PAPER)]
    if not given.quick:
        studies += [(name, ADULT, given.file, "income", 0.15, ADULT_PAPER) for name in ("Adult", ALONE)]
    for name, query, file, target, share, paper in studies:
        source, testing = held_out(load(query, file, target), share)
        found = study(name, source, testing, runs, paper)
        rows, kinds, vectors = found["tables"]
        if given.quick:
            ordering(name, found)
            continue
        notes = [
            (f"Accuracy in percent of the tree of a perturbed table on that table, on the "
            f"training and the testing data; means of {runs} runs."),
            ("Correlations apart: the mean absolute difference of the correlations of numbers "
            "from those of the training data."),
            ("Tested by the script: Framework above Random Framework in rules kept and in "
            "accuracy, Extended Framework nearer in correlations."),
        ]  # fmt: skip
        if name != ALONE:
            record(f"thesis_7_3_{name.lower()}", header, rows, notes)
            record(
                f"thesis_means_{name.lower()}",
                ["data", "thesis", "sdcdb"],
                vectors,
                [f"Means of the numbers, in the order of the table; one table in the thesis, {runs} here."],
            )
        record(
            f"thesis_rules_{'_'.join(name.lower().replace(',', '').split())}",
            ["method", "thesis", "type A", "B", "C", "D", "verdicts"],
            kinds,
            [f"Shares of records by the type of their rule, means of {runs} runs."],
        )
        ordering(name, found)


if __name__ == "__main__":
    main()
