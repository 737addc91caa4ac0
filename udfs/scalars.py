"""The measures as DuckDB scalar functions over lists, so that `sdc_cae(list(v), list(p))` works under any GROUP BY.

Each function runs the Python measure of the same name on Arrow data. NULL in, NULL out: a NULL list, a list that
contains a NULL, and a NULL eps all give NULL. `sdcdb.measures.distribution` documents other odd input.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass
from inspect import Parameter, Signature
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from sdcdb.errors import DataError
from sdcdb.measures import associations, distribution, equivocation, linkage
from sdcdb.measures import cae_curve as cae
from sdcdb.measures import entropies as entropy


@dataclass(frozen=True)
class Scalar:
    """A function for DuckDB: its name, SQL signature, and the measure behind it."""

    name: str
    parameters: tuple[str, ...]
    returns: str
    measure: Callable[..., Any]
    summary: str


def _cae(values: Any, probs: Any) -> dict[str, float]:
    return asdict(cae.cae(values, probs))


def _cae_curve(values: Any, probs: Any) -> list[dict[str, float]]:
    curve = cae.curve(values, probs)
    return [{"eps": e, "h": h} for e, h in zip(curve.eps.tolist(), curve.h.tolist(), strict=True)]


def _chi_square(first: list[Any], second: list[Any]) -> dict[str, Any]:
    if len(first) != len(second):
        raise DataError(f"{len(first)} values and {len(second)}: pass two lists of the same records")
    both = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    rows, columns = (
        ({value: n for n, value in enumerate(dict.fromkeys(side))} for side in zip(*both, strict=True))
        if both
        else ({}, {})
    )
    counts = np.zeros((len(rows), len(columns)))
    for a, b in both:
        counts[rows[a], columns[b]] += 1
    return asdict(associations.association(counts))


def _sampling_belief(values: Any, matching: float, domain: Any) -> Any:
    return equivocation.after_sampling(values, int(matching), domain)


def _noise_belief(observed: Any, likelihood: Any, prior: Any) -> Any:
    """Lists count from 1 in SQL; an empty prior is a uniform one."""
    places = np.asarray(observed, np.float64)
    if not len(places) or (places != np.round(places)).any():
        raise DataError("observed must list, for each matching record, the place of its value: 1, 2, 3, ...")
    sizes = {len(row) for row in likelihood}
    if len(sizes) > 1:
        raise DataError("the rows of the likelihood must be equally long: one number for each value that may come out")
    (size,) = sizes or {0}
    if len(places) and not (places.min() >= 1 and places.max() <= size):
        raise DataError(f"observed must lie in 1 to {size}: a row of the likelihood has no other place")
    chances = np.asarray(likelihood, np.float64)
    allowed = chances[np.asarray(prior, np.float64) > 0] if len(prior) == len(chances) else chances
    for place in places.astype(np.int64):
        if not (allowed[:, place - 1] > 0).any():
            raise DataError(
                f"what is published at place {place} cannot come from any value: pass the likelihood of the noise that "
                "was added, and a prior that allows the value"
            )
    return equivocation.after_noise(places.astype(np.int64) - 1, chances, prior if len(prior) else None)


def _security(entropies: Any, threshold: float, allowed: float) -> dict[str, Any]:
    return asdict(linkage.security(entropies, threshold, allowed))


LIST = "DOUBLE[]"
TEXTS = "VARCHAR[]"
MATRIX = "DOUBLE[][]"
_ASSOCIATION = (
    "STRUCT(records BIGINT, chi_square DOUBLE, likelihood_ratio DOUBLE, df BIGINT, p_value DOUBLE, "
    "likelihood_p_value DOUBLE, cramers_v DOUBLE, share_expected_over_5 DOUBLE, least_expected DOUBLE, "
    "large_sample BOOLEAN)"
)
_SECURITY = "STRUCT(mean DOUBLE, sd DOUBLE, below DOUBLE, secure BOOLEAN)"

SCALARS = (
    Scalar("sdc_entropy", (LIST,), "DOUBLE", entropy.entropy, "Shannon entropy of probabilities, in bits"),
    Scalar("sdc_disclosure_risk", (LIST,), "DOUBLE", entropy.disclosure_risk, "1 / entropy: infinite when certain"),
    Scalar(
        "sdc_reidentification_entropy",
        (LIST,),
        "DOUBLE",
        linkage.reidentification_entropy,
        "entropy of which record is the target's, from the likelihood of each",
    ),
    Scalar(
        "sdc_class_entropy",
        (LIST, LIST),
        "DOUBLE",
        linkage.class_entropy,
        "entropy of the target's class, from the likelihood of each record and the share of the class in its leaf",
    ),
    Scalar("sdc_normalise", (LIST,), LIST, distribution.normalise, "counts or weights to probabilities"),
    Scalar("sdc_h", (LIST, LIST, "DOUBLE"), "DOUBLE", cae.h, "H(eps): entropy when values at most eps apart merge"),
    Scalar(
        "sdc_cae",
        (LIST, LIST),
        "STRUCT(h0 DOUBLE, area DOUBLE, eps_max DOUBLE)",
        _cae,
        "Confidential Attribute Equivocation: H(0), the area under H, and where H reaches 0",
    ),
    Scalar(
        "sdc_cae_curve",
        (LIST, LIST),
        "STRUCT(eps DOUBLE, h DOUBLE)[]",
        _cae_curve,
        "every step of H: (eps, h) from eps = 0 to eps_max",
    ),
    Scalar(
        "_sdc_chi_square",
        (TEXTS, TEXTS),
        _ASSOCIATION,
        _chi_square,
        "chi-square and likelihood ratio of two lists of values of the same records, with p-values",
    ),
    Scalar(
        "sdc_sampling_belief",
        (LIST, "BIGINT", LIST),
        LIST,
        _sampling_belief,
        "p_i of each domain value after sampling: matching values in the sample, matching records in all, domain",
    ),
    Scalar(
        "sdc_restriction_belief",
        (LIST, LIST, LIST),
        LIST,
        equivocation.after_restriction,
        "p_i of each domain value from the bounds L and U of the matching records (CAE, Algorithm 2)",
    ),
    Scalar(
        "_sdc_noise_belief",
        (LIST, MATRIX, LIST),
        LIST,
        _noise_belief,
        "p_i of each domain value after noise, by Bayes",
    ),
    Scalar(
        "sdc_security",
        (LIST, "DOUBLE", "DOUBLE"),
        _SECURITY,
        _security,
        "of entropies, H_t and v: mean, deviation, the share T below H_t, and whether T is at most v (thesis 8.1)",
    ),
)

_ARROW = {
    "DOUBLE": pa.float64(),
    LIST: pa.list_(pa.float64()),
    "STRUCT(h0 DOUBLE, area DOUBLE, eps_max DOUBLE)": pa.struct(
        [("h0", pa.float64()), ("area", pa.float64()), ("eps_max", pa.float64())]
    ),
    "BIGINT": pa.int64(),
    _ASSOCIATION: pa.struct(
        [
            ("records", pa.int64()),
            ("chi_square", pa.float64()),
            ("likelihood_ratio", pa.float64()),
            ("df", pa.int64()),
            ("p_value", pa.float64()),
            ("likelihood_p_value", pa.float64()),
            ("cramers_v", pa.float64()),
            ("share_expected_over_5", pa.float64()),
            ("least_expected", pa.float64()),
            ("large_sample", pa.bool_()),
        ]
    ),
    _SECURITY: pa.struct(
        [("mean", pa.float64()), ("sd", pa.float64()), ("below", pa.float64()), ("secure", pa.bool_())]
    ),
    "STRUCT(eps DOUBLE, h DOUBLE)[]": pa.list_(pa.struct([("eps", pa.float64()), ("h", pa.float64())])),
}


def create_scalars(con: duckdb.DuckDBPyConnection, there: Container[str]) -> None:
    """Create every scalar function that is not there yet.

    On its own cursor: functions belong to the database, not to the connection, so this disturbs no result that the user
    is still fetching, and a connection left open at exit keeps no object of sdcdb alive.
    """
    with con.cursor() as cursor:
        for scalar, function in _FUNCTIONS:
            if scalar.name not in there:
                cursor.create_function(
                    scalar.name,
                    function,
                    [duckdb.sqltype(parameter) for parameter in scalar.parameters],
                    duckdb.sqltype(scalar.returns),
                    type=PythonUDFType.ARROW,
                    null_handling=FunctionNullHandling.SPECIAL,
                )


def _over_rows(scalar: Scalar) -> Callable[..., pa.Array]:
    def function(*columns: pa.ChunkedArray) -> pa.Array:
        rows = zip(*(_cells(column) for column in columns), strict=True)
        return pa.array([_answer(scalar, row) for row in rows], type=_ARROW[scalar.returns])

    # DuckDB counts a function's parameters by its signature.
    names = [Parameter(f"argument_{n}", Parameter.POSITIONAL_ONLY) for n, _ in enumerate(scalar.parameters)]
    function.__signature__ = Signature(names)  # type: ignore[attr-defined]
    return function


def _answer(scalar: Scalar, row: Sequence[Any]) -> Any:
    if any(cell is None for cell in row):
        return None
    try:
        return scalar.measure(*row)
    except DataError as problem:
        raise DataError(f"{scalar.name.lstrip('_')}: {problem}") from None


def _cells(column: pa.ChunkedArray) -> list[Any]:
    """Return one numpy array (or number) per row, None for a NULL or for a list with a NULL in it."""
    if not pa.types.is_list(column.type) or not pa.types.is_floating(column.type.value_type):
        return list(column.to_pylist())
    cells: list[Any] = []
    for chunk in column.chunks:
        inside = np.asarray(chunk.values.to_numpy(zero_copy_only=False), dtype=np.float64)
        missing = np.asarray(chunk.values.is_null().to_numpy(zero_copy_only=False), dtype=bool)
        offsets, valid = chunk.offsets.to_numpy(), chunk.is_valid().to_numpy(zero_copy_only=False)
        for start, end, present in zip(offsets[:-1], offsets[1:], valid, strict=True):
            cells.append(inside[start:end] if present and not missing[start:end].any() else None)
    return cells


# Created once and kept: DuckDB refers to these objects as long as a database is open.
_FUNCTIONS = tuple((scalar, _over_rows(scalar)) for scalar in SCALARS)
