"""Query sets and versions as text: packed, compressed, in base64."""

import base64
import binascii
import json
import zlib
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import LedgerError


def pack(flags: NDArray[np.bool_]) -> str:
    """Write flags as text.

    >>> unpack(pack(np.array([True, False, True])), 3).tolist()
    [True, False, True]
    """
    return _compressed(np.packbits(flags).tobytes())


@lru_cache(maxsize=4)  # a set is written down once for its size and once for what is known of it
def _compressed(bits: bytes) -> str:
    return base64.b64encode(zlib.compress(bits, 6)).decode("ascii")


def unpack(text: str, size: int) -> NDArray[np.bool_]:
    """Read flags back."""
    try:
        packed = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype=np.uint8)
    except (binascii.Error, zlib.error, ValueError):
        raise LedgerError("a query set in the ledger cannot be read: run `sdcdb ledger verify`") from None
    if len(packed) != (size + 7) // 8:
        raise LedgerError("a query set in the ledger does not fit its table: run `sdcdb ledger verify`")
    return np.unpackbits(packed, count=size).astype(np.bool_)


def pack_weights(weights: NDArray[np.int64]) -> str:
    """Write a weight per cell as text: those of the cells of a set.

    >>> unpack_weights(pack_weights(np.array([5, 70_000])), np.array([True, False, True])).tolist()
    [5, 0, 70000]
    """
    return base64.b64encode(zlib.compress(np.asarray(weights, dtype="<i4").tobytes(), 6)).decode("ascii")


def unpack_weights(text: str, cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Read weights back, with 0 for the cells outside of the set."""
    found = np.zeros(len(cells), dtype=np.int64)
    try:
        found[cells] = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype="<i4")
    except (binascii.Error, zlib.error, ValueError):
        raise LedgerError("the weights of a sum in the ledger cannot be read: run `sdcdb ledger verify`") from None
    return found


def pack_json(data: Any) -> str:
    """Write plain data as text.

    >>> unpack_json(pack_json({"keys": ["a"]}))
    {'keys': ['a']}
    """
    return base64.b64encode(zlib.compress(json.dumps(data).encode(), 6)).decode("ascii")


def unpack_json(text: str) -> Any:
    """Read plain data back."""
    try:
        return json.loads(zlib.decompress(base64.b64decode(text)))
    except (ValueError, zlib.error):
        raise LedgerError("a version in the ledger cannot be read: run `sdcdb ledger verify`") from None


def pack_digests(digests: NDArray[np.int64]) -> str:
    """Write whole numbers of 64 bits as text.

    >>> unpack_digests(pack_digests(np.array([1, -5])))
    array([ 1, -5])
    """
    return base64.b64encode(np.asarray(digests, dtype="<i8").tobytes()).decode("ascii")


def unpack_digests(text: str) -> NDArray[np.int64]:
    """Read whole numbers back."""
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<i8").astype(np.int64)
    except (binascii.Error, ValueError):
        raise LedgerError("a sketch in the ledger cannot be read: run `sdcdb ledger verify`") from None


def pack_steps(steps: NDArray[np.int64]) -> str:
    """Write whole numbers, most of them small or alike, as text that is short then.

    >>> unpack_steps(pack_steps(np.array([1, 1, -5])))
    array([ 1,  1, -5])
    """
    return base64.b64encode(zlib.compress(np.asarray(steps, dtype="<i8").tobytes(), 6)).decode("ascii")


def unpack_steps(text: str) -> NDArray[np.int64]:
    """Read them back."""
    try:
        return np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype="<i8").astype(np.int64)
    except (binascii.Error, zlib.error, ValueError):
        raise LedgerError("a version in the ledger cannot be read: run `sdcdb ledger verify`") from None
