"""PostgreSQL's types, and which of them each of DuckDB's types is shown as."""

import re
from dataclasses import dataclass
from enum import IntEnum


class Oid(IntEnum):
    """Numbers of types, as pg_type has them."""

    BOOL = 16
    BYTEA = 17
    CHAR = 18
    NAME = 19
    INT8 = 20
    INT2 = 21
    INT4 = 23
    TEXT = 25
    OID = 26
    JSON = 114
    FLOAT4 = 700
    FLOAT8 = 701
    UNKNOWN = 705
    BPCHAR = 1042
    VARCHAR = 1043
    DATE = 1082
    TIME = 1083
    TIMESTAMP = 1114
    TIMESTAMPTZ = 1184
    INTERVAL = 1186
    TIMETZ = 1266
    NUMERIC = 1700
    REGCLASS = 2205
    UUID = 2950
    JSONB = 3802


KNOWN = frozenset(int(oid) for oid in Oid)
ARRAYS = {
    Oid.BOOL: 1000,
    Oid.BYTEA: 1001,
    Oid.CHAR: 1002,
    Oid.NAME: 1003,
    Oid.INT2: 1005,
    Oid.INT4: 1007,
    Oid.TEXT: 1009,
    Oid.BPCHAR: 1014,
    Oid.VARCHAR: 1015,
    Oid.INT8: 1016,
    Oid.FLOAT4: 1021,
    Oid.FLOAT8: 1022,
    Oid.OID: 1028,
    Oid.TIMESTAMP: 1115,
    Oid.DATE: 1182,
    Oid.TIME: 1183,
    Oid.TIMESTAMPTZ: 1185,
    Oid.INTERVAL: 1187,
    Oid.NUMERIC: 1231,
    Oid.TIMETZ: 1270,
    Oid.JSON: 199,
    Oid.UUID: 2951,
    Oid.JSONB: 3807,
}
ELEMENTS = {array: element for element, array in ARRAYS.items()}
SIZES = {
    Oid.BOOL: 1,
    Oid.CHAR: 1,
    Oid.NAME: 64,
    Oid.INT2: 2,
    Oid.INT4: 4,
    Oid.INT8: 8,
    Oid.OID: 4,
    Oid.FLOAT4: 4,
    Oid.FLOAT8: 8,
    Oid.DATE: 4,
    Oid.TIME: 8,
    Oid.TIMETZ: 12,
    Oid.TIMESTAMP: 8,
    Oid.TIMESTAMPTZ: 8,
    Oid.INTERVAL: 16,
    Oid.REGCLASS: 4,
    Oid.UUID: 16,
}
_SHOWN = {
    "BOOLEAN": Oid.BOOL,
    "TINYINT": Oid.INT2,
    "SMALLINT": Oid.INT2,
    "INTEGER": Oid.INT4,
    "BIGINT": Oid.INT8,
    "UTINYINT": Oid.INT2,
    "USMALLINT": Oid.INT4,
    "UINTEGER": Oid.INT8,
    "UBIGINT": Oid.NUMERIC,
    "HUGEINT": Oid.NUMERIC,
    "UHUGEINT": Oid.NUMERIC,
    "FLOAT": Oid.FLOAT4,
    "DOUBLE": Oid.FLOAT8,
    "VARCHAR": Oid.TEXT,
    "BLOB": Oid.BYTEA,
    "DATE": Oid.DATE,
    "TIME": Oid.TIME,
    "TIMESTAMP": Oid.TIMESTAMP,
    "TIMESTAMP_S": Oid.TIMESTAMP,
    "TIMESTAMP_MS": Oid.TIMESTAMP,
    "TIMESTAMP_NS": Oid.TIMESTAMP,
    "TIMESTAMP WITH TIME ZONE": Oid.TIMESTAMPTZ,
    "TIME WITH TIME ZONE": Oid.TIMETZ,
    "INTERVAL": Oid.INTERVAL,
    "UUID": Oid.UUID,
    "JSON": Oid.JSON,
}
_DECIMAL = re.compile(r"DECIMAL\((\d+), ?(\d+)\)")


@dataclass(frozen=True)
class Shown:
    """A type as a client sees it: its number, that of its elements if it is an array, and its modifier."""

    oid: int
    element: Oid | None = None
    modifier: int = -1

    @property
    def size(self) -> int:
        """The size that a row description names; -1 where it varies."""
        return SIZES.get(Oid(self.oid), -1) if self.element is None else -1


TEXT = Shown(Oid.TEXT)


def shown(kind: str) -> Shown:
    """Return how a type of DuckDB is shown. Structures and maps are JSON; what has no counterpart is text.

    >>> shown("DECIMAL(18,2)").oid == Oid.NUMERIC, shown("INTEGER[]").oid
    (True, 1007)
    """
    if decimal := _DECIMAL.fullmatch(kind):
        precision, scale = map(int, decimal.groups())
        return Shown(Oid.NUMERIC, modifier=(precision << 16 | scale) + 4)
    if kind.endswith("]") and not kind.startswith(("STRUCT", "MAP", "UNION")):
        element = shown(kind[: kind.rindex("[")])
        if element.element is None and element.oid in ARRAYS:
            return Shown(ARRAYS[Oid(element.oid)], Oid(element.oid))
        return Shown(Oid.JSON)
    if kind.startswith(("STRUCT", "MAP", "UNION")):
        return Shown(Oid.JSON)
    return Shown(_SHOWN.get(kind, Oid.TEXT))
