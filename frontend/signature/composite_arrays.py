"""Arrays of dates, of records and of text among the arguments: they are taken apart into arrays that compiled code has.

A date or a duration is an integer with a unit, a record holds its fields, a text of fixed length its characters: each
of these is a view of the argument's memory, so that what is written to it is written to the argument.
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


MOST_CHARACTERS = 32
"""Arrays of longer texts are not taken apart: one array for each character is too many."""


class ArrayParts(NamedTuple):
    """What an array of dates, records or texts is taken apart into."""

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
    """Whether arrays of a dtype are taken apart: dates, durations, short texts, and records of what compiled code has.

    >>> is_composite(np.dtype("M8[D]")), is_composite(np.dtype([("x", "f8"), ("n", "i4")]))
    (True, True)
    >>> is_composite(np.dtype("S3")), is_composite(np.dtype("U0"))
    (True, False)
    """
    if dtype.names is not None:
        return not dtype.hasobject and bool(parts_of(dtype))
    return dtype.kind in "mMSU" and bool(parts_of(dtype))


def is_composite_value(value: Any) -> bool:
    """Whether a value is an array that is taken apart, or a scalar that is. One text is none: it is a constant.

    >>> is_composite_value(np.datetime64("2024-02-29")), is_composite_value(np.str_("a"))
    (True, False)
    """
    if not isinstance(value, (np.ndarray, np.generic)) or isinstance(value, (str, bytes)):
        return False
    return is_composite(value.dtype)


def characters_of(dtype: np.dtype[Any]) -> int:
    """How many characters texts of a dtype have at most.

    >>> characters_of(np.dtype("U3")), characters_of(np.dtype("S3"))
    (3, 3)
    """
    return dtype.itemsize // (4 if dtype.kind == "U" else 1)


def is_composite_dtype(dtype: Any) -> bool:
    """Whether what names a dtype names one of such arrays."""
    try:
        return is_composite(np.dtype(dtype))
    except (TypeError, ValueError):  # the latter of texts that are no names
        return False


@cache
def parts_of(dtype: np.dtype[Any]) -> tuple[Part, ...]:
    """What arrays of a dtype are taken apart into; fields of text and the like are left out.

    Texts of one character are an array of its codes; longer ones have an array for each place of a character.

    >>> [".".join(part.path) for part in parts_of(np.dtype([("x", "f8"), ("s", "S3"), ("in", [("y", "i4")])]))]
    ['x', 'in.y']
    """
    if dtype.kind in "SU":
        return tuple(_characters(dtype))
    return tuple(_walk(dtype, (), 0, ()))


def _characters(dtype: np.dtype[Any]) -> Iterator[Part]:
    count = characters_of(dtype)
    code = np.dtype("u4" if dtype.kind == "U" else "u1").newbyteorder(dtype.byteorder)
    if count <= MOST_CHARACTERS:
        for place in range(count):
            yield Part((f"character {place}",) if count > 1 else (), code, place * code.itemsize, ())


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
    """The parts of an array of dates, records or texts, or of a scalar; None for others."""
    if not is_composite_value(value):
        return None
    dtype = value.dtype
    return ArrayParts(
        dtype.newbyteorder("=") if dtype.names is None else dtype,
        tuple(_part(value, part) for part in parts_of(dtype)),
    )


def part_with(dtype: np.dtype[Any], number: int, value: Any) -> Any:
    """A part of an array or scalar, if that has such a dtype; else None."""
    if not is_composite_value(value):
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
    if value.dtype.kind in "SU":
        memory = _Memory(value, value, part.offset, part.dtype, value.shape, value.strides)
    else:
        view = _field(value, part)
        memory = _Memory(value, view, 0, part.dtype, view.shape, view.strides)
    made = np.asarray(memory)
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
    if dtype.names is None and len(arrays) == 1:
        return arrays[0].view(dtype.newbyteorder(arrays[0].dtype.byteorder))
    return _assembled(dtype, arrays)


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


def _assembled(dtype: np.dtype[Any], arrays: Sequence[Any]) -> Any:
    """Records or texts that have some parts: a view of those whose parts these are, or new ones."""
    parts = parts_of(dtype)
    rank = arrays[0].ndim - len(parts[0].shape)
    owner = _lender(parts, arrays, rank) if isinstance(arrays[0], np.ndarray) else None
    if owner is not None:
        first = arrays[0]
        void = np.dtype((np.void, dtype.itemsize))
        memory = _Memory(owner, first, -parts[0].offset, void, first.shape[:rank], first.strides[:rank])
        lent = np.asarray(memory)
        viewed = lent.view(dtype if dtype.names is not None else dtype.newbyteorder(first.dtype.byteorder))
        if not rank:
            return viewed[()]
        return viewed if type(owner) is np.ndarray else viewed.view(type(owner))
    if dtype.kind in "SU":
        codes = np.stack([np.asarray(array) for array in arrays], axis=-1)
        made = codes.view(dtype).reshape(codes.shape[:-1])
        return made if isinstance(arrays[0], np.ndarray) else made[()]
    if len(parts) != sum(1 for _ in _fields(dtype)):
        raise UnsupportedError(
            f"records of dtype {dtype} are copied, and have fields of text or the like, which compiled code does not "
            "hold: copy the fields that the program needs"
        )
    made = np.zeros(arrays[0].shape[:rank], dtype)
    for part, array in zip(parts, arrays, strict=True):
        view = _field(made, part)
        view[...] = array.view(view.dtype) if view.dtype.kind in "mM" else array
    return made if made.ndim else made[()]


def _field(array: Array, part: Part) -> Array:
    """The view of one part of records or dates."""
    for name in part.path:
        array = array[name]
    return array


def _fields(dtype: np.dtype[Any]) -> Iterator[np.dtype[Any]]:
    """The dtypes of all fields that have none themselves."""
    base = dtype.base
    if base.names is None:
        yield base
    else:
        for name in base.names:
            yield from _fields(base.fields[name][0])  # type: ignore[index]


def holds_composite(value: Any) -> bool:
    """Whether dates, records or arrays of text are among arguments, in lists of these, or in dicts."""
    if isinstance(value, (list, tuple)):
        return any(map(holds_composite, value))
    if isinstance(value, dict):
        return any(map(holds_composite, value.values()))
    return is_composite_value(value) or isinstance(value, CompositeValue)


def chooses_texts(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether a function of NumPy chooses among Python's texts: `np.where(x > 0, "up", "down")`."""
    choices = args[1:] if function is np.where else args[1] if function is np.select and len(args) > 1 else ()
    return isinstance(choices, (list, tuple)) and any(isinstance(choice, (str, bytes)) for choice in choices)


_makers: list[Callable[[np.dtype[Any], tuple[Any, ...]], Any]] = []


def define_composites(make: Callable[[np.dtype[Any], tuple[Any, ...]], Any]) -> None:
    """Say what stands in a trace for an array of dates, records or texts, before the first one is needed."""
    _makers[:] = [make]
