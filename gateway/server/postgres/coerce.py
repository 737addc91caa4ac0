"""An answer in the types that a client was promised when it prepared the statement."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from sdcdb.gateway.server.postgres.encode import plain_text
from sdcdb.gateway.server.postgres.problem import Refusal
from sdcdb.gateway.server.postgres.results import Result
from sdcdb.gateway.server.postgres.types import KNOWN, Oid, Shown

_WHOLE = {Oid.INT2: 15, Oid.INT4: 31, Oid.INT8: 63}
_TEXTS = {Oid.TEXT, Oid.VARCHAR, Oid.NAME}


def fit(result: Result, shape: Result | None) -> Result:
    """Return a result in the columns that were described; refuse what does not fit them."""
    if shape is None or shape.columns is None or result.kinds == shape.kinds:
        return result
    if len(result.kinds) != len(shape.kinds):
        raise Refusal("0A000", "the result has other columns than were described", hint="prepare the statement again")
    changed = [n for n, (own, wanted) in enumerate(zip(result.kinds, shape.kinds, strict=True)) if own != wanted]
    rows = [tuple(_fit(v, shape.kinds[n]) if n in changed else v for n, v in enumerate(row)) for row in result.rows]
    return replace(result, kinds=shape.kinds, rows=rows)


def _fit(value: Any, kind: Shown) -> Any:
    if value is None:
        return None
    wanted = Oid(kind.oid) if kind.oid in KNOWN else Oid.TEXT
    if wanted in _TEXTS:
        return plain_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise Refusal("0A000", "the result has other types than were described", hint="prepare the statement again")
    if wanted in {Oid.FLOAT4, Oid.FLOAT8}:
        return float(value)
    if wanted == Oid.NUMERIC:
        return value if isinstance(value, Decimal) else Decimal(str(value))
    if wanted in _WHOLE and value == int(value) and abs(int(value)) < 1 << _WHOLE[wanted]:
        return int(value)
    raise Refusal("22003", "a number of the result is out of the range that was described")
