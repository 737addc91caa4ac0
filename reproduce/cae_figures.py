"""Figures 1 and 3 of the CAE paper (2014): H as a function of the range, and the area under it.

    python reproduce/cae_figures.py [--quick]

Figure 1 shows two people whose salary is one of two equally likely values; Figure 3 the four values of section 3. The
figures are printed without numbers; those of the worked example are in the text.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import record

from sdcdb.measures.cae_curve import cae, curve

FIGURE_1 = {"(77K, 80K)": (77, 80), "(50K, 107K)": (50, 107)}
EXAMPLE = ((1, 3, 8, 9), (0.15, 0.1, 0.7, 0.05))
PRINTED = {0: 1.319, 1: 1.054, 2: 0.811, 3: 0.811, 4: 0.811, 5: 0.811, 6: 0.610, 7: 0.286, 8: 0.0}


def main() -> None:
    """Compute, check and record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="not needed: the numbers are in the paper")
    parser.add_argument("--quick", action="store_true", help="record nothing")
    given = parser.parse_args()
    rows = []
    for name, values in FIGURE_1.items():
        found = cae(values, [0.5, 0.5])
        assert found.h0 == 1.0
        assert found.area == found.eps_max == values[1] - values[0]
        rows.append(["1", name, "H(0) = 1", f"H(0) = {found.h0:g}, zero from {found.eps_max:g}K, area {found.area:g}K"])
    h = curve(*EXAMPLE)
    for eps, printed in PRINTED.items():
        ours = float(h.at(eps))
        assert abs(ours - printed) < 1e-3, f"H({eps}) is {ours}, printed {printed}"
        rows.append(["3", f"H({eps})", f"{printed:.3f}", f"{ours:.4f}"])
    exact, whole = h.area(), h.area(grid=1.0)
    assert np.isclose(exact, whole), "the example has whole values: the step function changes at whole numbers only"
    rows.append(["3", "area", "not printed", f"{exact:.3f}"])
    if given.quick:
        print(rows)
        return
    record("cae_figures", ["figure", "what", "paper", "sdcdb"], rows, ["Bits; salaries in thousands."])


if __name__ == "__main__":
    main()
