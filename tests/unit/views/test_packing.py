"""Draws that take fewer bits where that saves a digest: what stays exact, what is only nearly so, and what it costs."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, norm
from support.protecting import fixed_secret, protected

from sdcdb.connection.training_table import read_training_table
from sdcdb.engines.expressions import DIGEST, LEAD, NARROW_PAIR, PAIR, Bits
from sdcdb.policy.governed import Governed
from sdcdb.techniques.rpt import FittedRpt
from sdcdb.techniques.technique import Draws
from sdcdb.views import packing
from sdcdb.views.packing import packed
from sdcdb.views.protect import Protected

RECORDS, LEAST = 40_000, 400
NUMBERS = {"age": 74, "weight": 100_000, "school": 16, "gain": 10_000, "loss": 4_400, "hours": 99}
WORDS = {"work": 8, "marital": 7, "job": 14, "relation": 6, "race": 5, "sex": 2, "country": 40}
ROLES: dict[str, Any] = {
    "id": "identifier",
    "n": "public",
    "income": "class",
    **dict.fromkeys(WORDS, "quasi"),
    **{name: {"role": "quasi", "domain": [0, size - 1]} for name, size in NUMBERS.items()},
}
COLUMNS = [f"(hash(i, {n}) % {size})::INTEGER AS {name}" for n, (name, size) in enumerate(NUMBERS.items())]
COLUMNS += [f"'{name} ' || hash(i, {n}) % {size} AS {name}" for n, (name, size) in enumerate(WORDS.items(), 10)]
TABLE = f"""
    SELECT *, CASE WHEN hash(id, 20) % 4 = 0 THEN ['high', 'low', 'mid'][1 + (hash(id, 21) % 3)::INTEGER]
        WHEN age > 40 THEN if(hours > 50, 'low', 'high') ELSE if(school > 8, 'mid', 'low') END AS income
    FROM (SELECT i AS id, i AS n, {", ".join(COLUMNS)} FROM range({RECORDS}) r(i))
"""
METHOD = {"method": "framework", "class": "income", "min_cases": LEAST}
VIEW = {"columns": {name: METHOD for name in (*NUMBERS, *WORDS, "income")}}  # noqa: C420 - read only
ASKED = {name: Draws.COARSE_NORMAL if size <= 256 else Draws.NORMAL for name, size in NUMBERS.items()}
ASKED |= dict.fromkeys(WORDS, Draws.SMALL) | {"income": Draws.RANK}

_secret = fixed_secret("packing-0123456789abcdefghijklmn")


@pytest.fixture(scope="module")
def framework() -> tuple[Governed, Protected]:
    """The columns of the benchmark of the Framework, which would need 320 bits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDCDB_TEST_SECRET", "packing-0123456789abcdefghijklmn")
        return protected(TABLE, ROLES, VIEW)


def widths(layout: dict[str, Bits]) -> dict[str, int]:
    return {place: bits.width for place, bits in layout.items()}


def test_what_fits_anyway_has_all_its_bits() -> None:
    few = {place: draws for place, draws in ASKED.items() if place not in ("work", "marital", "age", "school")}
    assert widths(packed([], few)) == {place: packing.WIDTHS[draws] for place, draws in few.items()}
    alone = packed([Bits(0, 16)], {"income": Draws.RANK})
    assert alone == {"income": Bits(64, 64)}


def test_as_few_draws_as_possible_are_narrow() -> None:
    """First the class, then one pair after the other; numbers on fine grids never."""
    without = {place: draws for place, draws in ASKED.items() if place != "sex"}
    changed = {place: width for place, width in widths(packed([], without)).items()
               if width != packing.WIDTHS[without[place]]}  # fmt: skip
    assert changed == {"income": LEAD}
    changed = {place: width for place, width in widths(packed([], ASKED)).items()
               if width != packing.WIDTHS[ASKED[place]]}  # fmt: skip
    assert changed == {"income": LEAD, "age": NARROW_PAIR, "school": NARROW_PAIR}


def test_bits_are_disjoint_beside_those_that_are_given() -> None:
    given = [Bits(8, LEAD), Bits(64, PAIR), Bits(128, NARROW_PAIR), Bits(168, 16), Bits(192, 64)]
    layout = packed(given, ASKED)
    both = [bits for bits in [*given, *layout.values()] if not bits.half]
    taken = [bit for bits in both for bit in range(bits.first, bits.first + bits.width)]
    assert len(taken) == len(set(taken))
    partners = [bits for bits in layout.values() if bits.half]
    assert all(Bits(bits.first, bits.width) in both for bits in partners)


def test_the_framework_of_the_benchmark_takes_one_digest(framework: tuple[Governed, Protected]) -> None:
    lanes = framework[1].plan.lanes
    assert all(isinstance(bits, Bits) and bits.first + bits.width <= DIGEST for bits in lanes.values())
    assert sorted(bits.width for bits in lanes.values() if isinstance(bits, Bits)) == [LEAD] + [16] * 7 + [
        NARROW_PAIR] * 2 + [PAIR] * 4  # fmt: skip


