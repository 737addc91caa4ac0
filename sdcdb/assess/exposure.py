"""How exposed a confidential column is to an intruder who knows some other columns: CAE per equivalence class.

An intruder who knows a person's sex, age and department looks up the records that match. Each confidential value among
them is a candidate, as likely as it is frequent; H(0) and the area say how uncertain the intruder remains.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import profile
from sdcdb.errors import DataError, choices
from sdcdb.measures.cae_curve import CAE, Curve, cae, curve
from sdcdb.measures.distribution import Distribution, Floats, normalise
from sdcdb.measures.entropies import entropy

# Above this many distinct values in a class, the area is computed on a grid with this many parts: off by at most
# H(0) x range / 250, and a class takes milliseconds.
BINS = 250


@dataclass(frozen=True)
class ClassExposure:
    """One equivalence class: the known values that select it, how many records match, and their CAE."""

    known: tuple[Any, ...]
    records: int
    cae: CAE


@dataclass(frozen=True)
class Exposure:
    """Every class, the most exposed first, and the uncertainty of an intruder who knows nothing."""

    table: str
    confidential: str
    known: tuple[str, ...]
    classes: tuple[ClassExposure, ...]
    nothing_known: CAE

    def by_record(self, measure: str) -> Floats:
        """Return `h0` or `area` once per record, ascending."""
        values = np.array([getattr(each.cae, measure) for each in self.classes])
        return np.sort(np.repeat(values, [each.records for each in self.classes]))

    def quantiles(self, measure: str) -> dict[str, float]:
        """Summarise `h0` or `area` over records: the least, the 5% and 50% points, the mean."""
        values = self.by_record(measure)
        return {
            "least": float(values[0]),
            "5%": float(np.quantile(values, 0.05, method="lower")),
            "median": float(np.quantile(values, 0.5, method="lower")),
            "mean": float(values.mean()),
        }

    def at(self, share: float) -> ClassExposure:
        """Return the class such that this share of the records is as exposed or more: 0.5 for the median record."""
        reached = np.cumsum([each.records for each in self.classes])
        return self.classes[int(np.searchsorted(reached, share * reached[-1]))]


def exposure(
    con: duckdb.DuckDBPyConnection,
    table: str,
    confidential: str,
    known: list[str],
    progress: Callable[[int, int], None] | None = None,
) -> Exposure:
    """Measure the CAE of `confidential` for every combination of the `known` columns that occurs."""
    names = _checked(con, table, confidential, known)
    classes: list[ClassExposure] = []
    selected = list(_classes(con, table, names[0], names[1:]))
    if not selected:
        raise DataError(f"{table!r} has no record with a value in {confidential!r}: nothing to measure")
    with ThreadPoolExecutor(os.cpu_count()) as threads:  # the programme runs outside Python's global lock
        for each in threads.map(lambda row: ClassExposure(row[0], row[1], cae(row[2], row[3], bins=BINS)), selected):
            classes.append(each)
            if progress:
                progress(len(classes), len(selected))
    whole = next(_classes(con, table, names[0], []))
    ordered = sorted(classes, key=lambda each: (each.cae.h0, each.cae.area, str(each.known)))
    return Exposure(table, names[0], tuple(names[1:]), tuple(ordered), cae(whole[2], whole[3], bins=BINS))


def exposure_curve(con: duckdb.DuckDBPyConnection, measured: Exposure, of: ClassExposure | None) -> Curve:
    """Return H(eps) of one class, or of the whole table for None; coarse as in `exposure`."""
    known = list(measured.known) if of else []
    for values, _, x, p in _classes(con, measured.table, measured.confidential, known):
        if of is None or values == of.known:
            d = Distribution.of(x, p)
            if len(d.values) <= BINS:
                return curve(d.values, d.probs)
            coarse = d.coarse(BINS)
            steps = curve(coarse.values, coarse.probs)
            return Curve(steps.eps, np.array([entropy(d.probs), *steps.h[1:]]))  # H(0) stays exact
    raise DataError(f"no record of {measured.table!r} matches {of}")


def _classes(
    con: duckdb.DuckDBPyConnection, table: str, confidential: str, known: list[str]
) -> Iterator[tuple[tuple[Any, ...], int, Floats, Floats]]:
    """Yield for each class its known values, number of records, distinct confidential values and their shares."""
    value, source = quoted(identifier(confidential)), quoted(table_reference(table))
    columns = "".join(f"{quoted(identifier(name))}, " for name in known)
    # Positions, not names, in the outer query: a user's column may have any name.
    aliases = ", ".join([*(f"k{n}" for n, _ in enumerate(known)), "v", "n"])
    keys = "".join(f"k{n}, " for n, _ in enumerate(known))
    sql = (
        f"SELECT {keys} sum(n)::BIGINT, list(v), list(n) FROM ("
        f"SELECT {columns} {value}::DOUBLE, count(*) FROM {source} WHERE {value} IS NOT NULL GROUP BY ALL"
        f") AS t({aliases}) GROUP BY ALL HAVING sum(n) > 0"
    )
    for row in con.cursor().execute(sql).fetchall():
        yield tuple(row[:-3]), row[-3], np.array(row[-2]), normalise(row[-1])


def _checked(con: duckdb.DuckDBPyConnection, table: str, confidential: str, known: list[str]) -> list[str]:
    """Return the columns' names as the table spells them, the confidential one first."""
    found = profile(con, table)
    names = [column.name for column in found.columns]
    spelt = []
    for name in [confidential, *known]:
        column = found.column(name)
        if column is None:
            raise DataError(f"{table!r} has no column {name!r}; {choices(name, names)}")
        spelt.append(column.name)
    column = found.column(confidential)
    if column is not None and not column.numeric:
        raise DataError(f"CAE needs numbers; {confidential!r} is {column.type}")
    if column is not None and column.odd:
        raise DataError(f"{confidential!r} has {column.odd} NaN or infinite values: replace them with NULL first")
    if confidential in known:
        raise DataError(f"{confidential!r} cannot be both confidential and known: leave it out of the known columns")
    return spelt
