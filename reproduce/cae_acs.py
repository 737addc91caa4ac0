"""Section 5 of the CAE paper (2014), on the American Community Survey of 2012: sampling, query restriction and noise.

    python reproduce/cae_acs.py [--data DIR] [--quick]

Needs acs2012.csv, 2,000 records of the survey with columns income, employment, age, gender, edu, time_to_work,
hrs_work and race among others. The paper used 2,500 records of Illinois in 2006 (PUMS), which are not at hand.

Three things that the paper says of its figures are checked, and each is printed with what was found:
(a) privacy falls as an intruder knows more, (b) it rises as utility falls, (c) sampling 50% and query set size 8 start
at a similar level without knowledge, then sampling drops sharply while restriction stays flat.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import duckdb
from datafile import asked

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import ROOT, record

from sdcdb.evaluate.experiment import Experiment, evaluate, settings_of
from sdcdb.evaluate.population import Population
from sdcdb.evaluate.settings import PAPER
from sdcdb.evaluate.source import Wanted, read
from sdcdb.evaluate.summary import Line
from sdcdb.pages.evaluation_chart import chart
from sdcdb.pages.plots import save

KNOWN = ("age", "gender", "edu", "time_to_work", "hrs_work", "race")
LOW, HIGH, STEP = 10, 250, 10  # the paper's Table 2: Salary, in thousands, rounded to 10
SIMILAR = 0.10  # levels that differ by less, as a share of the larger, are similar
FLAT = 0.10  # a fall of less than this share of the first level is none
SHARP = 0.25  # and one of more than this is sharp
NOTHING = 1e-9


def population(file: Path) -> tuple[Population, int]:
    """Return employed people with all attributes and a salary of Table 2, and how many earn more than that."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE every AS FROM read_csv(?, nullstr = ['NA', ''])", [str(file)])
        complete = " AND ".join(f"{name} IS NOT NULL" for name in KNOWN)
        con.execute(f"CREATE VIEW staff AS FROM every WHERE employment = 'employed' AND income >= 5000 AND {complete}")
        ((above,),) = con.execute("SELECT count(*) FROM staff WHERE income >= 255000").fetchall()
        con.execute("CREATE TABLE people AS SELECT *, income / 1000 AS salary FROM staff WHERE income < 255000")
        found, _ = read(con, Wanted("people", "salary", KNOWN, (LOW, HIGH), STEP))
    return found, above


def falls_with_knowledge(lines: Sequence[Line]) -> list[tuple[bool, str]]:
    """Check (a), for both measures of every setting: from nothing to all known, and at every step between."""
    whole, steps = [], []
    for line in lines:
        for measure in ("h0", "area"):
            levels = [getattr(point, measure) / getattr(line.points[0], measure) for point in line.points]
            whole.append(levels[-1] - 1)
            steps += [after - before for before, after in pairwise(levels)]
    found = []
    for changes, what in ((whole, "settings and measures"), (steps, "steps to one more known attribute")):
        rises = [change for change in changes if change > NOTHING]
        largest = f"; the largest rise is {max(rises):.3%} of the level without knowledge" if rises else ""
        found.append((not rises, f"{len(changes) - len(rises)} of {len(changes)} {what} do not rise{largest}"))
    return found


def rises_as_utility_falls(lines: Sequence[Line]) -> tuple[bool, str]:
    """Check (b): the next setting with less utility never gives less privacy, at any number of known attributes."""
    steps = []
    for technique in dict.fromkeys(line.technique for line in lines):
        mine = sorted((line for line in lines if line.technique == technique), key=lambda line: -(line.utility or 0))
        steps += [
            getattr(b, measure) - getattr(a, measure)
            for less, more in pairwise(mine)
            for measure in ("h0", "area")
            for a, b in zip(less.points, more.points, strict=True)
        ]
    falls = [step for step in steps if step < -NOTHING]
    return not falls, f"{len(steps) - len(falls)} of {len(steps)} steps to less utility raise it or leave it"


