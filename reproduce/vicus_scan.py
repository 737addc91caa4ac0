"""What Figure 7 of VICUS (2012) needs: a scan of settings near the paper's, at two levels, and of rules.

    python reproduce/vicus_scan.py [--data DIR] [--quick]

First level: one setting for all 23 attributes of Mushroom, by T, the number of subsets and their least size. Second
level: all attributes in four subsets of any size, and only cap-color and stalk-surface-below-ring, the two of Figure 7,
otherwise. Rules: the number of subsets and their least size follow from the number of values. Each is held against both
results of the paper: chi-square, here of the expected counts of the perturbed table, and Table 3, its row 5, 20; rules
against all its rows, and against all seven attributes that the paper sets beside cap-color. The default is one of
these rules. Two values are one subset throughout. The best partition is the local search's.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
from datafile import asked
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from record import record
from vicus_mushroom import COLOUR, CONFIDENTIAL, FIGURE_7, SURFACE, TABLE_3

from sdcdb.measures.associations import association
from sdcdb.measures.reidentification import PerturbedTable, average_entropies
from sdcdb.similarity.cooccurrence import Cooccurrence, cooccurrence
from sdcdb.similarity.partition import partition
from sdcdb.similarity.similarity import of_counts
from sdcdb.techniques.families.transition import TransitionMatrix, random, vicus
from sdcdb.techniques.vicus import Vicus, number_of_subsets

Rule = Callable[[int], tuple[int, int]]
"""From a number of values to the number of subsets and the least size of each."""

NEAR = 0.05  # bits: what counts as the entropies of Table 3
FILES = 3


@dataclass(frozen=True)
class Setting:
    """How an attribute is partitioned."""

    threshold: float
    subsets: int | None
    min_size: int | None

    def __str__(self) -> str:
        return f"T {self.threshold}, {self.subsets or 'free'}, least {self.min_size}"


ANY = Setting(0.75, 4, 1)  # four subsets of any size


@dataclass(frozen=True)
class Found:
    """What a setting gives: chi-square of both methods, and how far its entropies are from Table 3."""

    name: str
    vicus: float
    random: float
    away: float


class Mushroom:
    """The complete records as codes, and partitions by setting."""

    def __init__(self, file: Path) -> None:
        con = duckdb.connect()
        con.execute(
            "CREATE TABLE m AS FROM read_csv(?, header = true, all_varchar = true) WHERE \"stalk-root\" <> '?'",
            [str(file)],
        )
        self.columns: list[str] = [name for name, *_ in con.execute("DESCRIBE m").fetchall()]
        self.counted: Cooccurrence = cooccurrence(con, "m", self.columns)
        frame = con.sql("FROM m").df()
        self.codes = np.column_stack([
            [places[value] for value in frame[name]]
            for name, values in zip(self.columns, self.counted.categories, strict=True)
            for places in ({value: n for n, value in enumerate(values)},)
        ])  # fmt: skip
        self.subsets = cache(self._subsets)
        self._similar = cache(lambda t: of_counts(self.counted, t, 0.6, 0.4, "multi"))

    def _subsets(self, name: str, setting: Setting) -> tuple[tuple[str, ...], ...]:
        total = self._similar(setting.threshold)[name].total
        params = Vicus(method="vicus", k1=5, k2=20, subsets=setting.subsets, min_size=setting.min_size)
        k, least = number_of_subsets(len(total), params)
        return partition(total.to_numpy(), k, least).subsets(list(total.index))

    @property
    def sizes(self) -> dict[str, int]:
        """The number of values of each attribute."""
        return {name: len(values) for name, values in zip(self.columns, self.counted.categories, strict=True)}

    def matrices(
        self, settings: Mapping[str, Setting], method: str, k: tuple[int, int] = FIGURE_7
    ) -> list[TransitionMatrix]:
        """Return the matrices of all attributes."""
        make = vicus if method == "vicus" else random
        return [
            make(values, self.subsets(name, settings[name]), *k)
            for name, values in zip(self.columns, self.counted.categories, strict=True)
        ]

    def partners(self) -> list[str]:
        """Return the attributes that meet the large-sample rule with cap-color."""
        others = [name for name in self.columns if name != COLOUR]
        return [name for name in others if association(self.counted.pair(COLOUR, name)).large_sample]

    def expected(self, matrices: list[TransitionMatrix], partner: str = SURFACE) -> float:
        """Return chi-square of cap-color and another attribute, of the counts that the matrices lead to."""
        colour, other = (matrices[self.columns.index(name)].matrix for name in (COLOUR, partner))
        counts = colour.T @ self.counted.pair(COLOUR, partner) @ other
        independent = (
            np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        )  # `association` wants whole numbers
        return float(((counts - independent) ** 2 / independent).sum())

    def entropies(self, matrices: list[TransitionMatrix], files: int) -> NDArray[np.float64]:
        """Return the mean record and confidential entropy when one attribute is known."""
        at, found = self.columns.index(CONFIDENTIAL), []
        for n in range(files):
            u = np.random.default_rng(n).integers(0, 2**32, self.codes.shape, np.uint64)
            shown = np.column_stack([m.sample(self.codes[:, c], u[:, c]) for c, m in enumerate(matrices)])
            table = PerturbedTable.of(shown, [m.matrix for m in matrices], at, None)
            means = average_entropies(table, self.codes, known=1)
            found.append([means.record, means.confidential])
        return np.asarray(np.mean(found, axis=0), np.float64)

    def tried(self, name: str, settings: Mapping[str, Setting], files: int) -> Found:
        """Hold a setting against Figure 7 and Table 3."""
        made = {method: self.matrices(settings, method) for method in ("vicus", "random")}
        chi = [self.expected(each) for each in made.values()]
        ours = np.column_stack([self.entropies(each, files) for each in made.values()]).ravel()
        return Found(name, chi[0], chi[1], float(np.abs(ours - TABLE_3[FIGURE_7]).max()))


def of_rule(rule: Rule, size: int) -> Setting:
    """Return the setting of a rule for a number of values."""
    k, least = rule(size)
    return Setting(0.75, max(1, k), least)


def pairs(number: Callable[[int], int]) -> Rule:
    """Return the rule that gives each subset two values where there are enough."""
    return lambda size: (max(1, number(size)), min(2, size // max(1, number(size))))


RULES: dict[str, Rule] = {
    "four, of any size": lambda size: (min(4, size), 1),
    "four, in pairs where the values suffice": pairs(lambda size: min(4, size)),
    "one fewer than values, at most four; pairs": pairs(lambda size: min(4, size - 1)),
    "two fewer than values, at most four; pairs (default)": pairs(lambda size: min(4, size - 2)),
    "two fewer than values, at most four, of any size": lambda size: (min(4, size - 2), 1),
    "two fewer than values, at most five; pairs": pairs(lambda size: min(5, size - 2)),
    "two fewer up to seven values, then four pairs": pairs(lambda size: size - 2 if size < 8 else 4),
    "three fewer than values, at most four; pairs": pairs(lambda size: min(4, size - 3)),
    "two thirds of the values, at most four; pairs": pairs(lambda size: min(4, 2 * size // 3)),
    "half of the values, at most four; pairs": pairs(lambda size: min(4, size // 2)),
    "half of the values, at most four, of any size": lambda size: (min(4, size // 2), 1),
    "as the square root of the values, of any size": lambda size: (round(size**0.5), 1),
}


@dataclass(frozen=True)
class OfRule:
    """What a rule gives: chi-square with each partner by VICUS and by Random, and how far each cell of Table 3 is."""

    chi: dict[str, tuple[float, float]]
    away: NDArray[np.float64]

    @property
    def behind(self) -> list[str]:
        """The partners for which Random keeps as much as VICUS, or more."""
        return [partner for partner, (ours, theirs) in self.chi.items() if ours <= theirs]

    def cells(self) -> list[str]:
        """Write it as a row of a table."""
        missed = f" (not {', '.join(self.behind)})" if self.behind else ""
        return [
            *(f"{each:,.0f}" for each in self.chi[SURFACE]),
            f"{len(self.chi) - len(self.behind)} of {len(self.chi)}{missed}",
            f"{(self.away <= NEAR).sum()} of {self.away.size}",
            f"{self.away.max():.3f}",
        ]


def by_rule(data: Mushroom, rule: Rule, files: int) -> OfRule:
    """Hold a rule against Figure 7, all partners of cap-color, and every row of Table 3."""
    settings = {column: of_rule(rule, size) for column, size in data.sizes.items()}
    ours, theirs = (data.matrices(settings, method) for method in ("vicus", "random"))
    chi = {partner: (data.expected(ours, partner), data.expected(theirs, partner)) for partner in data.partners()}
    away = []
    for k, paper in TABLE_3.items():
        each = [data.entropies(data.matrices(settings, method, k), files) for method in ("vicus", "random")]
        away.append(np.abs(np.column_stack(each).ravel() - paper))
    return OfRule(chi, np.array(away))


def every(*, quick: bool) -> list[Setting]:
    """List the settings of the scan."""
    thresholds, numbers = ((0.6, 0.75), (2, 4)) if quick else ((0.4, 0.5, 0.6, 0.7, 0.75, 0.8), (None, 2, 3, 4, 5, 6))
    return [Setting(t, k, least) for t in thresholds for k in numbers for least in (1, 2)]


def both_levels(data: Mushroom, settings: list[Setting], files: int) -> Iterator[tuple[int, Found]]:
    """Try one setting for all, then one of its own for each different pair of partitions of the two attributes."""
    seen: set[object] = set()
    for setting in settings:
        yield 1, data.tried(str(setting), dict.fromkeys(data.columns, setting), files)
    base = dict.fromkeys(data.columns, ANY)
    for colour in settings:
        for surface in settings:
            parts = data.subsets(COLOUR, colour), data.subsets(SURFACE, surface)
            if parts not in seen:
                seen.add(parts)
                sizes = ["+".join(str(len(subset)) for subset in part) for part in parts]
                name = f"colours {sizes[0]} ({colour}), surfaces {sizes[1]} ({surface})"
                yield 2, data.tried(name, base | {COLOUR: colour, SURFACE: surface}, files)


def main() -> None:
    """Scan, check, and record what matters."""
    given = asked("agaricus-lepiota.data", "edibility,", __doc__)
    data = Mushroom(given.file)
    tried = list(both_levels(data, every(quick=given.quick), 1 if given.quick else FILES))
    rows, notes = [], []
    for level in (1, 2):
        own = [found for at, found in tried if at == level]
        near = sorted((f for f in own if f.away <= NEAR), key=lambda f: -f.vicus)
        meets = [f for f in own if f.vicus > 1500 and f.random < 1000]
        notes.append(
            f"Level {level}: {len(own)} settings; {len(near)} within {NEAR} bits of Table 3, {len(meets)} with VICUS "
            f"above 1,500 and Random below 1,000, {len([f for f in meets if f in near])} with both."
        )
        shown = dict.fromkeys([*near[:3], *sorted(meets, key=lambda f: f.away)[:3]])
        rows += [[str(level), f.name, f"{f.vicus:,.0f}", f"{f.random:,.0f}", f"{f.away:.3f}"] for f in shown]
        notes[-1] += f" VICUS is ahead of Random in {sum(f.vicus > f.random for f in near)} of those near Table 3."
    by_default = next(name for name in RULES if "default" in name)
    default = data.tried("default", dict.fromkeys(data.columns, Setting(0.75, 4, None)), FILES)
    of_rules = {name: by_rule(data, rule, 1 if given.quick else FILES) for name, rule in RULES.items()}
    found = of_rules[by_default]
    assert found.chi[SURFACE] == (default.vicus, default.random), "the rule is not the default"
    assert default.vicus > 1500, f"chi-square of VICUS is {default.vicus:.0f}"
    assert default.random < 1000, f"chi-square of Random is {default.random:.0f}"
    assert default.away < NEAR, f"the default is {default.away} bits away from the row 5, 20 of Table 3"
    assert len(found.chi) == 7, f"{len(found.chi)} attributes meet the large-sample rule with cap-color, not 7"
    assert not found.behind, f"by default Random keeps more of the association with {', '.join(found.behind)}"
    ruled = [[name, *each.cells()] for name, each in of_rules.items()]
    print(default, *notes, *rows, *ruled, sep="\n")
    if not given.quick:
        record(
            "vicus_rules",
            ["subsets", "VICUS", "Random", "VICUS ahead", f"cells of Table 3 within {NEAR} bits", "farthest, bits"],
            ruled,
            [
                "Two values are one subset. Chi-square is of expected counts, k1 = 5, k2 = 20; entropies of 3 files.",
                "The chi-square shown is cap-color by stalk-surface-below-ring; VICUS ahead: for its seven partners.",
            ],
        )
        record("vicus_scan", ["level", "setting", "VICUS", "Random", "bits from Table 3"], rows, notes)


if __name__ == "__main__":
    main()
