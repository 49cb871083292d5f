"""`hash` of ints, and of tuples of them and dataclasses that hold them, as CPython computes it.

`hash` and `id` of other objects are numbers that differ for each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....guards.compared_fields import generated_hash
from ....guards.generated import is_generated
from ....runtime_values.results import RuntimeContainer, RuntimeLength, RuntimeObject
from ....tracing.array import TracedArray
from ....tracing.current import current_trace, required_trace
from ....tracing.staging import cast
from ..interface import operators
from ..lists.kept_items import is_read
from ..values.made_objects import is_made, is_one_of_many
from ..values.object_handles import PooledObject, note_refused
from ..values.optional import Chosen, Optional
from ..values.special_methods import users_method
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
    kind: Any = type(value)
    if (names := generated_hash(kind)) is not None:
        value = tuple(operators().attr(value, name) for name in names)
    elif is_told_apart(value) and not isinstance(value, RuntimeContainer):
        method = users_method(value, "__hash__")
        if method is not None and not is_generated(method):
            return operators().call(method, value)
        if kind.__hash__ is object.__hash__ or isinstance(value, (Chosen, Optional)):
            return _of_one_object(value, hash_)
    if not _is_whole(value):
        return hash(value)
    made = _of_tuple(value) if type(value) is tuple else _of_int(value)
    return cast(made, np.dtype(np.int64))._like_python(int)


def id_(value: Any) -> Any:
    """`id(value)`: of an object that only the program knows, a number of its own."""
    return _of_one_object(value, id_) if is_told_apart(value) else id(value)


def is_told_apart(value: Any) -> bool:
    """Whether a value is an object that the program makes, or one of several."""
    trace = current_trace()
    kinds = (RuntimeObject, RuntimeContainer, Chosen, Optional)
    return trace is not None and (isinstance(value, kinds) or is_made(trace, value))


class _Pools:
    """The pools of which numbers were asked."""

    def __init__(self) -> None:
        self._known: list[Any] = []

    def first_number(self, pool: Any) -> int:
        """That of its first object: no object of Python's lies there in memory, and none of another pool."""
        if not any(pool is known for known in self._known):
            self._known.append(pool)
        return (1 << 62) + (next(n for n, known in enumerate(self._known) if known is pool) << 40)


def _of_one_object(value: Any, ask: Callable[[Any], Any]) -> Any:
    trace = required_trace()
    if isinstance(value, Chosen):
        return value.each(ask)
    if isinstance(value, Optional):
        found = value.value
        return operators().if_exp(value.is_none, lambda: ask(None), lambda: ask(found))
    parts = value.joined_parts() if isinstance(value, (PooledObject, RuntimeLength)) else None
    if parts is not None and len(parts) == 2:
        return (parts[1] + trace.state(_Pools).first_number(parts[0]))._like_python(int)
    if isinstance(value, RuntimeContainer) or is_read(value) or is_one_of_many(trace, value):
        asked = "id" if ask is id_ else "hash"
        kind = value.python_type if isinstance(value, RuntimeContainer) else type(value)
        refusal = UnsupportedError(
            f"{asked}() tells which {kind.__name__} this is, and compiled code has copies where loops and branches "
            "make or change it: compare what they hold, or number them (self.number = number)"
        )
        note_refused(trace, refusal, value)
        raise refusal
    return id(value) if ask is id_ else hash(value)


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
