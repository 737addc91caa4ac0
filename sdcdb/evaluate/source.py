"""Read the population of an experiment from a table."""

import math
from dataclasses import dataclass

import duckdb
import numpy as np

from sdcdb.connection.identifiers import identifier, quoted, table_reference
from sdcdb.connection.profile import ColumnProfile, TableProfile, profile
from sdcdb.errors import DataError, choices
from sdcdb.evaluate.population import MOST_KNOWN, Grid, Population
from sdcdb.policy.models import Role, Table

FEW = 50  # values of a grid that sdcdb chooses
MOST_VALUES = 2_000  # values of a grid that the user chooses


@dataclass(frozen=True)
class Wanted:
    """What to read. None means: from the policy, or else from the table itself."""

    table: str
    confidential: str
    known: tuple[str, ...] = ()
    domain: tuple[float, float] | None = None
    step: float | None = None
    records: int = 10_000
    seed: int = 0


def read(con: duckdb.DuckDBPyConnection, wanted: Wanted, declared: Table | None = None) -> tuple[Population, list[str]]:
    """Return the population, and notes on the choices made for the user."""
    found = profile(con, wanted.table)
    secret = _column(found, wanted.confidential)
    if not secret.numeric:
        raise DataError(f"CAE needs numbers; {secret.name!r} is {secret.type}")
    if secret.odd:
        raise DataError(f"{secret.name!r} has {secret.odd} NaN or infinite values: replace them with NULL first")
    if secret.low is None or secret.high is None:
        raise DataError(f"{wanted.table!r} has no record with a value in {secret.name!r}: nothing to evaluate")
    known, notes = _known(found, secret, wanted, declared)
    if len(known) > MOST_KNOWN:
        raise DataError(
            f"{len(known)} columns may be known, {', '.join(known)}: name at most {MOST_KNOWN} with --known"
        )
    grid, said = _grid(secret, wanted, declared)
    if secret.nulls:
        notes.append(f"{secret.nulls:,} records without a value in {secret.name} were left out")
    available = secret.rows - secret.nulls
    if available > wanted.records:
        notes.append(
            f"{wanted.records:,} of {available:,} records are used, drawn at random; raise --records to use more"
        )
    frame = _fetch(con, wanted, [secret.name, *known], available)
    steps = (frame[:, 0].astype(np.float64) - grid.low) / grid.step
    positions = np.floor(steps + 0.5).astype(np.int64)
    outside = (positions < 0) | (positions >= grid.size)
    if outside.any():
        raise DataError(
            f"{int(outside.sum()):,} values of {secret.name!r} lie outside [{grid.low:g}, {grid.high:g}], "
            f"such as {frame[outside.argmax(), 0]}: widen --domain"
        )
    codes = np.column_stack([frame[:, 1:].astype(np.int64), np.zeros((len(frame), 0), np.int64)])
    return Population(grid, positions, known, codes), [*notes, *said]


def _column(found: TableProfile, name: str) -> ColumnProfile:
    column = found.column(name)
    if column is None:
        raise DataError(f"{found.name!r} has no column {name!r}; {choices(name, [c.name for c in found.columns])}")
    return column


def _known(
    found: TableProfile, secret: ColumnProfile, wanted: Wanted, declared: Table | None
) -> tuple[tuple[str, ...], list[str]]:
    named = list(wanted.known) or (declared.named(Role.QUASI) if declared else [])
    if named:
        known = tuple(dict.fromkeys(_column(found, name).name for name in named))
        if secret.name in known:
            raise DataError(f"{secret.name!r} cannot be both confidential and known: leave it out of the known columns")
        return known, []
    known = tuple(c.name for c in found.columns if c.name != secret.name and not c.unique)
    return known, [f"an intruder may know {', '.join(known) or 'nothing'}; --known names other columns"]


def _grid(secret: ColumnProfile, wanted: Wanted, declared: Table | None) -> tuple[Grid, list[str]]:
    """Determine the public domain. A step chosen here leaves at most `FEW` values; the paper's Table 2 has 25."""
    public = declared.columns.get(secret.name) if declared else None
    domain = wanted.domain or (public.domain if public else None)
    low, high = domain or (float(secret.low or 0.0), float(secret.high or 0.0))
    if not low <= high:
        raise DataError(f"the domain [{low:g}, {high:g}] is empty: set --domain LOW,HIGH")
    notes = (
        []
        if domain
        else [f"the domain of {secret.name} is taken from the data; set the public one with --domain LOW,HIGH"]
    )
    step = wanted.step if wanted.step is not None else _own_step(secret, public.step if public else None)
    if wanted.step is None and (step is None or (high - low) / step >= FEW):
        step = _nice((high - low) / (FEW - 1))
        notes.append(f"{secret.name} is rounded to steps of {step:g}; change them with --step")
    if step is None or not step > 0:
        raise DataError(f"--step {step}: it must be above 0")
    if domain is None:  # on multiples of the step, as the paper rounds to the nearest 10 K
        low, high = (math.floor(end / step + 0.5) * step for end in (low, high))
    size = math.floor((high - low) / step + 1e-6) + 1
    if size > MOST_VALUES:
        raise DataError(f"a domain of {size:,} values is too large: use a larger --step, for at most {MOST_VALUES:,}")
    return Grid(float(low), float(step), size), notes


def _own_step(secret: ColumnProfile, declared: float | None) -> float | None:
    if declared is not None:
        return float(declared)
    if secret.integer:
        return 1.0
    return None if secret.decimals is None else 10.0**-secret.decimals


def _nice(least: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is at least `least`.

    >>> _nice(4.9), _nice(0.012), _nice(2000.0)
    (5.0, 0.02, 2000.0)
    """
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return float(f"{next(k for k in (1, 2, 5, 10) if k * power >= least * (1 - 1e-9)) * power:.12g}")


def _fetch(con: duckdb.DuckDBPyConnection, wanted: Wanted, names: list[str], available: int) -> np.ndarray:
    """Return the values and, for each known column, a number per different value; NULL is a value like any other."""
    import pandas as pd

    value, *known = (quoted(identifier(name)) for name in names)
    columns = ", ".join([f"{value}::DOUBLE AS c0", *(f"{name} AS c{n}" for n, name in enumerate(known, start=1))])
    sql = f"SELECT {columns} FROM {quoted(table_reference(wanted.table))} WHERE {value} IS NOT NULL"
    cursor = con.cursor()  # a relation needs a connection without pending results
    if available > wanted.records:
        chosen = np.random.default_rng(wanted.seed).permutation(available)[: wanted.records] + 1
        cursor.register("sdc chosen", pd.DataFrame({"n": np.sort(chosen)}))
        numbered = f"SELECT *, row_number() OVER () AS n FROM ({sql})"
        sql = f'SELECT * EXCLUDE (n) FROM ({numbered}) SEMI JOIN "sdc chosen" USING (n) ORDER BY n'
    frame = cursor.sql(sql).df()
    cursor.close()
    coded = [
        pd.factorize(frame[name].astype("object").map(str), use_na_sentinel=False)[0] for name in frame.columns[1:]
    ]
    return np.column_stack([frame["c0"].to_numpy(), *coded])