def test_classes_keep_their_counts_in_every_leaf(framework: tuple[Governed, Protected]) -> None:
    database, made = framework
    (fitted,) = [each for each in made.plan.fitted if isinstance(each, FittedRpt)]
    assert fitted.leads
    names = [attribute.name for attribute in fitted.tree.attributes]
    both = "SELECT x.* REPLACE (y.income AS income) FROM x JOIN y USING (n)"
    database.con.execute(f"CREATE OR REPLACE TABLE mixed AS {both}")
    counts = []
    for table in ("x", "mixed"):
        read = read_training_table(database.con, table, names, "income")
        counts.append(np.bincount(fitted.tree.apply(read) * 3 + read.labels()))
    assert (counts[0] == counts[1]).all()
    assert sum(len(own) == 2 for own in fitted.ends) > 5  # leaves of three classes
    ((moved,),) = database.con.execute("SELECT count(*) FROM x JOIN y USING (n) WHERE x.income <> y.income").fetchall()
    assert abs(moved - fitted.expected_changes) < 5 * fitted.expected_changes**0.5


def test_records_that_do_not_tie_need_no_second_digest(framework: tuple[Governed, Protected]) -> None:
    """One record of 256 ties with each end of its leaf: no more digests are computed, and these are."""
    database, made = framework
    (fitted,) = [each for each in made.plan.fitted if isinstance(each, FittedRpt)]
    seen: list[str] = []

    def counted(text: str) -> str:
        seen.append(text)
        return str(database.con.cursor().execute("SELECT sha256(?)", [text]).fetchall()[0][0])

    select = made.sql.split(" AS ", 1)[1]
    start = select.index(":tail:")
    begin = select.rindex("sha256(", 0, start)
    assert select.count(":tail:") == 2  # of three classes
    prefix = select[begin + len("sha256(") : start]
    database.con.create_function("counted_sha256", counted)
    select = select.replace(f"sha256({prefix}:tail:", f"counted_sha256({prefix}:tail:")
    shown = database.con.execute(f"SELECT n, income FROM ({select}) ORDER BY n").fetchall()
    database.con.remove_function("counted_sha256")
    assert shown == database.con.execute("SELECT n, income FROM y ORDER BY n").fetchall()
    expected = sum(
        RECORDS / len(fitted.ends) * len(own) / 2**LEAD for own in fitted.ends
    )  # about as many records in one leaf as in another
    assert 0.3 * expected < len(seen) < 3 * expected


def test_the_class_is_independent_of_every_other_column(framework: tuple[Governed, Protected]) -> None:
    """Within a leaf, what the class becomes goes with no other column's move: no bit of its draw is theirs."""
    database, made = framework
    (fitted,) = [each for each in made.plan.fitted if isinstance(each, FittedRpt)]
    names = [attribute.name for attribute in fitted.tree.attributes]
    leaves = fitted.tree.apply(read_training_table(database.con, "x", names, "income"))
    for name in (*NUMBERS, *WORDS):
        moved, income = database.con.execute(
            f"SELECT coalesce(sign(y.{name} - x.{name}), 0), y.income FROM x JOIN y USING (n) ORDER BY n"
            if name in NUMBERS else
            f"SELECT (y.{name} = x.{name})::INTEGER, y.income FROM x JOIN y USING (n) ORDER BY n"
        ).df().to_numpy().T  # fmt: skip
        for leaf in np.unique(leaves):
            own = leaves == leaf
            crossed = np.array([[np.sum((moved[own] == m) & (income[own] == c)) for c in np.unique(income[own])]
                                for m in np.unique(moved[own])])  # fmt: skip
            if min(crossed.shape) > 1 and crossed.sum(0).min() * crossed.sum(1).min() > 5 * crossed.sum():
                assert chi2_contingency(crossed).pvalue > 1e-6, (name, leaf)


@pytest.mark.parametrize(("sd", "single", "joint"), [(25, 3e-4, 2e-3), (85, 1e-3, 0.015), (256, 1e-3, 0.05)])
def test_a_narrow_pair_has_nearly_the_law_of_two_normals(sd: float, single: float, joint: float) -> None:
    """Computed, not drawn: all 2^16 angles, and of 2^24 radii how many lie between two ends.

    Single steps up to 4 standard deviations, pairs of steps up to 3: how far their chances are from the right ones.
    """
    angles = np.arange(2**16) * (2 * np.pi / 2**16)
    steps = [int(sd * share) for share in np.linspace(0, 4, 41)]

    def chance(*wanted: tuple[np.ndarray, int]) -> float:
        low, high = np.zeros(len(angles)), np.full(len(angles), np.inf)
        for turn, step in wanted:
            with np.errstate(divide="ignore"):
                ends = np.array([(step - 0.5) / (sd * turn), (step + 0.5) / (sd * turn)])
            low, high = np.maximum(low, ends.min(0)), np.minimum(high, ends.max(0))
        low, high = low[high > low], high[high > low]
        count = np.floor(2**24 * np.exp(-low * low / 2)) - np.floor(2**24 * np.exp(-high * high / 2))
        return float(count.sum() / 2**40)

    def right(step: int) -> float:
        return float(norm.cdf((step + 0.5) / sd) - norm.cdf((step - 0.5) / sd))

    cosine, sine = np.cos(angles), np.sin(angles)
    for turn in (cosine, sine):
        assert max(abs(chance((turn, step)) / right(step) - 1) for step in steps) < single
    pairs = [(one, two) for one in steps[:31:5] for two in steps[:31:5] if np.hypot(one, two) <= 3 * sd]
    off = [chance((cosine, one), (sine, two)) / (right(one) * right(two)) - 1 for one, two in pairs]
    assert np.abs(off).max() < joint