def sampling_drops_restriction_stays(lines: Sequence[Line]) -> list[tuple[bool, str]]:
    """Check (c): for H(0) the two starts, the fall of sampling and that of restriction; for the area, who is ahead."""
    ((sampling,), (restriction,)) = (
        [line for line in lines if (line.technique, line.amount) == wanted]
        for wanted in (("sampling", "50%"), ("restriction", "8"))
    )
    starts = [line.points[0].h0 for line in (sampling, restriction)]
    ends = [line.points[-1].h0 for line in (sampling, restriction)]
    lost = [1 - end / start for start, end in zip(starts, ends, strict=True)]
    areas = [[line.points[known].area for line in (sampling, restriction)] for known in (0, -1)]
    said = "area {:.0f} and {:.0f} without knowledge, {:.0f} and {:.0f} with all known".format(*areas[0], *areas[1])
    apart = abs(starts[0] - starts[1]) / max(starts)
    return [
        (apart <= SIMILAR, f"without knowledge {starts[0]:.2f} and {starts[1]:.2f} bits, {apart:.0%} apart"),
        (lost[0] >= SHARP, f"with all known, sampling 50% has lost {lost[0]:.1%}, down to {ends[0]:.2f} bits"),
        (lost[1] <= FLAT, f"with all known, query set size 8 has lost {lost[1]:.1%}, down to {ends[1]:.2f} bits"),
        (areas[0][0] > areas[0][1] and areas[1][0] < areas[1][1], said),
    ]


def main() -> None:
    """Reproduce and record."""
    given = asked("acs2012.csv", "rownames,income", __doc__)
    people, above = population(given.file)
    runs = 2 if given.quick else 30
    experiment = Experiment("people", "salary", people, settings_of(PAPER), runs, seed=2014)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "runs.jsonl"
        lines = evaluate(experiment, file, os.cpu_count() or 1)
        by_record = evaluate(experiment, file, weight="records")
    overall, at_each_step = falls_with_knowledge(lines)
    starts, drops, stays, areas = sampling_drops_restriction_stays(lines)
    checks = [
        ("(a) falls from nothing to all known", *overall),
        ("(a) falls at every step", *at_each_step),
        ("(a) the same, every record counted once", *falls_with_knowledge(by_record)[1]),
        ("(b) rises as utility falls", *rises_as_utility_falls(lines)),
        ("(c) sampling 50% and query set size 8 start at a similar level", *starts),
        ("(c) sampling drops sharply", *drops),
        ("(c) restriction stays flat", *stays),
        ("(c) by area sampling is ahead without knowledge, behind with it", *areas),
    ]
    rows = [[name, "holds" if holds else "**does not hold**", said] for name, holds, said in checks]
    for row in rows:
        print(": ".join(row))
    if given.quick:
        return
    record("cae_acs_checks", ["the paper says of privacy", "here", "found"], rows, _notes(people, above, runs))
    header = ["technique", "amount", *(f"{known} known" for known in range(len(KNOWN) + 1))]
    for measure, digits in (("h0", 2), ("area", 0)):
        cells = [
            [line.technique, line.amount, *(f"{getattr(point, measure):.{digits}f}" for point in line.points)]
            for line in lines
        ]
        record(f"cae_acs_{measure}", header, cells, [f"Means of {runs} releases, all combinations and all values."])
    save(chart(lines, "1,000 dollars", "What remains uncertain about salary"), ROOT / "docs" / "images" / "cae_acs.svg")


def _notes(people: Population, above: int, runs: int) -> list[str]:
    sizes = {name: len(set(people.codes[:, n].tolist())) for n, name in enumerate(people.names)}
    salaries = f"Salaries from {LOW} to {HIGH} thousand in steps of {STEP}, 25 values, as in Table 2"
    return [
        f"{len(people.positions)} records, {runs} releases of each setting; the paper has 2,500 records.",
        f"{salaries}; {above} people who earn more are left out.",
        "Different values: " + ", ".join(f"{name} {size}" for name, size in sizes.items()) + ".",
        f"Similar: at most {SIMILAR:.0%} apart. Sharp: more than {SHARP:.0%} lost. Flat: at most {FLAT:.0%} lost.",
    ]


if __name__ == "__main__":
    main()
