"""`hash` of ints, and of tuples of them and dataclasses that hold them, as CPython computes it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....guards.compared_fields import generated_hash
from ....tracing.array import TracedArray
from ....tracing.staging import cast
from ..interface import operators
from .math_on_integers import is_whole

_MODULUS = np.int64(2**61 - 1)
_PRIMES = tuple(map(np.uint64, (11400714785074694791, 14029467366897019727, 2870177450012600261)))
_OF_LENGTHS = np.uint64(3527539)
_ERROR = np.uint64(2**64 - 1)
"""The number -1, by which functions in C tell that they failed."""


def _is_whole(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_whole, value))
    return is_whole(value) and not (isinstance(value, TracedArray) and not value._is_scalar)


def hash_(value: Any) -> Any:
    """`hash(value)`: a remainder of an int; xxHash of the hashes of a tuple's items (`Objects/tupleobject.c`).

    That of a dataclass's object is the hash of its fields.
    """
    if (names := generated_hash(type(value))) is not None:
        value = tuple(operators().attr(value, name) for name in names)
    if not _is_whole(value):
        return hash(value)
    made = _of_tuple(value) if type(value) is tuple else _of_int(value)
    return cast(made, np.dtype(np.int64))._like_python(int)


def _of_int(value: Any) -> Any:
    if not isinstance(value, TracedArray):
        return np.int64(hash(value))
    rest: Any = np.fmod(cast(TracedArray(value._storage), np.dtype(np.int64)), _MODULUS)
    return np.where(np.equal(rest, -1), np.int64(-2), rest)


def _of_tuple(items: tuple[Any, ...]) -> Any:
    one, two, five = _PRIMES
    found: Any = five
    with np.errstate(over="ignore"):
        for item in items:
            lane = _of_tuple(item) if type(item) is tuple else _of_int(item)
            found = found + lane.astype(np.uint64) * two
            found = ((found << np.uint64(31)) | (found >> np.uint64(33))) * one
        found = found + (np.uint64(len(items)) ^ (five ^ _OF_LENGTHS))
    return np.where(np.equal(found, _ERROR), np.uint64(1546275796), found)
