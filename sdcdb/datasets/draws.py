"""Seeded draws as SQL text: every random number is a fixed function of (seed, data set, record id).

DuckDB's `hash()` changes between versions and `random()` depends on the threads, so neither can generate data that is
the same everywhere. MD5 never changes, and one digest gives four draws of 32 bits. The rest is integer arithmetic,
which no platform rounds differently; only `normal` needs floating point, and its callers round.
Test data is public and needs no secret: this is not the generator that protects records.
"""

from collections.abc import Mapping, Sequence

SPAN = 2**32
LANES = 4


def draws(dataset: str, rows: int, seed: int, names: Sequence[str], ids: str | None = None) -> str:
    """Return the SELECT of `id` = 1..rows and one uniform draw from 0..2^32-1 per name.

    `ids` is a query whose column `id` takes the place of 1..rows; its other columns are kept.

    A draw depends only on its place in `names`, on the seed and on the id: not on `rows`, so that a larger
    table begins with the smaller one, and not on the threads.
    """
    blocks = range(-(-len(names) // LANES))
    digests = [f"md5_number('{seed}:{dataset}.{block}:' || id) AS m{block}" for block in blocks]
    lanes = [
        f"((m{place // LANES} >> {32 * (place % LANES)}) & {SPAN - 1})::UBIGINT AS {name}"
        for place, name in enumerate(names)
    ]
    kept, source = ("id", f"range(1, {rows + 1}) AS ids(id)") if ids is None else ("ids.*", f"({ids}) AS ids")
    hidden = ", ".join(f"m{block}" for block in blocks)
    return (
        f"SELECT * EXCLUDE ({hidden}), {', '.join(lanes)} FROM"
        f" (SELECT {kept}, {', '.join(digests)} FROM {source}) AS digests"
    )


def whole(draw: str, low: int, high: int) -> str:
    """Return SQL for an integer from low to high, both included, each equally likely."""
    return f"({low} + (({draw} * {high - low + 1}) >> 32)::INTEGER)"


def one_of(draw: str, values: Sequence[str]) -> str:
    """Return SQL for one of the values, each equally likely."""
    return f"[{', '.join(map(literal, values))}][{whole(draw, 1, len(values))}]"


def weighted(draw: str, weights: Mapping[str, int] | Mapping[int, int]) -> str:
    """Return SQL for a value with probability proportional to its weight."""
    total = sum(weights.values())
    *heads, (last, _) = weights.items()
    reached, whens = 0, []
    for value, weight in heads:
        reached += weight
        whens.append(f"WHEN {draw} < {SPAN * reached // total} THEN {literal(value)}")
    return f"CASE {' '.join(whens)} ELSE {literal(last)} END" if whens else literal(last)


def normal(draw: str, other: str) -> str:
    """Return SQL for a standard normal number from two draws, by the Box-Muller transform."""
    radius = f"sqrt(-2e0 * ln(({draw} + 1)::DOUBLE / {SPAN}e0))"
    return f"({radius} * cos(6.283185307179586e0 * ({other}::DOUBLE / {SPAN}e0)))"


def literal(value: str | int) -> str:
    """Write a value as SQL."""
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"
