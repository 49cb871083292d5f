"""Arrays of dates and of records among the arguments: they are taken apart into arrays that compiled code has.

A date or a duration is an integer with a unit, a record holds its fields: each of these is a view of the argument's
memory, so that what is written to it is written to the argument.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ...dialect.dtypes import is_element
from ...dialect.errors import UnsupportedError
from ...dialect.records import NamedTuple
from .traced_value import CompositeValue, TracedValue

Array: TypeAlias = "np.ndarray[Any, Any]"


class ArrayParts(NamedTuple):
    """What an array of dates or records is taken apart into."""

    dtype: np.dtype[Any]
    arrays: tuple[Any, ...]


class Part(NamedTuple):
    """One of the arrays that an array is taken apart into."""

    path: tuple[str, ...]
    """The names of the fields that lead to it."""
    dtype: np.dtype[Any]
    """That of its elements, integers for dates."""
    offset: int
    """Where it begins in an element, in bytes."""
    shape: tuple[int, ...]
    """The axes that it has more than its records: those of fields that are arrays."""


def is_composite(dtype: np.dtype[Any]) -> bool:
    """Whether arrays of a dtype are taken apart: dates, durations, and records of what compiled code has.

    >>> is_composite(np.dtype("M8[D]")), is_composite(np.dtype([("x", "f8"), ("n", "i4")]))
    (True, True)
    >>> is_composite(np.dtype("S3"))
    False
    """
    return dtype.kind in "mM" or (dtype.names is not None and not dtype.hasobject and bool(parts_of(dtype)))


def is_composite_dtype(dtype: Any) -> bool:
    """Whether what names a dtype names one of such arrays."""
    try:
        return is_composite(np.dtype(dtype))
    except (TypeError, ValueError):  # the latter of texts that are no names
        return False


@cache
def parts_of(dtype: np.dtype[Any]) -> tuple[Part, ...]:
    """What arrays of a dtype are taken apart into; fields of text and the like are left out.

    >>> [".".join(part.path) for part in parts_of(np.dtype([("x", "f8"), ("s", "S3"), ("in", [("y", "i4")])]))]
    ['x', 'in.y']
    """
    return tuple(_walk(dtype, (), 0, ()))


def _walk(dtype: np.dtype[Any], path: tuple[str, ...], offset: int, shape: tuple[int, ...]) -> Iterator[Part]:
    base, shape = dtype.base, shape + dtype.shape
    if base.kind in "mM":
        yield Part(path, np.dtype(np.int64).newbyteorder(base.byteorder), offset, shape)
    elif base.names is not None:
        for name in base.names:
            field, start = base.fields[name][:2]  # type: ignore[index]
            yield from _walk(field, (*path, name), offset + start, shape)
    elif base.kind in "biufc" and is_element(base.newbyteorder("=")):
        yield Part(path, base, offset, shape)


class _Memory:
    """Lends the memory of an array to a view of other elements, and keeps the array."""

    __slots__ = ("__array_interface__", "array")

    def __init__(
        self,
        array: Array,
        first: Array,
        offset: int,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...],
    ) -> None:
        self.array = array
        address, is_read_only = first.__array_interface__["data"]
        self.__array_interface__ = {
            "data": (address + offset, is_read_only),
            "typestr": dtype.str,
            "shape": shape,
            "strides": strides,
            "version": 3,
        }


_views: weakref.WeakValueDictionary[tuple[int, tuple[str, ...]], Array] = weakref.WeakValueDictionary()
"""The views of arrays that somebody has, so that one array has one view of a field."""


def parts_of_array(value: Any) -> ArrayParts | None:
    """The parts of an array or scalar of dates or records; None for others."""
    if not isinstance(value, (np.ndarray, np.generic)) or not is_composite(value.dtype):
        return None
    dtype = value.dtype
    return ArrayParts(
        dtype.newbyteorder("=") if dtype.names is None else dtype,
        tuple(_part(value, part) for part in parts_of(dtype)),
    )


def part_with(dtype: np.dtype[Any], number: int, value: Any) -> Any:
    """A part of an array or scalar, if that has such a dtype; else None."""
    if not isinstance(value, (np.ndarray, np.generic)):
        return None
    own = value.dtype if value.dtype.names is not None else value.dtype.newbyteorder("=")
    return _part(value, parts_of(value.dtype)[number]) if own == dtype else None


def are_parts_writable(value: Any) -> bool:
    """Whether what a value is taken apart into is arrays, of elements as compiled code has them."""
    return type(value) is np.ndarray and all(is_element(part.dtype) for part in parts_of(value.dtype))


def _part(value: Any, part: Part) -> Any:
    if not isinstance(value, np.ndarray):
        for name in part.path:
            value = value[name]
        return value.view(part.dtype) if value.dtype.kind in "mM" else value
    key = (id(value), part.path)
    known = _views.get(key)
    if known is not None and owner_of(known) is value:
        return known
    view = value
    for name in part.path:
        view = view[name]
    made = np.asarray(_Memory(value, view, 0, part.dtype, view.shape, view.strides))
    _views[key] = made
    return made


def owner_of(part: Any) -> Any:
    """The array that a view was made of as a part; None for another array."""
    memory = getattr(part, "base", None)
    return memory.array if isinstance(memory, _Memory) else None


def array_of(dtype: np.dtype[Any], arrays: Sequence[Any]) -> Any:
    """The array that has some parts: the one whose memory these are, a new one, or what stands for one in a trace."""
    if any(isinstance(array, (TracedValue, CompositeValue)) for array in arrays):
        return _makers[0](dtype, tuple(arrays))
    found = _owner(dtype, arrays)
    if found is not None:
        return found
    if dtype.kind in "mM":
        return arrays[0].view(dtype.newbyteorder(arrays[0].dtype.byteorder))
    return _records(dtype, arrays)


def _owner(dtype: np.dtype[Any], arrays: Sequence[Any]) -> Any:
    """The array of a dtype whose parts these are, all of each; None where they are those of one of its fields."""
    owner = owner_of(arrays[0])
    if owner is None or owner.dtype.newbyteorder("=") != dtype.newbyteorder("="):
        return None
    is_whole = all(
        array is _views.get((id(owner), part.path))
        for array, part in zip(arrays, parts_of(owner.dtype), strict=True)
    )
    return owner if is_whole else None


def _lender(parts: Sequence[Part], arrays: Sequence[Any], rank: int) -> Any:
    """The array in whose memory these lie as the fields of records do; None where they do not."""
    first = arrays[0]
    owner = owner_of(first) if owner_of(first) is not None else owner_of(first.base)
    places = {
        (array.__array_interface__["data"][0] - part.offset, array.strides[:rank])
        for part, array in zip(parts, arrays, strict=True)
    }
    return owner if len(places) == 1 else None


def _records(dtype: np.dtype[Any], arrays: Sequence[Any]) -> Any:
    """Records that have some fields: a view of those whose fields these are, or new ones."""
    parts = parts_of(dtype)
    rank = arrays[0].ndim - len(parts[0].shape)
    owner = _lender(parts, arrays, rank) if isinstance(arrays[0], np.ndarray) else None
    if owner is not None:
        first = arrays[0]
        void = np.dtype((np.void, dtype.itemsize))
        memory = _Memory(owner, first, -parts[0].offset, void, first.shape[:rank], first.strides[:rank])
        lent = np.asarray(memory)
        viewed = lent.view(dtype)
        if not rank:
            return viewed[()]
        return viewed if type(owner) is np.ndarray else viewed.view(type(owner))
    if len(parts) != sum(1 for _ in _fields(dtype)):
        raise UnsupportedError(
            f"records of dtype {dtype} are copied, and have fields of text or the like, which compiled code does not "
            "hold: copy the fields that the program needs"
        )
    made = np.zeros(arrays[0].shape[:rank], dtype)
    for part, array in zip(parts, arrays, strict=True):
        view = made
        for name in part.path:
            view = view[name]
        view[...] = array.view(view.dtype) if view.dtype.kind in "mM" else array
    return made if made.ndim else made[()]


def _fields(dtype: np.dtype[Any]) -> Iterator[np.dtype[Any]]:
    """The dtypes of all fields that have none themselves."""
    base = dtype.base
    if base.names is None:
        yield base
    else:
        for name in base.names:
            yield from _fields(base.fields[name][0])  # type: ignore[index]


def holds_composite(value: Any) -> bool:
    """Whether dates or records are among arguments, in lists of these, or in dicts."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_composite, value))
    if isinstance(value, dict):
        return any(map(holds_composite, value.values()))
    if isinstance(value, (np.ndarray, np.generic)):
        return is_composite(value.dtype)
    return isinstance(value, CompositeValue)


_makers: list[Callable[[np.dtype[Any], tuple[Any, ...]], Any]] = []


def define_composites(make: Callable[[np.dtype[Any], tuple[Any, ...]], Any]) -> None:
    """Say what stands in a trace for an array of dates or records, before the first one is needed."""
    _makers[:] = [make]


__all__ = [
    "ArrayParts",
    "Part",
    "are_parts_writable",
    "array_of",
    "define_composites",
    "holds_composite",
    "is_composite",
    "is_composite_dtype",
    "owner_of",
    "part_with",
    "parts_of",
    "parts_of_array",
]
